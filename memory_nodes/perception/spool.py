"""What waits on disk between the camera and the memory.

A keyframe enters when its image is on disk and leaves when the episodic node has stored its
chunk. Whatever is killed in between, each chunk is detected and delivered, in order.
"""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_nodes.errors import StoreError
from memory_nodes.perception.graph_json import (
    graph_from_json,
    graph_to_json,
    keyframe_from_json,
    keyframe_to_json,
)
from memory_nodes.process_lock import hold
from memory_nodes.records import Chunk, ChunkGraph, Keyframe

SPOOL_NAME = "spool.sqlite"
LOCK_NAME = "spool.lock"

# AUTOINCREMENT: an id is never given twice, not even after its row is gone.
_TABLES = """
CREATE TABLE IF NOT EXISTS chunk (
    chunk_id INTEGER PRIMARY KEY AUTOINCREMENT,
    graph TEXT
);
CREATE TABLE IF NOT EXISTS keyframe (
    keyframe_id INTEGER PRIMARY KEY AUTOINCREMENT,
    chunk_id INTEGER REFERENCES chunk,
    keyframe TEXT,
    size_bytes INTEGER NOT NULL DEFAULT 0,
    depth BLOB
);
CREATE TABLE IF NOT EXISTS last_keyframe (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    keyframe TEXT NOT NULL
);
"""
# Of spools that were made without it.
_ADD_SIZE = "ALTER TABLE keyframe ADD COLUMN size_bytes INTEGER NOT NULL DEFAULT 0"
_INDEX = "CREATE INDEX IF NOT EXISTS keyframe_size ON keyframe (chunk_id, size_bytes)"


@dataclass(frozen=True)
class SpoolState:
    """How much waits."""

    open_keyframes: int
    """Not yet in a chunk."""
    waiting_chunks: int
    """Without detections."""
    detected_chunks: int
    """Not yet stored by the episodic node."""


class Spool:
    """A queue of keyframes and chunks that survives kill -9. May be used from several threads.

    Raises:
        StoreLocked: another process records into this memory.
        StoreError: it cannot be opened, read or written, the disk is full for instance.
    """

    def __init__(self, memory_dir: Path) -> None:
        self._lock = threading.RLock()
        self._in_hand: set[int] = set()
        try:
            memory_dir.mkdir(parents=True, exist_ok=True)
            self._holding = hold(memory_dir / LOCK_NAME)
            try:
                self._connection = _opened(memory_dir / SPOOL_NAME)
            except BaseException:
                self._holding.close()
                raise
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"cannot open the spool in {memory_dir}: {error}; check that the directory is "
                "writable and its disk not full"
            ) from error

    def close(self) -> None:
        with self._lock:
            self._connection.close()
        self._holding.close()

    def start_after(self, keyframe_id: int, chunk_id: int) -> None:
        """Gives only ids above these: the spool was deleted, the memory was not."""
        # Where AUTOINCREMENT keeps its last ids; it has no row for a table that was never used.
        self._run_together(
            *(
                statement
                for table, last_id in (("keyframe", keyframe_id), ("chunk", chunk_id))
                for statement in (
                    ("DELETE FROM sqlite_sequence WHERE name = ? AND seq < ?", (table, last_id)),
                    (
                        "INSERT INTO sqlite_sequence SELECT ?, ? WHERE NOT EXISTS"
                        " (SELECT 1 FROM sqlite_sequence WHERE name = ?)",
                        (table, last_id, table),
                    ),
                )
            )
        )

    def next_keyframe_id(self) -> int:
        """The id that the next keyframe will get."""
        row = self._one(
            "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'keyframe'), 0)"
        )
        return int(row[0]) + 1

    def add(self, keyframe: Keyframe, depth_png: bytes | None, image_bytes: int = 0) -> None:
        """Takes in a keyframe whose image is on disk; durable on return."""
        text = keyframe_to_json(keyframe)
        size_bytes = image_bytes + len(depth_png or b"")
        self._run_together(
            (
                "INSERT INTO keyframe (keyframe_id, keyframe, size_bytes, depth)"
                " VALUES (?, ?, ?, ?)",
                (keyframe.keyframe_id, text, size_bytes, depth_png),
            ),
            ("INSERT OR REPLACE INTO last_keyframe VALUES (1, ?)", (text,)),
        )

    def last_keyframe(self) -> Keyframe | None:
        """The newest keyframe that was ever taken in."""
        row = self._one("SELECT max(keyframe) FROM last_keyframe")
        return keyframe_from_json(row[0]) if row[0] is not None else None

    def open_keyframe_ids(self) -> list[int]:
        """Keyframes that are in no chunk yet, ascending."""
        return [
            int(row[0])
            for row in self._all(
                "SELECT keyframe_id FROM keyframe WHERE chunk_id IS NULL ORDER BY keyframe_id"
            )
        ]

    def close_chunk(self, size: int) -> None:
        """Makes a chunk of the oldest open keyframes, at most `size`; nothing when none is open."""
        keyframe_ids = self.open_keyframe_ids()[:size]
        if not keyframe_ids:
            return
        self._run_together(
            ("INSERT INTO chunk (graph) VALUES (NULL)", ()),
            (
                "UPDATE keyframe SET chunk_id = (SELECT max(chunk_id) FROM chunk)"
                " WHERE chunk_id IS NULL AND keyframe_id <= ?",
                (keyframe_ids[-1],),
            ),
        )

    def next_undetected(self) -> Chunk | None:
        """The oldest chunk without detections; it stays as it is until they come or put_back."""
        with self._lock:
            row = self._one("SELECT min(chunk_id) FROM chunk WHERE graph IS NULL")
            if row[0] is None:
                return None
            self._in_hand.add(int(row[0]))
            return self._chunk(int(row[0]))

    def put_back(self, chunk_id: int) -> None:
        """The chunk has got no detections now: it waits, and may be thinned."""
        with self._lock:
            self._in_hand.discard(chunk_id)

    def split(self, chunk_id: int, size: int) -> None:
        """Makes chunks of at most `size` keyframes of one without detections.

        The chunks after it, which must have no detections either, move on: ids stay ascending.
        """
        with self._lock:
            keyframes = self._chunk(chunk_id).keyframes
            starts = range(size, len(keyframes), size)
            moved = len(starts)
            self._run_together(
                *(
                    statement
                    for table in ("chunk", "keyframe")
                    for statement in (
                        (
                            f"UPDATE {table} SET chunk_id = -(chunk_id + ?) WHERE chunk_id > ?",
                            (moved, chunk_id),
                        ),
                        (f"UPDATE {table} SET chunk_id = -chunk_id WHERE chunk_id < 0", ()),
                    )
                ),
                ("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'chunk'", (moved,)),
                *(
                    statement
                    for number, start in enumerate(starts, start=1)
                    for statement in (
                        ("INSERT INTO chunk VALUES (?, NULL)", (chunk_id + number,)),
                        (
                            "UPDATE keyframe SET chunk_id = ?"
                            " WHERE chunk_id = ? AND keyframe_id >= ?",
                            (
                                chunk_id + number,
                                chunk_id + number - 1,
                                keyframes[start].keyframe_id,
                            ),
                        ),
                    )
                ),
            )
            self.put_back(chunk_id)

    def depth_pngs(self, chunk: Chunk) -> dict[int, bytes]:
        """The depth images of a chunk by keyframe id, where there are any."""
        found = self._all(
            "SELECT keyframe_id, depth FROM keyframe WHERE chunk_id = ? AND depth IS NOT NULL",
            (chunk.chunk_id,),
        )
        return {int(row[0]): bytes(row[1]) for row in found}

    def store_detections(self, graph: ChunkGraph) -> None:
        """Keeps what the model saw in a chunk until the episodic node has stored it."""
        self._run(
            "UPDATE chunk SET graph = ? WHERE chunk_id = ?",
            (graph_to_json(graph), graph.chunk.chunk_id),
        )
        self.put_back(graph.chunk.chunk_id)

    def next_undelivered_id(self) -> int | None:
        """The oldest chunk, once it has detections."""
        found = self._all("SELECT chunk_id, graph IS NOT NULL FROM chunk ORDER BY chunk_id LIMIT 1")
        return int(found[0][0]) if found and found[0][1] else None

    def detections(self, chunk_id: int) -> ChunkGraph:
        """What store_detections kept."""
        found = self._all("SELECT graph FROM chunk WHERE chunk_id = ?", (chunk_id,))
        return graph_from_json(found[0][0])

    def remove_stored(self, last_chunk_id: int) -> None:
        """Forgets the chunks that the episodic node has stored."""
        self._run_together(
            ("DELETE FROM keyframe WHERE chunk_id <= ?", (last_chunk_id,)),
            ("DELETE FROM chunk WHERE chunk_id <= ?", (last_chunk_id,)),
        )

    def waiting_bytes(self) -> int:
        """The size of all images and depth images that the memory has not stored yet."""
        return int(self._one("SELECT coalesce(sum(size_bytes), 0) FROM keyframe")[0])

    def thin(self, max_bytes: int) -> list[Keyframe]:
        """Drops every other keyframe of the oldest chunks without detections.

        Chunk by chunk until no more than `max_bytes` wait. None is thinned a second time before
        all were thinned once, one keyframe of each stays, and a chunk in hand is left alone.
        Gives the keyframes that were dropped; their images are nobody's now.
        """
        dropped: list[Keyframe] = []
        with self._lock:
            while self.waiting_bytes() > max_bytes:
                chunk_id = self._next_to_thin()
                if chunk_id is None:
                    break
                others = self._chunk(chunk_id).keyframes[1::2]
                self._run_together(
                    *(
                        ("DELETE FROM keyframe WHERE keyframe_id = ?", (other.keyframe_id,))
                        for other in others
                    )
                )
                dropped += others
        return dropped

    def _next_to_thin(self) -> int | None:
        found = self._all(
            "SELECT chunk_id FROM chunk JOIN keyframe USING (chunk_id) WHERE graph IS NULL"
            " GROUP BY chunk_id HAVING count(*) > 1 ORDER BY count(*) DESC, chunk_id"
        )
        free = (int(row[0]) for row in found if row[0] not in self._in_hand)
        return next(free, None)

    def state(self) -> SpoolState:
        row = self._one(
            "SELECT (SELECT count(*) FROM keyframe WHERE chunk_id IS NULL),"
            " (SELECT count(*) FROM chunk WHERE graph IS NULL),"
            " (SELECT count(*) FROM chunk WHERE graph IS NOT NULL)"
        )
        return SpoolState(*row)

    def _chunk(self, chunk_id: int) -> Chunk:
        found = self._all(
            "SELECT keyframe FROM keyframe WHERE chunk_id = ? ORDER BY keyframe_id", (chunk_id,)
        )
        return Chunk(chunk_id, tuple(keyframe_from_json(row[0]) for row in found))

    def _all(self, query: str, values: tuple[object, ...] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"cannot read the spool: {error}") from error

    def _one(self, query: str) -> Any:
        return self._all(query)[0]

    def _run(self, statement: str, values: tuple[object, ...]) -> None:
        self._run_together((statement, values))

    def _run_together(self, *statements: tuple[str, tuple[object, ...]]) -> None:
        """In one transaction."""
        try:
            with self._lock:
                self._connection.execute("BEGIN IMMEDIATE")
                try:
                    for statement, values in statements:
                        self._connection.execute(statement, values)
                    self._connection.execute("COMMIT")
                except BaseException:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
                    raise
        except sqlite3.Error as error:
            raise StoreError(f"cannot write the spool: {error}; is the disk full?") from error


def _opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.executescript(_TABLES)
        columns = connection.execute("PRAGMA table_info(keyframe)").fetchall()
        if "size_bytes" not in [column[1] for column in columns]:
            connection.execute(_ADD_SIZE)
        connection.execute(_INDEX)
    except BaseException:
        connection.close()
        raise
    return connection
