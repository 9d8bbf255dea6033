"""A grouping holds each entry once, in order; what is wrong is said exactly."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_nodes.episodic.history.config import MAX_SUMMARY_CHARS
from memory_nodes.episodic.history.reply import Range, read_grouping, read_summary
from memory_test_support.recorded_models import reply


def _groups(*edges: tuple[Any, Any]) -> str:
    groups = [{"first": first, "last": last, "summary": "tidied up"} for first, last in edges]
    return json.dumps({"groups": groups})


def test_ranges_are_read_in_order() -> None:
    grouping = read_grouping(reply(_groups((1, 3), (4, 4), (5, 6))), 6)
    assert grouping.errors == ()
    assert grouping.ranges == (
        Range(1, 3, "tidied up"),
        Range(4, 4, "tidied up"),
        Range(5, 6, "tidied up"),
    )


@pytest.mark.parametrize(
    ("edges", "errors"),
    [
        ([(1, 2), (4, 6)], ["3 is in no group: before group 2 (4 to 6)"]),
        ([(3, 6)], ["1 to 2 are in no group: before group 1 (3 to 6)"]),
        ([(1, 4)], ["5 to 6 are in no group: the last one must end with 6"]),
        (
            [(1, 3), (3, 6)],
            ["3 is in two groups: group 2 (3 to 6) overlaps the one before it"],
        ),
        (
            [(1, 4), (2, 6)],
            ["2 to 4 are in two groups: group 2 (2 to 6) overlaps the one before it"],
        ),
        (
            [(4, 6), (1, 3)],
            [
                "1 to 3 are in no group: before group 1 (4 to 6)",
                "group 2 (1 to 3) is out of order: it comes before group 1",
            ],
        ),
        (
            [(1, 3), (6, 4)],
            [
                "group 2 (6 to 4) ends before it begins",
                "4 to 6 are in no group: the last one must end with 6",
            ],
        ),
        (
            [(1, 6), (7, 9)],
            ["group 2 (7 to 9) is outside of 1 to 6"],
        ),
        ([(0, 6)], ["group 1 (0 to 6) is outside of 1 to 6"]),
        (
            [(1, "x"), (2, 6)],
            ['group 1: "first" and "last" must be whole numbers of at most 9 digits'],
        ),
        (
            [(1, 2), (3, "9" * 5000)],  # Python reads no longer one than of 4300 digits
            ['group 2: "first" and "last" must be whole numbers of at most 9 digits'],
        ),
        (
            [(1, 10**4000)],
            ['group 1: "first" and "last" must be whole numbers of at most 9 digits'],
        ),
    ],
)
def test_each_error_is_named(edges: list[tuple[Any, Any]], errors: list[str]) -> None:
    grouping = read_grouping(reply(_groups(*edges)), 6)
    assert grouping.ranges == ()
    assert list(grouping.errors) == errors


def test_a_group_without_a_summary_is_an_error() -> None:
    text = '{"groups": [{"first": 1, "last": 6, "summary": "  "}]}'
    assert read_grouping(reply(text), 6).errors == ('group 1 (1 to 6) has no "summary"',)


def test_what_is_no_object_is_an_error() -> None:
    text = '{"groups": [[1, 6, "all"]]}'
    expected = ('group 1 is no object with "first", "last" and "summary"',)
    assert read_grouping(reply(text), 6).errors == expected


def test_a_reply_without_groups_says_what_to_write() -> None:
    expected = 'there is no JSON list of groups: write {"groups": [...]} and nothing else'
    for text in ("", "I cannot.", '{"groups": []}', "[]"):
        assert read_grouping(reply(text), 6).errors == (expected,)


def test_a_reply_that_was_cut_off_says_so() -> None:
    (error,) = read_grouping(reply("", is_complete=False), 6).errors
    assert error.startswith("it was cut off")


def test_a_bare_list_and_numbers_in_quotes_will_do() -> None:
    first = '{"first": "1", "last": "2", "summary": "a"}'
    text = f'Here: [{first}, {{"first": 3, "last": 3, "summary": "b"}}]'
    assert read_grouping(reply(text), 3).ranges == (Range(1, 2, "a"), Range(3, 3, "b"))


def test_a_summary_is_bounded_and_on_one_line() -> None:
    said = "It watered\nthe plant. " + "word " * 200
    summary = read_summary(reply(json.dumps({"summary": said})))
    assert summary.startswith("It watered the plant. word")
    assert len(summary) <= MAX_SUMMARY_CHARS
    assert summary.endswith("word…")


@pytest.mark.parametrize("text", ["", "no", '{"summary": 3}', '{"text": "x"}', '["summary"]'])
def test_no_summary_is_empty(text: str) -> None:
    assert read_summary(reply(text)) == ""
