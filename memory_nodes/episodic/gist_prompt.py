"""The gist prompt: what a piece says, and what its summary should be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memory_nodes.dates import Dates
from memory_nodes.episodic.lines import Line
from memory_nodes.models.ports import JsonSchema, Prompt
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.reply_schema import array_of, closed_object

PROMPT_VERSION = "gist_v1"
TASK = "gist"
MAX_LINE_CHARS = 1000
MAX_TIMES = 3
_LINE_OVERHEAD_CHARS = 80
"""Of the JSON around a text, at most."""


def gist_prompt(
    lines: Sequence[Line], dates: Dates, max_chars: int, max_prompt_chars: int
) -> Prompt:
    """Asks for the gist of a piece and its entities; line i has the number i + 1.

    The lines together have at most ``max_prompt_chars`` characters: the least frequent are left
    out, of the longest layers first. Source: eMEM, consolidation (layer-aware synthesis).
    """
    shown = _shown(lines, max_prompt_chars)
    layers: dict[str, list[dict[str, Any]]] = {}
    for number in shown:
        line = lines[number]
        layers.setdefault(line.layer, []).append(_entry(number, line, dates))
    body = {
        "task": TASK,
        "max_chars": max_chars,
        "layers": layers,
        "left_out": len(lines) - len(shown),
    }
    return Prompt(
        task=TASK,
        system=prompt_text(__package__, PROMPT_VERSION),
        text=json.dumps(body, ensure_ascii=False),
        reply_schema=_schema(),
        temperature=0.1,
        max_tokens=2048,
    )


def _shown(lines: Sequence[Line], max_prompt_chars: int) -> list[int]:
    """Numbers of the lines that fit, in order: in turns the next most frequent of each layer."""
    waiting: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        waiting.setdefault(line.layer, []).append(number)
    shown, room = [], max_prompt_chars
    while waiting:
        for layer in list(waiting):
            number = waiting[layer].pop(0)
            length = min(len(lines[number].text), MAX_LINE_CHARS) + _LINE_OVERHEAD_CHARS
            if length > room:
                del waiting[layer]  # its tail is left out
                continue
            room -= length
            shown.append(number)
            if not waiting[layer]:
                del waiting[layer]
    return sorted(shown)


def _entry(number: int, line: Line, dates: Dates) -> dict[str, Any]:
    times = dict.fromkeys(dates.clock(item.observation.stamp_ns) for item in line.items)
    return {
        "n": number + 1,
        "text": line.text[:MAX_LINE_CHARS],
        "count": len(line.items),
        "times": list(times)[:MAX_TIMES],
    }


def _schema() -> JsonSchema:
    entity = closed_object(
        name={"type": "string"}, observations=array_of({"type": "integer", "minimum": 1})
    )
    return closed_object(gist={"type": "string"}, entities=array_of(entity))
