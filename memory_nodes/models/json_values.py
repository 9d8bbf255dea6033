"""JSON as a model wrote it: repeated keys and missing ends are kept, since they mean something."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeGuard

NUMBER_TEXT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


class Unfinished:
    """Stands for a text or number that the end of the reply cut off."""


UNFINISHED = Unfinished()


@dataclass
class JsonObject:
    """Keys and values in the order in which they were written; a key may come twice."""

    pairs: list[tuple[str, Value]] = field(default_factory=list)
    is_closed: bool = False
    """Its end was written, or is implied by what was written after it."""

    def get(self, key: str) -> Value:
        """The last value of a key, as in JSON; None where there is none."""
        return next((value for name, value in reversed(self.pairs) if name == key), None)


@dataclass
class JsonList:
    """Items in order."""

    items: list[Value] = field(default_factory=list)
    is_closed: bool = False


Value: TypeAlias = "JsonObject | JsonList | str | int | float | bool | Unfinished | None"


def plain(value: Value) -> Any:
    """The same as dicts and lists; of a repeated key the last value counts, as in JSON."""
    if isinstance(value, JsonObject):
        return {key: plain(item) for key, item in value.pairs}
    if isinstance(value, JsonList):
        return [plain(item) for item in value.items]
    return None if isinstance(value, Unfinished) else value


def has_lists(value: Value) -> bool:
    return isinstance(value, JsonList) and any(isinstance(item, JsonList) for item in value.items)


def is_numbers(node: Value) -> TypeGuard[JsonList]:
    """A list of numbers, or of such lists."""
    if not isinstance(node, JsonList) or not node.items:
        return False
    return all(
        is_numbers(item)
        if isinstance(item, JsonObject | JsonList)
        else isinstance(item, int | float)
        or (isinstance(item, str) and NUMBER_TEXT.fullmatch(item) is not None)
        for item in node.items
    )
