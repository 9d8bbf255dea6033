"""How the memory follows its map."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.parameters import parameter


@dataclass(frozen=True)
class MappingConfig:
    """Where the map comes from, and when it counts as moved."""

    graph_topic: str = parameter(
        "/slam_toolbox/graph_visualization",
        "pose graph of SLAM as markers, which poses follow; empty: nothing is followed",
    )
    slam_node: str = parameter(
        "/slam_toolbox", "its parameter map_file_name names a map that was loaded; empty: not asked"
    )
    odom_frame: str = parameter("odom", "TF frame of the odometry")
    min_correction_m: float = parameter(
        0.05, "the map has moved when its vertices have, by so much", unit="m", low=0.001
    )
    max_jump_m: float = parameter(
        0.25,
        "without a pose graph, a larger jump of map to odom makes earlier poses less certain",
        unit="m",
        low=0.01,
    )
    graph_timeout_s: float = parameter(
        30.0,
        "wall time that a jump waits for a pose graph to explain it, and that the map counts as "
        "unknown while SLAM, just started, tells of no graph",
        unit="s",
        low=0.0,
    )
