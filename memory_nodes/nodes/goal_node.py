"""Drives to what the memory knows."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import uuid4

from geometry_msgs.msg import PoseStamped
from rclpy.action import CancelResponse, GoalResponse
from rclpy.action.client import ActionClient
from rclpy.action.server import ServerGoalHandle
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.task import Future
from robot_memory.action import NavigateToMemory
from std_msgs.msg import String
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID

from memory_nodes.errors import RobotMemoryError
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.navigation.arrival import ArrivalConfig
from memory_nodes.navigation.candidates import CandidatesConfig, choose
from memory_nodes.navigation.commands import is_stop, target_of
from memory_nodes.navigation.driving import DrivingConfig
from memory_nodes.navigation.outcomes import Cause, Ending, Outcome
from memory_nodes.navigation.preflight import Preflight, PreflightConfig
from memory_nodes.navigation.safety import Rules, SafetyConfig
from memory_nodes.navigation.visit import visit
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.ros import endpoints
from memory_nodes.ros.camera import CameraConfig
from memory_nodes.ros.chat import metered_chat
from memory_nodes.ros.conversions import pose_stamped
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.diary import Diary
from memory_nodes.ros.eye import Eye
from memory_nodes.ros.main import run
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.nav2.client import Nav2Client
from memory_nodes.ros.nav2.planner import Nav2Planner
from memory_nodes.ros.nav2.stop import Stop
from memory_nodes.ros.recalling import Recaller
from memory_nodes.ros.trip import Means, NavTrip
from memory_nodes.ros.whereabouts import Whereabouts
from memory_nodes.store.reader import Reader


class GoalNode(MemoryNode):
    """Answer to goal to outcome. Nothing drives without an explicit goal or command."""

    def __init__(self, **options: object) -> None:
        super().__init__("goal_node", **options)
        self.choosing = declare(self, CandidatesConfig)
        self.safety = declare(self, SafetyConfig)
        self.checking = declare(self, PreflightConfig)
        self.driving = declare(self, DrivingConfig)
        self.arrival = declare(self, ArrivalConfig)
        self.camera = declare(self, CameraConfig)
        self.endpoint = declare(self, EndpointConfig)
        self._stops: dict[bytes, Stop] = {}
        """Of the goals that were accepted."""
        self._spoken: dict[bytes, Stop] = {}
        """Of those that are on their way from a command to here."""

    def open(self) -> None:
        self.model = metered_chat(self.health, lambda: self.endpoint)
        self.reader = Reader(self.suite.memory_path)
        self.on_close(self.reader.close)
        self.snapshots = SnapshotCache(self.reader)

    def start(self) -> None:
        self.recaller = Recaller(self, self.snapshots, self.driving.recall_timeout_s)
        self.speech = self.announce(String, endpoints.SPEECH, endpoints.EVENT)
        self.means = Means(
            nav2=Nav2Client(self, self.driving),
            preflight=Preflight(Nav2Planner(self, self.checking), self.checking),
            eye=Eye(self, self.camera, self.arrival, self.model),
            arrival=self.arrival,
            goal=self.announce(PoseStamped, endpoints.GOAL, endpoints.LATCHED),
            diary=Diary(self),
        )
        self.health.gauges["nav2"] = lambda: {"nav2": self.means.nav2.state}
        self.on_stop(lambda: self.health.gauges.pop("nav2"))
        self.act(
            NavigateToMemory,
            endpoints.NAVIGATE_TO_MEMORY,
            self._execute,
            goal_callback=self._on_goal,
            handle_accepted_callback=self._on_accepted,
            cancel_callback=self._on_cancel,
        )
        self.serve(Trigger, endpoints.STOP, self._emergency_stop)
        self.itself: ActionClient[Any, Any, Any] = ActionClient(
            self, NavigateToMemory, endpoints.NAVIGATE_TO_MEMORY, callback_group=self.side_by_side
        )
        self.on_stop(self.itself.destroy)
        self.listen(String, endpoints.COMMANDS, self._on_command, endpoints.EVENT)
        self.on_stop(lambda: self._stop_all(Cause.CANCELED))

    def on_map(self) -> None:
        """A pose of the old map means nothing in the new one."""
        self._stop_all(Cause.MAP_CHANGED)

    def on_map_unknown(self) -> None:
        self._stop_all(Cause.MAP_CHANGED)

    def _rules(self) -> Rules:
        """What may be driven to right now."""
        return Rules.of(self.safety, self.suite.map_id, self.suite.map_frame)

    # goals

    def _on_goal(self, goal: NavigateToMemory.Goal) -> GoalResponse:
        given = (bool(goal.query.strip()), bool(goal.object_id), goal.keyframe_id != 0)
        if sum(given) != 1:
            self.get_logger().warning("a goal needs exactly one of query, object_id, keyframe_id")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _on_accepted(self, handle: ServerGoalHandle[Any, Any, Any]) -> None:
        """From here on it can be stopped; it supersedes what was accepted before."""
        for older in self._stops.values():
            older.ask(Cause.REPLACED)
        key = bytes(handle.goal_id.uuid)
        stop = self._spoken.pop(key) if key in self._spoken else Stop()
        self._stops[key] = stop
        handle.execute()

    def _on_cancel(self, handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
        stop = self._stops.get(bytes(handle.goal_id.uuid))
        if stop is not None:
            stop.ask(Cause.CANCELED)
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle[Any, Any, Any]) -> NavigateToMemory.Result:
        """One goal from words to wheels."""
        key = bytes(handle.goal_id.uuid)
        stop = self._stops[key]
        result = NavigateToMemory.Result()
        try:
            ending = await self._go(handle, stop, result)
        except RobotMemoryError as error:
            ending = Ending.of(Cause.NOT_REMEMBERED, str(error))
        except rclpy_implementation.InvalidHandle:  # the node was deactivated under way
            ending = Ending.of(Cause.CANCELED)
        except Exception as error:  # noqa: BLE001 rclpy would report outcome 0, that is ARRIVED
            self.survived(error)
            ending = Ending.of(Cause.ERROR, repr(error))
        finally:
            del self._stops[key]
        result.outcome, result.cause = int(ending.outcome), ending.cause.word
        result.message = ending.message
        if ending.reached is not None:
            at = ending.reached
            result.reached = pose_stamped(at.map_from_base, at.stamp_ns, at.map_frame)
        self.counters[f"outcome_{ending.outcome.name.lower()}"] += 1
        _conclude(handle, ending.outcome)
        return result

    async def _go(
        self,
        handle: ServerGoalHandle[Any, Any, Any],
        stop: Stop,
        result: NavigateToMemory.Result,
    ) -> Ending:
        goal, rules, tell = handle.request, self._rules(), partial(_tell, handle)
        if not self.knows_map:
            return Ending.of(Cause.MAP_UNKNOWN)
        tell("recalling")
        recalled = await self.recaller.recall(goal, rules.map_id, stop)
        if isinstance(recalled, Ending):
            return recalled
        if recalled.answer is not None:
            result.answer = recalled.answer
        choice = choose(recalled.sights, rules, self.now_ns(), self.choosing)
        if choice.refusal is not None:
            return Ending.of(choice.refusal)
        max_drives = goal.max_candidates or self.choosing.max_candidates
        whereabouts = Whereabouts(self, self.driving.lost_after_s)
        try:
            trip = NavTrip(self, self.means, self._rules, whereabouts, stop, tell)
            verifies = bool(goal.verify_on_arrival)
            return await visit(choice.candidates, trip, max_drives, verifies=verifies)
        finally:
            whereabouts.close()

    def _stop_all(self, reason: Cause) -> int:
        for stop in (*self._stops.values(), *self._spoken.values()):
            stop.ask(reason)
        return len(self._stops)

    async def _emergency_stop(self, request: Trigger.Request, response: Trigger.Response) -> None:
        """Takes back all goals of navigation, whoever sent them."""
        count = self._stop_all(Cause.STOPPED)
        self.counters["emergency_stops"] += 1
        is_stopped = await self.means.nav2.stop_all()
        response.success = is_stopped is not False
        response.message = (
            f"{count} goals called off; "
            + {
                True: "navigation stops",
                False: "navigation has not confirmed that the robot stops",
                None: "navigation is not running",
            }[is_stopped]
        )

    # words

    def _on_command(self, message: String) -> None:
        """Takes the same way as a goal from outside; what comes of it is spoken."""
        if is_stop(message.data):
            self._stop_all(Cause.CANCELED)
            self._say("I stop.")
            return
        target = target_of(message.data)
        if target is None:
            self._say("I did not understand where to go.")
            return
        goal = NavigateToMemory.Goal(query=target, verify_on_arrival=self.arrival.verify_spoken)
        goal_id = UUID(uuid=list(uuid4().bytes))
        key = bytes(goal_id.uuid)
        self._spoken[key] = Stop()  # a "stop" may come before the goal does
        sending = self.itself.send_goal_async(goal, goal_uuid=goal_id)
        sending.add_done_callback(partial(self._on_own_goal, key))

    def _on_own_goal(self, key: bytes, sending: Future[Any]) -> None:
        self._spoken.pop(key, None)  # where it was not accepted
        handle = sending.result()
        if handle is None or not handle.accepted:
            self._say("I cannot go there.")
            return
        ending = handle.get_result_async()
        ending.add_done_callback(lambda done: self._say(done.result().result.message))

    def _say(self, text: str) -> None:
        self.speech.publish(String(data=text))


def _tell(
    handle: ServerGoalHandle[Any, Any, Any], phase: str, candidate: int = 0, left_m: float = 0.0
) -> None:
    if handle.is_active:
        handle.publish_feedback(
            NavigateToMemory.Feedback(phase=phase, distance_remaining_m=left_m, candidate=candidate)
        )


def _conclude(handle: ServerGoalHandle[Any, Any, Any], outcome: Outcome) -> None:
    if outcome in (Outcome.ARRIVED, Outcome.VERIFIED):
        handle.succeed()
    elif outcome is Outcome.CANCELED and handle.is_cancel_requested:
        handle.canceled()
    else:
        handle.abort()


def main() -> int:
    return run(GoalNode)
