"""A question said again with the names that the memory has for things, by a language model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import ChatModel, Prompt, Reply
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.reply_json import parse_json
from memory_nodes.models.reply_schema import closed_object
from memory_nodes.retrieval.question import terms_of
from memory_nodes.retrieval.snapshot import Snapshot

PROMPT_VERSION = "rewrite_v1"
TASK = "rewrite"
MAX_NAMES_CHARS = 6000
MAX_CHARS = 500


async def rewritten(question: str, snapshot: Snapshot, model: ChatModel, deadline_s: float) -> str:
    """The question in the words of the memory. Source: VL-KnG, section 6.3, step 1.

    Raises ModelError when the model does not answer, ReplyError when it brought in a name that
    was neither asked for nor known.
    """
    names = known_names(snapshot)
    reply = await model.complete(_prompt(question, names), deadline_s)
    return read_rewriting(reply, question, names)


def known_names(snapshot: Snapshot) -> tuple[str, ...]:
    """The names and types of objects, the most frequent first, as many as a prompt may hold."""
    counts = Counter(
        name for item in snapshot.objects for name in dict.fromkeys((item.name, item.type)) if name
    )
    names, chars = [], 0
    for name, _ in counts.most_common():
        chars += len(name) + 4
        if chars > MAX_NAMES_CHARS:
            break
        names.append(name)
    return tuple(names)


def read_rewriting(reply: Reply, question: str, names: Sequence[str]) -> str:
    """The model's question. Raises ReplyError where a word in it comes from nowhere."""
    value = parse_json(reply.text)
    text = value.get("question") if isinstance(value, dict) else None
    if not reply.is_complete or not isinstance(text, str) or not text.strip():
        raise ReplyError(f"no question in the model's reply: {reply.text[:80]!r}")
    if len(text) > MAX_CHARS:
        raise ReplyError(
            f"the rewritten question has {len(text)} characters, the limit is {MAX_CHARS}"
        )
    invented = terms_of(text) - terms_of(question) - terms_of(" ".join(names))
    if invented:
        raise ReplyError(
            f"the rewritten question names what is neither asked nor known: {sorted(invented)[:5]}"
        )
    return " ".join(text.split())


def _prompt(question: str, names: Sequence[str]) -> Prompt:
    body = {"task": TASK, "question": question, "names": list(names)}
    return Prompt(
        task=TASK,
        system=prompt_text(__package__, PROMPT_VERSION),
        text=json.dumps(body, ensure_ascii=False),
        reply_schema=closed_object(question={"type": "string"}),
        temperature=0.0,
        max_tokens=256,
    )
