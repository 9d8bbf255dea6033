"""What became of the graph since a commit: objects as they are now, relations, keyframes."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from memory_nodes.records import Keyframe, ObjectDescriptor, Relation
from memory_nodes.store import descriptors, map_corrections, rows
from memory_nodes.store.object_changes import span
from memory_nodes.store.placed import Placed

RelationKey: TypeAlias = tuple[int, str, int]
"""Keys of subject and object, and the predicate between them."""

_CHANGED = f"SELECT object_key FROM object WHERE changed > ? AND {rows.NOT_EXPIRED}"
_KEYFRAMES = (
    f"SELECT * FROM keyframe WHERE keyframe_id > ? OR keyframe_id IN ({map_corrections.SHIFTED})"
    " ORDER BY keyframe_id"
)
_RELATIONS = (
    "SELECT r.subject_key, r.predicate, r.object_key, r.keyframe_id, s.object_id AS subject,"
    " o.object_id AS object FROM relation r JOIN object s ON s.object_key = r.subject_key"
    " JOIN object o ON o.object_key = r.object_key {where}"
    " ORDER BY r.subject_key, r.predicate, r.object_key, r.keyframe_id"
)
_AT_OBJECTS = (
    "WHERE r.subject_key IN (SELECT value FROM json_each(?1))"
    " OR r.object_key IN (SELECT value FROM json_each(?1))"
)


@dataclass(frozen=True)
class GraphChanges:
    """All that a reader needs that knows the graph as of an earlier commit."""

    sequence: int
    """The commit that it is level with then."""
    is_whole: bool
    """Whether these are all there are: whatever else was known is gone."""
    objects: Mapping[int, ObjectDescriptor]
    """Those that are new or different, by their keys, ascending; never those that have expired."""
    relations: Mapping[RelationKey, Relation]
    """All at either end of which is one of the objects, in their order in the memory: those that
    were known there and do not come again are gone. The other end may have expired."""
    keyframes: tuple[Keyframe, ...]
    """The new ones, and those whose poses were corrected, ascending."""
    keyframe_count: int
    """All of them: a reader that knows more has some that were forgotten, and reads all anew."""
    gone_keys: tuple[int, ...] = ()
    """Objects that left before the others came."""

    @property
    def is_empty(self) -> bool:
        return not (self.is_whole or self.objects or self.gone_keys or self.keyframes)


def changes_since(
    connection: sqlite3.Connection, since: int, last_keyframe_id: int
) -> GraphChanges:
    """All that was committed after ``since``, and the keyframes after ``last_keyframe_id``.

    Everything where images were dropped after ``since``: known keyframes are different then.
    """
    dropped = int(connection.execute("SELECT sequence FROM image_mark").fetchone()[0])
    past = span(connection, since if since >= dropped else -1)
    keys = [row[0] for row in connection.execute(_CHANGED, (past.since,))]
    values = (-1, past.newest) if past.is_whole else (last_keyframe_id, past.since)
    found = connection.execute(_KEYFRAMES, (*values, int(Placed.KEYFRAME)))
    return GraphChanges(
        past.newest,
        past.is_whole,
        descriptors.of_keys(connection, keys),
        relations(connection, _AT_OBJECTS, (json.dumps(keys),)),
        tuple(map(rows.keyframe_from, found)),
        rows.counts(connection).keyframes,
        past.gone_keys,
    )


def relations(
    connection: sqlite3.Connection, where: str = "", values: tuple[object, ...] = ()
) -> dict[RelationKey, Relation]:
    """Those that a WHERE clause on the relation r, its subject s and its object o leaves.

    Each with the keyframes that show it.
    """
    ends: dict[RelationKey, tuple[str, str]] = {}
    shown: dict[RelationKey, list[int]] = defaultdict(list)
    for row in connection.execute(_RELATIONS.format(where=where), values):
        key = (row["subject_key"], row["predicate"], row["object_key"])
        ends[key] = (row["subject"], row["object"])
        shown[key].append(row["keyframe_id"])
    return {
        key: Relation(subject_id, key[1], object_id, tuple(shown[key]))
        for key, (subject_id, object_id) in ends.items()
    }
