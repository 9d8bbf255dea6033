"""Search in a memory by meaning, words, place and time, while another process writes it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memory_nodes.errors import InputError, StoreError, StoreLocked
from memory_nodes.geometry import Vector3
from memory_nodes.process_lock import hold
from memory_nodes.records import ItemKind
from memory_nodes.store import hits
from memory_nodes.store.database import INDEX_DIR, INDEX_LOCK_NAME, open_for_reading
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit, Scored
from memory_nodes.store.indices import cache_file
from memory_nodes.store.indices.follower import Follower
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.indices.vector_index import Query, VectorIndex
from memory_nodes.store.ranking import neighbours
from memory_nodes.store.ranking import text_ranking as ranking
from memory_nodes.store.ranking.fusion import FusionConfig, reciprocal_rank
from memory_nodes.store.ranking.planner import Plan, PlannerConfig
from memory_nodes.store.ranking.selection import Everything, Selected, Selection, select

EVERYTHING = Filter()
MAX_HITS = 10_000
SAVED_SHARE = 0.1
"""The caches are written again once so much of the memory is new."""


@dataclass(frozen=True)
class SearchConfig:
    """How a memory is searched."""

    vectors: VectorConfig = field(default_factory=VectorConfig)
    planner: PlannerConfig = field(default_factory=PlannerConfig)
    fusion: FusionConfig = field(default_factory=FusionConfig)


@dataclass(frozen=True)
class Found:
    """Hits, best first, and how they were found."""

    hits: tuple[Hit, ...]
    plan: Plan


class Search:
    """Reads a memory and its indices; follows the writer before each answer. Safe in threads.

    Vectors, places and times are kept in this process, words and texts stay on disk. Every
    search raises StoreMissing while there is no memory, and StoreError when it cannot be read.
    """

    def __init__(
        self, memory_dir: Path, config: SearchConfig | None = None, *, saves_caches: bool = True
    ) -> None:
        self._memory_dir = memory_dir
        self._saves_caches = saves_caches
        self._config = config if config is not None else SearchConfig()
        self._mutex = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._follower = Follower(memory_dir, self._config.vectors, self._note_built)

    def close(self) -> None:
        """Ends the work on the indices and saves how far it has come."""
        self._follower.stop()
        with self._mutex:
            if self._connection is not None:
                if self._follower.is_worth_saving(0.0):
                    self._save()
                self._connection.close()
                self._connection = None

    def refresh(self) -> None:
        """Follows the writer now, so that the next answer need not."""
        with self._up_to_date():
            pass

    def settle(self, timeout_s: float) -> bool:
        """Whether all vectors came into the graph within that time; answers do not need it."""
        self.refresh()
        return self._follower.wait_until_built(timeout_s)

    @property
    def progress(self) -> tuple[int, int]:
        """Vectors in the graph, and all of them; the others are compared one by one."""
        return self._follower.progress

    @property
    def sequence(self) -> int:
        """The commit that the last answer was of; -1 before the first."""
        return self._follower.sequence

    @property
    def problems(self) -> tuple[str, ...]:
        """What was wrong with the caches that were not used when the memory was opened."""
        return self._follower.problems

    def semantic(
        self,
        vector: Query,
        k: int = 10,
        wanted: Filter = EVERYTHING,
        *,
        now_ns: int | None = None,
        per_text: int | None = None,
    ) -> Found:
        """The k items nearest in meaning to a vector of the active embedding model, shape (D,).

        Of one text the newest items come first, at most ``per_text`` of them. With ``now_ns`` and
        a recency weight, newer items are preferred. Finds nothing where no model is active.
        """
        _check_k(k)
        with self._up_to_date() as connection:
            if self._follower.vectors is None:
                return Found((), Plan("none", "no embedding model is active", 0, 0))
            selected = self._selected(connection, wanted)
            return self._semantic(
                connection,
                self._follower.vectors,
                vector,
                k,
                selected,
                now_ns,
                _per_text(per_text, k),
            )

    def words(
        self, text: str, k: int = 10, wanted: Filter = EVERYTHING, *, per_text: int | None = None
    ) -> Found:
        """The k items whose texts fit the words of a question best (bm25)."""
        _check_k(k)
        with self._up_to_date() as connection:
            selected = self._selected(connection, wanted)
            ranked, plan = ranking.by_words(connection, text, k, selected)
            return self._found(connection, ranked, plan, selected, k, _per_text(per_text, k))

    def hybrid(
        self,
        text: str,
        vector: Query | None,
        k: int = 10,
        wanted: Filter = EVERYTHING,
        *,
        per_text: int | None = None,
    ) -> Found:
        """Meaning and words, fused by reciprocal ranks of texts; words alone without a vector."""
        _check_k(k)
        pool = max(k, self._config.fusion.pool)
        with self._up_to_date() as connection:
            selected = self._selected(connection, wanted)
            words, plan = ranking.by_words(connection, text, pool, selected)
            meaning: ranking.Ranked = []
            if vector is not None and self._follower.vectors is not None:
                meaning, by_meaning = ranking.by_meaning(
                    self._follower.vectors, vector, pool, selected, self._config.planner
                )
                why = f"words: {plan.why}; meaning ({by_meaning.method}): {by_meaning.why}"
                plan = Plan("fused", why, by_meaning.candidates, by_meaning.texts)
            fused = reciprocal_rank(
                {"dense": [key for key, _ in meaning], "words": [key for key, _ in words]},
                {
                    "dense": self._config.fusion.dense_weight,
                    "words": self._config.fusion.word_weight,
                },
                self._config.fusion.rrf_k,
            )
            return self._found(connection, fused, plan, selected, k, _per_text(per_text, k))

    def near(
        self, center_map_m: Vector3, radius_m: float, k: int = 10, wanted: Filter = EVERYTHING
    ) -> Found:
        """The k items nearest to a place, at most radius_m away.

        Of the map that the filter names, or of all. Raises InputError for a place that is not
        finite, or a radius below 0.
        """
        _check_k(k)
        place = neighbours.Place(center_map_m, radius_m, wanted.ignore_height)
        with self._up_to_date() as connection:
            scored, plan = neighbours.near(self._follower.catalogue, connection, place, k, wanted)
            return Found(hits.load(connection, scored), plan)

    def between(
        self,
        since_ns: int,
        until_ns: int,
        k: int = 10,
        wanted: Filter = EVERYTHING,
        *,
        oldest_first: bool = False,
    ) -> Found:
        """The k newest items of a time, both ends included, newest first; or the k oldest.

        What lasts longer is as new as its end, and as old as its beginning.
        """
        _check_k(k)
        span = neighbours.Span(since_ns, until_ns, oldest_first)
        with self._up_to_date() as connection:
            scored, plan = neighbours.between(self._follower.catalogue, connection, span, k, wanted)
            return Found(hits.load(connection, scored), plan)

    def count(self, wanted: Filter = EVERYTHING) -> int:
        """How many items a filter leaves."""
        with self._up_to_date() as connection:
            selected = self._selected(connection, wanted)
            return len(self._follower.catalogue) if selected is None else len(selected)

    def _semantic(
        self,
        connection: sqlite3.Connection,
        vectors: VectorIndex,
        vector: Query,
        k: int,
        selected: Selected | None,
        now_ns: int | None,
        per_text: int,
    ) -> Found:
        config = self._config
        if now_ns is None or config.fusion.recency_weight == 0.0:
            ranked, plan = ranking.by_meaning(vectors, vector, k, selected, config.planner)
            return self._found(connection, ranked, plan, selected, k, per_text)
        pool = k * config.fusion.recency_pool
        ranked, plan = ranking.by_meaning(vectors, vector, pool, selected, config.planner)
        scored = self._selection(connection, selected).saying(ranked, pool, per_text)
        aged = ranking.by_age(self._follower.catalogue, scored, now_ns, config.fusion)
        return Found(hits.load(connection, aged[:k]), plan)

    def _found(
        self,
        connection: sqlite3.Connection,
        ranked: ranking.Ranked,
        plan: Plan,
        selected: Selected | None,
        k: int,
        per_text: int,
    ) -> Found:
        scored: list[Scored] = self._selection(connection, selected).saying(ranked, k, per_text)
        return Found(hits.load(connection, scored), plan)

    def _selection(self, connection: sqlite3.Connection, selected: Selected | None) -> Selection:
        return Everything(connection) if selected is None else selected

    def _selected(self, connection: sqlite3.Connection, wanted: Filter) -> Selected | None:
        """What a filter leaves; None for no filter."""
        if wanted == EVERYTHING:
            return None
        catalogue = self._follower.catalogue
        return select(catalogue, catalogue.condition(connection, wanted), wanted)

    @contextmanager
    def _up_to_date(self) -> Iterator[sqlite3.Connection]:
        """A read transaction with the indices level with it."""
        with self._mutex:
            try:
                if self._connection is None:
                    self._connection = open_for_reading(self._memory_dir)
                self._connection.execute("BEGIN")
                try:
                    self._follower.follow(self._connection)
                    yield self._connection
                finally:
                    self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise StoreError(
                    f"cannot read the memory in {self._memory_dir}: {error}"
                ) from error

    def _note_built(self) -> None:
        """In the builder's thread, which saves what has grown; not once this is closed."""
        with self._mutex:
            if self._connection is None or not self._follower.note_built():
                return
            if self._follower.is_worth_saving(SAVED_SHARE):
                self._save()

    def _save(self) -> None:
        """Writes the caches, unless another process does so, or nothing may be written here.

        They only make the next start faster: a failure harms nothing. What was forgotten since
        the last answer is not written down again.
        """
        if not self._saves_caches:
            return
        index_dir = self._memory_dir / INDEX_DIR
        try:
            index_dir.mkdir(exist_ok=True)
            with hold(index_dir / INDEX_LOCK_NAME):
                if self._has_forgotten():
                    return
                self._follower.save()
                if self._has_forgotten():  # while they were written
                    cache_file.delete_all(index_dir)
        except StoreLocked:
            return  # another process saves the same
        except (OSError, StoreError, sqlite3.Error) as error:
            self._follower.note(f"the caches were not saved: {error}")

    def _has_forgotten(self) -> bool:
        """Whether observations have left that the indices still have."""
        assert self._connection is not None
        row = self._connection.execute(
            "SELECT EXISTS (SELECT 1 FROM tombstone WHERE sequence > ? AND kind = ?)"
            " OR (SELECT sequence FROM tombstone_floor) > ?",
            (self._follower.sequence, ItemKind.OBSERVATION, self._follower.sequence),
        ).fetchone()
        return bool(row[0])


def _check_k(k: int) -> None:
    if not 1 <= k <= MAX_HITS:
        raise InputError(f"k is {k}, the least is 1, the most {MAX_HITS}")


def _per_text(per_text: int | None, k: int) -> int:
    if per_text is None:
        return k
    if per_text < 1:
        raise InputError(f"per_text is {per_text}, the least is 1")
    return per_text
