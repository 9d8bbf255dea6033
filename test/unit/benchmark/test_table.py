"""The table says which memory is better, by how much, and what is not measured."""

from __future__ import annotations

from benchmark.store.table import METRICS, table

MEASURED = {"archive_s_is_extrapolated": False}


def _cells(text: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:] for line in text.splitlines()[1:]}


def test_ratio_is_above_one_where_ours_is_better() -> None:
    ours = {"ingest_per_s": 8_000.0, "semantic_ms_p50": 0.5, "rss_mb": 300.0}
    peer = {"ingest_per_s": 2_000.0, "semantic_ms_p50": 1.5, "rss_mb": 100.0}
    cells = _cells(table(ours, peer))
    assert cells["ingest_per_s"] == ["8000", "2000", "4.00", ">=", "15000"]
    assert cells["semantic_ms_p50"] == ["0.5", "1.5", "3.00", "<=", "2.5"]
    assert cells["rss_mb"] == ["300", "100", "0.33", "<=", "peer"]


def test_extrapolated_figures_are_marked_as_lower_bounds() -> None:
    peer = {"archive_s": 24.0, "archive_stall_ms_max": 24_000.0, "archive_s_is_extrapolated": True}
    ours = {"archive_s": 2.0, "archive_stall_ms_max": 12.0, **MEASURED}
    cells = _cells(table(ours, peer))
    assert cells["archive_s"][:3] == ["2", ">24", "12.00"]
    assert cells["archive_stall_ms_max"][:3] == ["12", ">24000", "2000.00"]


def test_memory_that_was_left_out_is_a_dash_and_has_no_ratio() -> None:
    cells = _cells(table({"reopen_s": 0.25}, {}))
    assert cells["reopen_s"][:3] == ["0.25", "-", "-"]


def test_nothing_is_divided_by_zero() -> None:
    cells = _cells(table({"filtered_recall_3m": 1.0}, {"filtered_recall_3m": 0.0}))
    assert cells["filtered_recall_3m"][:3] == ["1", "0", "-"]


def test_columns_are_aligned() -> None:
    lines = table({"ingest_per_s": 123_456.0}, {"ingest_per_s": 7.0}).splitlines()
    assert len(lines) == 1 + len(METRICS)
    head = lines[0]
    assert lines[1].index("123456") + len("123456") == head.index("ours") + len("ours")
    assert lines[1].index(" 7 ") + len(" 7") == head.index("peer") + len("peer")
