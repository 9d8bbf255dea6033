"""Whether a pose is free and can be reached, before anything drives there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import islice
from typing import Protocol

from memory_nodes.geometry import Pose
from memory_nodes.navigation.candidates import Candidate
from memory_nodes.navigation.outcomes import Cause
from memory_nodes.navigation.safety import Rules
from memory_nodes.navigation.standoff import floor_distance_m, nearby_poses
from memory_nodes.parameters import parameter

INSCRIBED_COST = 253.0
"""In Nav2's costmaps the robot's middle hits something from this on."""
UNKNOWN_COST = 255.0
MAX_PLANS = 4
"""So many poses are given to the planner for one candidate."""


@dataclass(frozen=True)
class PreflightConfig:
    """What is asked of Nav2 before a drive; what is not there is not asked."""

    preflight: bool = parameter(True, "ask the costmap and the planner before a drive")
    cost_service: str = parameter(
        "/global_costmap/get_cost_global_costmap", "name of the service GetCost or GetCosts of Nav2"
    )
    plan_action: str = parameter(
        "/compute_path_to_pose", "name of the ComputePathToPose action of Nav2"
    )
    preflight_timeout_s: float = parameter(
        2.0,
        "wall time for the costs of some poses, or for a path; without them the drive goes on",
        unit="s",
        low=0.1,
        high=60.0,
    )
    tolerance_m: float = parameter(
        0.5,
        "how far from a remembered pose another one may be, where that is not free",
        unit="m",
        low=0.0,
        high=5.0,
    )
    spacing_m: float = parameter(
        0.1, "between the poses that are tried then", unit="m", low=0.02, high=1.0
    )
    path_end_m: float = parameter(
        0.25, "a path that ends farther from its goal is none", unit="m", low=0.0, high=5.0
    )


class NoAnswer(Enum):
    """Nothing is known: the server is not there, or does not answer in time."""

    NO_ANSWER = "no answer"


NO_ANSWER = NoAnswer.NO_ANSWER


class Planner(Protocol):
    """What preflight needs of navigation."""

    async def costs(self, poses: Sequence[Pose]) -> Sequence[float] | NoAnswer:
        """Of the costmap where the robot's middle would be; off the map is as unknown: 255."""
        ...

    async def path(self, goal: Pose) -> Sequence[Pose] | NoAnswer:
        """From where the robot is; empty where there is none."""
        ...


class Preflight:
    """Checks one candidate after the other."""

    def __init__(self, planner: Planner, config: PreflightConfig) -> None:
        self.planner = planner
        self._config = config

    async def checked(self, candidate: Candidate, rules: Rules) -> Candidate | Cause:
        """The candidate, at its own pose or at a free one near it, or why there is none."""
        wanted = candidate.map_from_goal
        cost = await self.planner.costs([wanted])
        if cost is NO_ANSWER or not _is_blocked(cost[0]):
            refusal = await self._refusal_of_way(wanted, rules)
            if refusal is None:
                return candidate
            if cost is NO_ANSWER:
                return refusal
        else:
            refusal = Cause.OCCUPIED
        for pose in await self._free_nearby(candidate, rules):
            refusal = await self._refusal_of_way(pose, rules)
            if refusal is None:
                moved_m = floor_distance_m(pose.position_m, wanted.position_m)
                return replace(candidate, map_from_goal=pose, moved_m=moved_m)
        return refusal

    async def _free_nearby(self, candidate: Candidate, rules: Rules) -> list[Pose]:
        """The best few poses near a candidate that are free and allowed."""
        config, shown = self._config, candidate.shown_position
        poses = [
            pose
            for pose in nearby_poses(
                candidate.map_from_goal,
                config.tolerance_m,
                config.spacing_m,
                candidate.keyframe.map_from_base.position_m,
                shown.point_m if shown is not None else None,
            )
            if not rules.forbids(pose)
        ]
        costs = await self.planner.costs(poses) if poses else []
        if costs is NO_ANSWER:
            return []
        free = (pose for pose, cost in zip(poses, costs, strict=True) if not _is_blocked(cost))
        return list(islice(free, MAX_PLANS))

    async def _refusal_of_way(self, pose: Pose, rules: Rules) -> Cause | None:
        path = await self.planner.path(pose)
        if path is NO_ANSWER:
            return None
        if not path:
            return Cause.UNREACHABLE
        if floor_distance_m(path[-1].position_m, pose.position_m) > self._config.path_end_m:
            return Cause.UNREACHABLE  # planners are content with an end near the goal
        return Cause.KEPT_OUT if rules.forbids_way(path) else None


def _is_blocked(cost: float) -> bool:
    """Occupied, unknown, or off the map, which some servers give as a negative cost."""
    return not 0.0 <= cost < INSCRIBED_COST
