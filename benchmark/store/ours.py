"""Our memory, as the nodes use it: one writer and one search beside it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from pathlib import Path

from benchmark.store.embedder import DIMENSION, MODEL_ID, HashedWords
from benchmark.store.system import EVERYWHERE, HITS, Where
from benchmark.store.workload import ARCHIVE_AFTER_NS, Sighting
from memory_nodes.geometry import Pose
from memory_nodes.records import NS_PER_S, Observation
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_nodes.vectors import Matrix

MAX_UNSTORED = 2000
"""Observations handed over and not yet stored; the next waits for the oldest of them."""
MAX_RECALL_CHARS = 4_000
MAX_SETTLE_S = 3600.0
_MAP = "map"
_NEIGHBOUR_M = 2.0
_MOMENT_NS = 60 * NS_PER_S


class RobotMemory:
    """Writer and search of one directory in one process."""

    def __init__(self) -> None:
        self._embedder = HashedWords()
        self._unstored: deque[Future[str]] = deque()
        self._now_ns = 0
        self._episode_id = ""

    def open(self, directory: Path, now_ns: int) -> None:
        self._now_ns = now_ns
        self._writer = Writer(directory)
        self._writer.use_embedding_model(EmbeddingModel(MODEL_ID, DIMENSION))
        self._search = Search(directory)

    def close(self) -> None:
        self._search.refresh()  # a query node follows all the time: it is up to date when it ends
        self._search.close()
        self._writer.close()

    def start_episode(self, name: str, stamp_ns: int) -> None:
        self._episode_id = self._writer.start_episode(name, "", stamp_ns)

    def end_episode(self, stamp_ns: int) -> None:
        self._writer.end_episode(self._episode_id, stamp_ns)

    def add(self, sighting: Sighting) -> None:
        if len(self._unstored) == MAX_UNSTORED:
            self._unstored.popleft().result()
        vector = self._vector(sighting.text)
        self._unstored.append(self._writer.submit(_observation(sighting), vector))

    def flush(self) -> None:
        while self._unstored:
            self._unstored.popleft().result()

    def add_stored(self, sighting: Sighting) -> None:
        self._writer.add(_observation(sighting), self._vector(sighting.text))

    def settle(self) -> None:
        if not self._search.settle(MAX_SETTLE_S):
            raise TimeoutError(f"the graph was not built within {MAX_SETTLE_S} s")

    def semantic(self, text: str, where: Where = EVERYWHERE) -> str:
        return _lines(self._semantic(text, where))

    def found_texts(self, text: str, where: Where) -> list[str]:
        return [hit.text for hit in self._semantic(text, where)]

    def near(self, x_m: float, y_m: float, radius_m: float) -> str:
        return _lines(self._search.near((x_m, y_m, 0.0), radius_m, HITS).hits)

    def between(self, since_ns: int, until_ns: int) -> str:
        return _lines(self._search.between(since_ns, until_ns, HITS).hits)

    def locate(self, text: str) -> str:
        """The best that is found, and where else it may be."""
        placed = [hit for hit in self._hybrid(text) if hit.position_map_m is not None]
        if not placed:
            return f"No place of {text} is known."
        return f"{text}, most likely first:\n{_lines(placed[:3])}"

    def recall(self, text: str) -> str:
        """What is found, what else is at the best place, and what was at that moment."""
        found = self._hybrid(text)
        if not found:
            return f"Nothing is known of {text}."
        best = found[0]
        moment = (best.end_ns - _MOMENT_NS, best.end_ns + _MOMENT_NS)
        hits = [*found, *self._search.between(*moment, HITS).hits]
        if best.position_map_m is not None:
            hits += self._search.near(best.position_map_m, _NEIGHBOUR_M, HITS).hits
        return _lines({hit.item_id: hit for hit in hits}.values())[:MAX_RECALL_CHARS]

    def archive(self, limit_s: float) -> tuple[int, int]:
        archived = int(self._writer.archive(self._now_ns - ARCHIVE_AFTER_NS))
        return archived, archived

    def _semantic(self, text: str, where: Where) -> Sequence[Hit]:
        return self._search.semantic(self._vector(text), HITS, _narrowed(where)).hits

    def _hybrid(self, text: str) -> Sequence[Hit]:
        return self._search.hybrid(text, self._vector(text), HITS).hits

    def _vector(self, text: str) -> Matrix:
        vector: Matrix = self._embedder.embed([text])[0]
        return vector


def _narrowed(where: Where) -> Filter:
    since_ns, until_ns = where.span_ns if where.span_ns is not None else (None, None)
    if where.center_m is None:
        return Filter(since_ns, until_ns)
    return Filter(
        since_ns,
        until_ns,
        center_map_m=(*where.center_m, 0.0),
        radius_m=where.radius_m,
        ignore_height=True,
    )


def _observation(sighting: Sighting) -> Observation:
    return Observation(
        stamp_ns=sighting.stamp_ns,
        map_id=_MAP,
        map_frame=_MAP,
        layer=sighting.layer,
        text=sighting.text,
        map_from_base=Pose.planar(sighting.x_m, sighting.y_m, 0.0),
        source="interoception" if sighting.is_body else "",
    )


def _lines(hits: Iterable[Hit]) -> str:
    """One short line for each hit."""
    lines = []
    for hit in hits:
        place = hit.position_map_m
        at = "" if place is None else f" ({place[0]:.1f}, {place[1]:.1f})"
        lines.append(
            f"[{hit.layer or hit.kind.name.lower()}]{at} {hit.end_ns // NS_PER_S} s: {hit.text}"
        )
    return "\n".join(lines) or "Nothing was found."
