"""nav2_msgs as it is in each ROS distribution: stand-ins with the same fields, without DDS."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path


class HumbleResult:
    """Of NavigateToPose: an Empty."""

    def __init__(self) -> None:
        self.result = SimpleNamespace()


@dataclass
class JazzyResult:
    error_code: int = 0
    error_msg: str = ""


@dataclass
class KiltedResult(JazzyResult):
    TF_ERROR: int = 9002


@dataclass
class LyricalResult(KiltedResult):
    GOAL_REJECTED: int = 1


@dataclass
class IronResult:
    """A code and no text."""

    error_code: int = 0


def _kind(request: type[Any]) -> Any:
    return SimpleNamespace(Request=request)


@dataclass
class _OnePoint:
    use_footprint: bool = False
    x: float = 0.0
    y: float = 0.0
    theta: float = 0.0

    @staticmethod
    def get_fields_and_field_types() -> dict[str, str]:
        return {"use_footprint": "boolean", "x": "float", "y": "float", "theta": "float"}


@dataclass
class _ManyPoints:
    use_footprint: bool = False
    poses: list[Any] = field(default_factory=list)

    @staticmethod
    def get_fields_and_field_types() -> dict[str, str]:
        return {"use_footprint": "boolean", "poses": "sequence<geometry_msgs/Pose2D>"}


@dataclass
class _ManyPoses(_ManyPoints):
    @staticmethod
    def get_fields_and_field_types() -> dict[str, str]:
        return {"use_footprint": "boolean", "poses": "sequence<geometry_msgs/PoseStamped>"}


@dataclass
class _Array:
    header: Any = None
    poses: list[PoseStamped] = field(default_factory=list)

    @staticmethod
    def get_fields_and_field_types() -> dict[str, str]:
        return {"header": "std_msgs/Header", "poses": "sequence<geometry_msgs/PoseStamped>"}


@dataclass
class _HeldPoses:
    use_footprint: bool = False
    poses: _Array = field(default_factory=_Array)

    @staticmethod
    def get_fields_and_field_types() -> dict[str, str]:
        return {"use_footprint": "boolean", "poses": "geometry_msgs/PoseStampedArray"}


JAZZY_COST, EARLY_COSTS, KILTED_COSTS, LATER_COSTS = map(
    _kind, (_OnePoint, _ManyPoints, _ManyPoses, _HeldPoses)
)
"""GetCost; GetCosts while it was being made, in Kilted, and after it."""

HUMBLE = {"action": ("NavigateToPose", "ComputePathToPose"), "srv": ()}
JAZZY = {**HUMBLE, "srv": ("GetCost",)}
KILTED = {**HUMBLE, "srv": ("GetCosts",)}


def modules(distribution: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """nav2_msgs with the types that a distribution has, each of them only a name."""
    found: dict[str, Any] = {"nav2_msgs": SimpleNamespace()}
    for kind, names in distribution.items():
        found[f"nav2_msgs.{kind}"] = SimpleNamespace(**{name: name for name in names})
    return found


@dataclass
class PlanGoal:
    """Of ComputePathToPose, from Humble on; Lyrical adds viapoints."""

    goal: PoseStamped
    use_start: bool = True
    start: PoseStamped = field(default_factory=PoseStamped)
    planner_id: str = ""
    viapoints: list[PoseStamped] = field(default_factory=list)


PLAN = SimpleNamespace(Goal=PlanGoal)


def plan_result(*points_m: tuple[float, float]) -> Any:
    """Of ComputePathToPose."""
    path = Path()
    for x_m, y_m in points_m:
        stamped = PoseStamped()
        stamped.pose.position.x, stamped.pose.position.y = x_m, y_m
        path.poses.append(stamped)
    return SimpleNamespace(path=path)
