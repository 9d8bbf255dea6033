"""The map that SLAM makes: which one it is, and how it moves."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import PurePath
from typing import Any

from rcl_interfaces.srv import GetParameters
from rclpy.task import Future
from std_msgs.msg import String
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import Marker, MarkerArray

from memory_nodes.errors import InputError
from memory_nodes.mapping.config import MappingConfig
from memory_nodes.mapping.identity import MapIdentity
from memory_nodes.mapping.jumps import Jump, Jumps
from memory_nodes.mapping.pose_graph import PoseGraph
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import pose_from_transform, time_from_msg
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.store.map_corrections import MapCorrection
from memory_nodes.store.writer import Writer
from memory_nodes.suite import SuiteConfig

LOOK_PERIOD_S = 1.0
NOWHERE_M = 1e6
"""How far off a pose may be that was recorded on another map than was thought."""
_MAP_FILE = "map_file_name"


def map_identity(writer: Writer, suite: SuiteConfig) -> MapIdentity:
    """By what a memory knows of its maps."""
    known = writer.pose_graphs(suite.map_frame)
    return MapIdentity(suite.map_id, known, writer.map_ids())


class MapFollower:
    """Says on which map the robot is, and has poses follow it. To be made while its node starts.

    Args:
        write: takes work for the thread that writes, and announces the memory's new state.
        written: the same, and gives the result.
    """

    def __init__(
        self,
        node: MemoryNode,
        config: MappingConfig,
        writer: Writer,
        identity: MapIdentity,
        write: Callable[[Callable[[], Any]], None],
        written: Callable[[Callable[[], MapCorrection]], Awaitable[MapCorrection]],
    ) -> None:
        self._node, self._config, self._writer = node, config, writer
        self._identity = identity
        self._write, self._written = write, written
        self.jumps = Jumps()
        self._unexplained: list[tuple[float, Jump]] = []
        self._told_ns: int | None = None
        """The stamp of the newest graph."""
        self._current = node.announce(String, endpoints.CURRENT_MAP, endpoints.LATCHED)
        self._announced: str | None = None
        self._is_slam_there = False
        self._silent_since_s: float | None = None
        """Since when SLAM is there and has told of no graph."""
        node.every(LOOK_PERIOD_S, self._look_for_slam)
        node.serve(Trigger, endpoints.UNDO_MAP_CORRECTION, self._undo)
        node.listen(TFMessage, "/tf", self._on_transforms, endpoints.TRANSFORMS)
        node.every(LOOK_PERIOD_S, self._give_up_jumps)
        self._names: Any = None
        self._asking: Future[Any] | None = None
        if config.graph_topic:
            node.listen(MarkerArray, config.graph_topic, self._on_markers, endpoints.EVENT)
        if config.slam_node:
            self._names = node.create_client(GetParameters, f"{config.slam_node}/get_parameters")
            node.on_stop(lambda: node.destroy_client(self._names))

    # the pose graph

    def _look_for_slam(self) -> None:
        """SLAM that has come, or come again, may be on any map until it tells of its graph."""
        topic = self._config.graph_topic
        was_there = self._is_slam_there
        self._is_slam_there = bool(topic) and self._node.count_publishers(topic) > 0
        if not self._is_slam_there:
            self._silent_since_s = None
        elif not was_there:
            self._silent_since_s = time.monotonic()
        self._announce()

    def _on_markers(self, message: MarkerArray) -> None:
        graph = _graph(message, self._node.suite.map_frame, self._node.now_ns())
        if not len(graph):
            return
        is_asked = self._asking is not None
        if self._identity.goes_on(graph) or is_asked or not self.may_ask():
            self._take(graph, "")
            return
        request = GetParameters.Request(names=[_MAP_FILE])
        self._asking = self._names.call_async(request)
        self._asking.add_done_callback(
            lambda done: self._node.in_executor(partial(self._on_name, graph, done))
        )

    def may_ask(self) -> bool:
        """Whether SLAM can be asked for the name of its map."""
        return self._names is not None and bool(self._names.service_is_ready())

    def _on_name(self, graph: PoseGraph, asked: Future[Any]) -> None:
        """The graph has waited for the name; a newer one has not, and then this one is old."""
        if self._asking is asked:
            self._take(graph, _name(asked.result()))

    def _take(self, graph: PoseGraph, name: str) -> None:
        if self._asking is not None and not self._asking.done():
            self._names.remove_pending_request(self._asking)
        self._asking = None
        suite, stamp_ns = self._node.suite, int(graph.made_ns[0])
        map_id = self._identity.heard(graph, name)
        if map_id != suite.map_id:
            self._change(map_id, stamp_ns)
        self._is_slam_there, self._silent_since_s = True, None
        self._announce()
        largest = self.jumps.largest
        has_jumped = largest is not None and largest.distance_m >= self._config.min_correction_m
        until_ns = largest.stamp_ns if largest is not None and has_jumped else stamp_ns
        self.jumps.forget()
        self._unexplained.clear()
        self._told_ns = stamp_ns
        self._write(partial(self._follow, map_id, suite.map_frame, graph, until_ns))

    def _follow(self, map_id: str, map_frame: str, graph: PoseGraph, until_ns: int) -> None:
        """In the disk thread."""
        least_m = self._config.min_correction_m
        correction = self._writer.follow_map(map_id, map_frame, graph, until_ns, least_m)
        if correction is not None:
            self._node.in_executor(partial(self._tell, correction))

    def _change(self, map_id: str, stamp_ns: int) -> None:
        """What was recorded since the last word of the old map may be on the new one already."""
        suite = self._node.suite
        since_ns = self._told_ns if self._told_ns is not None else self.jumps.began_ns
        if since_ns is not None and since_ns < stamp_ns:
            self._stale(suite.map_id, (since_ns, stamp_ns), NOWHERE_M)
        self._node.change_map(map_id)

    def _announce(self) -> None:
        """What is new about the map; empty while SLAM, which knows it, is awaited."""
        since_s = self._silent_since_s
        is_awaited = (
            since_s is not None and time.monotonic() - since_s < self._config.graph_timeout_s
        )
        map_id = "" if is_awaited else self._node.suite.map_id
        if map_id != self._announced:
            self._announced = map_id
            self._current.publish(String(data=map_id))

    # jumps of the transform, where no pose graph explains them

    def _on_transforms(self, message: TFMessage) -> None:
        suite, odom_frame = self._node.suite, self._config.odom_frame
        for item in message.transforms:
            ends = (item.header.frame_id.lstrip("/"), item.child_frame_id.lstrip("/"))
            if ends not in ((suite.map_frame, odom_frame), (odom_frame, suite.base_frame)):
                continue
            pose = pose_from_transform(item.transform)
            if not pose.is_valid:
                continue
            if ends[0] == odom_frame:
                self.jumps.odom_from_base = pose
                continue
            jump = self.jumps.heard(time_from_msg(item.header.stamp), pose)
            if jump is not None and jump.distance_m > self._config.max_jump_m:
                self._unexplained.append((time.monotonic(), jump))

    def _give_up_jumps(self) -> None:
        while self._unexplained:
            since_s, jump = self._unexplained[0]
            if time.monotonic() - since_s < self._config.graph_timeout_s:
                return
            del self._unexplained[0]
            began_ns = self.jumps.began_ns
            if began_ns is not None and began_ns < jump.stamp_ns:
                span_ns = (began_ns, jump.stamp_ns)
                self._stale(self._node.suite.map_id, span_ns, jump.distance_m, whole_session=True)

    def _stale(
        self, map_id: str, span_ns: tuple[int, int], by_m: float, *, whole_session: bool = False
    ) -> None:
        map_frame = self._node.suite.map_frame

        def mark() -> None:
            correction = self._writer.mark_stale(
                map_id, map_frame, span_ns, by_m, whole_session=whole_session
            )
            self._node.in_executor(partial(self._tell, correction))

        self._write(mark)

    # what became of it

    async def _undo(self, request: Trigger.Request, response: Trigger.Response) -> None:
        """The newest correction of the map that the robot is on."""
        map_id = self._node.suite.map_id

        def undo() -> MapCorrection:
            done = [item for item in self._writer.map_corrections(map_id) if not item.is_undone]
            if not done:
                raise InputError(f"map {map_id!r} has no correction that could be undone")
            return self._writer.undo_map_correction(done[-1].correction_key)

        undone = await self._written(undo)
        response.message = f"undone: {_told(undone)}"

    def _tell(self, correction: MapCorrection) -> None:
        known = correction.stale_m is None
        self._node.counters["map_corrections" if known else "map_jumps"] += 1
        self._node.get_logger().info(_told(correction))


def _graph(message: MarkerArray, map_frame: str, now_ns: int) -> PoseGraph:
    """The spheres are vertices; edges are lines, and a first marker deletes all of before."""
    vertices = [
        marker
        for marker in message.markers
        if marker.action == Marker.ADD
        and marker.type == Marker.SPHERE
        and marker.header.frame_id.lstrip("/") in (map_frame, "")
    ]
    stamps_ns = [time_from_msg(marker.header.stamp) for marker in vertices]
    points_m = {marker.id: (marker.pose.position.x, marker.pose.position.y) for marker in vertices}
    newest_ns = max(stamps_ns, default=0)
    return PoseGraph.heard(points_m, newest_ns if newest_ns != 0 else now_ns)


def _name(response: Any) -> str:
    """The name of the file without folders and ending; empty where no map was loaded."""
    values = response.values if response is not None else []
    return PurePath(values[0].string_value).stem if values else ""


def _told(correction: MapCorrection) -> str:
    on_map = f"{correction.keyframes} keyframes on map {correction.map_id!r}"
    if correction.stale_m is None:
        return f"map correction {correction.correction_key}: {on_map} have followed the map"
    return (
        f"map correction {correction.correction_key}: {on_map} may be off by "
        f"{correction.stale_m:.2f} m"
    )
