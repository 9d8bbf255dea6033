"""A coarse depth image holds the medians of its cells, and survives the spool."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory_nodes.perception.depth_grid import depth_grid
from memory_nodes.perception.graph_json import graph_from_json, graph_to_json
from memory_nodes.records import ClearLook, DepthGrid
from memory_test_support.records import descriptor, graph, keyframe


def test_each_cell_has_the_median_of_what_was_measured_in_it() -> None:
    """640 x 480 px in 32 x 24 cells: 20 px by 20 px each."""
    depth_m = np.full((480, 640), 2.0, np.float32)
    depth_m[:20, :20] = 0.0
    depth_m[0, 0:3] = (1.0, 1.5, 4.0)
    depth_m[460:, 620:] = np.nan
    depth_m[:20, 40:60] = np.inf
    depth_m[:20, 40:59] = 3.0
    grid = depth_grid(depth_m)
    assert (grid.columns, grid.rows, len(grid.depths_mm)) == (32, 24, 768)
    assert (grid.depths_mm[:3], grid.depths_mm[-1]) == ((1500, 2000, 3000), 0)


def test_medians_are_those_of_a_second_method() -> None:
    """Odd counts, so that the median is one of the measured depths."""
    depth_m = np.random.default_rng(3).uniform(0.5, 9.0, (24 * 5, 32 * 3)).astype(np.float32)
    expected = [
        round(float(np.median(depth_m[row : row + 5, column : column + 3])) * 1000.0)
        for row in range(0, 120, 5)
        for column in range(0, 96, 3)
    ]
    assert depth_grid(depth_m).depths_mm == pytest.approx(expected, abs=1)


def test_rows_come_one_after_another_from_the_top_left() -> None:
    depth_m = np.arange(1, 24 * 32 + 1, dtype=np.float32).reshape(24, 32) / 100.0
    assert depth_grid(depth_m).depths_mm == tuple(range(10, 7690, 10))


@pytest.mark.parametrize("shape", [(481, 641), (10, 7), (24, 33)])
def test_image_of_any_size_has_its_grid(shape: tuple[int, int]) -> None:
    grid = depth_grid(np.full(shape, 3.0, np.float32))
    assert set(grid.depths_mm) == {3000}
    assert len(grid.depths_mm) == grid.rows * grid.columns


def test_depth_beyond_what_a_cell_can_hold_is_the_largest() -> None:
    assert set(depth_grid(np.full((24, 32), 100.0, np.float32)).depths_mm) == {65_535}


def test_grid_and_clear_looks_survive_the_spool() -> None:
    taken = replace(keyframe(1), depth_grid=DepthGrid(2, 1, (0, 1500)))
    kept = replace(
        graph(1, [taken, keyframe(2)], [descriptor("mug_1")]),
        clear_looks=(ClearLook("lamp_1", 2),),
    )
    assert graph_from_json(graph_to_json(kept)) == kept
