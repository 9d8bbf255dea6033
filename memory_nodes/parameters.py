"""How a parameter is declared: once, as a field of a frozen dataclass beside its stage.

ROS parameters, the check of the YAML file and the README's table all come from these fields.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import Field, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from memory_nodes.errors import ConfigurationError

Value = TypeVar("Value", bool, int, float, str, tuple[str, ...])
Config = TypeVar("Config")


def parameter(
    default: Value,
    meaning: str,
    *,
    unit: str = "",
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    is_dynamic: bool = False,
) -> Value:
    """A dataclass field with what a user must know of it; bounds are inclusive.

    Args:
        is_dynamic: it may be changed while a node runs: the node then holds a new configuration,
            and whoever uses the parameter must read it there each time, or be given it.
    """
    details = {
        "meaning": meaning,
        "unit": unit,
        "low": low,
        "high": high,
        "choices": choices,
        "is_dynamic": is_dynamic,
    }
    declared: Value = field(default=default, metadata=details)
    return declared


def declared(config: type[Any]) -> Iterator[Field[Any]]:
    """The parameters of a configuration class, in order."""
    return iter(fields(config))


def configurations(holder: object) -> Iterator[tuple[str, Any]]:
    """What an object holds of configurations made of parameters, by attribute."""
    for name, value in vars(holder).items():
        is_config = is_dataclass(value) and not isinstance(value, type)
        if is_config and all("meaning" in item.metadata for item in fields(value)):
            yield name, value


def with_values(config: Config, values: Mapping[str, object]) -> Config:
    """A configuration with other values, as ROS gives them.

    Raises ConfigurationError for one of a wrong type or out of its range.
    """
    typed = {name: as_declared(name, values[name], getattr(config, name)) for name in values}
    changed = replace(config, **typed)  # type: ignore[type-var]
    check(changed)
    return changed


def as_declared(name: str, value: object, like: object) -> object:
    """A value as ROS gives it, of the type of another one; whole numbers are doubles too.

    Raises ConfigurationError for one of another type.
    """
    if isinstance(like, float) and type(value) is int:
        return float(value)
    if isinstance(like, tuple) and isinstance(value, list):
        return tuple(value)
    if type(value) is not type(like):
        raise ConfigurationError(
            f"{name} is {value!r}, give a {type(like).__name__} such as {like!r}"
        )
    return value


def path_of(name: str, text: str) -> Path:
    """The path that a parameter names; ~ is the home directory.

    Raises ConfigurationError for the home of somebody who is not there.
    """
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise ConfigurationError(f"{name} is {text!r}: there is no such home directory") from error


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
