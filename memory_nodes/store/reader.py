"""Reads a memory while another process writes it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from memory_nodes.errors import StoreError
from memory_nodes.records import (
    Change,
    ChangeKind,
    Counts,
    Keyframe,
    ObjectDescriptor,
    ObjectHistory,
    Relation,
)
from memory_nodes.store import (
    descriptors,
    embeddings,
    graph_changes,
    object_changes,
    object_history,
    object_numbers,
    rows,
)
from memory_nodes.store.database import among
from memory_nodes.store.editing import edit_log
from memory_nodes.store.editing.edit_log import LoggedEdit
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.graph_changes import GraphChanges
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
            keys = None
            if object_ids is not None:
                keys = {key_of(connection, object_id) for object_id in object_ids}
            return list(descriptors.of_keys(connection, keys).values())

    def edits(self, object_id: str) -> list[LoggedEdit]:
        """What people did to an object, oldest first; nothing for an unknown id."""
        with self._snapshot() as connection:
            key = key_of(connection, object_id)
            return [] if key is None else edit_log.edits(connection, key)

    def history_of(self, object_id: str) -> ObjectHistory:
        """What was said of an object and where it was, with times; empty for an unknown id."""
        with self._snapshot() as connection:
            key = key_of(connection, object_id)
            return ObjectHistory() if key is None else object_history.history(connection, key)

    def newest_of_objects(
        self, object_ids: Iterable[str], view_count: int = 1
    ) -> list[ObjectDescriptor]:
        """As ``objects``, but each only with so many newest views, and its newest words.

        It costs the same however often an object was seen. Not by the ids of merged objects.
        """
        with self._snapshot() as connection:
            return descriptors.newest(connection, object_ids, view_count)

    def objects_changed_since(self, sequence: int) -> ObjectChanges:
        """What became of the objects after a commit; all of them with -1."""
        with self._snapshot() as connection:
            return object_changes.changes_since(connection, sequence)

    def graph_changed_since(self, sequence: int, last_keyframe_id: int) -> GraphChanges:
        """What became of the graph after a commit, and after a keyframe; all of it with -1."""
        with self._snapshot() as connection:
            return graph_changes.changes_since(connection, sequence, last_keyframe_id)

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
        with self._snapshot() as connection:
            found = graph_changes.relations(connection, *among("s.object_id", subject_ids))
        return list(found.values())

    def newest_of_relations(self, subject_ids: Iterable[str]) -> list[Relation]:
        """As ``relations``, each only with its newest keyframe; what was seen last is first."""
        where, values = among("s.object_id", subject_ids)
        found = self._rows(
            "SELECT s.object_id AS subject, r.predicate, o.object_id AS object,"
            " max(r.keyframe_id) AS newest FROM relation r JOIN object s"
            " ON s.object_key = r.subject_key JOIN object o ON o.object_key = r.object_key"
            f" {where} GROUP BY r.subject_key, r.predicate, r.object_key ORDER BY newest DESC,"
            " r.subject_key, r.predicate, r.object_key",
            values,
        )
        return [
            Relation(row["subject"], row["predicate"], row["object"], (row["newest"],))
            for row in found
        ]

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


def _change(row: sqlite3.Row, descriptor: ObjectDescriptor) -> Change:
    detail = json.loads(row["detail"])
    return Change(
        kind=ChangeKind(row["kind"]),
        descriptor=descriptor,
        stamp_ns=row["stamp_ns"],
        old_position=rows.position_from_fields(detail["old"]),
        new_position=rows.position_from_fields(detail["new"]),
    )
