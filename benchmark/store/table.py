"""The figures of two memories side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Shown: TypeAlias = Mapping[str, "float | None"]


@dataclass(frozen=True)
class Metric:
    """One line of the table, and the bound that ours must keep: a number, or the peer's figure.

    An empty goal is for what only explains the others.
    """

    key: str
    goal: str = "<= peer"

    @property
    def more_is_better(self) -> bool:
        return self.goal.startswith(">=")


METRICS = (
    *(Metric("ingest_per_s", ">= 15000"), Metric("ingest_settled_per_s", ">= peer")),
    *(Metric("add_ms_p50", ""), Metric("add_ms_p99")),
    *(Metric("add_stored_ms_p50", ""), Metric("add_stored_ms_p99", "")),
    *(Metric("end_episode_s", ""), Metric("close_s", "")),
    *(Metric("reopen_s", "<= 0.4"), Metric("reopen_again_s", "<= 0.4")),
    *(Metric("index_settle_s", ""), Metric("semantic_unsettled_ms_p50", "")),
    *(Metric("semantic_ms_p50", "<= 2.5"), Metric("semantic_ms_p95")),
    *(Metric("semantic_3m_ms_p50"), Metric("semantic_1day_ms_p50")),
    *(Metric("spatial_2m_ms_p50"), Metric("spatial_10m_ms_p50", "<= 1.5")),
    Metric("temporal_ms_p50", "<= 0.15"),
    *(Metric("locate_ms_p50", "<= 3"), Metric("recall_ms_p50", "<= 10")),
    *(Metric("recall_chars_max", "<= 4000"), Metric("unfiltered_recall", ">= 0.95")),
    *(Metric("filtered_recall_3m", ">= 1"), Metric("filtered_recall_1day", ">= 1")),
    *(Metric("base_rss_mb", ""), Metric("ingest_rss_mb", ""), Metric("rss_mb")),
    *(Metric("disk_bytes_per_observation", "<= 1400"), Metric("distinct_texts", "")),
    *(Metric("archive_s"), Metric("archive_stall_ms_max", "<= 50")),
)
"""The numbers are goals at 100,000 observations."""
_HEAD = ("", "ours", "peer", "ratio", "goal")


def table(ours: Shown, peer: Shown) -> str:
    """One line a figure; the ratio is above 1 where ours is better. ``>`` is at least."""
    lines = [_HEAD, *(_line(metric, ours, peer) for metric in METRICS)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_aligned(line, widths) for line in lines)


def _aligned(line: tuple[str, ...], widths: list[int]) -> str:
    name, *cells = line
    numbers = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
    return "  ".join((name.ljust(widths[0]), *numbers)).rstrip()


def _line(metric: Metric, ours: Shown, peer: Shown) -> tuple[str, ...]:
    return (
        metric.key,
        _cell(metric.key, ours),
        _cell(metric.key, peer),
        _ratio(ours.get(metric.key), peer.get(metric.key), metric.more_is_better),
        metric.goal,
    )


def _cell(key: str, figures: Shown) -> str:
    value = figures.get(key)
    if value is None:
        return "-"
    sign = ">" if key.startswith("archive_s") and figures.get("archive_s_is_extrapolated") else ""
    return f"{sign}{value:.4g}" if value < 10_000 else f"{sign}{value:.0f}"


def _ratio(ours: float | None, peer: float | None, more_is_better: bool) -> str:
    if ours is None or peer is None:
        return "-"
    better, worse = (ours, peer) if more_is_better else (peer, ours)
    return f"{better / worse:.2f}" if worse > 0 else "-"
