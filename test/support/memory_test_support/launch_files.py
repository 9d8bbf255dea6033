"""What a launch file would start, found with the real launch and without starting anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    IncludeLaunchDescription,
    LogInfo,
    Shutdown,
)
from launch.launch_context import LaunchContext
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.utilities import perform_substitutions
from launch_ros.actions import Node

_PROJECT = Path(__file__).resolve().parents[3]
LAUNCH = _PROJECT / "launch"
PARAMS_FILE = _PROJECT / "config" / "memory.yaml"
RVIZ_CONFIG = _PROJECT / "rviz" / "memory.rviz"


@dataclass
class Started:
    """What is started for some arguments, with every substitution performed."""

    context: Any = field(default_factory=LaunchContext)
    nodes: dict[str, Any] = field(default_factory=dict)
    """By name; those without one by their executable."""
    processes: list[Any] = field(default_factory=list)
    """Those that are no nodes."""
    words: list[str] = field(default_factory=list)


def own_arguments(name: str) -> dict[str, Any]:
    """The arguments that a launch file declares itself, by name."""
    source = PythonLaunchDescriptionSource(str(LAUNCH / name))
    entities = source.get_launch_description(LaunchContext()).entities
    return {item.name: item for item in entities if isinstance(item, DeclareLaunchArgument)}


def started(name: str, **arguments: str) -> Started:
    """Follows a launch file and those that it includes, with the files of this source tree."""
    found = Started()
    source = PythonLaunchDescriptionSource(str(LAUNCH / name))
    given = {"params_file": str(PARAMS_FILE), "rviz_config": str(RVIZ_CONFIG), **arguments}
    pending: list[Any] = [IncludeLaunchDescription(source, launch_arguments=given.items())]
    while pending:
        entity = pending.pop(0)
        condition = getattr(entity, "condition", None)
        if condition is not None and not condition.evaluate(found.context):
            continue
        if isinstance(entity, Node):
            entity._perform_substitutions(found.context)
            key = entity.node_name if entity.is_node_name_fully_specified() else None
            found.nodes[key or entity.node_executable] = entity
        elif isinstance(entity, ExecuteProcess):
            found.processes.append(entity)
        elif isinstance(entity, LogInfo):
            found.words.append(perform_substitutions(found.context, entity.msg))
        elif not isinstance(entity, Shutdown):
            pending = [*(entity.visit(found.context) or []), *pending]
    return found
