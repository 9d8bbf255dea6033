"""What the peer does, alone with its libraries: `python peer_process.py DIRECTORY`."""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HITS = 50
"""More than the keyframes that are wanted: one is told of once for each thing in it."""


class _Given:
    """An embedding provider, as eMEM wants one, over vectors from a file."""

    def __init__(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._rows = dict(zip(texts, vectors, strict=True))
        self.dim = vectors.shape[1]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([self._rows[text] for text in texts], np.float32)


def main() -> None:
    directory = Path(sys.argv[1])
    work = json.loads((directory / "work.json").read_text(encoding="utf-8"))
    emem = importlib.import_module("emem")
    provider = _Given(work["texts"], np.load(directory / "vectors.npy"))
    paths = {"db_path": str(directory / "m.db"), "hnsw_path": str(directory / "m.hnsw.bin")}
    memory = emem.SpatioTemporalMemory(
        db_path=paths["db_path"],
        config=emem.SpatioTemporalMemoryConfig(**paths, embedding_dim=provider.dim),
        embedding_provider=provider,
        get_current_time=lambda: work["observations"][-1]["timestamp"],
    )
    for item in work["observations"]:
        memory.add(item["text"], x=item["x"], y=item["y"], timestamp=item["timestamp"])
    memory._wm.flush()  # save() would flush too, but also write the whole vector index
    found = []
    for question in work["questions"]:
        started_ns = time.perf_counter_ns()
        hits = memory.store.semantic_search(question, n_results=HITS)
        ms = (time.perf_counter_ns() - started_ns) / 1e6
        found.append(([hit.timestamp for hit in hits if hasattr(hit, "timestamp")], ms))
    memory.close()
    (directory / "found.json").write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
