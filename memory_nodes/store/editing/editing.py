"""Editing: what a person says of objects, in one transaction with all that it takes to undo it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, cast

from memory_nodes.errors import InputError
from memory_nodes.store import objects
from memory_nodes.store.database import sequence
from memory_nodes.store.editing import edit_log, identities, row_changes, undoing
from memory_nodes.store.editing.edits import Edit, Edited, Mark, Merge, Pin, Rename, Split, Undo
from memory_nodes.store.object_ids import key_of


def edit(connection: sqlite3.Connection, what: Edit, stamp_ns: int) -> Edited:
    """Does it and logs it. Raises InputError for an unknown id, or what cannot be done."""
    if isinstance(what, Undo):
        return undoing.undo(connection, what, stamp_ns)
    keys = [_known(connection, object_id) for object_id in _about(what)]
    if len(set(keys)) < len(keys):
        raise InputError(f"some of {', '.join(_about(what))} are one object already")
    is_of_rows = isinstance(what, Merge | Split)
    before = row_changes.capture(connection, keys, only_objects=not is_of_rows)
    event_keys = undoing.event_owners(connection, keys)
    made = _DOING[type(what)](connection, what, keys)
    if isinstance(what, Merge | Split | Mark):  # what was looked for was another thing
        objects.forget_looks(connection, made)
    for key in made:
        connection.execute(
            "UPDATE object SET changed = ? WHERE object_key = ?", (sequence(connection), key)
        )
    after = row_changes.capture(connection, {*keys, *made}, only_objects=not is_of_rows)
    ids = {key: row["object_id"] for key, row in (after.objects | before.objects).items()}
    changes = row_changes.to_json(row_changes.difference(before, after))
    detail = {"said": asdict(what), "changes": changes, "events": event_keys if is_of_rows else {}}
    event_id = edit_log.write(connection, _kind(what), keys[0], stamp_ns, ids, detail)
    return Edited(event_id, tuple(ids[key] for key in made))


def _about(what: Rename | Merge | Split | Pin | Mark) -> tuple[str, ...]:
    return (what.into_id, *what.other_ids) if isinstance(what, Merge) else (what.object_id,)


def _kind(what: Edit) -> str:
    return "unpin" if isinstance(what, Pin) and not what.is_pinned else type(what).__name__.lower()


def _known(connection: sqlite3.Connection, object_id: str) -> int:
    key = key_of(connection, object_id)
    if key is None:
        raise InputError(f"no object {object_id[:80]!r}: nothing was changed")
    return key


def _rename(connection: sqlite3.Connection, what: Rename, keys: list[int]) -> list[int]:
    connection.execute("UPDATE object SET name = ? WHERE object_key = ?", (what.name, keys[0]))
    objects.name(connection, keys[0])
    return keys


def _merge(connection: sqlite3.Connection, what: Merge, keys: list[int]) -> list[int]:
    identities.merge(connection, keys[0], keys[1:])
    return keys[:1]


def _split(connection: sqlite3.Connection, what: Split, keys: list[int]) -> list[int]:
    return [*keys, identities.split(connection, keys[0], what.keyframe_ids)]


def _pin(connection: sqlite3.Connection, what: Pin, keys: list[int]) -> list[int]:
    chunk_id = objects.current_state(connection, keys[0])["chunk_id"] if what.is_pinned else None
    connection.execute(
        "UPDATE object SET is_pinned = ?, pinned_chunk_id = ? WHERE object_key = ?",
        (what.is_pinned, chunk_id, keys[0]),
    )
    objects.recount(connection, keys[0])
    return keys


def _mark(connection: sqlite3.Connection, what: Mark, keys: list[int]) -> list[int]:
    connection.execute(
        "UPDATE object SET status = ? WHERE object_key = ?", (int(what.status), keys[0])
    )
    return keys


_Doing = Callable[[sqlite3.Connection, Any, list[int]], list[int]]
_DOING: Mapping[type, _Doing] = cast(
    Mapping[type, _Doing],
    {Rename: _rename, Merge: _merge, Split: _split, Pin: _pin, Mark: _mark},
)
"""Each gives the keys of the objects that there are after it."""
