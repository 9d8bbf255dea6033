"""A stand-in for the language model that keeps a robot's diary."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from memory_nodes.episodic.history.prompt import GROUP_TASK
from memory_nodes.models.ports import Prompt, Reply

CHARS_PER_TOKEN = 4
_ENTRY = re.compile(r"^(?:\d+\.|-) (?:\[(?:(\d\d):)?[^\]]*\] )?(.*)$", re.MULTILINE)
_TASKS = re.compile(r"Tasks: (.*?)\.(?: |$)")


class DiaryModel:
    """Groups by hours, and summarises by naming tasks. Counts tokens as characters / 4."""

    def __init__(self) -> None:
        self.calls = 0
        self.tokens = 0

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        entries = [(int(hour or 0), text) for hour, text in _ENTRY.findall(prompt.text)]
        answer: dict[str, object]
        if prompt.task == GROUP_TASK:
            answer = {"groups": _groups(entries)}
        else:
            answer = {"summary": _summary([text for _, text in entries])}
        text = json.dumps(answer)
        asked = estimated_tokens(prompt.system) + estimated_tokens(prompt.text)
        written = estimated_tokens(text)
        self.calls += 1
        self.tokens += asked + written
        return Reply(text, True, "stand-in:diary", asked, written)


def estimated_tokens(text: str) -> int:
    """A plain estimate, for any tokenizer."""
    return -(-len(text) // CHARS_PER_TOKEN)


def _groups(entries: Sequence[tuple[int, str]]) -> list[dict[str, object]]:
    groups: list[dict[str, object]] = []
    first = 1
    for number in range(1, len(entries) + 1):
        is_last = number == len(entries)
        if is_last or _part(entries[number][0]) != _part(entries[number - 1][0]):
            texts = [text for _, text in entries[first - 1 : number]]
            groups.append({"first": first, "last": number, "summary": _summary(texts)})
            first = number + 1
    return groups


def _part(hour: int) -> int:
    """Morning, noon and afternoon, evening."""
    return (hour >= 12) + (hour >= 18)


def _summary(texts: Sequence[str]) -> str:
    tasks = dict.fromkeys(
        re.sub(r" x\d+| \([^)]*\)", "", task)
        for text in texts
        for listed in _TASKS.findall(text)
        for task in re.split(r", (?![^(]*\))", listed)
    )
    named = list(tasks)[:5]
    more = f" and {len(tasks) - 5} more tasks" if len(tasks) > 5 else ""
    return f"I did: {', '.join(named)}{more}." if named else "I looked around."
