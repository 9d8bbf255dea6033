"""A parameter is declared once, and checked against what was declared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from memory_nodes.errors import ConfigurationError
from memory_nodes.parameters import (
    as_declared,
    check,
    configurations,
    declared,
    parameter,
    with_values,
)


@dataclass(frozen=True)
class Config:
    """An example."""

    rate: float = parameter(1.0, "how often", unit="s", low=0.0, high=10.0)
    mode: str = parameter("slow", "how", choices=("slow", "fast"))
    count: int = parameter(0, "how many", low=0)
    free: float = parameter(0.0, "any number")


@dataclass(frozen=True)
class Point:
    """No configuration."""

    x_m: int


def test_defaults_are_accepted() -> None:
    check(Config())


@pytest.mark.parametrize("values", [{"rate": 0.0}, {"rate": 10.0}, {"mode": "fast"}])
def test_bounds_and_choices_are_inclusive(values: dict[str, Any]) -> None:
    check(Config(**values))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rate": -0.1}, "rate is -0.1, the least is 0.0 s"),
        ({"rate": 10.5}, "rate is 10.5, the most is 10.0 s"),
        ({"count": -1}, "count is -1, the least is 0"),
        ({"mode": "warp"}, "mode is 'warp', choose one of slow, fast"),
        ({"rate": math.nan}, "rate is nan, give a finite number"),
        ({"free": math.inf}, "free is inf, give a finite number"),
    ],
)
def test_value_out_of_range_is_named_with_its_bound(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check(Config(**values))
    assert str(caught.value) == message


def test_declaration_carries_unit_and_meaning() -> None:
    rate = next(declared(Config))
    assert (rate.name, rate.default) == ("rate", 1.0)
    assert (rate.metadata["unit"], rate.metadata["meaning"]) == ("s", "how often")


def test_other_values_make_another_configuration() -> None:
    config = Config(mode="fast")
    assert with_values(config, {"rate": 3, "count": 2}) == Config(rate=3.0, mode="fast", count=2)
    assert config == Config(mode="fast")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rate": 11}, "rate is 11.0, the most is 10.0 s"),
        ({"rate": "3"}, "rate is '3', give a float such as 1.0"),
        ({"rate": None}, "rate is None, give a float such as 1.0"),
        ({"count": 1.0}, "count is 1.0, give a int such as 0"),
        ({"count": True}, "count is True, give a int such as 0"),
        ({"mode": "warp"}, "mode is 'warp', choose one of slow, fast"),
    ],
)
def test_other_value_that_cannot_be_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        with_values(Config(), values)
    assert str(caught.value) == message


def test_list_from_ros_becomes_a_tuple() -> None:
    assert as_declared("layers", ["speech"], ("",)) == ("speech",)


def test_configurations_are_found_by_attribute() -> None:
    """What is no configuration made of parameters is not among them."""
    holder = SimpleNamespace(name="node", kind=Config, rates=Config(), point=Point(1))
    assert list(configurations(holder)) == [("rates", Config())]
