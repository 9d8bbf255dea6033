"""A robot on its way to what it remembers: by Nav2, its camera and the model."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from geometry_msgs.msg import PoseStamped
from rclpy.publisher import Publisher
from robot_memory.msg import Observation
from robot_memory.srv import AddObservation

from memory_nodes.geometry import Pose
from memory_nodes.navigation.arrival import ArrivalConfig, Presence, Sighted
from memory_nodes.navigation.candidates import Candidate
from memory_nodes.navigation.outcomes import Cause, Ending
from memory_nodes.navigation.preflight import Preflight
from memory_nodes.navigation.safety import Rules
from memory_nodes.navigation.standoff import SIGHT_ANGLE_RAD, bearing_rad
from memory_nodes.ros.conversions import header, pose_stamped, pose_to_msg
from memory_nodes.ros.diary import Diary
from memory_nodes.ros.eye import Eye
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.nav2.client import Nav2Client
from memory_nodes.ros.nav2.stop import Stop
from memory_nodes.ros.whereabouts import Whereabouts

LAYER = "action"
"""Of what is written down about a look."""


@dataclass(frozen=True)
class Means:
    """What all trips of a node have in common."""

    nav2: Nav2Client
    preflight: Preflight
    eye: Eye
    arrival: ArrivalConfig
    goal: Publisher[PoseStamped]
    diary: Diary


class NavTrip:
    """A navigation.visit.Trip.

    Args:
        rules: of now; they may change under way.
        tell: takes the phase, the number of the drive and the distance that remains, metres.
    """

    def __init__(
        self,
        node: MemoryNode,
        means: Means,
        rules: Callable[[], Rules],
        whereabouts: Whereabouts,
        stop: Stop,
        tell: Callable[[str, int, float], None],
    ) -> None:
        self._node = node
        self._means = means
        self._rules = rules
        self._whereabouts = whereabouts
        self._stop = stop
        self._tell = tell
        self._number = 0

    async def check(self, candidate: Candidate) -> Candidate | Ending:
        if self._stop.reason is not None:
            return self._stop.ending()
        self._tell("checking", self._number + 1, 0.0)
        checked = await self._means.preflight.checked(candidate, self._rules())
        return Ending.of(checked) if isinstance(checked, Cause) else checked

    async def drive(self, candidate: Candidate, number: int) -> Ending:
        self._number = number
        refusal = self._rules().refusal_of(candidate.keyframe, self._node.now_ns())
        if refusal is not None:
            return Ending.of(refusal)
        self._node.get_logger().info(f"driving to keyframe {candidate.keyframe.keyframe_id}")
        return await self._drive(candidate, candidate.map_from_goal)

    async def look(self, candidate: Candidate) -> Sighted | Ending:
        self._tell("looking", self._number, 0.0)
        if candidate.target is None:
            return Sighted(Presence.UNSURE, "I was not told what to look for")
        over = await self._face(candidate)
        if over is not None:
            return over
        base = self._base(candidate)  # while the model looks, the robot may go on
        seen = await self._means.eye.look(candidate.target.looks, self._stop)
        if self._stop.reason is not None:
            return self._stop.ending()
        if seen.presence is Presence.NO and abs(_turn_rad(candidate, base)) > SIGHT_ANGLE_RAD:
            seen = Sighted(Presence.UNSURE, "I could not turn to it")
        self._node.counters[f"looks_{seen.presence.value}"] += 1
        self._write_down(candidate, seen, base)
        return seen

    async def _drive(self, candidate: Candidate, map_from_goal: Pose) -> Ending:
        """To a pose on the map of a candidate; nothing is even published once it is to stop."""
        if self._stop.reason is not None:
            return self._stop.ending()
        rules = self._rules()
        if rules.map_id != candidate.keyframe.map_id:
            return Ending.of(Cause.OTHER_MAP)  # the robot is on another map by now
        if rules.forbids(map_from_goal):
            return Ending.of(Cause.KEPT_OUT)
        pose = pose_stamped(map_from_goal, self._node.now_ns(), self._node.suite.map_frame)
        self._means.goal.publish(pose)
        if rules.dry_run:
            return Ending.of(Cause.DRY_RUN)
        return await self._means.nav2.drive(
            pose,
            self._stop,
            self._whereabouts,
            lambda left_m: self._tell("driving", self._number, left_m),
        )

    async def _face(self, candidate: Candidate) -> Ending | None:
        """Turns to the thing, on the spot, where its place is known; gives what ends the visit.

        A turn that navigation does not make is no end: the thing may show all the same.
        """
        base = self._base(candidate)
        turn_rad = _turn_rad(candidate, base)
        is_known = candidate.shown_position is not None
        if not is_known or abs(turn_rad) <= self._means.arrival.face_within_rad:
            return None
        x_m, y_m, _ = base.position_m
        ending = await self._drive(candidate, Pose.planar(x_m, y_m, base.yaw_rad + turn_rad))
        goes_on = ending.cause is Cause.ARRIVED or ending.cause.tries_next
        return None if goes_on else ending

    def _base(self, candidate: Candidate) -> Pose:
        """Where the robot has arrived, on the floor; the goal, where nobody else says."""
        here = self._whereabouts.now()
        return candidate.map_from_goal if here is None else here.map_from_base.on_floor()

    def _write_down(self, candidate: Candidate, seen: Sighted, base: Pose) -> None:
        """What came of a look becomes an observation, and speaks for or against the object."""
        if seen.presence is Presence.UNSURE or candidate.target is None:
            return
        suite, target = self._node.suite, candidate.target
        is_there = seen.presence is Presence.YES
        message = Observation(
            header=header(seen.stamp_ns, suite.map_frame),
            map_id=candidate.keyframe.map_id,
            layer=LAYER,
            text=f"went to {target.words} ({target.object_id}): it"
            f" {'is' if is_there else 'is not'} where I remember it",
            confidence=1.0,
            source=self._node.get_name(),
        )
        message.pose.pose = pose_to_msg(base)
        self._means.diary.write(
            AddObservation.Request(
                observation=message,
                object_id=target.object_id,
                keyframe_id=candidate.keyframe.keyframe_id,
                is_there=is_there,
            )
        )


def _turn_rad(candidate: Candidate, base: Pose) -> float:
    """From where the robot faces to the thing; to where memory faced, if nobody knows its place."""
    shown, yaw_rad = candidate.shown_position, candidate.map_from_goal.yaw_rad
    if shown is not None:
        yaw_rad = bearing_rad(base.position_m, shown.point_m)
    return math.remainder(yaw_rad - base.yaw_rad, math.tau)
