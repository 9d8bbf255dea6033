"""Takes edits back: what a person changed is as it was, what was seen since stays."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping

from memory_nodes.errors import InputError
from memory_nodes.records import ItemKind, ObjectStatus
from memory_nodes.store import objects, texts
from memory_nodes.store.database import sequence
from memory_nodes.store.editing import edit_log, moved_rows, row_changes
from memory_nodes.store.editing.edits import Edited, Undo
from memory_nodes.store.editing.row_changes import Changes, Row

_GIVEN = ("name", "is_pinned", "pinned_chunk_id", "status")
"""What a person says of an object."""
_COUNTED = ("first_seen_ns", "last_seen_ns", "view_count", "placed_since")
_PLACED = ("x", "y", "z", "covariance_m2", "map_key")
_SEEN = (*_COUNTED, *_PLACED)
"""What follows from its views."""


def undo(connection: sqlite3.Connection, what: Undo, stamp_ns: int) -> Edited:
    """Takes the newest edit of some objects back, and logs that.

    Raises InputError where it is not the newest, was undone, is an undo itself, or where what
    was seen or forgotten since does not let it.
    """
    event = edit_log.find(connection, what.event_id)
    _require_newest(connection, event, what.event_id)
    detail = json.loads(event["detail"])
    logged = row_changes.from_json(detail["changes"])
    changes = moved_rows.moved_since(connection, logged, event["event_key"])
    about = edit_log.objects_of(connection, event["event_key"])
    try:
        _revert(connection, changes, event["object_key"])
        _return_events(connection, detail["events"])
    except (sqlite3.IntegrityError, InputError) as error:
        is_ours = isinstance(error, InputError)
        reason = error if is_ours else "what it needs was forgotten or changed since"
        raise InputError(
            f"{what.event_id} cannot be undone, and nothing was changed: {reason}. Merge, split or"
            " rename anew instead"
        ) from error
    connection.execute(
        "UPDATE object_event SET is_undone = 1 WHERE event_key = ?", (event["event_key"],)
    )
    event_id = edit_log.write(
        connection,
        edit_log.UNDO,
        event["object_key"],
        stamp_ns,
        about,
        {"said": {"event_id": what.event_id, "kind": event["kind"]}},
    )
    return Edited(event_id, tuple(about[key] for key in about if key not in changes.made))


def event_owners(connection: sqlite3.Connection, object_keys: list[int]) -> dict[int, int]:
    """The object of each event of some objects: when they are merged, the events go along."""
    found = connection.execute(
        "SELECT event_key, object_key FROM object_event"
        " WHERE object_key IN (SELECT value FROM json_each(?))",
        (json.dumps(object_keys[1:]),),
    )
    return {row[0]: row[1] for row in found}


def _require_newest(connection: sqlite3.Connection, event: sqlite3.Row, event_id: str) -> None:
    if event["kind"] == edit_log.UNDO:
        raise InputError(f"{event_id} is an undo: make the edit again instead")
    if event["is_undone"]:
        raise InputError(f"{event_id} was undone already")
    newer = edit_log.newer_edit(connection, event["event_key"])
    if newer is not None:
        raise InputError(f"{newer} came after {event_id}: undo that first")


def _revert(connection: sqlite3.Connection, changes: Changes, keeper: int) -> None:
    """The events of objects that the edit has made go to the keeper."""
    for key, before, _ in changes.objects:
        if before is None:
            _require_untouched(connection, key, changes)
            connection.execute(
                "UPDATE object_event SET object_key = ? WHERE object_key = ?", (keeper, key)
            )
    row_changes.remove_rows(connection, changes.added)
    for key, before, after in changes.objects:
        if before is None:
            _delete_object(connection, key)
        elif after is None:
            row_changes.insert_row(connection, "object", {**before, "text_key": None})
    row_changes.insert_rows(connection, changes.removed)
    for key, before, after in changes.objects:
        if before is not None:
            if after is not None:
                _restore(connection, key, before, after)
            objects.name(connection, key)
            _tell_readers(connection, key)


def _tell_readers(connection: sqlite3.Connection, key: int) -> None:
    """Clear looks were at what it was before."""
    objects.forget_looks(connection, [key])
    connection.execute(
        "UPDATE object SET changed = ? WHERE object_key = ?", (sequence(connection), key)
    )
    if objects.row(connection, key)["status"] == ObjectStatus.EXPIRED:
        texts.bury(connection, ItemKind.OBJECT, [key])


def _require_untouched(connection: sqlite3.Connection, key: int, changes: Changes) -> None:
    """An object that the edit has made leaves with the rows that it was made of, and no others."""
    now = row_changes.capture(connection, [key])
    for name, rows in now.rows.items():
        made = [row_changes.without_place(row) for row in changes.added.get(name, [])]
        if any(row_changes.without_place(row) not in made for row in rows.values()):
            raise InputError(f"{now.objects[key]['object_id']} was seen again since")


def _delete_object(connection: sqlite3.Connection, key: int) -> None:
    text_key = connection.execute(
        "DELETE FROM object WHERE object_key = ? RETURNING text_key", (key,)
    ).fetchall()[0][0]
    texts.bury(connection, ItemKind.OBJECT, [key])
    if text_key is not None:
        texts.release(connection, [text_key])


def _restore(connection: sqlite3.Connection, key: int, before: Row, after: Row) -> None:
    """Brings back what the edit changed; what follows from views seen since is made anew."""
    now = row_changes.capture(connection, [key], only_objects=True).objects[key]
    for column in _GIVEN:
        if before[column] != after[column] and now[column] != after[column]:
            raise InputError(f"its {column} is {now[column]!r} by now")
    given = {name: before[name] for name in _GIVEN if before[name] != after[name]}
    _set(connection, key, given)
    if all(before[name] == after[name] for name in _SEEN) and "is_pinned" not in given:
        return
    if all(now[name] == after[name] for name in _SEEN):
        _set(connection, key, {name: before[name] for name in _SEEN})
        return
    if before["is_pinned"] and now["map_key"] == before["map_key"]:
        _set(connection, key, {name: before[name] for name in _PLACED})
    if now["placed_since"] == after["placed_since"]:
        _set(connection, key, {"placed_since": before["placed_since"]})
    objects.recount(connection, key)


def _set(connection: sqlite3.Connection, key: int, values: Row) -> None:
    if values:
        columns = ", ".join(f"{name} = ?" for name in values)
        connection.execute(
            f"UPDATE object SET {columns} WHERE object_key = ?", (*values.values(), key)
        )


def _return_events(connection: sqlite3.Connection, owners: Mapping[str, int]) -> None:
    connection.executemany(
        "UPDATE object_event SET object_key = ? WHERE event_key = ?",
        [(object_key, int(event_key)) for event_key, object_key in owners.items()],
    )
