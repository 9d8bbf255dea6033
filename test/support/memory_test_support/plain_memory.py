"""A memory that is a list, and searches it one by one."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmark.store.embedder import HashedWords
from benchmark.store.system import EVERYWHERE, HITS, Where
from benchmark.store.workload import ARCHIVE_AFTER_NS, END_NS, Sighting
from memory_nodes.vectors import Matrix


class PlainMemory:
    """Keeps its rows in a JSON file; ``archive_share`` of what is due it archives."""

    def __init__(self, archive_share: float = 1.0) -> None:
        self.rows: list[Sighting] = []
        self.calls: list[str] = []
        self._archive_share = archive_share
        self._embedder = HashedWords()
        self._vectors: dict[str, Matrix] = {}
        self._path = Path()

    def open(self, directory: Path, now_ns: int) -> None:
        self._path = directory / "rows.json"
        if self._path.exists():
            self.rows = [Sighting(**row) for row in json.loads(self._path.read_text())]

    def close(self) -> None:
        self._path.write_text(json.dumps([asdict(row) for row in self.rows]))

    def start_episode(self, name: str, stamp_ns: int) -> None:
        self.calls.append(f"start {name}")

    def end_episode(self, stamp_ns: int) -> None:
        self.calls.append("end")

    def add(self, sighting: Sighting) -> None:
        self.rows.append(sighting)

    def flush(self) -> None:
        self.calls.append(f"flush {len(self.rows)}")

    def add_stored(self, sighting: Sighting) -> None:
        self.rows.append(sighting)

    def settle(self) -> None:
        self.calls.append("settle")

    def semantic(self, text: str, where: Where = EVERYWHERE) -> str:
        return "\n".join(self.found_texts(text, where))

    def found_texts(self, text: str, where: Where) -> list[str]:
        texts = [row.text for row in self.rows if _passes(row, where)]
        if not texts:
            return []
        scores = np.stack([self._vector(item) for item in texts]) @ self._vector(text)
        return [texts[index] for index in np.argsort(-scores)[:HITS]]

    def _vector(self, text: str) -> Matrix:
        if text not in self._vectors:
            self._vectors[text] = self._embedder.embed([text])[0]
        return self._vectors[text]

    def near(self, x_m: float, y_m: float, radius_m: float) -> str:
        return self.semantic("", Where(center_m=(x_m, y_m), radius_m=radius_m))

    def between(self, since_ns: int, until_ns: int) -> str:
        return self.semantic("", Where(span_ns=(since_ns, until_ns)))

    def locate(self, text: str) -> str:
        return self.semantic(text)

    def recall(self, text: str) -> str:
        return self.semantic(text)

    def archive(self, limit_s: float) -> tuple[int, int]:
        due = sum(row.stamp_ns < END_NS - ARCHIVE_AFTER_NS for row in self.rows)
        return round(due * self._archive_share), due


def _passes(row: Sighting, where: Where) -> bool:
    if where.center_m is not None:
        (x_m, y_m), radius_m = where.center_m, where.radius_m
        if (row.x_m - x_m) ** 2 + (row.y_m - y_m) ** 2 > radius_m**2:
            return False
    return where.span_ns is None or where.span_ns[0] <= row.stamp_ns <= where.span_ns[1]
