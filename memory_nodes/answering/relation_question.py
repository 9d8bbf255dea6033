"""Which questions ask how things stand to each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from memory_nodes.perception.predicates import PREDICATES, predicate_of
from memory_nodes.retrieval.question import read_question
from memory_nodes.words import STOP_WORDS, words


class Relating(str, Enum):
    """What is asked of things."""

    PLACED = "placed"
    """What is on, in, beside it?"""
    TOGETHER = "together"
    """What is seen in the same pictures?"""
    WAY = "way"
    """Over which relations does one come from it to another?"""
    WHETHER = "whether"
    """Is a thing on, in, beside it?"""
    NEAREST = "nearest"
    """Which thing has the least distance to it?"""


@dataclass(frozen=True)
class RelationQuestion:
    """What is asked, and of what."""

    asks: Relating
    anchor: str
    """The words that name a thing: of a way the one that it begins at."""
    other: str = ""
    """At which a way ends."""
    kind: str = ""
    """Of the things asked for, as words name it; empty for any."""
    anchor_alone: str = ""
    """Of an anchor that stands beside something itself, "the crate on the table", the crate."""
    predicates: tuple[str, ...] = ()
    """Any of which answers; the one that was said is the first."""


MAX_FORM_CHARS = 400
"""No longer question is one of these: what the forms take grows with the square of its length."""
_OPENING = r"(?:and )?(?:what|which|who)(?: (?:else|all))?"
_PLACED = re.compile(
    rf"{_OPENING}(?: (?P<kind>(?!is\b|are\b|was\b|were\b)\w.*?))??"
    r" (?:is|are|was|were|s|lies|lie|stands|stand|sits|sit|hangs|hang|(?:do|did|can|have) you"
    r" (?:see|seen|saw|find|found|notice|noticed))"
    r"(?: (?:there|now|usually|often|placed|located|standing|lying|sitting|hanging|stacked|resting"
    r"|right|directly|just|immediately))*"
    r" (?P<said>\w.*)"
)
_TOGETHER = re.compile(
    rf"{_OPENING} (?:.* )?(?:(?:together|along)|(?:usually|often|normally|mostly|commonly)"
    r"(?: (?:is|are|be|seen|found|see|find|shown|together))*) (?:with|near|around) (?P<anchor>.+)"
)
_WAY = re.compile(
    r"(?:how (?:do|can|could|would|should|does|to)\b.*\b(?:get|go|come|walk|move|drive|reach)"
    r"|(?:what|which|show|tell|give)\b.*\b(?:way|path|route|connection))\b.*?"
    r"\b(?:from|between) (?P<anchor>.+?) (?:to|and) (?P<other>.+)"
    r"|how (?:is|are) (?P<this>.+?) (?:connected|related|linked) (?:to|with) (?P<that>.+)"
)
_IS = re.compile(r"(?:is|are) (?!there\b).+")
_NEAREST = (
    re.compile(r".*\b(?:nearest|closest) (?!to\b)(?P<kind>.+?) to (?P<anchor>.+)"),
    re.compile(r"(?P<kind>.*)\b(?:nearest|closest)(?: to)? (?P<anchor>.+)"),
)
_SEEN = re.compile(r"^(?:things?|objects?|items?|stuff)$")


def relation_question(question: str) -> RelationQuestion | None:
    """None for a question about something else."""
    spoken = " ".join(words(question))
    if len(spoken) > MAX_FORM_CHARS:
        return None
    way = _WAY.fullmatch(spoken)
    if way is not None:
        anchor, other = _name(way["anchor"] or way["this"]), _name(way["other"] or way["that"])
        return RelationQuestion(Relating.WAY, anchor, other) if anchor and other else None
    together = _TOGETHER.fullmatch(spoken)
    if together is not None and (anchor := _name(together["anchor"])):
        return RelationQuestion(Relating.TOGETHER, anchor)
    return _nearest(spoken) or _whether(question, spoken) or _placed(question, spoken)


def _nearest(spoken: str) -> RelationQuestion | None:
    """'The chair closest to the door', 'the closest chair to it'."""
    for form in _NEAREST:
        found = form.fullmatch(spoken)
        if found is not None and (anchor := _name(found["anchor"])):
            return RelationQuestion(Relating.NEAREST, anchor, kind=_kind(found["kind"]))
    return None


def _whether(question: str, spoken: str) -> RelationQuestion | None:
    """'Is the lamp on the desk?'"""
    asked = read_question(question)
    kind, anchor = _name(asked.target), _name(asked.anchor)
    if not kind or not anchor or _IS.fullmatch(asked.target) is None:
        return None
    said = predicate_of(spoken.removesuffix(asked.anchor).removeprefix(asked.target).strip())
    predicates = dict.fromkeys((*((said,) if said in PREDICATES else ()), *sorted(asked.forward)))
    return RelationQuestion(Relating.WHETHER, anchor, kind=kind, predicates=tuple(predicates))


def _placed(question: str, spoken: str) -> RelationQuestion | None:
    """'What is on the desk': nothing but the relation stands between the verb and the thing."""
    asked = read_question(question)
    anchor = _name(asked.anchor)
    form = _PLACED.fullmatch(spoken.removesuffix(asked.anchor).strip())
    if not anchor or form is None:
        return None
    said = predicate_of(form["said"])
    if said not in PREDICATES:
        return None
    predicates = dict.fromkeys((said, *sorted(asked.forward)))
    return RelationQuestion(
        Relating.PLACED,
        anchor,
        kind=_kind(form["kind"] or ""),
        anchor_alone=_name(read_question(asked.anchor).target),
        predicates=tuple(predicates),
    )


def _kind(phrase: str) -> str:
    """The same of things that are asked for: 'objects' are of any kind."""
    return " ".join(word for word in _name(phrase).split() if not _SEEN.match(word))


def _name(phrase: str) -> str:
    """The words of a phrase that name something."""
    return " ".join(word for word in words(phrase) if word not in STOP_WORDS)
