"""What the writer of a memory does when the map moves."""

from __future__ import annotations

import threading
from abc import abstractmethod

from memory_nodes.mapping.pose_graph import PoseGraph
from memory_nodes.store import map_corrections, map_graphs, map_moves, map_staleness
from memory_nodes.store.database import Database
from memory_nodes.store.map_corrections import MapCorrection
from memory_nodes.store.vector_writer import VectorWriter


class MapWriter(VectorWriter):
    """Poses follow the pose graph of their map; each correction can be undone."""

    database: Database
    _mending: threading.Lock

    @abstractmethod
    def flush(self) -> None:
        """Returns when all that was submitted is durable, or was refused."""

    def pose_graphs(self, map_frame: str) -> dict[str, PoseGraph]:
        """The vertices of each map that a pose graph was heard of, by its id."""
        with self.database.reading() as connection:
            return map_graphs.all_known(connection, map_frame)

    def map_ids(self) -> set[str]:
        """Of all maps that something was recorded on."""
        with self.database.reading() as connection:
            return {row["map_id"] for row in connection.execute("SELECT map_id FROM map")}

    def follow_map(
        self, map_id: str, map_frame: str, heard: PoseGraph, until_ns: int, min_move_m: float
    ) -> MapCorrection | None:
        """Poses of before a stamp move as the vertices of the map's graph have moved.

        All in one commit: keyframes, observations, objects, gists and entities. What comes late
        follows when it comes. None where the map has moved by less than ``min_move_m``: then new
        vertices are noted, and what has moved adds up until it is more.
        """
        self.flush()
        with self._mending:
            map_key = map_moves.map_key_of(self.database, map_id, map_frame)
            key = map_moves.follow(self.database, map_key, heard, until_ns, min_move_m)
        return None if key is None else self._correction(key)

    def mark_stale(
        self,
        map_id: str,
        map_frame: str,
        span_ns: tuple[int, int],
        stale_m: float,
        *,
        whole_session: bool = False,
    ) -> MapCorrection:
        """Poses from one stamp until another may be off by so much, nobody knows where to.

        ``whole_session``: from the start of the sessions on that reach into that time.
        """
        map_key = map_moves.map_key_of(self.database, map_id, map_frame)
        from_ns, until_ns = span_ns
        with self._mending, self.database.transaction() as connection:
            if whole_session:
                from_ns = map_staleness.session_start_ns(connection, map_key, span_ns)
            key = map_staleness.mark(connection, map_key, (from_ns, until_ns), stale_m)
        return self._correction(key)

    def undo_map_correction(self, correction_key: int) -> MapCorrection:
        """Takes a correction back, the newest one of a map first.

        The map is where it is: poses follow only what it moves from now on. Raises InputError
        where there is no such correction, a newer one, or it is too old.
        """
        self.flush()
        with self._mending:
            with self.database.transaction() as connection:
                row = map_corrections.undoable(connection, correction_key)
                if row["stale_m"] is None:
                    map_moves.undo(connection, correction_key)
                else:
                    map_staleness.undo(connection, correction_key, row["stale_m"])
            if row["stale_m"] is None:
                map_moves.settle(self.database, correction_key)
        return self._correction(correction_key)

    def map_corrections(self, map_id: str = "") -> list[MapCorrection]:
        """How one map or all have moved, oldest first, with what was undone."""
        with self.database.reading() as connection:
            return map_corrections.corrections(connection, map_id)

    def _correction(self, key: int) -> MapCorrection:
        return next(item for item in self.map_corrections() if item.correction_key == key)
