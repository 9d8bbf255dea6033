"""What a question about the office of a real robot asks, as far as patterns of words can tell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from memory_nodes.records import NS_PER_S
from memory_nodes.store.filters import Filter

DEFAULT_RADIUS_M = 2.0
MAX_QUESTION_CHARS = 2000
"""Of a longer question the rest is not read."""
_NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_NUMBER = rf"(?:-?\d+(?:\.\d+)?|{'|'.join(_NUMBER_WORDS)}|half an?|an?)"
_UNITS_S = {"s": 1.0, "second": 1.0, "minute": 60.0, "hour": 3600.0}
_UNIT = r"(?:seconds?|minutes?|hours?|s)"
_POINT = re.compile(
    r"\(?\s*(?:x\s*=?\s*)?(-?\d+(?:\.\d+)?)\s*(?:m\b)?\s*[,;]\s*(?:y\s*=?\s*)?(-?\d+(?:\.\d+)?)"
)
_RADIUS = re.compile(rf"\b({_NUMBER}) ?(?:m|met(?:er|re)s?)\b")
_NTH = rf"(?:(?:the )?{_UNIT} )?(?:the )?({_NUMBER})(?:st|nd|rd|th)? ?(?:{_UNIT})?"
_SPAN = re.compile(rf"\b(?:between|from|in|during)\b {_NTH} ?(?:and|to|until|till|-) ?{_NTH}")
_FROM_START = re.compile(rf"\b(?:in|during|within|over) the first ({_NUMBER}) {_UNIT}")
_AFTER = re.compile(rf"\b(?:after|since) (?={_UNIT}|the|\d){_NTH}")
_BEFORE = re.compile(rf"\b(?:before|until|up to) (?={_UNIT}|the|\d){_NTH}")
_SPAN_UNIT = re.compile(rf"\b\d*({_UNIT})\b")
_FIRST = re.compile(r"\b(?:first|earliest|initially)\b")
_LAST = re.compile(r"\b(?:last|latest|most recent(?:ly)?|recently)\b")
_WHERE = re.compile(
    r"\bwhere\b|\b(?:which|what|at what|at which|your) (?:position|place|location|pose|spot)\b"
)
_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:time|second|moment)\b|\bhow (?:many|long|far) "
    r"(?:seconds|minutes|hours)\b|\bhow (?:long|far) into\b|\bhow long ago\b"
)
_HOW_OFTEN = re.compile(
    r"\bhow (?:often|frequently)\b|\bhow many (?:times|records|observations|sightings|detections|"
    r"entries|views|frames)\b|\b(?:number|count) of (?:times|records|observations|sightings|"
    r"detections|entries)\b"
)
_WHAT_THEN = re.compile(r"what (?:all )?(?:did|do|was|were|have|had)\b")
_HOW_MANY = re.compile(r"\bhow many\b")
_WITH = re.compile(r"\b(?:together|along|beside|at the same time|same (?:view|place)) ?(?:with|as)")
_WHAT = re.compile(
    r"\b(?:what|which|list)\b.*\b(?:see|saw|seen|notice|noticed|spot|spotted|observe|observed|"
    r"detect|detected|come across|came across|appear|appeared|visible|there|around|encounter|"
    r"encountered|things|objects)\b"
)


class Asks(str, Enum):
    """What is asked of a thing, or of a time or a place."""

    PRESENCE = "presence"
    """Was it seen at all?"""
    FIRST_TIME = "first_time"
    LAST_TIME = "last_time"
    FIRST_PLACE = "first_place"
    LAST_PLACE = "last_place"
    SIGHTINGS = "sightings"
    """In how many observations?"""
    COUNT = "count"
    """How many of them are there?"""
    TOGETHER = "together"
    """What was seen with it?"""
    SEEN = "seen"
    """What was seen then, or there?"""


@dataclass(frozen=True)
class RecallQuestion:
    """A question that the memory answers without a language model."""

    asks: Asks
    wanted: Filter
    """The time and the place that it names."""


def recall_question(question: str, start_ns: int = 0) -> RecallQuestion:
    """What a question asks; one that fits no pattern asks whether something was seen.

    ``start_ns``: where seconds of a run are counted from.
    """
    text = " ".join(question[:MAX_QUESTION_CHARS].lower().replace("\u2212", "-").split())
    wanted = _wanted(text, start_ns)
    return RecallQuestion(_asks(text, wanted), wanted)


def _asks(text: str, wanted: Filter) -> Asks:
    if _HOW_OFTEN.search(text):
        return Asks.SIGHTINGS
    where, when = _WHERE.search(text), _WHEN.search(text)
    is_first = _FIRST.search(text) is not None
    if where is not None and (when is None or where.start() < when.start()):
        return Asks.FIRST_PLACE if is_first else Asks.LAST_PLACE
    if when is not None and not _WHAT_THEN.match(text):
        return Asks.FIRST_TIME if is_first else Asks.LAST_TIME
    if _HOW_MANY.search(text):
        return Asks.COUNT
    if _WITH.search(text):
        return Asks.TOGETHER
    if _WHAT.search(text) and wanted != Filter():
        return Asks.SEEN
    return Asks.PRESENCE


def _wanted(text: str, start_ns: int) -> Filter:
    point = _POINT.search(text)
    radius = _RADIUS.search(text) if point is not None else None
    rest = text if point is None else f"{text[: point.start()]} {text[point.end() :]}"
    since_ns, until_ns = _span(rest, start_ns)
    return Filter(
        since_ns=since_ns,
        until_ns=until_ns,
        center_map_m=None if point is None else (float(point[1]), float(point[2]), 0.0),
        radius_m=0.0 if point is None else _number(radius[1]) if radius else DEFAULT_RADIUS_M,
        ignore_height=point is not None,
    )


def _span(text: str, start_ns: int) -> tuple[int | None, int | None]:
    """'between second 60 and second 90', 'in the first two minutes', 'after second 200'."""
    for pattern, sides in ((_SPAN, "ab"), (_FROM_START, " b"), (_AFTER, "a"), (_BEFORE, " b")):
        found = pattern.search(text)
        unit = _SPAN_UNIT.search(found[0]) if found is not None else None
        if found is None or unit is None:
            continue
        scale_s = _UNITS_S[unit[1] if unit[1] == "s" else unit[1].rstrip("s")]
        numbers = iter(found.groups())
        ends = {
            side: start_ns + round(_number(next(numbers)) * scale_s * NS_PER_S)
            for side in sides.strip()
        }
        return ends.get("a"), ends.get("b")
    return None, None


def _number(text: str) -> float:
    if text.startswith("half"):
        return 0.5
    if text in ("a", "an"):
        return 1.0
    return float(_NUMBER_WORDS.get(text, text))
