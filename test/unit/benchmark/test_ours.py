"""The benchmark's adapter works on the memory as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmark.store.measure import Figures, Load, archive, ingest, query
from benchmark.store.ours import RobotMemory


def test_memory_carries_the_load_through_all_phases(tmp_path: Path) -> None:
    pytest.importorskip("memory_nodes.store.search")
    load = Load(size=600)
    figures: Figures = {}
    for phase in (ingest, query, archive):
        figures |= phase(RobotMemory(), load, tmp_path)
    for key in ("unfiltered_recall", "filtered_recall_3m", "filtered_recall_1day"):
        recall = figures[key]
        assert recall is None or recall >= 0.95
    # 27 of 30 days of 20 observations
    assert figures["archive_rows_measured"] == 540
    assert 0 < (figures["recall_chars_max"] or 0) <= 4_000
