"""Which questions ask what a thing is like, how many there are of it, or whether there is one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from memory_nodes.answering.naming import named
from memory_nodes.answering.question_kind import plain
from memory_nodes.retrieval.question import read_question, terms_of


class Asking(str, Enum):
    """What is asked of a thing."""

    ATTRIBUTE = "attribute"
    COUNT = "count"
    DESCRIPTION = "description"
    PRESENCE = "presence"
    EARLIER_PLACE = "earlier_place"
    """Where it was before it was moved."""


@dataclass(frozen=True)
class PropertyQuestion:
    """What is asked, and of what."""

    asks: Asking
    phrase: str
    """As it was said: 'the chairs in the lounge'."""
    thing: str
    """The words that name it: 'chairs'."""
    anchor: str = ""
    """What it stands beside, or where: 'lounge'; empty where nothing is said."""
    where: str = ""
    """'in the lounge', likewise."""
    forward: frozenset[str] = frozenset()
    """Predicates as in Question: the thing stands to the anchor in any of these."""
    backward: frozenset[str] = frozenset()
    """Or the anchor to the thing in any of these."""
    attribute: str = ""
    """As descriptors call it: color, material, size, state."""
    is_earlier: bool = False
    """Whether the value before the present one is asked for."""


_BE = r"(?:is|are|was|were|s)"
_HAVE = r"(?:do|does|did|has|have|had)"
_SPOKEN = {
    "color": r"colou?rs?",
    "material": r"materials?",
    "size": r"size",
    "state": r"(?:state|condition)",
}
"""How each attribute is called in a question."""
_ATTRIBUTES = (
    *(
        (attribute, form)
        for attribute, word in _SPOKEN.items()
        for form in (
            rf"(?:in |of )?(?:what|which) {word} (?:{_BE}|{_HAVE}) (?P<thing>.+?)"
            r"(?: (?:have|has|had|in|of|(?:made|painted)(?: of| in)?))?",
            rf"(?:what|which) {word} (?P<thing>(?:the|my|your|this|that) .+) (?:{_BE}|{_HAVE})",
            rf"(?:what {_BE} )?(?:the )?{word} of (?P<thing>.+)",
        )
    ),
    ("material", rf"what {_BE} (?P<thing>.+?) made (?:of|from|out of)"),
    ("size", rf"how (?:big|large|small|tall) {_BE} (?P<thing>.+)"),
)
_MOVED = r"(?: (?:it|they|that|this|someone|somebody|you|we|i) (?:\w+ ){0,2}?(?:moved|taken|move))?"
_OTHERS = (
    (
        Asking.EARLIER_PLACE,
        r"where (?:was|were|did (?:you|i|we) (?:last )?(?:see|find)) (?P<thing>.+?)"
        rf" (?:before(?: (?:that|then|now))?{_MOVED}|earlier|previously|formerly|originally)",
    ),
    (Asking.EARLIER_PLACE, r"where did (?P<thing>.+?) used? to (?:be|stand|lie|hang)"),
    (
        Asking.COUNT,
        r"how many (?!(?:times|days|hours|minutes|seconds|met(?:er|re)s)\b)(?P<thing>.+)",
    ),
    (Asking.COUNT, rf"(?:what {_BE} )?(?:the )?number of (?P<thing>.+)"),
    (Asking.COUNT, r"count (?P<thing>.+)"),
    (Asking.DESCRIPTION, rf"(?:what|how) {_HAVE} (?P<thing>.+?) look(?: like)?"),
    (Asking.DESCRIPTION, rf"what {_HAVE} (?P<thing>.+?) (?:show|depict)"),
    (Asking.DESCRIPTION, rf"what {_BE} (?P<thing>.+?) like"),
    (
        Asking.DESCRIPTION,
        r"(?:describe|(?:give )?(?:me |us )?(?:a |the )?description of) (?P<thing>.+)",
    ),
    (
        Asking.DESCRIPTION,
        r"(?:(?:what|anything|something|everything|all|more|do|can|could|you|know|say|tell|me|us)"
        r" )*about (?P<thing>.+)",
    ),
    (Asking.PRESENCE, r"(?:is|are|was|were) there (?P<thing>.+)"),
    (
        Asking.PRESENCE,
        r"(?:(?:have|did|do) you )?(?:ever |already |also )*"
        r"(?:see|seen|notice|noticed|spot|spotted|come across|encounter|encountered)"
        r" (?P<thing>(?!where\b|what\b|who\b|how\b).+)",
    ),
)
_FORMS = tuple(
    (asks, attribute, re.compile(form))
    for asks, attribute, form in (
        *((Asking.ATTRIBUTE, attribute, form) for attribute, form in _ATTRIBUTES),
        *((asks, "", form) for asks, form in _OTHERS),
    )
)
_EARLIER = re.compile(
    r"\b(?:before(?: (?:that|then|now))?|earlier|previously|formerly|originally|in the past)\b"
)
_SEEING = re.compile(
    r" (?:(?:are|is|were|was) there|(?:do|did|can|could|have) (?:you|we|i) (?:ever )?\w+)\b"
)
"""Of 'chairs do you know in the lounge' what names no thing."""
_USED_TO = re.compile(r"\bused to (?:be|have)\b")


def property_question(question: str) -> PropertyQuestion | None:
    """None for a question about something else."""
    text = plain(question)
    now = " ".join(_USED_TO.sub(" ", _EARLIER.sub(" ", text)).split())
    for asks, attribute, form in _FORMS:
        if found := form.fullmatch(now if attribute else text):
            phrase = _SEEING.sub("", found["thing"], count=1)
            return _of(asks, phrase, attribute, is_earlier=bool(attribute) and now != text)
    return None


def _of(
    asks: Asking, phrase: str, attribute: str = "", *, is_earlier: bool = False
) -> PropertyQuestion | None:
    """With the thing and its place told apart; None where nothing is named."""
    parts = read_question(phrase)
    target = parts.target if parts.anchor else phrase
    if not terms_of(target):
        return None
    return PropertyQuestion(
        asks,
        phrase,
        thing=named(target),
        anchor=named(parts.anchor),
        where=phrase.removeprefix(target).strip(),
        forward=parts.forward,
        backward=parts.backward,
        attribute=attribute,
        is_earlier=is_earlier,
    )
