"""Recall counts what is among the best ten and passes the filter, nothing else."""

from __future__ import annotations

from benchmark.store.exactness import Exact
from benchmark.store.system import EVERYWHERE, Where
from benchmark.store.workload import Sighting

MUGS = [f"red mug {number}" for number in range(10)]
LAMPS = [f"lamp {number}" for number in range(20)]
HERE = Where(center_m=(0.0, 0.0), radius_m=3.0)


def _row(text: str, number: int, x_m: float) -> Sighting:
    return Sighting(text, x_m, 0.0, number, "description")


def _exact() -> Exact:
    """Ten mugs at 100 m, then twenty lamps here; stamps count up."""
    mugs = [_row(text, number, 100.0) for number, text in enumerate(MUGS)]
    lamps = [_row(text, number, 1.0) for number, text in enumerate(LAMPS, len(MUGS))]
    return Exact([*mugs, *lamps])


def test_best_ten_are_full_recall() -> None:
    assert _exact().recall("red mug", EVERYWHERE, MUGS) == 1.0


def test_half_of_the_best_ten_are_half_the_recall() -> None:
    assert _exact().recall("red mug", EVERYWHERE, [*MUGS[:5], *LAMPS[:5]]) == 0.5


def test_nothing_found_is_no_recall() -> None:
    assert _exact().recall("red mug", EVERYWHERE, []) == 0.0


def test_what_the_filter_shuts_out_does_not_count_however_near() -> None:
    assert _exact().recall("red mug", HERE, MUGS) == 0.0


def test_fewer_than_ten_answers_are_not_judged() -> None:
    assert _exact().recall("red mug", Where(span_ns=(0, 8)), MUGS) is None
    assert _exact().recall("red mug", Where(span_ns=(0, 9)), MUGS) == 1.0


def test_both_ends_of_a_span_are_in_it() -> None:
    # stamps 5 to 14 are the last five mugs and the first five lamps
    found = [*MUGS[5:], *LAMPS[:5]]
    assert _exact().recall("red mug", Where(span_ns=(5, 14)), found) == 1.0


def test_summary_counts_by_nearness() -> None:
    found = [*MUGS[:9], "red mug"]
    assert _exact().recall("red mug", EVERYWHERE, found) == 1.0


def test_repeated_texts_are_counted_once_as_distinct() -> None:
    assert Exact([_row("mug", 0, 0.0), _row("mug", 1, 0.0)]).distinct_texts == 1
