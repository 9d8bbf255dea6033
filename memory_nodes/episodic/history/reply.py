"""Reads the model's replies to the prompts of the history, and says exactly what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memory_nodes.episodic.history.config import MAX_EVENT_CHARS, MAX_SUMMARY_CHARS
from memory_nodes.models.json_values import JsonList, JsonObject, plain
from memory_nodes.models.ports import Reply
from memory_nodes.models.reply_json import find_json
from memory_nodes.words import shortened

MAX_ERRORS = 10
MAX_DIGITS = 9
"""Of the number of an entry; Python refuses to read, and to say, very long ones."""


@dataclass(frozen=True)
class Range:
    """Entries of a list that belong together, counted from 1."""

    first: int
    last: int
    summary: str


@dataclass(frozen=True)
class Grouping:
    """The ranges of a reply; none where it has errors."""

    ranges: tuple[Range, ...]
    errors: tuple[str, ...] = ()


def read_grouping(reply: Reply, count: int) -> Grouping:
    """The ranges that together hold each of ``count`` entries once, in order; or what is wrong.

    Source: H-EMV, section III-A: "re-prompt on failure, listing detailed error messages".
    """
    found = [
        plain(value) for each in find_json(reply.text).values for value in _closed_groups(each)
    ]
    if not found:
        wrong = "it was cut off" if not reply.is_complete else "there is no JSON list of groups"
        return Grouping((), (f'{wrong}: write {{"groups": [...]}} and nothing else',))
    ranges, errors = [], []
    for number, entry in enumerate(found, 1):
        read = _range(entry, number)
        if isinstance(read, Range):
            ranges.append(read)
        else:
            errors.append(read)
    if not errors:
        errors = list(_errors(ranges, count))
    return Grouping((), tuple(errors[:MAX_ERRORS])) if errors else Grouping(tuple(ranges))


def read_summary(reply: Reply) -> str:
    """The summary on one line, of bounded length; empty where there is none."""
    for value in find_json(reply.text).values:
        if isinstance(value, JsonObject):
            summary = plain(value).get("summary")
            if isinstance(summary, str):
                return shortened(summary, MAX_SUMMARY_CHARS)
    return ""


def read_events(reply: Reply, count: int) -> tuple[str, ...]:
    """A sentence for each of so many events, as read_summary gives them; none where they differ in
    number: nobody knows which is left out.
    """
    for value in find_json(reply.text).values:
        if isinstance(value, JsonObject):
            events = plain(value).get("events")
            if isinstance(events, list) and len(events) == count:
                return tuple(
                    shortened(each, MAX_EVENT_CHARS) if isinstance(each, str) else ""
                    for each in events
                )
    return ()


def _closed_groups(value: JsonObject | JsonList) -> Iterator[JsonObject | JsonList]:
    """The entries of the list of groups, whether it has a name or not."""
    if isinstance(value, JsonObject):
        groups = value.get("groups")
        if isinstance(groups, JsonList):
            yield from _closed_groups(groups)
        elif value.get("first") is not None:
            yield value
    else:
        for item in value.items:
            if isinstance(item, JsonObject | JsonList):
                yield item


def _range(entry: Any, number: int) -> Range | str:
    """A group, or what is wrong with it."""
    if not isinstance(entry, dict):
        return f'group {number} is no object with "first", "last" and "summary"'
    edges = [_whole(entry.get(name)) for name in ("first", "last")]
    summary = entry.get("summary")
    if edges[0] is None or edges[1] is None:
        return (
            f'group {number}: "first" and "last" must be whole numbers of at most {MAX_DIGITS}'
            " digits"
        )
    if not isinstance(summary, str) or not summary.strip():
        return f'group {number} ({edges[0]} to {edges[1]}) has no "summary"'
    return Range(edges[0], edges[1], shortened(summary, MAX_SUMMARY_CHARS))


def _whole(value: Any) -> int | None:
    """None also for a number of too many digits."""
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value) if len(value.strip()) <= MAX_DIGITS else None
    return value if type(value) is int and abs(value) < 10**MAX_DIGITS else None


def _errors(ranges: list[Range], count: int) -> Iterator[str]:
    """What keeps ranges from holding each entry once, in order."""
    expected = 1
    for number, each in enumerate(ranges, 1):
        name = f"group {number} ({each.first} to {each.last})"
        if each.first > each.last:
            yield f"{name} ends before it begins"
            continue
        if each.first < 1 or each.last > count:
            yield f"{name} is outside of 1 to {count}"
        elif each.first > expected:
            yield f"{_numbers(expected, each.first - 1)} in no group: before {name}"
        elif each.first < expected and number > 1 and each.last < ranges[number - 2].first:
            yield f"{name} is out of order: it comes before group {number - 1}"
        elif each.first < expected:
            overlap = _numbers(each.first, min(each.last, expected - 1))
            yield f"{overlap} in two groups: {name} overlaps the one before it"
        expected = max(expected, each.last + 1)
    if expected <= count:
        yield f"{_numbers(expected, count)} in no group: the last one must end with {count}"


def _numbers(first: int, last: int) -> str:
    return f"{first} is" if first == last else f"{first} to {last} are"
