"""Drives to what the memory knows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped
from rclpy.action import CancelResponse, GoalResponse
from rclpy.action.client import ActionClient
from rclpy.action.server import ServerGoalHandle
from rclpy.client import Client
from rclpy.task import Future
from robot_memory.action import NavigateToMemory
from robot_memory.msg import MemoryAnswer
from robot_memory.srv import QueryMemory
from std_msgs.msg import String

from memory_nodes.errors import RobotMemoryError, StoreMissing
from memory_nodes.navigation.candidates import Candidate, NavigationConfig, Outcome, choose
from memory_nodes.navigation.commands import is_stop, target_of
from memory_nodes.records import Keyframe
from memory_nodes.retrieval.ranking import best_views
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import keyframe_from_msg, pose_stamped
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.main import run
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.nav2_client import Drive, Nav2Client, Stop
from memory_nodes.store.reader import Reader

POLL_S = 0.1
TRY_NEXT = (Outcome.NAV_REJECTED, Outcome.NAV_ABORTED)
"""Another keyframe may be reachable; after any other outcome the drive is over."""


class GoalNode(MemoryNode):
    """Answer to goal to outcome. Nothing drives without an explicit goal or command."""

    def __init__(self, **options: object) -> None:
        super().__init__("goal_node", **options)
        self.navigation = declare(self, NavigationConfig)

    def open(self) -> None:
        self.reader = Reader(self.suite.memory_path)
        self.snapshots = SnapshotCache(self.reader)

    def start(self) -> None:
        self._stops: dict[bytes, Stop] = {}
        self.nav2 = Nav2Client(self, self.navigation)
        self.health.gauges["nav2"] = lambda: {"nav2": self.nav2.state}
        self.on_stop(self.health.gauges.clear)
        self.query: Client[Any, Any] = self.create_client(
            QueryMemory, endpoints.QUERY, callback_group=self.side_by_side
        )
        self.on_stop(lambda: self.destroy_client(self.query))
        self.goal = self.announce(PoseStamped, endpoints.GOAL, endpoints.LATCHED)
        self.speech = self.announce(String, endpoints.SPEECH, endpoints.EVENT)
        self.act(
            NavigateToMemory,
            endpoints.NAVIGATE_TO_MEMORY,
            self._execute,
            goal_callback=self._on_goal,
            cancel_callback=self._on_cancel,
        )
        self.itself: ActionClient[Any, Any, Any] = ActionClient(
            self, NavigateToMemory, endpoints.NAVIGATE_TO_MEMORY, callback_group=self.side_by_side
        )
        self.on_stop(self.itself.destroy)
        self.listen(String, endpoints.COMMANDS, self._on_command, endpoints.EVENT)

    def close(self) -> None:
        self.reader.close()

    def _on_goal(self, goal: NavigateToMemory.Goal) -> GoalResponse:
        given = (bool(goal.query.strip()), bool(goal.object_id), goal.keyframe_id != 0)
        if sum(given) != 1:
            self.get_logger().warning("a goal needs exactly one of query, object_id, keyframe_id")
            return GoalResponse.REJECT
        return GoalResponse.ACCEPT

    def _on_cancel(self, handle: ServerGoalHandle[Any, Any, Any]) -> CancelResponse:
        stop = self._stops.get(bytes(handle.goal_id.uuid))
        if stop is not None:
            stop.ask(Outcome.CANCELED)
        return CancelResponse.ACCEPT

    async def _execute(self, handle: ServerGoalHandle[Any, Any, Any]) -> NavigateToMemory.Result:
        """One goal from words to wheels; a newer goal supersedes it."""
        for older in self._stops.values():
            older.ask(Outcome.SUPERSEDED)
        key, stop = bytes(handle.goal_id.uuid), Stop()
        self._stops[key] = stop
        if handle.is_cancel_requested:  # before there was anything to stop
            stop.ask(Outcome.CANCELED)
        result = NavigateToMemory.Result()
        try:
            drive = await self._go(handle, stop, result)
        except RobotMemoryError as error:
            drive = Drive(Outcome.NOT_FOUND, f"I cannot remember: {error}")
        except Exception as error:  # noqa: BLE001 rclpy would report outcome 0, that is ARRIVED
            self.survived(error)
            drive = Drive(Outcome.FAILED, f"I gave up: internal error {error!r}")
        finally:
            del self._stops[key]
        result.outcome, result.message = int(drive.outcome), drive.message
        if drive.reached is not None:
            result.reached = drive.reached
        self.counters[f"outcome_{drive.outcome.name.lower()}"] += 1
        _conclude(handle, drive.outcome)
        return result

    async def _go(
        self,
        handle: ServerGoalHandle[Any, Any, Any],
        stop: Stop,
        result: NavigateToMemory.Result,
    ) -> Drive:
        goal = handle.request
        _tell(handle, "recalling")
        recalled = await self._recall(goal, stop, result)
        if isinstance(recalled, Drive):
            return recalled
        _tell(handle, "checking")
        limit = goal.max_candidates or self.navigation.max_candidates
        choice = choose(recalled, self.suite.map_id, limit)
        if choice.refusal is not None:
            return Drive(choice.refusal, choice.message)
        drive = await self._try_each(handle, choice.candidates, stop)
        if drive.outcome is Outcome.ARRIVED and goal.verify_on_arrival:
            note = f"{drive.message} I have not looked whether it is still there."
            return Drive(drive.outcome, note, drive.reached)
        return drive

    async def _try_each(
        self, handle: ServerGoalHandle[Any, Any, Any], candidates: Sequence[Candidate], stop: Stop
    ) -> Drive:
        drive = Drive(Outcome.NO_VALID_GOAL, "There is nowhere to drive to.")
        for number, candidate in enumerate(candidates, start=1):
            if stop.reason is not None:
                return _called_off(stop.reason)
            pose = pose_stamped(
                candidate.map_from_goal, self.now_ns(), candidate.keyframe.map_frame
            )
            self.goal.publish(pose)
            self.get_logger().info(f"driving to keyframe {candidate.keyframe.keyframe_id}")
            drive = await self.nav2.drive(pose, stop, partial(_tell, handle, "driving", number))
            if drive.outcome not in TRY_NEXT:
                return drive
        return drive

    async def _recall(
        self, goal: NavigateToMemory.Goal, stop: Stop, result: NavigateToMemory.Result
    ) -> list[Keyframe] | Drive:
        """The keyframes to go to, best first, or why there is none."""
        if goal.query:
            return await self._ask(goal.query, stop, result)
        try:
            snapshot = await self.result_of(self.background.run(self.snapshots.current))
        except StoreMissing:
            return []
        if goal.keyframe_id:
            keyframe = snapshot.keyframes.get(goal.keyframe_id)
            return [keyframe] if keyframe is not None else []
        known = snapshot.objects_by_id.get(goal.object_id)
        return [hit.keyframe for hit in best_views(known, snapshot)] if known is not None else []

    async def _ask(
        self, question: str, stop: Stop, result: NavigateToMemory.Result
    ) -> list[Keyframe] | Drive:
        """Asks for this map first; what only another map holds is found too, and then refused."""
        for map_id in (self.suite.map_id, ""):
            answer = await self._query(question, map_id, stop)
            if isinstance(answer, Drive):
                return answer
            result.answer = answer
            if answer.found and answer.keyframes:
                return [keyframe_from_msg(hit.keyframe) for hit in answer.keyframes]
        return []

    async def _query(self, question: str, map_id: str, stop: Stop) -> MemoryAnswer | Drive:
        """By the query node, which may just be starting."""
        polls = round(self.navigation.recall_timeout_s / POLL_S)
        while not self.query.service_is_ready() and polls > 0 and stop.reason is None:
            await self.within(POLL_S, stop.asked)
            polls -= 1
        asking: Future[Any] = self.query.call_async(
            QueryMemory.Request(question=question, map_id=map_id)
        )
        if polls > 0:
            await self.within(self.navigation.recall_timeout_s, asking, stop.asked)
        if not asking.done():
            self.query.remove_pending_request(asking)
            if stop.reason is not None:
                return _called_off(stop.reason)
            return Drive(Outcome.TIMEOUT, "I cannot remember: the memory does not answer.")
        response: Any = asking.result()
        if not response.success:
            return Drive(Outcome.NOT_FOUND, f"I cannot remember: {response.message}")
        answer: MemoryAnswer = response.answer
        return answer

    def _on_command(self, message: String) -> None:
        """Takes the same way as a goal from outside; what comes of it is spoken."""
        if is_stop(message.data):
            for stop in self._stops.values():
                stop.ask(Outcome.CANCELED)
            self._say("I stop.")
            return
        target = target_of(message.data)
        if target is None:
            self._say("I did not understand where to go.")
            return
        sending = self.itself.send_goal_async(NavigateToMemory.Goal(query=target))
        sending.add_done_callback(self._on_own_goal)

    def _on_own_goal(self, sending: Future[Any]) -> None:
        handle = sending.result()
        if handle is None or not handle.accepted:
            self._say("I cannot go there.")
            return
        ending = handle.get_result_async()
        ending.add_done_callback(lambda done: self._say(done.result().result.message))

    def _say(self, text: str) -> None:
        self.speech.publish(String(data=text))


def _called_off(reason: Outcome) -> Drive:
    return Drive(reason, "The drive was called off.")


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
