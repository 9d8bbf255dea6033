"""What differs in nav2_msgs from one ROS distribution to another, found by looking at it.

NavigateToPose's result is empty in Humble, has error_code and error_msg in Jazzy, and more codes
later. The service for costs is GetCost in Jazzy, of one point, and GetCosts later, of many poses,
which are a list or, in later ones, a message that holds a list.
Whoever calls this knows none of that, and needs not even have nav2_msgs.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from geometry_msgs.msg import PoseStamped

from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Cause, Ending
from memory_nodes.ros.conversions import pose_from_msg

TF_ERRORS = (102, 202, 9002)
"""TF_ERROR of the controller, the planner and the navigator."""
_MEANINGS = {
    103: "its path is of no use",
    104: "something stands in the way",
    105: "it made no progress",
    106: "it found no way to move",
    203: "the robot is off the map",
    204: "that place is off the map",
    205: "the robot stands in an obstacle",
    206: "that place is occupied",
    207: "planning took too long",
    208: "it found no way",
    9003: "it took too long",
}
"""Of the codes that the controller, the planner and the navigator have in all distributions."""


_NOT_OF_THE_GOAL = (201, 202, 203, 205, 207)
"""Why a planner has no path, though there may be one: it is set up wrongly, does not know where the
robot is, has it off the map or in an obstacle, or took too long."""


def nav2_type(kind: str, *names: str) -> Any | None:
    """The first of some types that is installed; None where there is none.

    Args:
        kind: action or srv.
    """
    try:
        module = import_module(f"nav2_msgs.{kind}")
    except ImportError:
        return None
    return next((found for name in names if (found := getattr(module, name, None))), None)


def navigate_type() -> Any | None:
    return nav2_type("action", "NavigateToPose")


def plan_type() -> Any | None:
    return nav2_type("action", "ComputePathToPose")


def cost_type() -> Any | None:
    return nav2_type("srv", "GetCosts", "GetCost")


def ending_of_abort(result: Any) -> Ending:
    """Why a drive was aborted, as far as the result tells."""
    code = int(getattr(result, "error_code", 0))
    text = str(getattr(result, "error_msg", "")).strip()
    if code in TF_ERRORS:
        return Ending.of(Cause.TF_LOST)
    told = text or _MEANINGS.get(code, "")
    parts = (told, f"error {code}" if code else "")
    details = ", ".join(part for part in parts if part)
    return Ending.of(Cause.ABORTED, f" ({details})" if details else "")


def cost_requests(kind: Any, poses: Sequence[PoseStamped]) -> list[Any]:
    """One request for all poses, or one for each."""
    fields = kind.Request.get_fields_and_field_types()
    if "poses" not in fields:
        return [_filled(kind.Request(), _planar(pose)) for pose in poses]
    request = kind.Request(use_footprint=False)
    if not fields["poses"].startswith("sequence"):  # a message that holds them
        setattr(request.poses, _list_in(request.poses), list(poses))
    elif "PoseStamped" in fields["poses"]:
        request.poses = list(poses)
    else:
        pose_2d = getattr(import_module("geometry_msgs.msg"), "Pose2D")  # noqa: B009 not everywhere
        request.poses = [_filled(pose_2d(), _planar(pose)) for pose in poses]
    return [request]


def costs_of(response: Any) -> list[float]:
    """In the order of the poses; fewer than were asked for where the server could not tell."""
    costs = response.costs if hasattr(response, "costs") else [response.cost]
    return [float(cost) for cost in costs]


def plan_goal(kind: Any, pose: PoseStamped) -> Any:
    """From where the robot is."""
    return kind.Goal(goal=pose, use_start=False)


def is_without_path(result: Any) -> bool:
    """Whether an aborted plan tells that there is no way; where there are no codes, it does."""
    return int(getattr(result, "error_code", 0)) not in _NOT_OF_THE_GOAL


def path_of(result: Any) -> list[Pose]:
    """Empty where no path was found."""
    return [pose_from_msg(stamped.pose) for stamped in result.path.poses]


def _list_in(message: Any) -> str:
    """The name of the only list of a message."""
    fields: dict[str, str] = message.get_fields_and_field_types()
    return next(name for name, kind in fields.items() if kind.startswith("sequence"))


def _planar(stamped: PoseStamped) -> dict[str, float]:
    pose = pose_from_msg(stamped.pose)
    return {"x": pose.position_m[0], "y": pose.position_m[1], "theta": pose.yaw_rad}


def _filled(message: Any, values: dict[str, float]) -> Any:
    for name, value in values.items():
        setattr(message, name, value)
    return message
