"""Declares the parameters of a configuration dataclass on a node."""

from __future__ import annotations

from typing import Any, TypeVar

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node

from memory_nodes.errors import ConfigurationError
from memory_nodes.parameters import as_declared, check, declared

Config = TypeVar("Config")

_UNBOUNDED_INT = 2**62
_UNBOUNDED_FLOAT = 1e300


def declare(
    node: Node, config: type[Config], prefix: str = "", defaults: Config | None = None
) -> Config:
    """Declares each field and gives the configuration with the values set.

    Those that are not dynamic are read-only.

    Args:
        prefix: stands before the name of each field.
        defaults: other ones than those of the fields.

    Raises ConfigurationError for a value of a wrong type or out of its range.
    """
    values = {}
    for item in declared(config):
        name = prefix + item.name
        default = item.default if defaults is None else getattr(defaults, item.name)
        given = list(default) if isinstance(default, tuple) else default
        try:
            value = node.declare_parameter(name, given, _descriptor(item)).value
        except (InvalidParameterTypeException, InvalidParameterValueException) as error:
            raise ConfigurationError(f"parameter {name}: {error}") from error
        values[item.name] = as_declared(name, value, default)
    made = config(**values)
    check(made)
    return made


def _descriptor(item: Any) -> ParameterDescriptor:
    meaning, unit, low, high, choices = (
        item.metadata[key] for key in ("meaning", "unit", "low", "high", "choices")
    )
    descriptor = ParameterDescriptor(
        description=f"{meaning} [{unit}]" if unit else meaning,
        additional_constraints=f"one of: {', '.join(choices)}" if choices else "",
        read_only=not item.metadata["is_dynamic"],
        # `3` for a double is what people write: the type is checked here, not by rcl.
        dynamic_typing=isinstance(item.default, float),
    )
    bounded = low is not None or high is not None
    if bounded and isinstance(item.default, int):
        descriptor.integer_range = [
            IntegerRange(
                from_value=int(low) if low is not None else -_UNBOUNDED_INT,
                to_value=int(high) if high is not None else _UNBOUNDED_INT,
            )
        ]
    elif bounded:
        descriptor.floating_point_range = [
            FloatingPointRange(
                from_value=float(low) if low is not None else -_UNBOUNDED_FLOAT,
                to_value=float(high) if high is not None else _UNBOUNDED_FLOAT,
            )
        ]
    return descriptor
