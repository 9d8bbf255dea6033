"""Whether a thing that hardly fits a question is what was asked for: a question of its own.

A model that is asked where a thing is tends to name a place, whatever it is shown.
"""

from __future__ import annotations

import json

from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import Prompt, Reply
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.reply_json import parse_json
from memory_nodes.models.reply_schema import closed_object
from memory_nodes.records import ObjectDescriptor
from memory_nodes.retrieval.object_vectors import sentence
from memory_nodes.words import shortened

PROMPT_VERSION = "doubt_v1"
TASK = "doubt"
MAX_SEEN_CHARS = 300


def doubt_prompt(question: str, seen: ObjectDescriptor) -> Prompt:
    """Asks whether an object is what a question asks for."""
    body = {"task": TASK, "seen": shortened(sentence(seen), MAX_SEEN_CHARS), "asked": question}
    return Prompt(
        task=TASK,
        system=prompt_text(__package__, PROMPT_VERSION),
        text=json.dumps(body, ensure_ascii=False),
        reply_schema=closed_object(is_it={"type": "boolean"}),
        temperature=0.0,
        max_tokens=32,
    )


def read_doubt(reply: Reply) -> bool:
    """Whether it is. Raises ReplyError when the reply does not say so or otherwise."""
    value = parse_json(reply.text)
    is_it = value.get("is_it") if isinstance(value, dict) else None
    if not isinstance(is_it, bool):
        raise ReplyError(f"is_it is no boolean in the model's reply: {reply.text[:80]!r}")
    return is_it
