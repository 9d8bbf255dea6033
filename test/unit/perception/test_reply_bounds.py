"""Whatever a model writes, reading it is cheap and gives a bounded result or an error."""

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
from memory_test_support.one_image import AB, MUG, RUG, A, read
from memory_test_support.records import keyframe


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
        read(raw)
    assert time.process_time() - start < 10.0  # one of quadratic cost takes minutes


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
        found = read(f"[{MUG}, {RUG}]"[:length])
    except ReplyError as error:
        assert error.code in ("truncated", "empty_reply")
        return
    assert found in ((A, False, 0), (AB, False, 0))
