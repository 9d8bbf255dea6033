"""Which questions ask what became of things: of which, in what way and since when."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_nodes.answering.naming import phrases
from memory_nodes.dates import Dates
from memory_nodes.records import ChangeKind
from memory_nodes.times import TimeSpan, time_in
from memory_nodes.words import words

MAX_FORM_CHARS = 400
"""No longer question is one of these: what the forms take grows with the square of its length."""
ALL_KINDS = (ChangeKind.NEW, ChangeKind.MOVED, ChangeKind.MISSING, ChangeKind.FOUND)

_WORDS = (
    # kinds, what has become of a thing, the same after "did"
    (ALL_KINDS, "changed|different", "change"),
    ((ChangeKind.MOVED,), "moved|shifted|relocated|rearranged", "move|shift"),
    (
        (ChangeKind.MISSING,),
        r"missing|gone missing|gone(?! (?:to|into)\b)|lost|vanished|disappeared|removed|taken away"
        r"|no longer (?:there|here)|(?:not|isn t|aren t) (?:there|here) any ?more",
        "vanish|disappear|go missing|get lost",
    ),
    ((ChangeKind.FOUND,), "reappeared|returned|back|come back", "reappear|return|come back"),
    ((ChangeKind.NEW,), "new|appeared|added", "appear"),
)
_IS = re.compile(r"\b(what|which|when|how|that|there)'s\b", re.I)
_COURTESY = re.compile(
    r"^(?:(?:please|hey|hello|robot|ok|okay|and|so|(?:can|could|would|will) you|do you know|tell"
    r"|show|give|list|name|report|let|me|us|about|know|i (?:want|would like) to know|i wonder"
    r"|whether|if|everything|all)\b ?)*"
)
_MODAL = r"(?:can|could|should|shall|would|may|might|must|will)"
_POSSIBLE = re.compile(
    rf"(?:what|which|how)(?: \w+)? {_MODAL}\b.*|.*\b(?:{_MODAL} (?:be|have|i|you|we)|to be)\b.*"
)
"""'What could be moved?' asks for no change."""
_OPENING = (
    r"(?:what|which|when|how|that|any|anything|something|the|has|have|had|did|does|is|are|was|were)"
    r"\b"
)
_DID = r"(?:(?:what|which|when|how|that)\b(?: .*)? )?did(?: not)?"
_NO_THING = "".join(
    rf"(?<!\b{word} )" for word in "a an the my your our his her its you i we he she they".split()
)
"""'The new chair' and 'what did you move' tell of no change."""
_THINGS = r"(?:objects?|things?|items?|stuff)"
_HERE = r"(?: (?:at all|again|too|here|there|around|now|exactly|please|is|are|was|were|been))*"
_PLACE = (
    r"(?: (?P<place>(?:in|on|at|from|off|near|under|inside|behind|beside|around|to|into|onto)"
    r" .*))?"
)
_LAST = rf"(?: (?:its |their )?(?:place|position|location)s?)?{_HERE}{_PLACE}"
_CHANGES = re.compile(
    rf"(?:(?:{_OPENING}|do\b)(?: .*)? )?(?:changes|differences)\b(?! between\b).*"
    rf"|(?:is|was|has) there(?: been)? any (?:change|difference){_LAST}"
)
_HAPPENED = re.compile(
    r"(?:what|has anything|did anything)(?: has| have| had)? happen(?:ed)? (?:to|with)"
    rf" (?P<about>.*?){_LAST}"
)
_WHERE = re.compile(r" (?:in|on|at|from|near|under|inside|behind|beside) .*")
_FILLING = frozenset(
    "object objects thing things item items stuff everything nothing else all every more been "
    "become got d s t ve re any other others anyone anybody someone somebody".split()
)


@dataclass(frozen=True)
class ChangeQuestion:
    """What is asked: changes of these kinds, of what has this name, in this time."""

    kinds: tuple[ChangeKind, ...]
    span: TimeSpan | None = None
    """None for all that is known."""
    named: str = ""
    """Empty for all things."""
    unread: tuple[str, ...] = ()
    """Times and places of the question that were not understood."""


def change_question(question: str, now_ns: int, dates: Dates) -> ChangeQuestion | None:
    """None for a question about something else. Without a time all that is known counts."""
    told = time_in(question, now_ns, dates)
    text = " ".join(words(_IS.sub(r"\1 is", told.rest)))
    text = _COURTESY.sub("", text, count=1)
    if len(text) > MAX_FORM_CHARS or _POSSIBLE.fullmatch(text):
        return None
    for kinds, form in _FORMS:
        found = form.fullmatch(text)
        if found is not None:
            fields = found.groupdict()
            named, where = _named(fields.get("about") or "")
            unread = (*told.unread, *filter(None, (where, fields.get("place"))))
            return ChangeQuestion(kinds, told.span, named, unread)
    return None


def _named(about: str) -> tuple[str, str]:
    """The name in what a question is about, and the place in it: 'mug' and 'on the desk'."""
    where = _WHERE.search(f" {about}")
    head = about if where is None else about[: max(0, where.start() - 1)]
    names = (
        " ".join(word for word in phrase.split() if word not in _FILLING)
        for phrase in phrases(head)
    )
    return next(filter(None, names), ""), "" if where is None else where[0].strip()


def _forms(done: str, doing: str) -> tuple[str, ...]:
    """'Which chairs have moved', 'any moved objects', 'did the mug move', 'has anyone moved it'."""
    who = "(?:any|some)(?:one|body)"
    return (
        rf"{_OPENING}(?: (?P<about>.*?))?? ?{_NO_THING}\b(?:{done}){_LAST}",
        rf"(?:{_OPENING} ?)?(?:.* )?(?:{done}) {_THINGS}{_LAST}",
        rf"(?:{done})(?: {_THINGS})?{_LAST}",
        rf"{_DID}(?: (?P<about>.*?))?? {_NO_THING}\b(?:{doing}){_LAST}",
        rf"(?:has|have|did) {who} (?:{done}|{doing}) (?P<about>.*?){_LAST}",
    )


_FORMS = (
    (ALL_KINDS, _CHANGES),
    (ALL_KINDS, _HAPPENED),
    *((kinds, re.compile(form)) for kinds, done, doing in _WORDS for form in _forms(done, doing)),
)
