"""How often images come."""

from __future__ import annotations

import pytest

from memory_nodes.perception.rate import RateMeter


def test_rate_is_that_of_the_last_arrivals() -> None:
    meter = RateMeter(0.0)
    for number in range(100):
        meter.note(0.1 * number)
    assert meter.rate_hz(9.9) == pytest.approx(10.0)
    assert meter.age_s(9.95) == pytest.approx(0.05)


def test_rate_falls_while_nothing_comes() -> None:
    meter = RateMeter(0.0)
    meter.note(0.0)
    meter.note(0.1)
    assert meter.rate_hz(4.1) == pytest.approx(0.25)


def test_before_the_first_there_is_no_rate_and_the_start_counts() -> None:
    meter = RateMeter(5.0)
    assert (meter.rate_hz(7.0), meter.age_s(7.0)) == (0.0, 2.0)
    meter.note(7.0)
    assert meter.rate_hz(7.0) == 0.0


def test_two_at_once_have_no_rate_yet() -> None:
    meter = RateMeter(0.0)
    meter.note(1.0)
    meter.note(1.0)
    assert meter.rate_hz(1.0) == 0.0
