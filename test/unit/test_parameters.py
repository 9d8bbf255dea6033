"""A parameter is declared once, and checked against what was declared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from memory_nodes.errors import ConfigurationError
from memory_nodes.parameters import check, declared, parameter


@dataclass(frozen=True)
class Config:
    """An example."""

    rate: float = parameter(1.0, "how often", unit="s", low=0.0, high=10.0)
    mode: str = parameter("slow", "how", choices=("slow", "fast"))
    count: int = parameter(0, "how many", low=0)
    free: float = parameter(0.0, "any number")


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
