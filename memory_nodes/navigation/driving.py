"""How long navigation is waited for."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.parameters import parameter


@dataclass(frozen=True)
class DrivingConfig:
    """How goals are sent."""

    navigate_action: str = parameter(
        "/navigate_to_pose", "name of the NavigateToPose action of Nav2"
    )
    navigator_node: str = parameter(
        "/bt_navigator", "name of the node that serves it, whose state tells whether it is active"
    )
    server_timeout_s: float = parameter(
        5.0, "wall time to wait for Nav2 to be there and to accept", unit="s", low=0.1, high=120.0
    )
    recall_timeout_s: float = parameter(
        30.0, "wall time to wait for the query node", unit="s", low=0.1, high=600.0
    )
    drive_timeout_s: float = parameter(
        600.0, "wall time for one drive", unit="s", low=0.1, high=86400.0
    )
    arrived_within_m: float = parameter(
        0.5, "a drive that ends farther from its goal has not arrived", unit="m", low=0.01, high=5.0
    )
    lost_after_s: float = parameter(
        3.0,
        "a drive ends when the robot's pose on the map, once known, is older than this; 0: never",
        unit="s",
        low=0.0,
        high=600.0,
        is_dynamic=True,
    )
