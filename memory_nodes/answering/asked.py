"""A question with what bounds its answer: the part of the memory, and the time there is."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace

from memory_nodes.answering.property_question import PropertyQuestion, property_question
from memory_nodes.answering.question_kind import QuestionKind, question_kind, seen_thing
from memory_nodes.dates import Dates
from memory_nodes.store.filters import Filter
from memory_nodes.times import TimeSpan, time_in
from memory_nodes.words import words

GRACE_S = 0.5
"""So much longer a model or an agent is waited for, which as a rule ends in time by itself."""
_OF_THE_PAST = re.compile(
    r"\b(?:was|were|did|had|have|has|been|saw|seen|left|lost|happened|went|since)\b"
)
_OF_GRAPH = (QuestionKind.OBJECT, QuestionKind.SPATIAL, QuestionKind.SCENE)
_UNBOUNDED = (QuestionKind.ACTION_PLACE,)
"""'Where can I sleep at night?' asks for no night of the past."""


@dataclass(frozen=True)
class Deadline:
    """A moment of wall time: a question's budget, whatever the robot's clock does."""

    end_s: float

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        return cls(time.monotonic() + seconds)

    def left_s(self) -> float:
        return max(0.0, self.end_s - time.monotonic())


@dataclass(frozen=True)
class Asked:
    """One question."""

    question: str
    now_ns: int
    kind: QuestionKind
    deadline: Deadline
    max_keyframes: int
    wanted: Filter
    """With the time that the question names."""
    sought: str
    """The question without that time; of when something was seen that thing alone, and of what it
    is like, how many and whether."""
    span: TimeSpan | None = None
    """What it names of the past; None: no time."""
    unread: tuple[str, ...] = ()
    """What is about a time too, and was not understood."""
    of_thing: PropertyQuestion | None = None
    """What it asks of a thing; None: where it is, or something else."""

    @property
    def is_of_sighting(self) -> bool:
        """Whether it asks when something was seen, or from where."""
        return self.kind == QuestionKind.TEMPORAL and bool(seen_thing(self.question))

    @property
    def when(self) -> str:
        """' yesterday': the time as it was asked; empty where none was."""
        return "" if self.span is None else f" {self.span.said}"

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(f"not understood: {said!r}" for said in self.unread)


def read_asked(
    question: str,
    now_ns: int,
    dates: Dates,
    wanted: Filter,
    max_keyframes: int,
    deadline: Deadline,
) -> Asked:
    """A time counts only in a question about the past, or about what happened."""
    kind = question_kind(question)
    asked = Asked(question, now_ns, kind, deadline, max_keyframes, wanted, sought=question)
    asked = _seeking(asked, question)
    is_past = _OF_THE_PAST.search(" ".join(words(question))) is not None
    tells = kind in (QuestionKind.SUMMARY, QuestionKind.BODY)
    if kind in _UNBOUNDED or not (is_past or tells):
        return asked
    told = time_in(question, now_ns, dates)
    if told.span is None:
        return replace(asked, unread=told.unread)
    rest = told.rest if words(told.rest) else question
    if kind == QuestionKind.SPATIAL:  # "at 15:00" is no place
        asked = replace(asked, kind=question_kind(rest))
    return replace(
        _seeking(asked, rest),
        wanted=_within(wanted, told.span),
        span=told.span,
        unread=told.unread,
    )


def _seeking(asked: Asked, question: str) -> Asked:
    """What is looked for to answer a question, which names no time."""
    if asked.kind == QuestionKind.TEMPORAL:
        return replace(asked, sought=seen_thing(question) or question)
    of_thing = property_question(question) if asked.kind in _OF_GRAPH else None
    sought = question if of_thing is None else of_thing.phrase
    return replace(asked, sought=sought, of_thing=of_thing)


def _within(wanted: Filter, span: TimeSpan) -> Filter:
    """Both bounds must hold."""
    since_ns, until_ns = wanted.since_ns, wanted.until_ns
    return replace(
        wanted,
        since_ns=span.since_ns if since_ns is None else max(since_ns, span.since_ns),
        until_ns=span.until_ns if until_ns is None else min(until_ns, span.until_ns),
    )
