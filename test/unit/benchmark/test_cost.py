"""The cost benchmark counts every page and every file once."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from benchmark import cost
from benchmark.cost.shares import FREE, Shares
from benchmark.cost.working import Worker
from memory_nodes.store.database import DATABASE_NAME
from memory_test_support.house import family_house
from memory_test_support.working_day import QUARTER_S, working_day


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    made = Worker(tmp_path)
    yield made
    made.close()


def _total(shares: Shares) -> float:
    return sum(sum(parts.values()) for parts in shares.values())


def test_shares_are_all_of_the_file_before_and_after_archiving(
    worker: Worker, tmp_path: Path
) -> None:
    worker.work(family_house(), 1)
    for change in (None, worker.archive, worker.drop_images):
        if change is not None:
            change()
        shares, files = worker.shares(), worker.file_bytes()
        size = (tmp_path / DATABASE_NAME).stat().st_size
        assert files["database"] == size
        assert _total(shares) == pytest.approx(size, rel=0.001)
    assert shares[FREE]["rows"] > 0.0


def test_archived_layers_keep_rows_and_no_texts(worker: Worker) -> None:
    worker.work(family_house(), 1)
    whole = worker.shares()
    assert {"description", "detections", "battery", "diagnostics", "speech"} <= whole.keys()
    assert all(whole["description"][part] > 0.0 for part in ("rows", "texts", "words", "vectors"))
    worker.archive()
    archived = worker.shares()
    assert set(archived["description"]) == {"rows"}
    assert archived["gists"]["texts"] == pytest.approx(whole["gists"]["texts"], rel=0.5)


def test_a_year_costs_more_than_what_stays_and_less_than_everything() -> None:
    figures = cost.run(Namespace(hours=0.25, house="family"))
    hours = cost.HOURS * cost.DAYS
    whole, archived = (
        hours * sum(sum(parts.values()) for parts in figures[state].values()) / 1e6
        for state in ("whole", "archived")
    )
    assert archived < figures["year_mb"]["database"] < whole
    assert figures["image_bytes_kept"] < 0.25 * figures["image_bytes_per_hour"]


def test_a_working_day_is_numbered_through_and_in_order() -> None:
    quarters = list(working_day(family_house(), 2))
    chunks = [graph.chunk for quarter in quarters for graph in quarter.graphs]
    keyframes = [keyframe for chunk in chunks for keyframe in chunk.keyframes]
    assert [chunk.chunk_id for chunk in chunks] == list(range(1, len(chunks) + 1))
    assert [item.keyframe_id for item in keyframes] == list(range(1, len(keyframes) + 1))
    assert all(one.stamp_ns < other.stamp_ns for one, other in pairwise(keyframes))
    span_s = (keyframes[-1].stamp_ns - keyframes[0].stamp_ns) / 1e9
    assert QUARTER_S < span_s < 2 * QUARTER_S
    # 95 waypoints of the house in 188 s, then one a minute until the quarter is over
    assert len(quarters[0].graphs[-1].chunk.keyframes) == 1
    assert len(keyframes) == 2 * (95 + 11)
