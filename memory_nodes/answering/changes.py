"""Answers to "what changed?" from what the memory noted, without a language model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.answering.extractive import listed, name
from memory_nodes.records import NS_PER_S, Answer, Change, ChangeKind
from memory_nodes.retrieval.ranking import best_views
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text, words

UNCHANGED = "Nothing changed that I noticed"
MAX_NAMED = 5
"""Of more changes of a kind the newest are named, the others counted."""
DAY_S = 86_400
_UNITS_S = {"minute": 60, "hour": 3_600, "day": DAY_S}
_LAST = re.compile(r"(?:last|past) (?:(\d{1,4}|an?|few) )?(minute|hour|day)s?")
_FEW = 3

_ALL = (ChangeKind.NEW, ChangeKind.MOVED, ChangeKind.MISSING, ChangeKind.FOUND)
_WHAT = r"what(?: things| objects)?(?: has| have|s| is| was| are)?(?: been)?"
_ANY = r"(?:has|have|did|is|was)(?: there)?(?: been)? (?:anything|something)(?: been)?"
_ASKED: tuple[tuple[str, tuple[ChangeKind, ...]], ...] = (
    (rf"{_WHAT} (?:changed?|different)|{_ANY} changed?|(?:what|which|any) changes", _ALL),
    (rf"(?:{_WHAT}|{_ANY}) new", (ChangeKind.NEW,)),
    (rf"(?:{_WHAT}|{_ANY}) (?:missing|gone|taken away)", (ChangeKind.MISSING,)),
    (rf"(?:{_WHAT}|{_ANY}) moved?", (ChangeKind.MOVED,)),
)
_VERBS = {
    ChangeKind.NEW: ("is new", "are new"),
    ChangeKind.MOVED: ("was moved", "were moved"),
    ChangeKind.MISSING: ("is missing", "are missing"),
    ChangeKind.FOUND: ("is back", "are back"),
}


@dataclass(frozen=True)
class ChangeQuestion:
    """What is asked: changes of these kinds, from a stamp on."""

    kinds: tuple[ChangeKind, ...]
    since_ns: int
    when: str
    """As a person says it: ``since yesterday``."""


def change_question(question: str, now_ns: int) -> ChangeQuestion | None:
    """None for a question about something else, or about one thing ("has the mug moved?").

    Times are of the robot's clock, whose days begin at multiples of 24 hours: "today",
    "yesterday" and "in the last 3 hours" are understood. Without a time all that is known counts.
    """
    text = " ".join(words(question.replace("'", "")))
    kinds = next((kinds for asked, kinds in _ASKED if re.match(rf"(?:{asked})\b", text)), None)
    if kinds is None:
        return None
    since_ns, when = _since(text, now_ns)
    return ChangeQuestion(kinds, since_ns, when)


def change_answer(
    question: str,
    asked: ChangeQuestion,
    changes: Sequence[Change],
    snapshot: Snapshot,
    now_ns: int,
    max_keyframes: int,
) -> Answer:
    """The newest change of each object that is known still and was asked for, newest first.

    Args:
        changes: since ``asked.since_ns``, oldest first.
    """
    newest = {change.descriptor.object_id: change for change in changes}
    told = [
        change
        for key, change in reversed(newest.items())
        if change.kind in asked.kinds and key in snapshot.objects_by_id
    ]
    told.sort(key=lambda change: -change.stamp_ns)
    if not told:
        when = f" {asked.when}" if asked.when else ""
        return Answer(question, f"{UNCHANGED}{when}.", False, now_ns)
    objects = [snapshot.objects_by_id[change.descriptor.object_id] for change in told]
    shown = [best_views(item, snapshot)[0] for item in objects[:max_keyframes]]
    return Answer(
        question=question,
        text=" ".join(_sentence(kind, told, now_ns) for kind in asked.kinds if _of(kind, told)),
        found=True,
        stamp_ns=now_ns,
        confidence=1.0,
        keyframes=tuple(shown),
        objects=tuple(objects),
        evidence=tuple(_evidence(change, now_ns) for change in told),
    )


def _since(text: str, now_ns: int) -> tuple[int, str]:
    today_ns = now_ns - now_ns % (DAY_S * NS_PER_S)
    found = _LAST.search(text)
    if found is not None:
        count = _FEW if found[1] == "few" else int(found[1]) if (found[1] or "").isdigit() else 1
        unit = found[2] if count == 1 else f"{found[2]}s"
        when = f"in the last {unit}" if count == 1 else f"in the last {count} {unit}"
        return now_ns - count * _UNITS_S[found[2]] * NS_PER_S, when
    if "yesterday" in text:
        return today_ns - DAY_S * NS_PER_S, "since yesterday"
    if "today" in text:
        return today_ns, "today"
    return -(2**63), ""


def _of(kind: ChangeKind, told: Sequence[Change]) -> list[Change]:
    return [change for change in told if change.kind == kind]


def _sentence(kind: ChangeKind, told: Sequence[Change], now_ns: int) -> str:
    """'The red mug and the lamp were moved.'; of one change also when."""
    changes = _of(kind, told)
    names = [name(change.descriptor) for change in changes[:MAX_NAMED]]
    if len(changes) > MAX_NAMED:
        names.append(f"{len(changes) - MAX_NAMED} more")
    one, many = _VERBS[kind]
    said = f"{listed(names)} {one if len(changes) == 1 else many}"
    if len(changes) == 1:
        said += f"; I noticed it {age_text(changes[0].stamp_ns, now_ns)}"
    return f"{said[0].upper()}{said[1:]}."


def _evidence(change: Change, now_ns: int) -> str:
    """One line: what, when, from where to where."""
    parts = [f"object {change.descriptor.object_id}: {change.kind.value}"]
    parts.append(age_text(change.stamp_ns, now_ns))
    for word, position in (("from", change.old_position), ("to", change.new_position)):
        if position is not None:
            x_m, y_m, z_m = position.point_m
            parts.append(f"{word} ({x_m:.2f}, {y_m:.2f}, {z_m:.2f}) m")
    return "; ".join(parts)
