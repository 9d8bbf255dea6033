"""Parameters of the stand-in nodes: declared as fields, checked in one line, listed by --help."""

from __future__ import annotations

import math
from dataclasses import Field
from typing import Any, TypeVar

from rcl_interfaces.msg import ParameterDescriptor
from rclpy.node import Node

from memory_nodes.parameters import declared

Options = TypeVar("Options")

KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


class ParameterError(ValueError):
    """A parameter that cannot be: names it, its value, and what it can be."""


def declare(node: Node, kind: type[Options], changeable: tuple[str, ...] = ()) -> Options:
    """Declares each field and gives the options with what is set; whole numbers are doubles too.

    Raises ParameterError for a value of a wrong type, out of its range or not among its choices.
    """
    values = {}
    for item in declared(kind):
        descriptor = ParameterDescriptor(
            description=_meaning(item),
            read_only=item.name not in changeable,
            dynamic_typing=True,  # the type is checked here, where a whole number is a double too
        )
        value = node.declare_parameter(item.name, item.default, descriptor).value
        values[item.name] = checked(item, value)
    return kind(**values)


def checked(item: Field[Any], value: object) -> object:
    """The value as its field has it. Raises ParameterError."""
    if isinstance(item.default, float) and type(value) is int:
        value = float(value)
    given, limits = f"{item.name} is {value!r}, give", item.metadata
    if type(value) is not type(item.default):
        raise ParameterError(f"{given} {KINDS[type(item.default)]} such as {_text(item.default)}")
    if limits["choices"] and value not in limits["choices"]:
        raise ParameterError(f"{given} one of {', '.join(limits['choices'])}")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        may_be_nan = isinstance(item.default, float) and math.isnan(item.default)
        if not math.isfinite(value) and not (may_be_nan and math.isnan(value)):
            raise ParameterError(f"{given} a finite number such as {_text(item.default)}")
        if limits["low"] is not None and value < limits["low"]:
            raise ParameterError(f"{given} {limits['low']} or more")
    return value


def help_of(kind: type[Any]) -> str:
    """One line for each parameter: name, default, meaning and unit."""
    rows = [(item.name, _text(item.default), _meaning(item)) for item in declared(kind)]
    name_width, value_width = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [
        f"  {name:<{name_width}}  {value:<{value_width}}  {text}" for name, value, text in rows
    ]
    return "\n".join(["parameters (--ros-args -p NAME:=VALUE) and their defaults:", *lines])


def _meaning(item: Field[Any]) -> str:
    unit, choices = item.metadata["unit"], item.metadata["choices"]
    text = str(item.metadata["meaning"])
    if choices:
        text += f": {', '.join(choices)}"
    return f"{text} [{unit}]" if unit else text


def _text(value: object) -> str:
    """As it is written on a command line."""
    return str(value).lower() if isinstance(value, (bool, float)) else str(value)
