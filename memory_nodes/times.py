"""Times as people say them, read as stamps: 'since yesterday', 'last two hours', '3 May'."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from memory_nodes.dates import Dates
from memory_nodes.moments import MomentReader, Stretch

EVER_NS = -(2**63)
"""Before all that is known."""
_NEVER_NS = 2**63 - 1
"""After all that can be; both ends are those of a stamp in the database."""

_ABOUT = r"(?:about |around |roughly )?"
_LEADING = re.compile(rf"(?:(?:in|on|at|during|over|within) )?{_ABOUT}", re.I)
_PAIR = re.compile(rf"(?:between|from) {_ABOUT}", re.I)
_JOIN = re.compile(rf" ?(?:and|to|until|till|up to|-) {_ABOUT}", re.I)
_BOUND = re.compile(
    rf"(?:ever )?(since|from|starting|after|before|until|till|up to) {_ABOUT}", re.I
)
_NOW = re.compile(r"(?:right )?now\b", re.I)
_WORD = re.compile(r"(?<![\w:-])-?\w+")
_END = " ?.!,;"
_OCCASION = (
    r"(?:spring|summer|autumn|winter|christmas|easter|birthday|holidays?|weekend|breakfast"
    r"|lunch(?:time)?|dinner|weeks?|months?|years?|days?|hours?|minutes?|seconds?|time|mornings?"
    r"|afternoons?|evenings?|nights?)\b"
)
_SOUNDS_LIKE_TIME = re.compile(
    r"\b(?:ever )?(?:since|before|after|until|till|during|while|(?<!^)when|as of)\b[^.?!,;]*"
    r"|\b(?!how )(?<!how )(?<!how many )(?:\w+ ){1,3}(?:ago|earlier)\b"
    r"|\b(?:in |on |over |within )?(?:the )?(?:last|past|next|this|coming)"
    rf" (?:\w+ ){{0,2}}{_OCCASION}"
    rf"|\b(?:in|at|over|on|for|within) (?:the |my |your )?(?:\w+ )?{_OCCASION}"
    r"|\b(?:lately|recently|earlier|tomorrow)\b",
    re.I,
)

_Found: TypeAlias = tuple[Stretch | None, int]
"""What is meant, None where that is not known, and where it ends in the text."""


@dataclass(frozen=True)
class TimeSpan:
    """What lies between two stamps, both inclusive, and how a person says that."""

    since_ns: int
    until_ns: int
    said: str


@dataclass(frozen=True)
class TimeInText:
    """The time that a text speaks of."""

    span: TimeSpan | None
    unread: tuple[str, ...]
    """What is about a time too, and was not understood."""
    rest: str
    """The text without all of that."""


def read_time(text: str, now_ns: int, dates: Dates) -> TimeSpan | None:
    """What a text that is nothing but a time means; None where that is not understood.

    ``now``, ``-10m`` and ``9:30`` begin and end at once. Simulated time has no calendar: its days
    are today, yesterday, or counted from its start, "day 2".
    """
    said = _plain(text).strip(_END)
    if _NOW.fullmatch(said):
        return TimeSpan(now_ns, now_ns, said)
    reader = MomentReader(now_ns, dates)
    for found in (reader.read(said, 0, is_led=True), _found_at(reader, said, 0)):
        stretch, end = found or (None, 0)
        if stretch is not None and end == len(said):
            return _span(stretch, said)
    return None


def time_in(text: str, now_ns: int, dates: Dates) -> TimeInText:
    """The first time in a text that is understood, and what else sounds like one."""
    rest = _plain(text)
    reader = MomentReader(now_ns, dates)
    span: TimeSpan | None = None
    unread = []
    begin = 0
    while word := _WORD.search(rest, begin):
        found = _found_at(reader, rest, word.start())
        begin = word.end()
        if found is not None:
            stretch, end = found
            begin, said = word.start(), rest[word.start() : end]
            if stretch is not None and span is None:
                span = _span(stretch, said)
            else:
                unread.append(said)
            rest = rest[:begin] + rest[end:].lstrip()
    while like := _SOUNDS_LIKE_TIME.search(rest):
        unread.append(like[0].strip(_END))
        rest = rest[: like.start()] + rest[like.end() :].lstrip()
    return TimeInText(span, tuple(unread), rest.strip(_END))


def _span(stretch: Stretch, said: str) -> TimeSpan:
    """What of it can be a stamp: 'until 9999' is until ever."""
    since_ns, until_ns = (
        min(max(stamp_ns, EVER_NS), _NEVER_NS) for stamp_ns in (stretch.start_ns, stretch.end_ns)
    )
    return TimeSpan(since_ns, until_ns, said)


def _plain(text: str) -> str:
    return " ".join(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())


def _found_at(reader: MomentReader, text: str, start: int) -> _Found | None:
    """The time that begins there."""
    forms = (_between, _bounded, _about)
    return next((found for form in forms if (found := form(reader, text, start))), None)


def _between(reader: MomentReader, text: str, start: int) -> _Found | None:
    """'between Monday and yesterday', 'from 9 to 10'."""
    opening = _PAIR.match(text, start)
    first = reader.read(text, opening.end(), is_led=True) if opening else None
    joined = _JOIN.match(text, first[1]) if first else None
    last = reader.read(text, joined.end(), is_led=True) if joined else None
    if first is None or last is None:
        return None
    (begin, _), (finish, end) = first, last
    if begin is None or finish is None:
        return None, end
    return Stretch(begin.start_ns, finish.end_ns), end


def _bounded(reader: MomentReader, text: str, start: int) -> _Found | None:
    """'since Monday', 'before 9 o'clock', 'until now'."""
    opening = _BOUND.match(text, start)
    if opening is None:
        return None
    bound = opening[1].lower()
    now = _NOW.match(text, opening.end())
    if now is not None and bound in ("until", "till", "up to"):
        return Stretch(EVER_NS, reader.now_ns), now.end()
    found = reader.read(text, opening.end(), is_led=True)
    if found is None:
        return None
    stretch, end = found
    if stretch is None:
        return None, end
    if bound in ("before", "until", "till", "up to"):
        last_ns = stretch.start_ns - 1 if bound == "before" else stretch.end_ns
        return Stretch(EVER_NS, last_ns), end
    first_ns = stretch.end_ns if bound == "after" else stretch.start_ns
    return Stretch(first_ns, reader.now_ns), end


def _about(reader: MomentReader, text: str, start: int) -> _Found | None:
    """'yesterday', 'in the last week', 'at 9:30', which is about then."""
    opening = _LEADING.match(text, start)
    begin = start if opening is None else opening.end()
    found = reader.read(text, begin, is_led=begin > start)
    if found is None:
        return None
    stretch, end = found
    if stretch is None:
        return None, end
    return Stretch(stretch.start_ns - stretch.around_ns, stretch.end_ns + stretch.around_ns), end
