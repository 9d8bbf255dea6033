"""The memory for RViz: objects, relations, gists, trail, and the image of the last answer."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

from action_msgs.msg import GoalStatus, GoalStatusArray
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from PIL.Image import Image as Picture
from rclpy.qos import qos_profile_action_status_default
from robot_memory.msg import MemoryAnswer, StoreUpdate
from sensor_msgs.msg import Image
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from memory_nodes.drawing.answer_picture import answer_picture
from memory_nodes.drawing.scene import SceneConfig
from memory_nodes.errors import StoreMissing
from memory_nodes.records import NS_PER_S, ObjectDescriptor, RetrievedKeyframe
from memory_nodes.retrieval.ranking import best_views
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.ros import endpoints
from memory_nodes.ros.active_node import wake
from memory_nodes.ros.clicked_point import ClickedPoint
from memory_nodes.ros.conversions import header, retrieved_from_msg
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.images import raw_msg
from memory_nodes.ros.main import run
from memory_nodes.ros.markers.board import MarkerBoard
from memory_nodes.ros.markers.layers import Highlights, Note, scene
from memory_nodes.ros.markers.trail import trail
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.object_actions import ObjectActions
from memory_nodes.ros.object_menu import ObjectMenu, server_module
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader

IDLE_REDRAW_S = 60.0
"""Without any change: what becomes stale meanwhile is dimmed."""
UNDER_WAY = (
    GoalStatus.STATUS_ACCEPTED,
    GoalStatus.STATUS_EXECUTING,
    GoalStatus.STATUS_CANCELING,
)


class MarkerNode(MemoryNode):
    """Redraws when the memory or what is of interest has changed, at a bounded rate."""

    def __init__(self, **options: object) -> None:
        super().__init__("marker_node", **options)
        self.showing = declare(self, SceneConfig)

    def open(self) -> None:
        self.reader = Reader(self.suite.memory_path)
        self.on_close(self.reader.close)
        self.past = Past(self.suite.memory_path)
        self.on_close(self.past.close)
        self.snapshots = SnapshotCache(self.reader)
        self.drawing = ThreadPoolExecutor(1, "drawing")
        self.on_close(self.drawing.shutdown)

    def use_parameters(self) -> None:
        if self.is_started:
            self._change()

    def start(self) -> None:
        self._is_changed = False
        self._work: Future[None] | None = None
        self._board = MarkerBoard()
        self._highlights = Highlights()
        self._goal: PoseStamped | None = None
        self._is_driving: bool | None = None
        self._objects: dict[str, ObjectDescriptor] = {}
        self.markers = self.announce(MarkerArray, endpoints.MARKERS, endpoints.LATCHED)
        self.trail = self.announce(Path, endpoints.TRAIL, endpoints.LATCHED)
        self.retrieved = self.announce(Image, endpoints.RETRIEVED_IMAGE, endpoints.LATCHED)
        self._menu = self._object_menu()
        ClickedPoint(self, self.showing, lambda note: self._highlight(note=note))
        self.listen(StoreUpdate, endpoints.STORE_UPDATES, self._on_stored, endpoints.LATCHED)
        self.listen(MemoryAnswer, endpoints.ANSWERS, self._on_answer, endpoints.EVENT)
        self.listen(PoseStamped, endpoints.GOAL, self._on_goal, endpoints.LATCHED)
        self.listen(
            GoalStatusArray,
            f"{endpoints.NAVIGATE_TO_MEMORY}/_action/status",
            self._on_goal_status,
            qos_profile_action_status_default,
        )
        self._redrawing = self.on_demand(self.showing.redraw_period_s, self._redraw)
        self.every(IDLE_REDRAW_S, self._change)
        self._change()

    def _object_menu(self) -> ObjectMenu | None:
        if not self.showing.interactive_markers:
            return None
        module = server_module()
        if module is None:
            self.get_logger().info("interactive_markers is not installed: objects have no menus")
            return None
        actions = ObjectActions(self, self._tell_at, self._show_evidence)
        return ObjectMenu(self, module, actions.do)

    # what is of interest

    def _highlight(self, **changed: object) -> None:
        self._highlights = replace(self._highlights, **changed)  # type: ignore[arg-type]
        self._change()

    def _change(self) -> None:
        self._is_changed = True
        wake(self._redrawing)

    def _tell_at(self, object_id: str, text: str) -> None:
        known = self._objects.get(object_id)
        if known is not None and known.position is not None:
            self._highlight(note=Note(f"{object_id}: {text}", known.position.point_m))

    def _on_stored(self, update: StoreUpdate) -> None:
        self._change()

    def _on_goal(self, goal: PoseStamped) -> None:
        self._goal = goal
        self._show_goal()

    def _on_goal_status(self, message: GoalStatusArray) -> None:
        self._is_driving = any(item.status in UNDER_WAY for item in message.status_list)
        self._show_goal()

    def _show_goal(self) -> None:
        """As long as the robot drives there; until the first word of that, in any case."""
        self._highlight(goal=None if self._is_driving is False else self._goal)

    def _on_answer(self, answer: MemoryAnswer) -> None:
        """Highlights what it is about, and shows the best keyframe whose image is still kept."""
        hits = [retrieved_from_msg(item) for item in answer.keyframes]
        self._highlight(
            hit_ids=tuple(item.object_id for item in answer.objects),
            hit_keyframes=tuple(hit.keyframe for hit in hits),
        )
        best = next((hit for hit in hits if hit.keyframe.image_path), None)
        if best is not None:
            self._show_picture(best)

    # pictures

    def _show_evidence(self, object_id: str) -> None:
        job = self.drawing.submit(self._evidence_of, object_id)

        def found(done: Future[RetrievedKeyframe | None]) -> None:
            best = done.result()
            if best is None:
                self._tell_at(object_id, "no picture of it is kept")
            else:
                self._show_picture(best)

        job.add_done_callback(lambda done: self.in_executor(lambda: found(done)))

    def _evidence_of(self, object_id: str) -> RetrievedKeyframe | None:
        """In the drawing thread: the best view whose image is still kept."""
        snapshot = self.snapshots.current()
        known = snapshot.objects_by_id.get(object_id)
        views = best_views(known, snapshot) if known is not None else []
        return next((hit for hit in views if hit.keyframe.image_path), None)

    def _show_picture(self, hit: RetrievedKeyframe) -> None:
        job = self.drawing.submit(answer_picture, self.suite.memory_path, hit)
        stamped = header(hit.keyframe.stamp_ns, hit.keyframe.map_frame)
        job.add_done_callback(lambda done: self.in_executor(lambda: self._show(done, stamped)))

    def _show(self, done: Future[Picture], stamped: Header) -> None:
        message = raw_msg(done.result())
        message.header = stamped
        self.retrieved.publish(message)

    # the scene

    def _redraw(self) -> bool:
        # Here, where the timer is sure to be alive: a change of the rate counts from now on.
        self._redrawing.timer_period_ns = round(self.showing.redraw_period_s * NS_PER_S)
        is_busy = self._work is not None and not self._work.done()
        if self._is_changed and not is_busy:
            self._is_changed = False
            self._work = self.drawing.submit(self._draw, self._highlights, self.now_ns())
            self._work.add_done_callback(lambda work: self.in_executor(work.result))
            return True  # the next drawing comes a period later, whenever it is asked for
        return self._is_changed

    def _draw(self, highlights: Highlights, now_ns: int) -> None:
        """In the drawing thread."""
        suite, showing = self.suite, self.showing
        try:
            snapshot = self.snapshots.current()
            gists = self.past.gists(suite.map_id, showing.max_gists)
        except StoreMissing:
            snapshot, gists = Snapshot((), (), {}), {}
        seen = scene(snapshot, gists, highlights, suite, showing, now_ns)
        markers = self._board.update(seen.drawn, suite.map_frame)
        path = trail(snapshot.keyframes, suite.map_id, suite.map_frame, showing.max_trail)
        self.in_executor(lambda: self._publish(markers, path, dict(seen.objects)))

    def _publish(
        self, markers: MarkerArray, path: Path, objects: dict[str, ObjectDescriptor]
    ) -> None:
        self._objects = objects
        self.markers.publish(markers)
        self.trail.publish(path)
        if self._menu is not None:
            self._menu.update(objects, self.suite.map_frame)


def main() -> int:
    return run(MarkerNode)
