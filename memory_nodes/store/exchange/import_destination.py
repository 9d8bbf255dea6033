"""The memory that an import makes, and what its lines refer to."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import Enum

from memory_nodes.errors import InputError
from memory_nodes.records import EpisodeStatus, ObjectStatus
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.exchange.import_fields import Fields

NUMBERED_ID = re.compile(r"(observation|episode|gist|entity|history|event)_(\d{1,18})")


@dataclass(frozen=True)
class Destination:
    """The memory that is being made."""

    connection: sqlite3.Connection
    layers: Collection[str]
    model: EmbeddingModel | None
    take_image: Callable[[str], bool]
    """Brings the image of a keyframe along; raises InputError for a path that leads elsewhere."""
    note: Callable[[str], None]
    """Takes what was left out of a line that is imported all the same."""


def number_of(kind: str, public_id: str) -> int:
    """The number in an id that the memory gave out itself."""
    found = NUMBERED_ID.fullmatch(public_id)
    if found is None or found[1] != kind:
        raise InputError(f"{public_id[:80]!r} is no id of the form {kind}_<number>")
    return int(found[2])


def status_of(kind: type[EpisodeStatus] | type[ObjectStatus], name: str) -> int:
    names = {status.name.lower(): int(status) for status in kind}
    if name not in names:
        raise InputError(f"status {name[:80]!r} is not one of {', '.join(names)}")
    return names[name]


def one_of(kind: type[Enum], value: str) -> str:
    """A value of an enumeration of texts. Raises InputError for any other."""
    values = [str(member.value) for member in kind]
    if value not in values:
        raise InputError(f"{value[:80]!r} is not one of {', '.join(values)}")
    return value


def optional_key(into: Destination, table: str, column: str, line: Fields, name: str) -> int | None:
    """The key that an optional id stands for; where that is not there, the line goes on without."""
    public_id = line.optional_text(name)
    if public_id is None:
        return None
    key = number_of("history" if table == "history_node" else table, public_id)
    if present(into, table, column, [key]):
        return key
    into.note(f"its {name} {public_id} is not there")
    return None


def present(into: Destination, table: str, column: str, keys: Collection[int]) -> set[int]:
    """Those of the keys that are in a table."""
    found = into.connection.execute(
        f"SELECT {column} FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))",
        (json.dumps(list(keys)),),
    )
    return {int(row[0]) for row in found}


def kept(into: Destination, table: str, keys: Collection[int]) -> set[int]:
    """The same for chunks and keyframes; how many are left out is noted."""
    kept = present(into, table, f"{table}_id", keys)
    if left_out := set(keys) - kept:
        into.note(f"left out what is of {len(left_out)} {table}s that are not there")
    return kept


def object_key(into: Destination, object_id: str) -> int:
    row = into.connection.execute(
        "SELECT object_key FROM object WHERE object_id = ?", (object_id,)
    ).fetchone()
    if row is None:
        raise InputError(f"no object {object_id[:80]!r}")
    return int(row[0])
