"""Our memory, as the nodes use it: one writer and one search beside it."""

from __future__ import annotations

import importlib
from collections import deque
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import numpy as np

from benchmark.store.embedder import DIMENSION, MODEL_ID, HashedWords
from benchmark.store.system import EVERYWHERE, HITS, Where
from benchmark.store.workload import ARCHIVE_AFTER_NS, Sighting
from memory_nodes.geometry import Pose
from memory_nodes.records import NS_PER_S, Observation
from memory_nodes.vectors import Matrix

MAX_UNSTORED = 256
"""Observations handed over and not yet stored; the next waits for the oldest of them."""
MAX_RECALL_CHARS = 4_000
_MAP = "map"
_NEIGHBOUR_M = 2.0
_MOMENT_NS = 60 * NS_PER_S


class RobotMemory:
    """Writer and search of one directory in one process."""

    def __init__(self) -> None:
        self._embedder = HashedWords()
        self._unstored: deque[Future[str]] = deque()
        self._writer: Any = None
        self._search: Any = None
        self._filter: Any = None
        self._now_ns = 0
        self._episode_id = ""

    def open(self, directory: Path, now_ns: int) -> None:
        search = importlib.import_module("memory_nodes.store.search")
        embeddings = importlib.import_module("memory_nodes.store.embeddings")
        writer = importlib.import_module("memory_nodes.store.writer")
        self._now_ns = now_ns
        self._writer = writer.Writer(directory)
        self._writer.use_embedding_model(embeddings.EmbeddingModel(MODEL_ID, DIMENSION))
        self._search, self._filter = search.Search(directory), search.Filter

    def close(self) -> None:
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
        self._search.settle()

    def semantic(self, text: str, where: Where = EVERYWHERE) -> str:
        return _lines(self._semantic(text, where))

    def found_texts(self, text: str, where: Where) -> list[str]:
        return [hit.text for hit in self._semantic(text, where)]

    def near(self, x_m: float, y_m: float, radius_m: float) -> str:
        return _lines(self._search.near((x_m, y_m, 0.0), radius_m, HITS, self._filter()))

    def between(self, since_ns: int, until_ns: int) -> str:
        return _lines(self._search.between(since_ns, until_ns, HITS, self._filter()))

    def locate(self, text: str) -> str:
        """The middle of what is found, and how far it lies around it."""
        placed = [hit for hit in self._hybrid(text) if hit.position_map_m is not None]
        if not placed:
            return f"No place of {text} is known."
        points_m = np.array([hit.position_map_m for hit in placed])
        middle_m = points_m.mean(axis=0)
        radius_m = float(np.linalg.norm(points_m - middle_m, axis=1).max())
        head = f"At ({middle_m[0]:.1f}, {middle_m[1]:.1f}) m, within {radius_m:.1f} m:"
        return f"{head}\n{_lines(placed[:3])}"

    def recall(self, text: str) -> str:
        """What is found, what else is at the best place, and what was at that moment."""
        found = self._hybrid(text)
        if not found:
            return f"Nothing is known of {text}."
        best, no_filter = found[0], self._filter()
        around = (best.stamp_ns - _MOMENT_NS, best.stamp_ns + _MOMENT_NS)
        hits = [*found, *self._search.between(*around, HITS, no_filter)]
        if best.position_map_m is not None:
            hits += self._search.near(best.position_map_m, _NEIGHBOUR_M, HITS, no_filter)
        return _lines({(hit.kind, hit.id): hit for hit in hits}.values())[:MAX_RECALL_CHARS]

    def archive(self, limit_s: float) -> tuple[int, int]:
        archived = int(self._writer.archive(self._now_ns - ARCHIVE_AFTER_NS))
        return archived, archived

    def _semantic(self, text: str, where: Where) -> list[Any]:
        return list(self._search.semantic(self._vector(text), HITS, self._narrowed(where)))

    def _hybrid(self, text: str) -> list[Any]:
        return list(self._search.hybrid(text, self._vector(text), HITS, self._filter()))

    def _narrowed(self, where: Where) -> Any:
        narrowed: dict[str, object] = {}
        if where.center_m is not None:
            narrowed["center_map_m"] = (*where.center_m, 0.0)
            narrowed["radius_m"] = where.radius_m
        if where.span_ns is not None:
            narrowed["since_ns"], narrowed["until_ns"] = where.span_ns
        return self._filter(**narrowed)

    def _vector(self, text: str) -> Matrix:
        vector: Matrix = self._embedder.embed([text])[0]
        return vector


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


def _lines(hits: Any) -> str:
    """One short line for each hit."""
    lines = []
    for hit in hits:
        place = hit.position_map_m
        at = "" if place is None else f" ({place[0]:.1f}, {place[1]:.1f})"
        lines.append(f"[{hit.layer or hit.kind}]{at} {hit.stamp_ns // NS_PER_S} s: {hit.text}")
    return "\n".join(lines) or "Nothing was found."
