"""What a command line gives to which node, read as rcl reads it.

rclpy tells no node of parameters that it was given and does not declare.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

COMMAND_LINE = "the command line"
EVERY_NODE = "/**"
_VALUES = "ros__parameters"
_WILDCARDS = {"/**": "(?:/[^/]+)*", "/*": "/[^/]+"}


@dataclass(frozen=True)
class Given:
    """A parameter as somebody wrote it."""

    name: str
    pattern: str
    """The nodes that it is for: /memory/detector_node, /**/detector_node, /**."""
    source: str

    @property
    def is_for_many(self) -> bool:
        """In a section of a file that does not name a node, others than ours may be meant."""
        return self.source != COMMAND_LINE and self.pattern.endswith("*")

    def is_for(self, node: str) -> bool:
        """Whether a node of some full name gets it."""
        parts = re.split(r"(/\*\*?)", self.pattern)
        pattern = "".join(_WILDCARDS.get(part, re.escape(part)) for part in parts)
        return re.fullmatch(pattern, node) is not None


def given_parameters(arguments: Sequence[str]) -> Iterator[Given]:
    """The parameters among the arguments of a program, and in the files that they name."""
    for flag, value in pairwise(_ros_arguments(arguments)):
        if flag == "--params-file":
            path = Path(value)
            yield from _in_sections(_sections(path.read_text(encoding="utf-8")), "", path.name)
        elif flag in ("-p", "--param"):
            node, _, name = value.partition(":=")[0].rpartition(":")
            yield Given(name, f"{EVERY_NODE}/{node}" if node else EVERY_NODE, COMMAND_LINE)


def _sections(text: str) -> Mapping[str, Any]:
    """None where a file has tags that rcl passes over and this library does not know."""
    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError:
        return {}


def _ros_arguments(arguments: Sequence[str]) -> Iterator[str]:
    is_for_ros = False
    for argument in arguments:
        if argument in ("--ros-args", "--"):
            is_for_ros = argument == "--ros-args"
        elif is_for_ros:
            yield argument


def _in_sections(sections: Mapping[str, Any], namespace: str, source: str) -> Iterator[Given]:
    """Namespaces may be nested or written in one."""
    for key, section in sections.items():
        if key == _VALUES:
            yield from (Given(name, namespace, source) for name in _names(section or {}))
        elif isinstance(section, Mapping):
            yield from _in_sections(section, f"{namespace}/{str(key).strip('/')}", source)


def _names(values: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Groups of parameters may be nested or written with dots."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _names(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"
