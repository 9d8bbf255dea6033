"""What a person may change, checked as far as that can be told without the memory."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from memory_nodes.errors import InputError
from memory_nodes.records import ObjectStatus

MAX_NAME_CHARS = 100
_UNPRINTABLE = frozenset(("Cc", "Cs", "Zl", "Zp"))
"""Unicode categories: controls, half surrogate pairs, ends of lines and paragraphs."""


@dataclass(frozen=True)
class Rename:
    """Gives an object a name of its own: ``my mug``.

    Raises InputError for a name that is empty, too long or not printable.
    """

    object_id: str
    name: str

    def __post_init__(self) -> None:
        name = self.name.strip()
        if not 1 <= len(name) <= MAX_NAME_CHARS:
            raise InputError(
                f"a name has 1 to {MAX_NAME_CHARS} characters, {name[:40]!r} has {len(name)}"
            )
        unprintable = next((c for c in name if unicodedata.category(c) in _UNPRINTABLE), None)
        if unprintable is not None:
            raise InputError(f"the name has the character {unprintable!r}: give printable ones")
        object.__setattr__(self, "name", name)


@dataclass(frozen=True)
class Merge:
    """Several objects are one: ``into_id``, which keeps its id, type, name and status.

    Raises InputError where there is nothing to merge, or an id is given twice.
    """

    into_id: str
    other_ids: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.other_ids:
            raise InputError(f"nothing is given to merge into {self.into_id!r}: give two ids")
        _require_distinct("object", (self.into_id, *self.other_ids))


@dataclass(frozen=True)
class Split:
    """What an object's views in some keyframes show is another object.

    Raises InputError where no keyframe is given, or one twice.
    """

    object_id: str
    keyframe_ids: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.keyframe_ids:
            raise InputError(f"no keyframe is given in which {self.object_id!r} is another object")
        _require_distinct("keyframe", self.keyframe_ids)


@dataclass(frozen=True)
class Pin:
    """Keeps description, type and place as they are, or lets them follow the views again."""

    object_id: str
    is_pinned: bool = True


@dataclass(frozen=True)
class Mark:
    """Says that an object is there (PRESENT) or not (MISSING).

    Raises InputError for another status: those are found out, not said.
    """

    object_id: str
    status: ObjectStatus

    def __post_init__(self) -> None:
        if self.status not in (ObjectStatus.PRESENT, ObjectStatus.MISSING):
            raise InputError(f"{self.status!r} cannot be marked: give PRESENT or MISSING")


@dataclass(frozen=True)
class Undo:
    """Takes an edit back."""

    event_id: str


Edit: TypeAlias = Rename | Merge | Split | Pin | Mark | Undo


@dataclass(frozen=True)
class Edited:
    """What an edit has done."""

    event_id: str
    """By which it can be undone."""
    object_ids: tuple[str, ...]
    """Of those that it was about and that there are now; of a split the new one is the last."""


def _require_distinct(kind: str, ids: Sequence[object]) -> None:
    twice = next((item for item in ids if ids.count(item) > 1), None)
    if twice is not None:
        raise InputError(f"{kind} {twice!r} is given twice: give each once")
