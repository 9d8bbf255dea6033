"""Kinds of things: what a memory calls them, what people call them, and what they are for."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Kind:
    """``name``, ``detail`` and ``affordance`` are in the memory, the others only in questions."""

    name: str
    spoken: str
    """Another word for it."""
    detail: str
    material: str
    affordance: str
    deed: str
    """Ends "Where can I ..."; empty for what nobody asks for so."""
    need: str
    """Why one would look for it."""


def _kinds(name: str) -> tuple[Kind, ...]:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return tuple(Kind(**row) for row in csv.DictReader(text.splitlines()))


FURNITURE = _kinds("furniture.csv")
"""What things stand on."""
THINGS = _kinds("things.csv")
COLORS = tuple("red green blue yellow white black brown grey orange purple pink turquoise".split())
