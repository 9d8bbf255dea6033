"""Which image a reply means by a frame number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memory_nodes.models.json_values import JsonList, Value
from memory_nodes.records import Keyframe

MAX_DIGITS = 9
_NUMBER = re.compile(
    rf"(?:(?:frame|image|img|picture|view)[\s_#-]{{0,3}})?(\d{{1,{MAX_DIGITS}}})", re.IGNORECASE
)


def frame_number(value: Value) -> int | None:
    """A frame number: an integer, or a text of digits."""
    if isinstance(value, str):
        matched = _NUMBER.fullmatch(value.strip())
        return int(matched.group(1)) if matched else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if abs(value) < 10**MAX_DIGITS and value == int(value) else None


def frame_values(value: Value) -> list[Value]:
    """The frames of a relation: a list of them, or one."""
    if isinstance(value, JsonList):
        return value.items
    return [] if value is None else [value]


@dataclass(frozen=True)
class Frames:
    """The images that were sent, by the numbers that a reply uses for them."""

    by_number: Mapping[int, Keyframe]
    is_counted_from_one: bool = False

    def at(self, value: Value) -> Keyframe | None:
        number = frame_number(value)
        return self.by_number.get(number) if number is not None else None

    def as_used(self, values: Iterable[Value]) -> Frames:
        """The same frames as a whole reply numbers them.

        Where its numbers are exactly some of 1 to N for N images, with N among them and one that
        was not sent, they were counted from one.
        """
        used = {number for value in values if (number := frame_number(value)) is not None}
        count = len(self.by_number)
        is_unknown = not used <= set(self.by_number)
        if not is_unknown or count not in used or not used <= set(range(1, count + 1)):
            return self
        in_order = [self.by_number[number] for number in sorted(self.by_number)]
        return Frames(dict(enumerate(in_order, start=1)), is_counted_from_one=True)
