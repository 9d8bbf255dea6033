"""Replies without an object: an empty scene, or an error with a code."""

from __future__ import annotations

import pytest

from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import Reply
from memory_nodes.perception.reply import read_frames
from memory_test_support.one_image import MUG, read
from memory_test_support.records import keyframe


def _code(raw: str, finish_reason: str) -> str:
    with pytest.raises(ReplyError) as caught:
        read(raw, finish_reason=finish_reason)
    return caught.value.code


@pytest.mark.parametrize(
    "raw",
    [
        "[]",
        "```json\n[]\n```",
        '{"objects": []}',
        '{"detections": [], "count": 0}',
        '{"things_on_the_shelf": []}',
        '{"objects": [], "relations": []}',
        "There are no mugs in this picture. []",
        "I can't see any mugs in this image.\n[]",
        "<think>Nothing here.</think>[]",
        "Sorry, there is nothing to report: []",
    ],
)
def test_empty_list_is_an_empty_scene(raw: str) -> None:
    assert read(raw) == ("", True, 0)


@pytest.mark.parametrize(
    ("raw", "finish_reason", "code"),
    [
        ("", "stop", "empty_reply"),
        (" \n\t", "stop", "empty_reply"),
        ("<think>It is a mug.</think>\n", "stop", "empty_reply"),
        ("I'm sorry, but I can't assist with that.", "stop", "refusal"),
        ("I am unable to view images.", "stop", "refusal"),
        ("As an AI language model, I do not have eyes.", "stop", "refusal"),
        ("I don't see any image attached. Please upload one.", "stop", "refusal"),
        ("No image was provided.", "stop", "refusal"),
        ("Please provide the image. {}", "stop", "refusal"),
        ("I cannot process this photo.\n```json\n[]\n```", "stop", "refusal"),
        ('{"objects": [], "error": "no image provided"}', "stop", "refusal"),
        ('{"error": "I cannot identify people in this picture"}', "stop", "refusal"),
        ("抱歉, 我无法查看图片。", "stop", "refusal"),
        ("Es tut mir leid, ich kann das Bild nicht analysieren.", "stop", "refusal"),
        ("[", "length", "truncated"),
        ("```json\n", "length", "truncated"),
        ('{"objects": [', "length", "truncated"),
        ('{"objects": []', "length", "truncated"),
        ('[{"label": "mug", "bbox": [1, 2, 3', "length", "truncated"),
        (MUG[:-1], "length", "truncated"),
        (f"<think>Perhaps {MUG}", "stop", "truncated"),
        (f"<thinking>\n[{MUG}]", "length", "truncated"),
        ('<tool_call>{"name": "zoom", "arg', "length", "truncated"),
        ('[{"label": "mug", "point_2d": [1, 2]}]', "stop", "invalid_boxes"),
        ("[[1, 2, 30, 40], [5, 6, 70, 80]]", "stop", "invalid_boxes"),
        ("[100, 120, 300, 320]", "stop", "invalid_boxes"),
        ('[{"bbox": [1, 2, 30, 40]}]', "stop", "invalid_boxes"),
        ('["mug", "rug"]', "stop", "invalid_boxes"),
        ('[{"label": "mug", "bbox": [3, 2, 1, 4]}, {"la', "length", "invalid_boxes"),
        ("I see a mug on a desk.", "stop", "no_json"),
        ("I see a mug on a desk and", "length", "no_json"),
        ("Nothing was found.", "stop", "no_json"),
        ("{}", "stop", "no_json"),
        ('{"rooms": 1}', "stop", "no_json"),
        ("The result is {not json} at [all].", "stop", "no_json"),
        (f'<tool_call>{{"name": "zoom", "arguments": {MUG}}}</tool_call>', "stop", "no_json"),
        (f'{{"name": "zoom", "arguments": {MUG}}}', "stop", "no_json"),
        (f'[{{"name": "crop", "parameters": {MUG}}}]', "stop", "no_json"),
        (f"Action: zoom\nAction Input: {MUG}", "stop", "no_json"),
        (f'[TOOL_CALLS][{{"name": "zoom", "arguments": {MUG}}}]', "stop", "no_json"),
        (f"<function=zoom>{MUG}</function>", "stop", "no_json"),
        (
            f'{{"tool_calls": [{{"function": {{"name": "z", "arguments": {MUG}}}}}]}}',
            "stop",
            "no_json",
        ),
        ("!" * 500, "length", "no_json"),
        ('zoom_in(bbox_2d=[1, 2, 30, 40], label="mug")', "stop", "no_json"),
        (f"```tool_code\nzoom({MUG})\n```", "stop", "no_json"),
        ('{"action": "zoom", "bbox_2d": [1,2,30,40], "label": "mug"}', "stop", "no_json"),
        (f'{{"tool": "zoom", "input": {MUG}}}', "stop", "no_json"),
        ("The picture did not load.", "stop", "refusal"),
        ("It seems you forgot to attach the image.", "stop", "refusal"),
    ],
)
def test_reply_without_an_object_says_why(raw: str, finish_reason: str, code: str) -> None:
    assert _code(raw, finish_reason) == code


def test_withheld_reply_is_a_refusal() -> None:
    withheld = Reply("", is_complete=False, is_withheld=True)
    with pytest.raises(ReplyError) as caught:
        read_frames(withheld, {0: keyframe(1)}, "xyxy_pixels")
    assert caught.value.code == "refusal"
