"""Which part of a reply is the answer: what was thought aloud or asked of a tool is none."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_nodes.models.json_reader import end_of_value

_THOUGHT = r"(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad)"
_OPEN_THOUGHT = re.compile(
    rf"<{_THOUGHT}>|◁think▷|<\|begin_of_thought\|>|<\|channel\|>analysis", re.IGNORECASE
)
_CLOSED_THOUGHT = re.compile(
    rf"</{_THOUGHT}>|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final", re.IGNORECASE
)
_ANSWER = re.compile(r"<(answer|final_answer|response|output)>", re.IGNORECASE)
_CALL = (
    r"(?:tool|function)[ _-]?(?:call|use|request|invocation|input)s?"
    r"|(?:tool|function)[ _-]?(?:response|result|output)s?|python_tag|action_start"
)
_CALL_TAG = re.compile(
    rf"<\|?\s*(?P<tag>{_CALL})\s*\|?>"
    rf"|\[\s*(?:{_CALL})\s*\]"
    r"|<(?P<named>function|invoke|tool)[ =][^>\n]{1,80}>"
    r"|^[ \t]*(?:(?:action|tool)[ _]?input|(?:(?:action|tool)[ _]?)?(?:arguments|args))[ \t]*:"
    r"|(?P<fence>```)(?:tool_code|tool_call|tool_use)\b",
    re.IGNORECASE | re.MULTILINE,
)
_UP_TO_VALUE = re.compile(r"[^\[{\n]{0,80}(\n\s*)?(?=[\[{])")
MAX_CALLS = 50


@dataclass(frozen=True)
class Answer:
    """What a model answered."""

    text: str
    is_cut_off: bool = False
    """The reply ended inside a thought or a request to a tool."""
    has_calls: bool = False


def answer_of(text: str) -> Answer:
    """The text without thoughts, drafts and requests to tools.

    All before the last end of a thought is thought, whether its beginning was written or not.
    """
    answer, is_thinking = _without_thoughts(text)
    tag = next(reversed(list(_ANSWER.finditer(answer))), None)
    if tag is not None:
        end = answer.find(f"</{tag.group(1)}>", tag.end())
        answer = answer[tag.end() : end if end >= 0 else len(answer)]
    rest, is_calling = _without_calls(answer)
    return Answer(rest, is_thinking or is_calling, has_calls=rest != answer)


def _without_thoughts(text: str) -> tuple[str, bool]:
    closed = list(_CLOSED_THOUGHT.finditer(text))
    rest = text[closed[-1].end() :] if closed else text
    opened = _OPEN_THOUGHT.search(rest)
    if opened is not None:
        return rest[: opened.start()], True
    if closed and not rest.strip():  # the answer may stand before a thought that came late
        first = _OPEN_THOUGHT.search(text)
        return (text[: first.start()] if first is not None else ""), False
    return rest, False


def _without_calls(text: str) -> tuple[str, bool]:
    """Each marked request goes with its arguments; so does what is marked as a tool's result."""
    kept: list[str] = []
    position, is_cut_off = 0, False
    for _ in range(MAX_CALLS):
        call = _CALL_TAG.search(text, position)
        if call is None:
            return "".join((*kept, text[position:])), is_cut_off
        kept.append(text[position : call.start()])
        position, is_whole = _end_of_call(text, call)
        is_cut_off |= not is_whole
    return "".join(kept), is_cut_off


def _end_of_call(text: str, call: re.Match[str]) -> tuple[int, bool]:
    """Where a request ends, and whether it does: at its closing tag, or after its arguments."""
    name = call.group("tag") or call.group("named")
    if name is not None:
        end = re.compile(rf"<[|/]*/?{re.escape(name)}\|?>", re.IGNORECASE).search(text, call.end())
        if end is not None:
            return end.end(), True
    if call.group("fence") and (end_of_fence := text.find("```", call.end())) >= 0:
        return end_of_fence + 3, True
    value = _UP_TO_VALUE.match(text, call.end())
    if value is None:
        return call.end(), True
    return end_of_value(text, value.end())
