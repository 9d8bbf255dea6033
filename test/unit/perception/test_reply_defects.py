"""Defects of replies by family; expected values follow by hand from the rules of the reply cases.

All boxes are written for an image of 640 x 480 px. ``A`` is the object (mug, 100 120 300 320).
"""

from __future__ import annotations

import contextlib
import time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_nodes.errors import ReplyError, ReplyFault
from memory_nodes.models.ports import Reply
from memory_nodes.perception.boxes import BBOX_FORMATS
from memory_nodes.perception.reply import read_frames
from memory_test_support.records import keyframe

Found = tuple[str, bool, int]
"""Objects as "label x0 y0 x1 y1; ...", complete, dropped."""

MUG = '{"label": "mug", "bbox": [100, 120, 300, 320]}'
RUG = '{"label": "rug", "bbox": [10, 20, 30, 40]}'
A = "mug 100 120 300 320"
B = "rug 10 20 30 40"
AB = f"{A}; {B}"


def _read(raw: str, bbox_format: str = "xyxy_pixels", finish_reason: str | None = "stop") -> Found:
    reply = Reply(raw, finish_reason not in ("length", "content_filter"))
    found = read_frames(reply, {0: keyframe(1)}, bbox_format)
    objects = []
    for item in found.objects:
        box = item.views[0].box if item.views else None
        sides = (box.x0_px, box.y0_px, box.x1_px, box.y1_px) if box else ()
        objects.append(" ".join((item.type, *(f"{side:g}" for side in sides))))
    return "; ".join(objects), found.is_complete, found.dropped


def _code(raw: str, bbox_format: str = "xyxy_pixels", finish_reason: str | None = "stop") -> str:
    with pytest.raises(ReplyError) as caught:
        _read(raw, bbox_format, finish_reason)
    return caught.value.code


WHOLE = {
    "prose with brackets": f"In frame [0] (a photo) I see:\n[{MUG}, {RUG}]\nDone [1].",
    "bold markdown": f"**Objects:** [{MUG}, {RUG}] **end**",
    "fence without a word": f"```\n[{MUG}, {RUG}]\n```",
    "fence left open": f"```json\n[{MUG}, {RUG}]",
    "two fences": f"```json\n[{MUG}]\n```\nand\n```json\n[{RUG}]\n```",
    "arrays in a row": f"[{MUG}][{RUG}]",
    "array of arrays": f"[[{MUG}], [{RUG}]]",
    "unrelated block first": f'```json\n{{"title": "Scan", "rooms": 2}}\n```\n[{MUG}, {RUG}]',
    "unrelated named block": f'[{MUG}, {RUG}]\n{{"name": "kitchen", "area_m2": 12}}',
    "under a strange key": f'{{"things_on_the_table": [{MUG}, {RUG}]}}',
    "two keys": f'{{"cups": [{MUG}], "floor": [{RUG}]}}',
    "wrapper with a name": f'{{"name": "scene 4", "detections": [{MUG}, {RUG}]}}',
    "thought before": f"<think>a vase? {RUG} no</think>[{MUG}, {RUG}]",
    "thought with capitals": f"<THINK>hm</THINK>[{MUG}, {RUG}]",
    "thinking tag": f"<thinking>[{MUG}]</thinking>\n[{MUG}, {RUG}]",
    "kimi thought": f"◁think▷[{MUG}]◁/think▷[{MUG}, {RUG}]",
    "two thoughts": f"<think>x</think> so <think>{MUG}</think> [{MUG}, {RUG}]",
    "answer tag with a draft before": f"Draft: [{RUG}] <answer>[{MUG}, {RUG}]</answer>",
    "single quotes": f"[{MUG}, {RUG}]".replace('"', "'"),
    "tuples": "[{'label': 'mug', 'bbox': (100, 120, 300, 320)}, "
    "{'label': 'rug', 'bbox': (10, 20, 30, 40), 'seen': True, 'by': None}]",
    "typographic quotes": f"[{MUG}, {RUG}]".replace('{"', "{“")
    .replace('":', "”:")
    .replace(', "', ", “")
    .replace('",', "”,")
    .replace(' "', " “"),
    "keys without quotes": "[{label: 'mug', bbox: [100,120,300,320]}, "
    "{label: 'rug', bbox: [10,20,30,40]}]",
    "words without quotes": "[{label: mug, bbox: [100,120,300,320]}, "
    "{label: rug, bbox: [10,20,30,40]}]",
    "trailing commas": f"[{MUG[:-1]},}},{RUG},,]",
    "missing commas": f"[{MUG} {RUG}]",
    "missing comma in a record": f'[{{"label": "mug" "bbox": [100,120,300,320]}}, {RUG}]',
    "missing comma at a line": f'[{{"label": "mug"\n"bbox": [100,120,300,320]}}\n{RUG}]',
    "missing commas in a box": f'[{{"label": "mug", "bbox": [100 120 300 320]}}, {RUG}]',
    "missing quote after a text": f'[{{"label": "mug, "bbox": [100,120,300,320]}}, {RUG}]',
    "comments": f"[{MUG}, // the red one\n/* and */ {RUG} # last\n]",
    "ellipsis": f"[{MUG}, {RUG}, ...]",
    "json lines": f"{MUG}\n{RUG}",
    "json lines with commas": f"{MUG},\n{RUG},",
    "numbered lines": f"1. {MUG}\n2. {RUG}",
    "opening bracket lost": f"{MUG}, {RUG}]",
    "box bracket lost": f'[{{"label": "mug", "bbox": [100,120,300,320}}, {RUG}]',
    "box bracket lost before a key": f'[{{"bbox": [100,120,300,320, "label": "mug"}}, {RUG}]',
    "box brackets lost": f'[{{"label": "mug", "bbox": 100, 120, 300, 320}}, {RUG}]',
    "brace lost between": f"[{MUG[:-1]}, {RUG}]",
    "brace lost at the end": f"[{MUG}, {RUG[:-1]}]",
    "brackets for braces": f'[["label": "mug", "bbox": [100,120,300,320]], {RUG}]',
    "braces for brackets": f"{{{MUG}, {RUG}}}",
    "stray brace before": f"{{[{MUG}, {RUG}]",
    "stray brace inside": f"[{{{MUG}, {RUG}]",
    "stray brace after a record": f"[{MUG}}}, {RUG}]",
    "stray brace in a wrapper": f'{{"objects": [{MUG}}}, {RUG}]}}',
    "stray brace last in a wrapper": f'{{"objects": [{MUG}, {RUG}}}]}}',
    "stray bracket after a box": f'[{{"bbox": [100,120,300,320]], "label": "mug"}}, {RUG}]',
    "stray bracket at the end": f"[{MUG}, {RUG}]]",
    "list closed too early": f'{{"objects": [{MUG}], {RUG}]}}',
    "braces twice": f'{{{{"objects": [{MUG}, {RUG}]}}}}',
    "flat names and boxes": '{"name": "mug", "box": [100,120,300,320], '
    '"name": "rug", "box": [10,20,30,40]}',
    "flat and numbered": '{"label_1": "mug", "bbox_1": [100,120,300,320], '
    '"label_2": "rug", "bbox_2": [10,20,30,40]}',
    "flat with corners": '{"label": "mug", "x1": 100, "y1": 120, "x2": 300, "y2": 320, '
    '"label": "rug", "x1": 10, "y1": 20, "x2": 30, "y2": 40}',
    "map of boxes": '{"mug": [100,120,300,320], "rug": [10,20,30,40]}',
    "maps of boxes": '[{"mug": [100,120,300,320]}, {"rug": [10,20,30,40]}]',
    "map of records": '{"mug": {"bbox": [100,120,300,320]}, "rug": {"bbox": [10,20,30,40]}}',
    "rows": '[["mug", [100,120,300,320]], ["rug", 10, 20, 30, 40]]',
    "repeats": f"[{MUG}, {MUG}, {RUG}, {MUG}]",
    "box in a list": f'[{{"label": "mug", "bbox": [[100,120,300,320]]}}, {RUG}]',
    "corners in pairs": f'[{{"label": "mug", "bbox": [[100,120],[300,320]]}}, {RUG}]',
    "pairs without a bracket": f'[{{"label": "mug", "bbox": (100,120),(300,320)}}, {RUG}]',
    "box as a text": f'[{{"label": "mug", "bbox": "[100, 120, 300, 320]"}}, {RUG}]',
    "numbers as texts": f'[{{"label": "mug", "bbox": ["100", "120", "300", "320"]}}, {RUG}]',
    "named sides": f'[{{"label": "mug", "left": 100, "top": 120, "right": 300, "bottom": 320}},{RUG}]',
    "sides in an object": f'[{{"label": "mug", "bbox": {{"xmin": 100, "ymin": 120, "xmax": 300, '
    f'"ymax": 320}}}}, {RUG}]',
    "corners from zero": f'[{{"label":"mug","x0":100,"y0":120,"x1":300,"y1":320}},{RUG}]',
    "two keys for one box": f'[{{"label":"mug","bbox":[100,120,300,320],"box":[100,120,300,320]}},{RUG}]',
    "null beside a box": f'[{{"label": "mug", "box": null, "bbox": [100,120,300,320]}},{RUG}]',
    "mask": f'[{{"label": "mug", "mask": "iVBORw0KGgo=", "bbox": [100,120,300,320]}},{RUG}]',
    "polygon beside a box": f'[{{"label":"mug","bbox":[100,120,300,320],"polygon":[[1,2],[3,4],[5,6]]}},{RUG}]',
    "point beside a box": f'[{{"label":"mug","bbox":[100,120,300,320],"center":[200,220]}},{RUG}]',
    "Bounding Box": f'[{{"Label": "mug", "Bounding Box": [100,120,300,320]}},{RUG}]',
    "boundingBox": f'[{{"className": "mug", "boundingBox": [100,120,300,320]}},{RUG}]',
    "coordinates": f'[{{"category": "mug", "coordinates": [100,120,300,320]}},{RUG}]',
    "class and rect": f'[{{"class": "mug", "rect": [100,120,300,320]}},{RUG}]',
    "object and position": f'[{{"object": "mug", "position": [100,120,300,320]}},{RUG}]',
    "name in two languages": f'[{{"label_de": "Becher", "label_en": "mug", "bbox": [100,120,300,320]}},{RUG}]',
    "zero padded": f'[{{"label": "mug", "bbox": [0100, 0120, 300, 320]}}, {RUG}]',
    "exponents and plus": f'[{{"label": "mug", "bbox": [1e2, +120, 3.0E2, 320.]}}, {RUG}]',
    "end token": f"[{MUG}, {RUG}]<|im_end|>",
    "tokens round a box": f'[{{"label": "mug", "bbox": <|box_start|>(100,120),(300,320)<|box_end|>}},{RUG}]',
    "tool call before the answer": f'<tool_call>{{"name": "zoom", "arguments": {RUG}}}</tool_call>\n'
    f"[{MUG}, {RUG}]",
    "tool result before the answer": f'[TOOL_CALL] zoom\n{RUG}\n[TOOL_RESPONSE] zoom\n{{"ok": 1}}\n'
    f"[{MUG}, {RUG}]",
    "reply in a text": '"[' + f"{MUG}, {RUG}".replace('"', '\\"') + ']"',
    "regret and boxes": f"Sorry, I cannot see much, only these: [{MUG}, {RUG}]",
}


@pytest.mark.parametrize("raw", WHOLE.values(), ids=WHOLE.keys())
def test_defect_that_costs_nothing(raw: str) -> None:
    assert _read(raw) == (AB, True, 0)


CUT = {
    "in a number": f"[{MUG}, " + '{"label": "rug", "bbox": [10, 2',
    "after a box": f"[{MUG}, " + '{"label": "rug", "bbox": [10, 20, 30, 40]',
    "in a label": f"[{MUG}, " + '{"bbox": [10, 20, 30, 40], "label": "ru',
    "after a label": f"[{MUG}, " + '{"bbox": [10, 20, 30, 40], "label": "rug"',
    "before a record": f"[{MUG}, ",
    "after a brace": f"[{MUG}, {{",
    "in a wrapper": f'{{"objects": [{MUG}, ' + '{"la',
    "wrapper not closed": f'{{"objects": [{MUG}]',
    "in a fence": f"```json\n[{MUG},\n" + '{"bbox": [1',
    "in json lines": f"{MUG}\n" + '{"label": "rug", "bbox": [10, 20, 3',
    "in the second array": f"[{MUG}]\n[" + '{"label": "rug"',
    "in single quotes": "[{'label': 'mug', 'bbox': [100,120,300,320]}, {'label': 'ru",
    "in a constant": f"[{MUG}, " + '{"label": "rug", "bbox": [10,20,30,40], "seen": tr',
    "in a map of boxes": '{"mug": [100,120,300,320], "rug": [10, 20, 30, 4',
    "in a flat object": '{"name": "mug", "box": [100,120,300,320], "name": "rug", "box": [10,20,30,40]',
    "after a stray brace": f"{{[{MUG}, " + '{"lab',
    "with a stray brace before": f"[{{{MUG}, " + '{"label": "r',
    "in grounding tokens": "<ref>mug</ref><box>(100,120),(300,320)</box><ref>rug</ref><box>(10,2",
}


@pytest.mark.parametrize("finish_reason", ["length", "stop", None])
@pytest.mark.parametrize("raw", CUT.values(), ids=CUT.keys())
def test_cut_reply_keeps_what_was_whole_and_is_not_complete(
    raw: str, finish_reason: str | None
) -> None:
    assert _read(raw, finish_reason=finish_reason) == (A, False, 0)


@pytest.mark.parametrize(
    ("raw", "objects", "dropped"),
    [
        (f'[{{"label": "jar", "bbox": [5, 5, 5, 9]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [9, 5, 5, 9]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, 3]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, 3, 4, 5, 6, 7, 8]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": []}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, null, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, NaN, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, Infinity, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, "right", 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, 30px, 40px]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1%, 2%, 30%, 40%]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, true, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": "left of the mug"}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, 2, 654, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1, -10, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [639.5, 2, 650, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [10, 20, 10.9, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [{"9" * 5000}, 2, 3, 4]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "point": [10, 20]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox_2d": [10, 20]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "x": 10, "y": 20}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "polygon": [[1,2],[3,4],[5,6]]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [[1,2],[30,2],[30,40],[1,40]]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox_3d": [1,2,3,4,5,6,7,8,9]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": [1,2,30,40], "bbox": [5,6,70,80]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "x": 1, "y": 2, "w": 30, "width": 31, "h": 40}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "label": "can", "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "", "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": " ", "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": null, "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"score": 0.5, "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"id": 4, "bbox": [1, 2, 30, 40]}}, {MUG}]', A, 1),
        (f'[{{"label": "jar", "bbox": null}}, {MUG}]', f"jar; {A}", 0),
        (f'[{{"label": "jar"}}, {MUG}]', f"jar; {A}", 0),
        (f'[{{"label": "jar", "score": 0.4}}, {MUG}]', f"jar; {A}", 0),
        (f'{{"label": "jar"}}\n{MUG}', f"jar; {A}", 0),
        ('[{"label": "mug", "bbox": [-5, 120, 645, 320]}]', "mug 0 120 640 320", 0),
        (
            '[{"label": "mug", "bbox": [[100,120,300,320],[10,20,30,40]]}]',
            f"{A}; mug 10 20 30 40",
            0,
        ),
        ('{"mug": [[100,120,300,320],[10,20,30,40]]}', f"{A}; mug 10 20 30 40", 0),
        (
            f'[{MUG}, {{"label": "mug", "bbox": [101, 120, 300, 320]}}]',
            f"{A}; mug 101 120 300 320",
            0,
        ),
        ('[{"label": "a \\"big\\" mug", "bbox": [10,20,30,40]}]', 'a "big" mug 10 20 30 40', 0),
        ('[{"label": "a 12" pipe", "bbox": [10,20,30,40]}]', 'a 12" pipe 10 20 30 40', 0),
        ("[{'label': 'driver's seat', 'bbox': [10,20,30,40]}]", "driver's seat 10 20 30 40", 0),
        (
            '[{"label": "cup, {blue}: [2]", "bbox": [10,20,30,40]}]',
            "cup, {blue}: [2] 10 20 30 40",
            0,
        ),
        ('[{"label": "T\\u00fcr \\ud83d\\ude00", "bbox": [10,20,30,40]}]', "Tür 😀 10 20 30 40", 0),
        (
            '[{"label": "<think>", "bbox": [10,20,30,40]}]'.replace("<think>", "<b>"),
            "<b> 10 20 30 40",
            0,
        ),
    ],
)
def test_bad_record_goes_and_the_others_stay(raw: str, objects: str, dropped: int) -> None:
    assert _read(raw) == (objects, True, dropped)


@pytest.mark.parametrize(
    ("bbox_format", "box", "pixels"),
    [
        ("xyxy_norm1000", "[100, 250, 500, 750]", "64 120 320 360"),
        ("yxyx_norm1000", "[250, 100, 750, 500]", "64 120 320 360"),
        ("xyxy_norm1", "[0.1, 0.25, 0.5, 0.75]", "64 120 320 360"),
        ("cxcywh_norm1", "[0.3, 0.5, 0.4, 0.5]", "64 120 320 360"),
        ("xywh_pixels", "[64, 120, 256, 240]", "64 120 320 360"),
        ("xywh_pixels", '{"x": 64, "y": 120, "width": 256, "height": 240}', "64 120 320 360"),
        ("cxcywh_norm1", '{"cx": 0.3, "cy": 0.5, "w": 0.4, "h": 0.5}', "64 120 320 360"),
        ("yxyx_norm1000", '{"xmin": 100, "ymin": 250, "xmax": 500, "ymax": 750}', "64 120 320 360"),
        ("xyxy_norm1000", '{"ymin": 250, "xmin": 100, "ymax": 750, "xmax": 500}', "64 120 320 360"),
    ],
)
def test_declared_format_decides(bbox_format: str, box: str, pixels: str) -> None:
    assert _read(f'[{{"label": "mug", "box_2d": {box}}}]', bbox_format) == (
        f"mug {pixels}",
        True,
        0,
    )


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
    assert _read(raw) == ("", True, 0)


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
        ("抱歉，我无法查看图片。", "stop", "refusal"),
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
    ],
)
def test_reply_without_an_object_says_why(raw: str, finish_reason: str, code: str) -> None:
    assert _code(raw, finish_reason=finish_reason) == code


def test_withheld_reply_is_a_refusal() -> None:
    withheld = Reply("", is_complete=False, is_withheld=True)
    with pytest.raises(ReplyError) as caught:
        read_frames(withheld, {0: keyframe(1)}, "xyxy_pixels")
    assert caught.value.code == "refusal"


@pytest.mark.parametrize(
    "raw",
    [
        "<ref>mug</ref><box>(100,120),(300,320)</box><ref>rug</ref><box>(10,20),(30,40)</box>",
        "<ref>mug</ref><box>[[100,120,300,320]]</box><ref>rug</ref><box>[[10, 20, 30, 40]]</box>",
        "<|object_ref_start|>mug<|object_ref_end|><|box_start|>(100,120),(300,320)<|box_end|>"
        "<|object_ref_start|>rug<|object_ref_end|><|box_start|>(10,20),(30,40)<|box_end|><|im_end|>",
        "<|ref|>mug<|/ref|><|det|>[[100, 120, 300, 320]]<|/det|>\n"
        "<|ref|>rug<|/ref|><|det|>[[10, 20, 30, 40]]<|/det|>",
    ],
)
def test_grounding_tokens_are_read(raw: str) -> None:
    assert _read(raw) == (AB, True, 0)


def test_two_boxes_of_one_name_in_grounding_tokens_are_two_objects() -> None:
    raw = "<|ref|>mug<|/ref|><|det|>[[100, 120, 300, 320], [10, 20, 30, 40]]<|/det|>"
    assert _read(raw) == (f"{A}; mug 10 20 30 40", True, 0)


@pytest.mark.parametrize(
    "raw",
    [
        "[" * 1_000_000,
        "{" * 1_000_000,
        '{"a":' * 200_000,
        "[{" * 500_000,
        "[]" * 500_000,
        '["' * 300_000,
        '{"label": "a, ' * 70_000,
        "[1," * 300_000,
        "[/*" * 300_000,
        "[/* " * 250_000,
        "<think>" * 140_000,
        "</think>" * 120_000,
        "<ref>" * 200_000,
        "<ref>a</ref>" * 80_000,
        "<ref>a</ref><box>(" * 50_000,
        "[TOOL_CALL] {" * 70_000,
        "<tool_call>" * 90_000,
        "I cannot " * 100_000,
        "[{" + '"x": 1, ' * 100_000,
        "[" + f"{MUG}, " * 20_000,
        "[" + ",".join(f'{{"label": "mug {n}", "bbox": [1,2,30,40]}}' for n in range(20_000)),
        '{"label": "a", "bbox": [1,2,3,4], ' * 30_000,
        '{"views": [' * 90_000,
        '"' * 1_000_000,
        "[" + "'" * 1_000_000,
        "[" + '\\"' * 500_000,
        "{ " * 500_000,
        "[" + " " * 1_000_000,
        '[{"label": "a", "bbox": [' + "9" * 900_000,
        '{"name": "a", "box": [1,2,3,4], ' + '"name": "b", "box": [1,2,3,4], ' * 30_000 + "}",
    ],
    ids=lambda raw: raw[:24],
)
@pytest.mark.timeout(20)
def test_reply_of_a_megabyte_costs_little(raw: str) -> None:
    start = time.process_time()
    with contextlib.suppress(ReplyError):
        _read(raw)
    assert time.process_time() - start < 1.0


PIECES = st.sampled_from(
    [
        *(
            "{",
            "}",
            "[",
            "]",
            "(",
            ")",
            ",",
            ":",
            '"',
            "'",
            "\\",
            "\n",
            " ",
            "```",
            "//",
            "/*",
            "#",
        ),
        *(
            '"label"',
            '"bbox"',
            '"views"',
            '"frame"',
            '"id"',
            '"relations"',
            '"objects"',
            "mug",
            "null",
        ),
        *(
            "1",
            "20",
            "300",
            "-4",
            "1e999",
            "017",
            "[10, 20, 30, 40]",
            MUG,
            RUG,
            "\ud800",
            "\0",
            "“",
        ),
        *("<think>", "</think>", "<answer>", "<ref>", "</ref>", "<box>", "</box>", "[TOOL_CALL]"),
        *(
            "<tool_call>",
            "</tool_call>",
            "<|det|>",
            "I cannot",
            "Action Input:",
            '"x1": 5',
            "=",
            ";",
        ),
    ]
)
REPLIES = st.lists(PIECES | st.text(max_size=5), max_size=40).map("".join)
FORMATS = st.sampled_from(BBOX_FORMATS)


@given(REPLIES, FORMATS, st.sampled_from(["stop", "length", None]))
def test_whatever_comes_boxes_lie_in_the_image_and_texts_can_be_stored(
    raw: str, bbox_format: str, finish_reason: str | None
) -> None:
    reply = Reply(raw, finish_reason != "length")
    try:
        found = read_frames(reply, {0: keyframe(1), 1: keyframe(2)}, bbox_format)
    except ReplyError as error:
        assert error.code in get_args(ReplyFault)
        return
    assert not (found.is_complete and finish_reason == "length")
    assert len({item.object_id for item in found.objects}) == len(found.objects)
    for item in found.objects:
        f"{item.object_id} {item.type} {item.description}".encode()
        assert item.type
        assert "\0" not in item.type
        for view in item.views:
            assert 0.0 <= view.box.x0_px < view.box.x1_px <= 640.0
            assert 0.0 <= view.box.y0_px < view.box.y1_px <= 480.0


@given(st.integers(0, len(f"[{MUG}, {RUG}]") - 1))
def test_no_beginning_of_a_reply_passes_for_the_whole(length: int) -> None:
    try:
        found = _read(f"[{MUG}, {RUG}]"[:length])
    except ReplyError as error:
        assert error.code in ("truncated", "empty_reply")
        return
    assert found in ((A, False, 0), (AB, False, 0))
