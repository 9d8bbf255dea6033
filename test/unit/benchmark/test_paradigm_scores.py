"""Whether the first finding of a probe is right, by hand."""

from __future__ import annotations

import pytest

from benchmark.paradigms.schedule import Call, Expected, Finding, Probe
from benchmark.paradigms.scores import figures, is_right

MUG = Finding("a kitchen with a red mug", "description", (1.0, 2.0), (10, 10))
ABSENT = Expected(says_not=("lamp",), is_absent=True)


@pytest.mark.parametrize(
    "expected",
    [
        Expected(says=("red mug", "kitchen"), says_not=("blue mug",)),
        Expected(layers=("speech", "description")),
        Expected(near_m=((50.0, 50.0), (1.0, 4.9))),
        Expected(span_ns=(10, 11)),
    ],
)
def test_finding_is_right_where_all_of_it_holds(expected: Expected) -> None:
    assert is_right(expected, MUG)
    assert not is_right(expected, None)


@pytest.mark.parametrize(
    "expected",
    [
        Expected(says=("red mug", "lamp")),
        Expected(says=("red",)),  # of a mug: no thing is called so
        Expected(says=("red mug",), says_not=("kitchen",)),
        Expected(says=("red mug",), layers=("speech",)),
        Expected(near_m=((1.0, 5.1),)),
        Expected(span_ns=(11, 12)),
    ],
)
def test_finding_is_wrong_where_a_part_does_not_hold(expected: Expected) -> None:
    assert not is_right(expected, MUG)


def test_place_or_time_that_is_not_told_is_not_right() -> None:
    told = Finding("red mug")
    assert not is_right(Expected(near_m=((1.0, 2.0),)), told)
    assert not is_right(Expected(span_ns=(0, 99)), told)


def test_what_was_never_seen_is_found_nowhere_or_as_something_else() -> None:
    assert is_right(ABSENT, None)
    assert is_right(ABSENT, MUG)
    assert is_right(ABSENT, Finding("a lamp shade"))
    assert not is_right(ABSENT, Finding("a hall with two lamps"))


def test_figures_by_hand() -> None:
    seen = Probe("seen", Call("locate", "mug"), Expected(says=("red mug",)))
    never = Probe("never", Call("locate", "lamp"), ABSENT)
    found = figures([(seen, MUG), (seen, None), (never, MUG), (never, None)])
    assert found == {
        "right": 0.75,
        "probes": 4,
        "by_kind": {"seen": 0.5, "never": 1.0},
        "own_false_alarms": 0.5,
    }
