"""The one process that writes a memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_nodes.errors import InputError, StoreError
from memory_nodes.perception.positions import locate
from memory_nodes.process_lock import hold
from memory_nodes.records import (
    ChunkGraph,
    Counts,
    Episode,
    EpisodeStatus,
    Keyframe,
    ObjectDescriptor,
    ObjectView,
    Observation,
)
from memory_nodes.store import rows, schema
from memory_nodes.store.checks import check_graph, without_unsound_vectors
from memory_nodes.store.reader import (
    BUSY_TIMEOUT_S,
    COUNTS_QUERY,
    DATABASE_NAME,
    counts_from,
)

LOCK_NAME = "memory.lock"
MAX_TEXT_CHARS = 100_000


class Writer:
    """Opens, and makes where there is none, the memory in a directory.

    A method returns when what it wrote survives a power cut (WAL, synchronous=FULL).

    Raises:
        StoreLocked: another process writes this memory.
        SchemaTooNew: a newer version wrote it.
        StoreError: it cannot be opened or written, the disk is full for instance.
    """

    def __init__(self, memory_dir: Path) -> None:
        try:
            memory_dir.mkdir(parents=True, exist_ok=True)
            self._lock = hold(memory_dir / LOCK_NAME)
            self._connection = sqlite3.connect(
                memory_dir / DATABASE_NAME,
                timeout=BUSY_TIMEOUT_S,
                isolation_level=None,
                check_same_thread=False,
            )
            self._connection.row_factory = sqlite3.Row
            for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
                self._connection.execute(f"PRAGMA {setting}")
            schema.migrate(self._connection)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"cannot open the memory in {memory_dir}: {error}; check that the directory is "
                "writable and its disk not full"
            ) from error
        self._close_interrupted_episodes()

    def close(self) -> None:
        self._connection.close()
        self._lock.close()

    def counts(self) -> Counts:
        """Rows of each kind, the number of commits and the last chunk stored."""
        return counts_from(self._connection.execute(COUNTS_QUERY).fetchone())

    def commit_chunk(self, graph: ChunkGraph) -> bool:
        """Stores a resolved chunk; False when it was stored before, and nothing changes.

        Raises:
            InputError: the graph is unresolved or inconsistent, or a chunk before it is missing:
                chunks arrive in order since each is resolved against all those before it.
            StoreError: it could not be written; the memory is as before.
        """
        chunk_id = graph.chunk.chunk_id
        check_graph(graph)
        graph = without_unsound_vectors(graph)
        last_chunk_id = self.counts().last_chunk_id
        if chunk_id <= last_chunk_id:
            return False
        if chunk_id != last_chunk_id + 1 and last_chunk_id > 0:
            raise InputError(f"chunk {chunk_id} came after {last_chunk_id}: some are missing")
        with self._transaction() as connection:
            connection.execute(
                "INSERT INTO chunk VALUES (?, ?, ?, ?)",
                (chunk_id, graph.prompt_version, graph.model, json.dumps(graph.problems)),
            )
            connection.executemany(
                rows.insert("keyframe", rows.KEYFRAME_COLUMNS),
                [rows.keyframe_row(keyframe, chunk_id) for keyframe in graph.chunk.keyframes],
            )
            keys = {
                descriptor.object_id: self._store_object(descriptor, graph)
                for descriptor in graph.objects
            }
            connection.executemany(
                "INSERT OR IGNORE INTO relation VALUES (?, ?, ?, ?)",
                [
                    (keys[relation.subject_id], relation.predicate, keys[relation.object_id], shown)
                    for relation in graph.relations
                    for shown in relation.keyframe_ids
                ],
            )
        return True

    def add_observation(self, observation: Observation) -> str:
        """Stores one observation and gives its id.

        Raises InputError for a text that is empty or too long, a pose that is not finite, or a
        confidence outside 0 to 1.
        """
        if not observation.text.strip() or not observation.layer.strip():
            raise InputError("an observation needs a text and a layer")
        if len(observation.text) > MAX_TEXT_CHARS:
            raise InputError(
                f"the text has {len(observation.text)} characters, the limit is {MAX_TEXT_CHARS}: "
                "split it"
            )
        if not observation.map_from_base.is_valid:
            raise InputError("the pose is not finite, or its quaternion not of unit length")
        if not 0.0 <= observation.confidence <= 1.0:
            raise InputError(f"the confidence is {observation.confidence}, give one from 0 to 1")
        with self._transaction() as connection:
            cursor = connection.execute(
                rows.insert("observation", rows.OBSERVATION_COLUMNS),
                rows.observation_row(observation),
            )
        return f"observation_{cursor.lastrowid}"

    def start_episode(self, name: str, parent_id: str, stamp_ns: int) -> str:
        """Starts an episode and gives its id. Raises InputError for an unknown parent."""
        parent_key = None
        if parent_id:
            parent_key = self._episode_row(parent_id)["episode_key"]
        with self._transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO episode (parent_key, name, status, start_ns) VALUES (?, ?, ?, ?)",
                (parent_key, name, EpisodeStatus.ACTIVE, stamp_ns),
            )
        return rows.episode_id(cursor.lastrowid or 0)

    def end_episode(self, episode_id: str, stamp_ns: int) -> Episode:
        """Ends an active episode, the innermost one when no id is given.

        Raises InputError when there is no such active episode.
        """
        row = self._episode_row(episode_id) if episode_id else self._innermost_episode()
        if row["status"] != EpisodeStatus.ACTIVE:
            raise InputError(f"episode {episode_id} has ended already")
        with self._transaction() as connection:
            connection.execute(
                "UPDATE episode SET status = ?, end_ns = max(start_ns, ?) WHERE episode_key = ?",
                (EpisodeStatus.COMPLETED, stamp_ns, row["episode_key"]),
            )
        return rows.episode_from(self._episode_row(rows.episode_id(row["episode_key"])))

    def _store_object(self, descriptor: ObjectDescriptor, graph: ChunkGraph) -> int:
        """Adds what a chunk saw of an object to what is known of it; gives its key."""
        connection = self._connection
        connection.execute(
            "INSERT OR IGNORE INTO object"
            " (object_id, status, first_seen_ns, last_seen_ns, view_count) VALUES (?, ?, ?, ?, 0)",
            (
                *(descriptor.object_id, descriptor.status),
                *(descriptor.first_seen_ns, descriptor.last_seen_ns),
            ),
        )
        key = int(
            connection.execute(
                "SELECT object_key FROM object WHERE object_id = ?", (descriptor.object_id,)
            ).fetchone()[0]
        )
        connection.execute(
            "INSERT INTO object_state VALUES (?, ?, ?, ?, ?, ?)",
            (
                *(key, graph.chunk.chunk_id, descriptor.type, descriptor.description),
                json.dumps(dict(descriptor.attributes)),
                json.dumps(descriptor.affordances),
            ),
        )
        connection.executemany(
            rows.insert("view", rows.VIEW_COLUMNS),
            [rows.view_row(key, view) for view in descriptor.views],
        )
        connection.executemany(
            rows.insert("view_embedding", rows.VIEW_EMBEDDING_COLUMNS),
            [
                rows.view_embedding_row(key, view, graph.embedding_model)
                for view in descriptor.views
                if view.embedding
            ],
        )
        position = locate(*self._sightings(key, graph.chunk.keyframes[0].map_id))
        connection.execute(
            "UPDATE object SET status = ?, last_seen_ns = max(last_seen_ns, ?),"
            " view_count = view_count + ?, x = ?, y = ?, z = ?, covariance_m2 = ?"
            " WHERE object_key = ?",
            (
                *(descriptor.status, descriptor.last_seen_ns, len(descriptor.views)),
                *(*rows.position_row(position), key),
            ),
        )
        return key

    def _sightings(
        self, object_key: int, map_id: str
    ) -> tuple[list[ObjectView], dict[int, Keyframe]]:
        """An object's views on one map, and the keyframes that they are in."""
        keyframes = {
            row["keyframe_id"]: rows.keyframe_from(row)
            for row in self._connection.execute(
                "SELECT * FROM keyframe WHERE map_id = ? AND keyframe_id IN"
                " (SELECT keyframe_id FROM view WHERE object_key = ?)",
                (map_id, object_key),
            )
        }
        views = [
            rows.view_from(row)
            for row in self._connection.execute(
                "SELECT * FROM view WHERE object_key = ?", (object_key,)
            )
            if row["keyframe_id"] in keyframes
        ]
        return views, keyframes

    def _innermost_episode(self) -> sqlite3.Row:
        row: sqlite3.Row | None = self._connection.execute(
            "SELECT * FROM episode WHERE status = ? ORDER BY episode_key DESC LIMIT 1",
            (EpisodeStatus.ACTIVE,),
        ).fetchone()
        if row is None:
            raise InputError("no episode is active: start one first")
        return row

    def _episode_row(self, episode_id: str) -> sqlite3.Row:
        for row in self._connection.execute("SELECT * FROM episode ORDER BY episode_key DESC"):
            if rows.episode_id(row["episode_key"]) == episode_id:
                return row  # type: ignore[no-any-return]
        raise InputError(f"no episode {episode_id!r}: give an id from start_episode")

    def _close_interrupted_episodes(self) -> None:
        """Closes what a crash left open, at the last time that the memory knows of."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE episode SET status = ?, end_ns = max(start_ns,"
                " coalesce((SELECT max(stamp_ns) FROM keyframe), start_ns),"
                " coalesce((SELECT max(stamp_ns) FROM observation), start_ns)) WHERE status = ?",
                (EpisodeStatus.INTERRUPTED, EpisodeStatus.ACTIVE),
            )

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, counted as one commit."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("UPDATE commit_log SET sequence = sequence + 1")
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise StoreError(f"cannot write the memory: {error}; nothing was changed") from error
