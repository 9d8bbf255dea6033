"""Repeatable chance: the same key gives the same draw, in any order and in any process."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def draw(*key: object) -> float:
    """A number in [0, 1) that depends on the key alone."""
    digest = hashlib.sha256("|".join(map(str, key)).encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def pick(items: Sequence[Item], *key: object) -> Item:
    """One of the items, chosen by the key alone."""
    return items[int(draw(*key) * len(items))]
