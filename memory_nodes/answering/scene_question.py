"""Which questions ask for no single thing: what is seen now, what is around, all that is known."""

from __future__ import annotations

import re
from enum import Enum

from memory_nodes.answering.question_kind import plain


class Showing(str, Enum):
    """What is to be told."""

    NEWEST = "newest"
    """What the newest picture shows."""
    AROUND = "around"
    """What is known around the robot."""
    ALL = "all"
    """Everything that is known."""


_NOW = r"(?: (?:now|right now|here|currently|just now|at the moment|in front of you|there))?"
_HAVE = r"(?:(?:do|did|have|can) )?you (?:have )?(?:ever )?"
_KNOW = r"(?:know|remember|see|saw|seen|find|found|notice|noticed|store|stored)(?: (?:of|about))?"
_FORMS = (
    (
        Showing.NEWEST,
        rf"(?:what|which (?:objects|things)) (?:do|can|could) (?:you|we|i) see{_NOW}"
        rf"|what are you (?:seeing|looking at){_NOW}"
        r"|(?:describe )?what (?:is|do you see) in front of you(?: now)?"
        rf"|describe what you see{_NOW}"
        r"|what (?:is|was) the (?:last|latest|newest) (?:thing|object)(?: that)? you"
        r" (?:have |had )?(?:saw|see|seen|noticed|found)"
        r"|what (?:did you see|have you seen|was seen|did you notice) last",
    ),
    (
        Showing.AROUND,
        r"(?:what|describe what)(?: (?:else|all|objects|things))?"
        r" (?:is|are|(?:do|can) you (?:see|know))(?: there)?"
        rf" (?:around|near|nearby|close to|next to|beside)(?: (?:you|here))?{_NOW}"
        rf"|what surrounds you{_NOW}|describe your (?:surroundings|environment)",
    ),
    (
        Showing.ALL,
        r"(?:list|name|show|give|enumerate|what are|what|which|how many)(?: me| us)?"
        r"(?: (?:all|of|the|your|known|every|other))*"
        r" (?:objects?|things|items|everything)(?: (?:that|which))?"
        rf"(?: {_HAVE}{_KNOW}| (?:in|of) (?:your|the) (?:memory|map)| are (?:there|known))?"
        rf"|what (?:all )?(?:do|can) you (?:know|remember)(?: (?:of|about))?",
    ),
)
_COMPILED = tuple((shows, re.compile(form)) for shows, form in _FORMS)


def scene_question(question: str) -> Showing | None:
    """None for a question about something else."""
    text = plain(question)
    return next((shows for shows, form in _COMPILED if form.fullmatch(text)), None)
