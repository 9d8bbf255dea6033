"""What the benchmark reports of a memory whose answers are known to be right."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmark.store.measure import (
    STORED_ADDS,
    Figures,
    Load,
    archive,
    ingest,
    query,
    whole_archive_s,
)
from benchmark.store.workload import DAYS
from memory_test_support.plain_memory import PlainMemory

LOAD = Load(size=1_500)

PROMISED_KEYS = """
ingest_per_s add_ms_p99 semantic_ms_p50 semantic_ms_p95 spatial_2m_ms_p50 spatial_10m_ms_p50
temporal_ms_p50 locate_ms_p50 recall_ms_p50 filtered_recall_3m filtered_recall_1day reopen_s rss_mb
disk_bytes_per_observation archive_s add_ms_p50 unfiltered_recall archive_stall_ms_max
index_settle_s recall_chars_max distinct_texts end_episode_s archive_s_is_extrapolated
add_stored_ms_p50 add_stored_ms_p99
""".split()


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the load has been taken in and asked."""
    return tmp_path_factory.mktemp("memory")


@pytest.fixture(scope="module")
def asked(directory: Path) -> Figures:
    memory = PlainMemory()
    return ingest(memory, LOAD, directory) | query(memory, LOAD, directory)


@pytest.fixture
def taken_in(tmp_path: Path) -> Path:
    ingest(PlainMemory(), LOAD, tmp_path)
    return tmp_path


def test_figures_have_the_promised_keys_and_fit_into_json(asked: Figures, taken_in: Path) -> None:
    figures = asked | archive(PlainMemory(), LOAD, taken_in)
    assert set(PROMISED_KEYS) <= figures.keys()
    assert [key for key in PROMISED_KEYS if figures[key] is None] == []
    assert json.loads(json.dumps(figures)) == figures


def test_search_of_all_rows_has_full_recall_with_each_filter(asked: Figures) -> None:
    assert asked["unfiltered_recall"] == 1.0
    assert asked["filtered_recall_3m"] == 1.0
    assert asked["filtered_recall_1day"] == 1.0


def test_disk_is_counted_for_each_observation(asked: Figures, directory: Path) -> None:
    size = (directory / "rows.json").stat().st_size
    assert asked["disk_bytes_per_observation"] == pytest.approx(size / LOAD.size)


def test_each_day_is_an_episode_that_ends_when_all_is_stored(tmp_path: Path) -> None:
    memory = PlainMemory()
    ingest(memory, LOAD, tmp_path)
    assert memory.calls == [
        call
        for day in range(DAYS)
        for call in (f"start day_{day}", f"flush {50 * (day + 1)}", "end")
    ]


def test_whole_archive_is_as_measured(taken_in: Path) -> None:
    memory = PlainMemory()
    figures = archive(memory, LOAD, taken_in)
    assert figures["archive_s_is_extrapolated"] is False
    # 27 of 30 days are older than three days
    assert figures["archive_rows_measured"] == 27 * 50
    assert len(memory.rows) >= LOAD.size + STORED_ADDS


def test_archive_cut_short_is_extrapolated_and_holds_out_all_that_time(taken_in: Path) -> None:
    figures = archive(PlainMemory(archive_share=0.1), LOAD, taken_in)
    assert figures["archive_s_is_extrapolated"] is True
    assert figures["archive_rows_measured"] == 135
    assert figures["archive_s"] is not None
    assert figures["archive_stall_ms_max"] == pytest.approx(figures["archive_s"] * 1e3)


def test_whole_archive_is_estimated_from_rows_that_get_cheaper() -> None:
    # each row costs as many seconds as there are rows left, itself included
    costs_s = [float(left) for left in range(10_000, 0, -1)]
    measured_s = sum(costs_s[:2_500])
    assert whole_archive_s(measured_s, 2_500, 10_000) == pytest.approx(sum(costs_s), rel=1e-3)
    assert whole_archive_s(3.0, 5, 10) == pytest.approx(4.0)
