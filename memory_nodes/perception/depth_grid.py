"""A depth image made coarse, to travel with its keyframe."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory_nodes.records import DepthGrid

COLUMNS, ROWS = 32, 24
MAX_MM = 65_535


def depth_grid(depth_m: NDArray[np.float32]) -> DepthGrid:
    """The (upper) median of each cell, of an image of any size.

    Where its size is no multiple of the grid's, evenly spaced rows and columns are passed over.

    Args:
        depth_m: shape (H, W), metres along the optical axis, 0 = no return.
    """
    height, width = depth_m.shape
    rows, columns = min(ROWS, height), min(COLUMNS, width)
    high, wide = height // rows, width // columns
    kept = np.ix_(_spread(rows * high, height), _spread(columns * wide, width))
    cells = depth_m[kept].reshape(rows, high, columns, wide)
    pixels = cells.transpose(0, 2, 1, 3).reshape(rows * columns, high * wide)
    is_measured = np.isfinite(pixels) & (pixels > 0.0)
    # What was not measured is sorted to the end.
    ascending = np.sort(np.where(is_measured, pixels, np.inf), axis=1)
    counts = is_measured.sum(axis=1)
    medians_m = ascending[np.arange(rows * columns), counts // 2 * (counts > 0)]
    depths_mm = np.where(counts > 0, np.minimum(medians_m * 1000.0, MAX_MM), 0.0)
    return DepthGrid(columns, rows, tuple(np.rint(depths_mm).astype(int).tolist()))


def _spread(count: int, length: int) -> NDArray[np.intp]:
    """So many numbers below a length, evenly spaced."""
    return np.arange(count) * length // count
