"""How a parameter is declared: once, as a field of a frozen dataclass beside its stage.

ROS parameters, the check of the YAML file and the README's table all come from these fields.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import Field, field, fields
from typing import Any, TypeVar

from memory_nodes.errors import ConfigurationError

Value = TypeVar("Value", bool, int, float, str, tuple[str, ...])


def parameter(
    default: Value,
    meaning: str,
    *,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
) -> Value:
    """A dataclass field with what a user must know of it; bounds are inclusive."""
    details = {"meaning": meaning, "unit": unit, "low": low, "high": high, "choices": choices}
    declared: Value = field(default=default, metadata=details)
    return declared


def declared(config: type[Any]) -> Iterator[Field[Any]]:
    """The parameters of a configuration class, in order."""
    return iter(fields(config))


def check(config: object) -> None:
    """Raises ConfigurationError naming the first parameter that is out of its range."""
    for item in fields(config):  # type: ignore[arg-type]
        value = getattr(config, item.name)
        low, high, choices = (item.metadata[key] for key in ("low", "high", "choices"))
        unit = item.metadata["unit"]
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigurationError(f"{item.name} is {value}, give a finite number")
        if low is not None and value < low:
            raise ConfigurationError(f"{item.name} is {value}, the least is {low} {unit}".rstrip())
        if high is not None and value > high:
            raise ConfigurationError(f"{item.name} is {value}, the most is {high} {unit}".rstrip())
        if choices and value not in choices:
            raise ConfigurationError(
                f"{item.name} is {value!r}, choose one of {', '.join(choices)}"
            )
