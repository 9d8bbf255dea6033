"""A depth image made coarse, to travel with its keyframe."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from memory_nodes.records import DepthGrid

COLUMNS, ROWS = 32, 24
MAX_MM = 65_535


def depth_grid(depth_m: NDArray[np.float32]) -> DepthGrid:
    """The median of each cell, of an image of any size.

    Args:
        depth_m: shape (H, W), metres along the optical axis, 0 = no return.
    """
    is_measured = np.isfinite(depth_m) & (depth_m > 0.0)
    measured = np.where(is_measured, depth_m, np.nan)
    rows = np.array_split(measured, min(ROWS, depth_m.shape[0]), axis=0)
    cells = [np.array_split(row, min(COLUMNS, depth_m.shape[1]), axis=1) for row in rows]
    depths_mm = tuple(_median_mm(cell) for row in cells for cell in row)
    return DepthGrid(len(cells[0]), len(cells), depths_mm)


def _median_mm(cell: NDArray[np.float32]) -> int:
    valid = cell[~np.isnan(cell)]
    return min(MAX_MM, round(float(np.median(valid)) * 1000.0)) if valid.size else 0
