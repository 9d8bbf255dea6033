"""Parameters that more than one node needs; each must be the same in all of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memory_nodes.parameters import parameter, path_of

HARDWARE_ID = "robot_memory"
"""Of the suite's own diagnostics, by which it knows them again."""


@dataclass(frozen=True)
class SuiteConfig:
    """Which memory, which map and which robot."""

    memory_dir: str = parameter(
        "~/.robot_memory", "directory of the memory; ~ is the home directory"
    )
    map_id: str = parameter(
        "map", "name of the map that poses belong to, until the pose graph of SLAM says otherwise"
    )
    map_frame: str = parameter("map", "TF frame of the map")
    base_frame: str = parameter("base_link", "TF frame of the robot's base")
    time_zone: str = parameter(
        "",
        "of dates in texts and questions, Europe/Berlin for instance; empty: that of the machine",
    )
    autostart: bool = parameter(
        True, "configure and activate at start; false leaves that to a lifecycle manager"
    )

    @property
    def memory_path(self) -> Path:
        return path_of("memory_dir", self.memory_dir)
