"""What kind of question is asked, as far as patterns of words can tell."""

from __future__ import annotations

import re
from enum import Enum

from memory_nodes.retrieval.question import read_question, terms_of
from memory_nodes.words import words


class QuestionKind(str, Enum):
    """Each has its own way to an answer. Source: VL-KnG, section 7, and eMEM, recall tools."""

    OBJECT = "object"
    """Where is a thing, what is it like?"""
    SPATIAL = "spatial"
    """What stands beside, under, behind something?"""
    SCENE = "scene"
    """What is there to be seen at a place, and how much of it?"""
    ACTION_PLACE = "action_place"
    """Where can something be done?"""
    TEMPORAL = "temporal"
    """When was that, or where was the robot then?"""
    SUMMARY = "summary"
    """What happened?"""
    BODY = "body"
    """How is the robot itself?"""


_COURTESY = re.compile(
    r"^(?:(?:please|hey|hello|robot|ok|okay|and|so|well|now|(?:can|could|would|will) you|do you"
    r" (?:know|remember)|tell me|tell us|i wonder|i want to know) )+"
)
_ORGANS = (
    r"(?:battery|charge|power(?! (?:strip|socket|cord|outlet|plug))|energy|temperature|motors?"
    r"|joints?|arms?|gripper|wheels?|sensors?|body|hardware|health|status|state|diagnostics|cpu"
    r"|system)"
)
_BODY = re.compile(
    rf"(?:how|what|is|are|do|does|did|was|were|has|have)\b.*\byour (?:\w+ )?{_ORGANS}\b.*"
    r"|(?:report )?your (?:status|health|battery|diagnostics)\b.*"
    r"|(?:how|what) (?:full |empty |low )?(?:is|was|about) the battery\b.*"
    r"|.*\bbattery (?:level|state|status|charge|percentage)\b.*"
    r"|how much (?:battery|charge|power|energy)\b.*"
    r"|how (?:are|were) you(?: (?:doing|feeling|today|yesterday|now))*"
    r"|(?:are|were) you (?:\w+ )?(?:ok|okay|well|fine|alright|charged|charging|tired|hot"
    r"|overheat(?:ed|ing)|low on \w+)\b.*"
    r"|do you (?:have enough \w+|need (?:a charge|charging|to charge|to be charged)"
    r"|feel (?:ok|okay|well))\b.*"
)
_DAY = r"(?:day|morning|noon|afternoon|evening|night|week|month|shift|tour)"
_SUMMARY = re.compile(
    r"what (?:all |else )?(?:did|have|had|were|are) (?:you|we) (?:\w+ ){0,2}?"
    r"(?:do|done|doing|experience|experienced|been up to|up to)\b.*"
    r"|what (?:all |else )?(?:did|have) you (?:see|seen|notice|noticed|hear|heard|observe|observed)"
    r"(?: (?:all|so far))?"
    r"|what (?:else )?(?:has |have |had |was |is )?(?:happen(?:ed|s|ing)?|going on|went on)\b.*"
    rf"|how (?:was|were|did) (?:your|the|this|last) {_DAY}\b.*"
    r"|(?:summari[sz]e|sum up|recap)\b.*"
    r"|(?:give|write|make)?(?: me| us)? ?(?:an? |the )?(?:short |brief )?"
    r"(?:summary|recap|report|overview|diary)\b.*"
    rf"|(?:describe|report|about) (?:me )?(?:on )?(?:your|the|this) {_DAY}\b.*"
    r"|(?:which|what) (?:tasks|jobs|chores|goals|errands)\b.*\b(?:you|done|finished|completed)\b.*"
)
_TEMPORAL = re.compile(
    r"when (?:did|was|were|have|has|had|is the last)\b.*"
    r"|(?:at |on |since )?(?:what|which) (?:time|day|date|hour|moment)\b.*"
    r"|how long (?:ago|since|is it since|has it been since)\b.*"
    r"|where (?:were|have) (?:you|we)\b.*"
    r"|(?:in |at )?(?:which|what) (?:room|place)s? (?:were|did) you (?:in|at|go|visit)?\b.*"
)
_SCENE = re.compile(
    r"(?:how many|how much|describe|list)\b.*"
    r"|(?:what|which \w+|who)(?: \w+)? (?:is|are|was|were|stands|lies|hangs|can)"
    r"(?: \w+){0,3}? (?:in|on|at|inside|around)\b.*"
    r"|what (?:has|have|had) been (?:put|placed|left|laid) (?:in|on|at|inside)\b.*"
    r"|what (?:colou?r|is (?:written|printed|shown|there))\b.*"
    r"|(?:what|which things) (?:do|can|did|could) (?:you|i|we) see\b.*"
)
_PLACE_TO_DO = re.compile(
    r"(?:.* )?where (?:can|could|should|do|may|might) (?:i|we|one|you|people|somebody)\b.*"
    r"|(?:.* )?(?:what|which \w+) (?:can|could|should) (?:i|we|one) (?:use|take)\b.*"
)
_NEED = re.compile(r"i (?:need|want|would like|must|have to|am|feel)\b.*|my \w+ (?:is|are)\b.*")
_SEEN = re.compile(r"\b(?:see|saw|seen|notice|noticed|spot|spotted|observe|observed|find|found)\b")
_UNTIL_THING = re.compile(r".*?\b(?:was|were|is|are|has|have|since|ago|time)\b(?: been\b)?")
_ORDER = re.compile(r"\b(?:last|first|ever|again|recently|lately|earliest|latest)\b")
_WHERE_ROBOT_WAS = re.compile(r"(?:where (?:were|have)|.*\b(?:room|place)s? (?:were|did)) you\b.*")


def question_kind(question: str) -> QuestionKind:
    """The first rule that fits; a question that fits none is about an object."""
    text = plain(question)
    for kind, form in _FORMS:
        if form.fullmatch(text) is not None:
            return kind
    return QuestionKind.SPATIAL if read_question(question).anchor else QuestionKind.OBJECT


def seen_thing(question: str) -> str:
    """Of 'when did you last see the mug?' the mug; empty where nothing was seen."""
    text = _ORDER.sub(" ", plain(question))
    verbs = list(_SEEN.finditer(text))
    if not verbs:
        return ""
    after, before = text[verbs[-1].end() :], text[: verbs[-1].start()]
    for thing in (after, _UNTIL_THING.sub("", before, count=1)):
        if terms_of(thing):
            return " ".join(thing.split())
    return ""


def asks_where_robot_was(question: str) -> bool:
    return _WHERE_ROBOT_WAS.fullmatch(plain(question)) is not None


def plain(question: str) -> str:
    """Its words, in order, without those of courtesy before them."""
    return _COURTESY.sub("", " ".join(words(question)))


_FORMS = (
    (QuestionKind.ACTION_PLACE, _PLACE_TO_DO),
    (QuestionKind.BODY, _BODY),
    (QuestionKind.SUMMARY, _SUMMARY),
    (QuestionKind.TEMPORAL, _TEMPORAL),
    (QuestionKind.ACTION_PLACE, _NEED),
    (QuestionKind.SCENE, _SCENE),
)
