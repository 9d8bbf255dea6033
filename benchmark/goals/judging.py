"""A trip without a robot, and whether it ended well."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from memory_nodes.geometry import Pose, Vector3
from memory_nodes.navigation.arrival import Presence, Sighted
from memory_nodes.navigation.candidates import Candidate, CandidatesConfig, Sight, choose
from memory_nodes.navigation.outcomes import Cause, Ending
from memory_nodes.navigation.preflight import Planner, Preflight, PreflightConfig
from memory_nodes.navigation.safety import Rules
from memory_nodes.navigation.standoff import floor_distance_m
from memory_nodes.navigation.visit import visit

NEAR_M = 2.0


class Floor(Protocol):
    """What is true of a place."""

    def is_free(self, x_m: float, y_m: float) -> bool:
        """Whether the robot may stand there."""
        ...

    def is_sight_free(self, from_m: Sequence[float], to_m: Sequence[float]) -> bool:
        """Whether a thing can be seen from a place on the floor."""
        ...


class PaperTrip:
    """A navigation.visit.Trip that arrives wherever preflight lets it go; it keeps the goals."""

    def __init__(self, planner: Planner, rules: Rules) -> None:
        self._preflight = Preflight(planner, PreflightConfig())
        self._rules = rules
        self.goals: list[Pose] = []

    async def check(self, candidate: Candidate) -> Candidate | Ending:
        checked = await self._preflight.checked(candidate, self._rules)
        return Ending.of(checked) if isinstance(checked, Cause) else checked

    async def drive(self, candidate: Candidate, number: int) -> Ending:
        self.goals.append(candidate.map_from_goal)
        return Ending.of(Cause.ARRIVED)

    async def look(self, candidate: Candidate) -> Sighted:
        return Sighted(Presence.UNSURE)


def goals_sent(sights: Sequence[Sight], planner: Planner, rules: Rules, now_ns: int) -> list[Pose]:
    """What is driven to for a memory, with the defaults of the goal node."""
    config = CandidatesConfig()
    trip = PaperTrip(planner, rules)
    candidates = choose(sights, rules, now_ns, config).candidates
    asyncio.run(visit(candidates, trip, config.max_candidates, verifies=False))
    return trip.goals


def fault_of(goals: Sequence[Pose], thing_map_m: Vector3, floor: Floor) -> str:
    """What is wrong with where the robot ends; empty where nothing is."""
    if not goals:
        return "no goal"
    end_m = goals[-1].position_m
    if not floor.is_free(end_m[0], end_m[1]):
        return "not free"
    if floor_distance_m(end_m, thing_map_m) > NEAR_M:
        return "too far"
    return "" if floor.is_sight_free(end_m, thing_map_m) else "hidden"
