"""The answer prompt: a question, a subgraph as text, one JSON reply."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from memory_nodes.answering.extractive import NOT_SEEN
from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import JsonSchema, Prompt, Reply
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.reply_json import parse_json
from memory_nodes.models.reply_schema import array_of, closed_object
from memory_nodes.retrieval.context import CHARS_PER_TOKEN

PROMPT_VERSION = "answer_v3"
TASK = "answer"
MAX_ANSWER_CHARS = 1000


@dataclass(frozen=True)
class ModelAnswer:
    """What the model said, ids checked against what it was shown."""

    text: str
    found: bool
    object_ids: tuple[str, ...]
    keyframe_ids: tuple[int, ...]
    confidence: float
    problems: tuple[str, ...]

    @property
    def rests_on_nothing(self) -> bool:
        """Whether it names evidence, none of which it was shown."""
        return bool(self.problems) and not self.object_ids and not self.keyframe_ids


def answer_prompt(
    question: str, context: str, temperature: float, *, likely: str = "", is_doubtful: bool = False
) -> Prompt:
    """Source: VL-KnG, section 6.3 (reasoning and localisation).

    The question comes last: small models lose what stands before a long context.

    Args:
        likely: what rules make of the memory, as a sentence.
        is_doubtful: the context hardly fits the question, "not seen" is the likely answer.
    """
    template = prompt_text(__package__, PROMPT_VERSION)
    body: dict[str, Any] = {"task": TASK, "context": context}
    if likely:
        body["likely"] = likely
    if is_doubtful:
        body["is_doubtful"] = True
    body["question"] = question
    return Prompt(
        task=TASK,
        system=template,
        text=json.dumps(body, ensure_ascii=False),
        reply_schema=_schema(),
        temperature=temperature,
        max_tokens=1024,
    )


def prompt_tokens(prompt: Prompt) -> int:
    """About how many tokens a prompt has."""
    return -(-(len(prompt.system) + len(prompt.text)) // CHARS_PER_TOKEN)


def room_for_context(question: str, max_tokens: int, likely: str = "") -> int:
    """Characters that are left for the context in a prompt of so many tokens."""
    empty = answer_prompt(question, "", 0.0, likely=likely, is_doubtful=True)
    return max_tokens * CHARS_PER_TOKEN - len(empty.system) - len(empty.text)


def read_answer(
    reply: Reply, object_ids: Collection[str], keyframe_ids: Collection[int]
) -> ModelAnswer:
    """Ids that were not in the context are dropped and reported.

    Who found nothing need not say so in words. Raises ReplyError when the reply is cut off or
    holds no answer text.
    """
    value = parse_json(reply.text)
    found = not (isinstance(value, dict) and is_no(value.get("found")))
    text = value.get("answer") if isinstance(value, dict) else None
    if not found and text == "":
        text = NOT_SEEN
    if not reply.is_complete or not isinstance(text, str) or not text.strip():
        raise ReplyError(f"no answer in the model's reply: {reply.text[:80]!r}")
    named_objects = _list(value, "object_ids")
    named_keyframes = _list(value, "keyframe_ids")
    known_objects = tuple(key for key in named_objects if key in object_ids)
    known_keyframes = tuple(key for key in named_keyframes if key in keyframe_ids)
    invented = [str(key) for key in named_objects if key not in object_ids]
    invented += [str(key) for key in named_keyframes if key not in keyframe_ids]
    return ModelAnswer(
        text=text.strip()[:MAX_ANSWER_CHARS],
        found=found,
        object_ids=known_objects,
        keyframe_ids=known_keyframes,
        confidence=_share(value.get("confidence")),
        problems=tuple(f"the model named {key[:40]!r}, which it was not shown" for key in invented),
    )


def is_no(value: object) -> bool:
    """False, however a model without a schema writes it."""
    return value == 0 or (isinstance(value, str) and value.strip().lower() in ("false", "no"))


def _list(value: dict[str, Any], key: str) -> list[Any]:
    """A list of plain values without repeats."""
    listed = value.get(key)
    items = listed if isinstance(listed, list) else []
    plain = (item for item in items if isinstance(item, str | int) and not isinstance(item, bool))
    return list(dict.fromkeys(plain))


def _share(value: object) -> float:
    """A number brought into 0 to 1; a half where none was given."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.5
    return float(min(1, max(0, value)))


def _schema() -> JsonSchema:
    """Evidence first: who writes it down before the answer answers better from it."""
    return closed_object(
        object_ids=array_of({"type": "string"}),
        keyframe_ids=array_of({"type": "integer"}),
        found={"type": "boolean"},
        answer={"type": "string"},
        confidence={"type": "number"},
    )
