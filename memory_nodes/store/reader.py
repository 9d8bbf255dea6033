"""Reads a memory while another process writes it."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable

from memory_nodes.errors import StoreError
from memory_nodes.records import (
    Change,
    ChangeKind,
    Counts,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
    ObjectView,
    Relation,
)
from memory_nodes.store import embeddings, object_changes, object_numbers, rows
from memory_nodes.store.database import among
from memory_nodes.store.editing import edit_log
from memory_nodes.store.editing.edit_log import LoggedEdit
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.object_changes import ObjectChanges
from memory_nodes.store.object_ids import key_of
from memory_nodes.store.read_only import ReadOnly
from memory_nodes.vectors import ViewVectors, unpacked


class Reader(ReadOnly):
    """Reads what was seen: keyframes, objects and their relations."""

    def counts(self) -> Counts:
        """Rows of each kind, the number of commits and the last chunk stored."""
        with self._snapshot() as connection:
            return rows.counts(connection)

    def keyframes(self, keyframe_ids: Iterable[int] | None = None) -> list[Keyframe]:
        """The keyframes with these ids, or all, ascending by id."""
        where, values = among("keyframe_id", keyframe_ids)
        found = self._rows(f"SELECT * FROM keyframe {where} ORDER BY keyframe_id", values)
        return [rows.keyframe_from(row) for row in found]

    def latest_keyframe(self) -> Keyframe | None:
        found = self._rows("SELECT * FROM keyframe ORDER BY keyframe_id DESC LIMIT 1")
        return rows.keyframe_from(found[0]) if found else None

    def span(self) -> tuple[int, int, tuple[str, ...]]:
        """Stamps of what was seen or observed first and last, ns, 0 for nothing; all maps."""
        row = self._rows(
            "SELECT coalesce(min(first), 0) AS first, coalesce(max(last), 0) AS last FROM ("
            " SELECT min(stamp_ns) AS first, max(stamp_ns) AS last FROM keyframe"
            " UNION ALL SELECT min(stamp_ns), max(stamp_ns) FROM observation"
            " WHERE text_key IS NOT NULL)"
        )[0]
        maps = self._rows(
            "SELECT map_id FROM keyframe UNION SELECT map_id FROM map ORDER BY map_id"
        )
        return row["first"], row["last"], tuple(item["map_id"] for item in maps)

    def objects(self, object_ids: Iterable[str] | None = None) -> list[ObjectDescriptor]:
        """The objects with these ids, or all, with views; ascending by time of creation.

        The id of an object that was merged into another one gives that one.
        """
        with self._snapshot() as connection:
            wanted = None
            if object_ids is not None:
                wanted = {key_of(connection, object_id) for object_id in object_ids}
            where, values = among("object_key", wanted)
            found = self._rows(f"SELECT * FROM object {where} ORDER BY object_key", values)
            keys = {row["object_key"] for row in found} if object_ids is not None else None
            states = self._states(keys)
            views = self._views(keys)
            aliases = self._aliases(keys)
        return [
            _object(row, states[key], views[key], aliases[key])
            for row in found
            for key in (row["object_key"],)
        ]

    def edits(self, object_id: str) -> list[LoggedEdit]:
        """What people did to an object, oldest first; nothing for an unknown id."""
        with self._snapshot() as connection:
            key = key_of(connection, object_id)
            return [] if key is None else edit_log.edits(connection, key)

    def newest_of_objects(self, object_ids: Iterable[str]) -> list[ObjectDescriptor]:
        """As ``objects``, but each only with its newest view, and the words of its newest state.

        It costs the same however often an object was seen.
        """
        where, values = among("object_id", object_ids)
        with self._snapshot():
            found = self._rows(f"SELECT * FROM object {where} ORDER BY object_key", values)
            return [self._newest_of_object(row) for row in found]

    def objects_changed_since(self, sequence: int) -> ObjectChanges:
        """What became of the objects after a commit; all of them with -1."""
        with self._snapshot() as connection:
            return object_changes.changes_since(connection, sequence)

    def highest_numbers(self, stems: Iterable[str]) -> dict[str, int]:
        """For each stem the highest number that any id of it ever had, or 0."""
        with self._snapshot() as connection:
            return object_numbers.highest_numbers(connection, stems)

    def told_apart(self) -> set[frozenset[str]]:
        """Pairs of objects that a person said are two."""
        found = self._rows(
            "SELECT l.object_id AS one, h.object_id AS other FROM object_distinct d"
            " JOIN object l ON l.object_key = d.low_key JOIN object h ON h.object_key = d.high_key"
        )
        return {frozenset((row["one"], row["other"])) for row in found}

    def graph(self) -> tuple[list[ObjectDescriptor], list[Relation], list[Keyframe]]:
        """Everything, as it was at one moment."""
        with self._snapshot():
            return self.objects(), self.relations(), self.keyframes()

    def relations(self, subject_ids: Iterable[str] | None = None) -> list[Relation]:
        """The relations of these subjects, or all, each with the keyframes that show it."""
        where, values = among("s.object_id", subject_ids)
        grouped: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        for row in self._rows(
            "SELECT s.object_id AS subject, r.predicate, o.object_id AS object, r.keyframe_id"
            " FROM relation r JOIN object s ON s.object_key = r.subject_key"
            f" JOIN object o ON o.object_key = r.object_key {where}"
            " ORDER BY r.subject_key, r.predicate, r.object_key, r.keyframe_id",
            values,
        ):
            key = (row["subject"], row["predicate"], row["object"])
            grouped[key].append(row["keyframe_id"])
        return [Relation(*key, tuple(keyframe_ids)) for key, keyframe_ids in grouped.items()]

    def embedding_model(self) -> EmbeddingModel | None:
        """The active model of texts; None while there is none."""
        with self._snapshot() as connection:
            return embeddings.active_model(connection)

    def changes(self, since_ns: int, until_ns: int, map_id: str = "") -> list[Change]:
        """What became of objects between two stamps, both inclusive, oldest first.

        ``map_id``: only of objects that are on this map now; empty: on any.
        """
        with self._snapshot():
            found = self._rows(
                "SELECT e.kind, e.stamp_ns, e.detail, o.object_id FROM object_event e"
                " JOIN object o USING (object_key) LEFT JOIN map m USING (map_key)"
                " WHERE e.stamp_ns BETWEEN ? AND ? AND ? IN ('', m.map_id) AND NOT e.is_undone"
                " AND e.kind IN (SELECT value FROM json_each(?)) ORDER BY e.stamp_ns, e.event_key",
                (since_ns, until_ns, map_id, json.dumps([kind.value for kind in ChangeKind])),
            )
            objects = self.objects({row["object_id"] for row in found})
        known = {item.object_id: item for item in objects}
        return [_change(row, known[row["object_id"]]) for row in found]

    def embedding_models(self) -> dict[str, int]:
        """The models that vectors of views were made by, and how many each made."""
        found = self._rows("SELECT model_id, count(*) AS n FROM view_embedding GROUP BY model_id")
        return {row["model_id"]: row["n"] for row in found}

    def embeddings(self, model_id: str) -> ViewVectors:
        """The vectors of all views that this model has made, none of another's.

        Ascending by time of the object's creation, then by keyframe.
        """
        found = self._rows(
            "SELECT o.object_id, e.keyframe_id, e.dimension, e.vector FROM view_embedding e"
            " JOIN object o USING (object_key) WHERE e.model_id = ?"
            " ORDER BY e.object_key, e.keyframe_id",
            (model_id,),
        )
        dimension = found[0]["dimension"] if found else 0
        try:
            matrix = unpacked([row["vector"] for row in found], dimension)
        except ValueError as error:
            raise StoreError(f"vectors of {model_id} are damaged: {error}") from error
        return ViewVectors(
            model_id,
            tuple(row["object_id"] for row in found),
            tuple(row["keyframe_id"] for row in found),
            matrix,
        )

    def _states(self, keys: set[int] | None) -> dict[int, list[sqlite3.Row]]:
        where, values = among("object_key", keys)
        grouped: dict[int, list[sqlite3.Row]] = defaultdict(list)
        for row in self._rows(f"SELECT * FROM object_state {where} ORDER BY chunk_id", values):
            grouped[row["object_key"]].append(row)
        return grouped

    def _aliases(self, keys: set[int] | None) -> dict[int, list[str]]:
        where, values = among("object_key", keys)
        grouped: dict[int, list[str]] = defaultdict(list)
        for row in self._rows(f"SELECT * FROM object_alias {where} ORDER BY object_id", values):
            grouped[row["object_key"]].append(row["object_id"])
        return grouped

    def _views(self, keys: set[int] | None) -> dict[int, list[ObjectView]]:
        where, values = among("object_key", keys)
        grouped: dict[int, list[ObjectView]] = defaultdict(list)
        for row in self._rows(f"SELECT * FROM view {where} ORDER BY keyframe_id", values):
            grouped[row["object_key"]].append(rows.view_from(row))
        return grouped

    def _newest(self, table: str, column: str, object_key: int) -> list[sqlite3.Row]:
        """The one row of an object in a table that is the last by a column, in a list."""
        return self._rows(
            f"SELECT * FROM {table} WHERE object_key = ? ORDER BY {column} DESC LIMIT 1",
            (object_key,),
        )

    def _newest_of_object(self, row: sqlite3.Row) -> ObjectDescriptor:
        key = row["object_key"]
        views = [rows.view_from(view) for view in self._newest("view", "keyframe_id", key)]
        states = self._newest("object_state", "chunk_id", key)
        if row["pinned_chunk_id"] is not None:
            states = self._rows(
                "SELECT * FROM object_state WHERE object_key = ? AND chunk_id = ?",
                (key, row["pinned_chunk_id"]),
            )
        return _object(row, states, views, self._aliases({key})[key])


def _object(
    row: sqlite3.Row, states: list[sqlite3.Row], views: list[ObjectView], aliases: list[str]
) -> ObjectDescriptor:
    pinned = (state for state in states if state["chunk_id"] == row["pinned_chunk_id"])
    current = next(pinned, states[-1])
    name = row["name"] or ""
    return ObjectDescriptor(
        object_id=row["object_id"],
        type=current["type"],
        description=current["description"],
        attributes=json.loads(current["attributes"]),
        affordances=tuple(json.loads(current["affordances"])),
        views=tuple(views),
        position=rows.position_from(row),
        first_seen_ns=row["first_seen_ns"],
        last_seen_ns=row["last_seen_ns"],
        view_count=row["view_count"],
        status=ObjectStatus(row["status"]),
        wordings=tuple(dict.fromkeys((*((name,) if name else ()), *_wordings(states)))),
        placed_since=row["placed_since"],
        name=name,
        is_pinned=bool(row["is_pinned"]),
        aliases=tuple(aliases),
    )


def _change(row: sqlite3.Row, descriptor: ObjectDescriptor) -> Change:
    detail = json.loads(row["detail"])
    return Change(
        kind=ChangeKind(row["kind"]),
        descriptor=descriptor,
        stamp_ns=row["stamp_ns"],
        old_position=rows.position_from_fields(detail["old"]),
        new_position=rows.position_from_fields(detail["new"]),
    )


def _wordings(states: list[sqlite3.Row]) -> tuple[str, ...]:
    """Everything that was ever said of an object, once each, oldest first."""
    said: dict[str, None] = {}
    for state in states:
        texts = (state["type"], state["description"], *json.loads(state["attributes"]).values())
        said.update(dict.fromkeys((*texts, *json.loads(state["affordances"]))))
    return tuple(said)
