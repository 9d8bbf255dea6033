"""The log of what a person changed: who asks what happened to an object, and what undoes it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from memory_nodes.errors import InputError

UNDO = "undo"
KINDS = ("rename", "merge", "split", "pin", "unpin", "mark", UNDO)
_EVENT_ID = re.compile(r"event_(\d{1,18})")
_OF_KINDS = f"kind IN ({', '.join(map(repr, KINDS))})"


@dataclass(frozen=True)
class LoggedEdit:
    """One thing that a person did, or a merge of what was found to be one object."""

    event_id: str
    kind: str
    """One of KINDS."""
    stamp_ns: int
    object_ids: tuple[str, ...]
    """That it was about; some may be gone, or be part of another one."""
    said: Mapping[str, Any]
    """What was given: the fields of the edit."""
    is_undone: bool


def event_id(key: int) -> str:
    """The public id of an event."""
    return f"event_{key}"


def find(connection: sqlite3.Connection, public_id: str) -> sqlite3.Row:
    """The row of an edit. Raises InputError where there is none."""
    numbered = _EVENT_ID.fullmatch(public_id)
    row: sqlite3.Row | None = connection.execute(
        f"SELECT * FROM object_event WHERE event_key = ? AND {_OF_KINDS}",
        (int(numbered[1]) if numbered else -1,),
    ).fetchone()
    if row is None:
        raise InputError(
            f"no edit {public_id!r}: give the event_id of one (edits that had to do with what was"
            " forgotten are forgotten too)"
        )
    return row


def write(
    connection: sqlite3.Connection,
    kind: str,
    object_key: int,
    stamp_ns: int,
    object_ids: Mapping[int, str],
    detail: Mapping[str, Any],
) -> str:
    """Logs an edit and gives its id; ``object_ids`` of all that it is about, by key."""
    key = connection.execute(
        "INSERT INTO object_event (object_key, kind, stamp_ns, detail) VALUES (?, ?, ?, ?)",
        (object_key, kind, stamp_ns, json.dumps(detail)),
    ).lastrowid
    connection.executemany(
        "INSERT INTO edited_object VALUES (?, ?, ?)",
        [(about, key, object_id) for about, object_id in object_ids.items()],
    )
    return event_id(key or 0)


def objects_of(connection: sqlite3.Connection, event_key: int) -> dict[int, str]:
    """Ids of what an edit was about, by key."""
    found = connection.execute(
        "SELECT object_key, object_id FROM edited_object WHERE event_key = ? ORDER BY object_key",
        (event_key,),
    )
    return {row[0]: row[1] for row in found}


def newer_edit(connection: sqlite3.Connection, event_key: int) -> str | None:
    """The newest later edit of the same objects that holds, None where this one is the newest."""
    row = connection.execute(
        f"SELECT max(event_key) FROM object_event WHERE event_key > ?1 AND {_OF_KINDS}"
        " AND kind != ?2 AND NOT is_undone AND event_key IN (SELECT event_key FROM edited_object"
        " WHERE object_key IN (SELECT object_key FROM edited_object WHERE event_key = ?1))",
        (event_key, UNDO),
    ).fetchone()
    return None if row[0] is None else event_id(row[0])


def edits(connection: sqlite3.Connection, object_key: int) -> list[LoggedEdit]:
    """All edits that an object had to do with, also as part of another one; oldest first."""
    found = connection.execute(
        "WITH RECURSIVE about (object_key) AS (VALUES (?) UNION"
        " SELECT e.object_key FROM about JOIN object_event v USING (object_key)"
        " JOIN edited_object e USING (event_key) WHERE v.kind = 'merge' AND NOT v.is_undone)"
        f" SELECT * FROM object_event WHERE {_OF_KINDS} AND event_key IN"
        " (SELECT event_key FROM edited_object WHERE object_key IN about) ORDER BY event_key",
        (object_key,),
    ).fetchall()
    return [_logged(connection, row) for row in found]


def forget(connection: sqlite3.Connection, object_keys: Iterable[int]) -> None:
    """Deletes the edits of some objects: they tell what is forgotten, and could bring it back."""
    connection.execute(
        f"DELETE FROM object_event WHERE {_OF_KINDS} AND event_key IN (SELECT event_key"
        " FROM edited_object WHERE object_key IN (SELECT value FROM json_each(?)))",
        (json.dumps(sorted(object_keys)),),
    )


def _logged(connection: sqlite3.Connection, row: sqlite3.Row) -> LoggedEdit:
    return LoggedEdit(
        event_id=event_id(row["event_key"]),
        kind=row["kind"],
        stamp_ns=row["stamp_ns"],
        object_ids=tuple(objects_of(connection, row["event_key"]).values()),
        said=json.loads(row["detail"])["said"],
        is_undone=bool(row["is_undone"]),
    )
