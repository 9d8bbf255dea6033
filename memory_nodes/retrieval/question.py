"""What a question is about: the thing that is looked for, and the one that it stands beside."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_nodes.perception.predicates import implying
from memory_nodes.retrieval.mentions import naming_part
from memory_nodes.words import STOP_WORDS, stem, words

_CLOSE = ("next to", "near")
_SPOKEN = {
    "on top of": ("on",),
    "on": ("on",),
    "inside": ("inside",),
    "within": ("inside",),
    "in front of": ("in front of",),
    "in": ("inside",),
    "left of": ("left of",),
    "right of": ("right of",),
    "behind": ("behind",),
    "beyond": ("behind",),
    "back of": ("behind",),
    "under": ("under", "below"),
    "underneath": ("under", "below"),
    "beneath": ("under", "below"),
    "below": ("under", "below"),
    "above": ("above",),
    "over": ("above",),
    **dict.fromkeys(("next to", "near", "nearest", "close to", "beside", "by", "at"), _CLOSE),
    **dict.fromkeys(("between", "end of"), _CLOSE),
}
"""How a relation is asked for, and the predicates that it may stand under in the graph."""
_PLACING = re.compile(rf"\b(?:{'|'.join(sorted(_SPOKEN, key=len, reverse=True))})\b")
_DEED = re.compile(r"\b(?:can|could) (?:i|we|you) (.*)")
_CLAUSE_END = re.compile(r"[^\w\s'-]+")
_PRESENT = re.compile(
    r"\b(?:(?:right |just )?now|still(?! life)|currently|at present|at (?:the|this) moment)\b"
    r"|\b(?:last|first|lately|recently)(?=\W*$)",
    re.I,
)
"""Says of no thing what it is."""
_SPOKEN_WORD = re.compile(r"\S+")
_OPEN = (["what"], ["which"], ["who"], ["how"])
_SIDES = frozenset("left right front back side top bottom middle end".split())


@dataclass(frozen=True)
class Question:
    """A question in parts: "which <target> is <placed> <anchor>". A part may be empty."""

    text: str
    target: str = ""
    anchor: str = ""
    forward: frozenset[str] = frozenset()
    """Predicates p with which "target p anchor" is what was asked."""
    backward: frozenset[str] = frozenset()
    """Predicates p with which "anchor p target" is."""

    @property
    def phrases(self) -> tuple[str, ...]:
        """What may be compared with objects: the whole, and its parts."""
        return tuple(phrase for phrase in (self.text, self.target, self.anchor) if phrase)

    @property
    def sought(self) -> str:
        """The phrase that names what must be there for an answer.

        Who asks "which appliance is on the counter" does not know it by name: all of it counts.
        """
        return self.text if self.is_open or not self.target else self.target

    @property
    def is_open(self) -> bool:
        """Whether the asker does not name the thing, but asks what it is."""
        return words(self.text)[:1] in _OPEN

    @property
    def head(self) -> str:
        """The stem of the word that tells most: the thing itself, "mug" of "where is the red mug".

        Of "where can I heat my lunch" it is what is to be done: any warm thing may have to do with
        lunch. Empty where no word carries a meaning, and for an open question.
        """
        if self.is_open:
            return ""
        clauses = _CLAUSE_END.split(naming_part(self.sought))
        spoken = next((" ".join(words(part)) for part in clauses if terms_of(part)), "")
        deed = _DEED.search(spoken)
        telling = [word for word in words(deed[1] if deed else spoken) if word not in STOP_WORDS]
        return stem(telling[0 if deed else -1]) if telling else ""

    @property
    def is_of_deed(self) -> bool:
        """Whether it asks where something can be done, and for no thing by its name."""
        return _DEED.search(" ".join(words(self.sought))) is not None


def read_question(text: str) -> Question:
    """Splits at the first relation that has a thing behind it; without one all is one part.

    Source: VL-KnG, section 6.3 (query-graph alignment), here also for "what is on the table".
    """
    text = " ".join(_PRESENT.sub(" ", text).split())
    spoken = " ".join(words(text))
    last_thing = _last_thing(spoken)
    for found in _PLACING.finditer(spoken):
        if found.end() <= last_thing:
            anchor = spoken[found.end() :].strip()
            target = spoken[: found.start()].strip()
            forward, backward = _predicates(found.group())
            is_named = bool(terms_of(target) - _SIDES)
            return Question(text, target if is_named else "", anchor, forward, backward)
    return Question(text)


def _last_thing(spoken: str) -> int:
    """Where the last word begins that may name a thing; -1 where none does."""
    said = (found for found in _SPOKEN_WORD.finditer(spoken) if found[0] not in STOP_WORDS)
    return max((found.start() for found in said if stem(found[0]) not in _SIDES), default=-1)


def terms_of(text: str) -> frozenset[str]:
    """Stems of the words that carry meaning."""
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


def _predicates(spoken: str) -> tuple[frozenset[str], frozenset[str]]:
    implied = [implying(predicate) for predicate in _SPOKEN[spoken]]
    return (
        frozenset[str]().union(*(same for same, _ in implied)),
        frozenset[str]().union(*(turned for _, turned in implied)),
    )
