"""The load of the store's benchmark is the same at each run, on each machine."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from benchmark.store.workload import (
    DAY_NS,
    DAYS,
    START_NS,
    Question,
    Sighting,
    days,
    questions,
    sightings,
)
from memory_nodes.records import NS_PER_S

# Of the reference workload that both memories were first measured with.
FIRST_VIEW_M = (16.19163824165812, 7.542458696225096)
FIRST_TEXTS = [
    "A orange book next to a orange kettle in the lobby, with a red monitor visible in the "
    "background",
    "orange book, orange kettle, red monitor",
    "lobby",
    "battery: 100%",
    "A orange jacket next to a purple charger in the hallway, with a red beaker visible in the "
    "background",
]
LAST_OF_10_000 = Sighting(
    "brown bottle, black mug, yellow window",
    23.02265081448181,
    36.24361004725403,
    START_NS + 29 * DAY_NS + 313 * 7_200 * NS_PER_S // 334,
    "detections",
)


def test_first_sightings_are_those_of_the_reference() -> None:
    rows = list(sightings(10_000))
    assert [row.text for row in rows[:5]] == FIRST_TEXTS
    assert {(row.x_m, row.y_m) for row in rows[:4]} == {FIRST_VIEW_M}
    assert [row.is_body for row in rows[:5]] == [False, False, False, True, False]
    assert rows[-1] == LAST_OF_10_000


def test_sightings_of_each_layer_and_distinct_texts_are_as_many_as_in_the_reference() -> None:
    rows = list(sightings(10_000))
    assert Counter(row.layer for row in rows) == {
        "description": 3226,
        "detections": 3226,
        "place": 3225,
        "battery": 323,
    }
    assert len({row.text for row in rows}) == 6411


def test_every_tenth_view_tells_the_battery() -> None:
    # 31 sightings are ten views of three layers each, and one battery
    layers = Counter(row.layer for row in sightings(31))
    assert layers == {"description": 10, "detections": 10, "place": 10, "battery": 1}


def test_each_day_is_a_patrol_of_two_hours_from_the_same_time() -> None:
    patrols = list(days(300))
    assert [len(patrol) for patrol in patrols] == [10] * DAYS
    assert [patrol[0].stamp_ns - START_NS for patrol in patrols] == [
        day * DAY_NS for day in range(DAYS)
    ]
    # ten sightings in 7,200 s
    assert {
        later.stamp_ns - row.stamp_ns for patrol in patrols for row, later in pairwise(patrol)
    } == {720 * NS_PER_S}


@pytest.mark.parametrize("size", [1, 29, 30, 31, 100])
def test_days_hold_all_sightings_in_order(size: int) -> None:
    rows = [row for patrol in days(size) for row in patrol]
    assert rows == list(sightings(size))
    assert len(rows) == size


def test_distinct_texts_occur_once_and_change_nothing_else() -> None:
    plain, distinct = list(sightings(2_500)), list(sightings(2_500, is_distinct=True))
    assert len({row.text for row in distinct}) == 2_500
    assert distinct[2_345].text == f"{plain[2_345].text} s2 n345"
    assert [row.stamp_ns for row in plain] == [row.stamp_ns for row in distinct]
    assert [(row.x_m, row.y_m) for row in plain] == [(row.x_m, row.y_m) for row in distinct]


def test_first_question_is_that_of_the_reference() -> None:
    first = questions(1)[0]
    assert first == Question(
        "a grey hat near a jacket", 22.59161602997827, 42.75228179521293, first.stamp_ns
    )
    assert first.stamp_ns / NS_PER_S == pytest.approx(1750522664.777238, abs=1e-6)
    assert questions(150)[:1] == [first]
