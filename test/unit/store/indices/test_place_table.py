"""Each id leads to its own row, whatever was added and removed before."""

from __future__ import annotations

import numpy as np

from memory_nodes.store.indices.place_table import MIN_MERGED, PlaceTable


def test_table_finds_ids_before_and_after_they_are_sorted_in() -> None:
    table = PlaceTable(np.array([5]), np.array([1]), np.zeros((1, 3)), np.zeros(1))
    rows = {
        item_id: table.add(item_id, 1, np.full(3, item_id), 0.0)
        for item_id in range(MIN_MERGED + 20, 9, -1)
    }
    assert {item_id: table.row(item_id) for item_id in rows} == rows
    assert [table.points_m[rows[item_id], 0] for item_id in (10, 5000)] == [10.0, 5000.0]
    table.remove(rows.pop(10))
    assert table.row(10) is None
    removed = rows.pop(5000)
    table.remove(removed)
    assert table.row(5000) is None
    assert table.add(4, 1, np.zeros(3), 0.0) == removed
    assert (table.row(5000), table.row(4), table.row(5)) == (None, removed, 0)
    assert len(table) == len(rows) + 2
