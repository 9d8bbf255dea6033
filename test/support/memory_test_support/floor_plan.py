"""A floor with obstacles: a stand-in for Nav2's costmap and planner, and for what walls hide."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_nodes.geometry import Pose
from memory_nodes.navigation.preflight import NO_ANSWER, NoAnswer

LETHAL, INSCRIBED, UNKNOWN = 254.0, 253.0, 255.0
CELL_M = 0.1
SIGHT_STEP_M = 0.02


@dataclass(frozen=True)
class Area:
    """A rectangle along the axes, metres."""

    x0_m: float
    y0_m: float
    x1_m: float
    y1_m: float

    def distance_m(self, x_m: float, y_m: float) -> float:
        """0 inside."""
        over_x_m = max(self.x0_m - x_m, 0.0, x_m - self.x1_m)
        over_y_m = max(self.y0_m - y_m, 0.0, y_m - self.y1_m)
        return math.hypot(over_x_m, over_y_m)


@dataclass(frozen=True)
class FloorPlan:
    """What stands where."""

    bounds: Area
    walls: tuple[Area, ...] = ()
    """Nobody sees through them."""
    low: tuple[Area, ...] = ()
    """Tables and boxes: one sees over them."""
    unknown: tuple[Area, ...] = ()
    robot_radius_m: float = 0.25

    def cost(self, x_m: float, y_m: float) -> float:
        """Of the cell, as in a global costmap."""
        if any(area.distance_m(x_m, y_m) == 0.0 for area in self.unknown):
            return UNKNOWN
        if self.bounds.distance_m(x_m, y_m) > 0.0:
            return UNKNOWN
        near_m = min(
            (area.distance_m(x_m, y_m) for area in (*self.walls, *self.low)), default=math.inf
        )
        if near_m == 0.0:
            return LETHAL
        return INSCRIBED if near_m < self.robot_radius_m else 0.0

    def is_free(self, x_m: float, y_m: float) -> bool:
        return self.cost(x_m, y_m) < INSCRIBED

    def is_sight_free(self, from_m: Sequence[float], to_m: Sequence[float]) -> bool:
        """Whether no wall stands between two places; the wall that a thing hangs on does not."""
        away_m = math.dist(from_m[:2], to_m[:2])
        steps = max(1, math.ceil(away_m / SIGHT_STEP_M))
        for step in range(steps - 1):  # its last step is into the thing itself
            share = step / steps
            x_m = from_m[0] + share * (to_m[0] - from_m[0])
            y_m = from_m[1] + share * (to_m[1] - from_m[1])
            if any(wall.distance_m(x_m, y_m) == 0.0 for wall in self.walls):
                return False
        return True

    def path(self, start: Pose, goal: Pose) -> list[Pose]:
        """By breadth first on a grid; empty where there is none."""
        target = self._cell(goal)
        came_from: dict[tuple[int, int], tuple[int, int] | None] = {self._cell(start): None}
        waiting = deque(came_from)
        while waiting and target not in came_from:
            cell = waiting.popleft()
            for beside in _neighbours(cell):
                if beside not in came_from and self.is_free(*_middle_m(beside)):
                    came_from[beside] = cell
                    waiting.append(beside)
        if target not in came_from or not self.is_free(*goal.position_m[:2]):
            return []
        cells = [target]
        while (before := came_from[cells[-1]]) is not None:
            cells.append(before)
        way = [Pose.planar(*_middle_m(cell), 0.0) for cell in reversed(cells[1:])]
        return [start, *way[1:], goal]

    def _cell(self, pose: Pose) -> tuple[int, int]:
        x_m, y_m, _ = pose.position_m
        return round(x_m / CELL_M), round(y_m / CELL_M)


@dataclass
class PlanOfFloor:
    """A navigation.preflight.Planner that knows a floor; each of its halves may be absent."""

    floor: FloorPlan
    robot: Pose
    has_costs: bool = True
    has_paths: bool = True
    asked: list[Pose] = field(default_factory=list)
    """The poses that costs were asked for."""

    async def costs(self, poses: Sequence[Pose]) -> Sequence[float] | NoAnswer:
        self.asked += poses
        if not self.has_costs:
            return NO_ANSWER
        return [self.floor.cost(*pose.position_m[:2]) for pose in poses]

    async def path(self, goal: Pose) -> Sequence[Pose] | NoAnswer:
        return self.floor.path(self.robot, goal) if self.has_paths else NO_ANSWER


def _middle_m(cell: tuple[int, int]) -> tuple[float, float]:
    return cell[0] * CELL_M, cell[1] * CELL_M


def _neighbours(cell: tuple[int, int]) -> list[tuple[int, int]]:
    x, y = cell
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
