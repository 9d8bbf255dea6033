"""Vectors as embeddings of texts are: in clusters, not spread evenly."""

from __future__ import annotations

import numpy as np

from memory_nodes.vectors import Matrix, unit

CLUSTER_SIZE = 20


def clustered(count: int, dimension: int = 16, seed: int = 0) -> Matrix:
    """Unit rows, shape (count, dimension), about CLUSTER_SIZE of them around each centre."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(max(1, count // CLUSTER_SIZE), dimension))
    rows = centres[random.integers(len(centres), size=count)]
    rows += 0.5 * random.normal(size=(count, dimension))
    return unit(rows.astype(np.float32))
