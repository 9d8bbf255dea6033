"""Boxes in the special tokens of grounding models instead of JSON.

Sources: Qwen2-VL (object_ref, box), InternVL (ref, box), DeepSeek-VL2 (ref, det).
"""

from __future__ import annotations

import re
from itertools import islice

from memory_nodes.models.json_tokens import number_of
from memory_nodes.models.json_values import JsonList, JsonObject, Value

MAX_NAMES = 2000

_NAME = re.compile(
    r"<\|?(?:ref|object_ref_start|p|phrase)\|?>(?P<label>[^<>]{0,300})"
    r"<(?:\|?/(?:ref|p|phrase)\|?|\|object_ref_end\|)>"
)
_END = re.compile(r"<(?:\|?/(?:box|det)\|?|\|(?:box_end|/det)\|)>")
_BRACKETS = re.compile(r"\[([^\[\]()<>]{0,200})\]")
_POINTS = re.compile(r"\(([^\[\]()<>]{0,100})\)\s*,?\s*\(([^\[\]()<>]{0,100})\)")


def read_grounding(text: str) -> tuple[list[JsonObject], bool]:
    """A record for each named box, and whether the text ends before the last one does."""
    names = list(islice(_NAME.finditer(text), MAX_NAMES))
    records: list[JsonObject] = []
    is_open = len(names) == MAX_NAMES
    for name, following in zip(names, [*names[1:], None], strict=False):
        body = text[name.end() : following.start() if following is not None else len(text)]
        end = _END.search(body)
        if end is None and following is None:
            is_open = True
            continue
        label = name.group("label").strip()
        for numbers in _boxes(body[: end.start()] if end is not None else body):
            box = JsonList(numbers, is_closed=True)
            records.append(JsonObject([("label", label), ("bbox", box)], is_closed=True))
    return records, is_open


def _boxes(body: str) -> list[list[Value]]:
    """The boxes of one name; one without numbers where none is whole."""
    points = [f"{first},{second}" for first, second in _POINTS.findall(body)]
    groups = points or _BRACKETS.findall(body)
    return [[_number(part) for part in group.split(",")] for group in groups] or [[]]


def _number(part: str) -> Value:
    number = number_of(part.strip())
    return number if number is not None else part.strip()
