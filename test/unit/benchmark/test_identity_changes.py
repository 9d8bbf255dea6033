"""Statuses at the end of a day, held against a truth made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from benchmark.identity.changes import ChangeTally
from benchmark.identity.house import UNCHANGED, five_chairs, ten_days
from memory_nodes.records import ObjectDescriptor, ObjectStatus
from memory_test_support.house import (
    House,
    HouseDay,
    HouseOptions,
    one_chair,
    patrol,
)
from memory_test_support.house.plan import Slot, ring, standing
from memory_test_support.records import descriptor, view

PRESENT, MOVED, MISSING = ObjectStatus.PRESENT, ObjectStatus.MOVED, ObjectStatus.MISSING
EXACT = HouseOptions(days=3, miss_rate=0.0, moved_per_day=0, removed_per_day=0, chunk_size=6)


def _days(options: HouseOptions) -> list[HouseDay]:
    """A movable chair with a round about it of six keyframes, and another place nearby."""
    chair = replace(one_chair(1).things[0], is_movable=True)
    slots = (Slot("hall", (0.0, 1.6, 0.0)),)
    return list(patrol(House((chair,), ring("hall", (0.0, 0.5), 4.0, 6), slots), options))


def _tally(days: list[HouseDay], statuses: list[ObjectStatus]) -> Mapping[str, float]:
    """The memory has the chair as one identity, whose status at the end of each day is given."""
    tally, views = ChangeTally(), []
    for day, status in zip(days, statuses, strict=True):
        views += [view(keyframe_id) for chunk in day.chunks for keyframe_id, _ in chunk.thing_of]
        memory: list[ObjectDescriptor] = [descriptor("seat_1", *views, status=status)]
        true_of_view = {("seat_1", seen.keyframe_id): "chair_1" for seen in views}
        tally.end_day(day, memory, true_of_view)
    return tally.figures()


@pytest.mark.parametrize(("status", "share"), [(MOVED, 1.0), (PRESENT, 0.0), (MISSING, 0.0)])
def test_moved_thing_is_found_where_its_identity_says_so(
    status: ObjectStatus, share: float
) -> None:
    days = _days(replace(EXACT, days=2, moved_per_day=1))
    figures = _tally(days, [PRESENT, status])
    assert (figures["moved_true"], figures["moved_found"]) == (1, share)


@pytest.mark.parametrize(("status", "share"), [(MISSING, 1.0), (PRESENT, 0.0)])
def test_removed_thing_is_found_where_its_identity_says_so(
    status: ObjectStatus, share: float
) -> None:
    days = _days(replace(EXACT, days=2, removed_per_day=1))
    figures = _tally(days, [PRESENT, status])
    assert (figures["missing_true"], figures["missing_found"]) == (1, share)
    assert figures["missing_false"] == figures["missing_false_elsewhen"] == 0


def test_thing_called_missing_while_the_detector_is_down_counts_once() -> None:
    figures = _tally(_days(replace(EXACT, down_day=2)), [PRESENT, MISSING, MISSING])
    assert (figures["missing_false"], figures["missing_false_elsewhen"]) == (1, 0)


def test_thing_called_missing_where_it_stands_counts_on_the_other_days() -> None:
    figures = _tally(_days(EXACT), [PRESENT, MISSING, PRESENT])
    assert (figures["missing_false"], figures["missing_false_elsewhen"]) == (0, 1)


def test_old_place_of_a_moved_thing_may_be_called_missing() -> None:
    """Not seen at its new place, it is rightly missed at the old one."""
    chair = replace(one_chair(1).things[0], is_movable=True)
    elsewhere = (Slot("attic", (0.0, 9.0, 0.0)),)
    house = House((chair,), ring("hall", (0.0, 0.0), 3.0, 6), elsewhere)
    days = list(patrol(house, replace(EXACT, days=2, moved_per_day=1)))
    assert days[1].standing.moved == {"chair_1"}
    figures = _tally(days, [PRESENT, MISSING])
    assert figures["moved_true"] == 0  # nobody could have seen it
    assert figures["missing_false_elsewhen"] == 0


def test_memory_that_is_told_the_truth_is_right() -> None:
    assert five_chairs(error_rate=0.0, days=2) == 5
    house = House(
        tuple(
            standing(f"chair_{n}", one_chair(1).things[0].kind, "red", "hall", (n, 0.0, 0.0))
            for n in (1, 2)
        ),
        ring("hall", (1.5, 0.0), 3.0, 8),
    )
    figures = ten_days(list(patrol(house, replace(UNCHANGED, days=2))), error_rate=0.0)
    assert (figures["identity_f1"], figures["instances_found"]) == (1.0, 2)
    assert figures["prompt_tokens_per_chunk"] > 0
