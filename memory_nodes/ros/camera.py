"""Images with all that belongs to their stamp: poses, calibration, depth and certainty."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from geometry_msgs.msg import PoseWithCovarianceStamped
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from memory_nodes.parameters import parameter
from memory_nodes.perception.clocks import clock_problem
from memory_nodes.perception.gathering import Gatherer, PosedMessage
from memory_nodes.perception.localization import LocalizationConfig, is_localized
from memory_nodes.perception.messages import stamp_of
from memory_nodes.perception.rate import RateMeter
from memory_nodes.perception.waiting import WaitingRoom
from memory_nodes.ros import endpoints
from memory_nodes.ros.active_node import wake
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.pose_source import pose_source

AnyImage: TypeAlias = Image | CompressedImage

SETTLE_PERIOD_S = 0.02
LISTEN_PERIOD_S = 1.0
MAX_WAITING = 100


@dataclass(frozen=True)
class CameraConfig:
    """How images come in."""

    image_transport: str = parameter(
        "compressed", "type of the image topic", choices=("compressed", "raw")
    )
    use_depth: bool = parameter(False, "use the depth topic, which must be registered to the image")
    depth_slop_s: float = parameter(
        0.05, "largest difference of stamps of an image and its depth", unit="s", low=0.0
    )
    pose_timeout_s: float = parameter(
        2.0, "wall time an image waits for the transform of its stamp", unit="s", low=0.0
    )
    image_silence_s: float = parameter(
        10.0, "wall time without an image that is a warning; 0 = never", unit="s", low=0.0
    )


class Camera:
    """Listens to a camera, and hands its images on as soon as all that belongs to them is there.

    To be made while its node starts; it listens until the node stops.
    """

    def __init__(
        self,
        node: MemoryNode,
        config: CameraConfig,
        gate: LocalizationConfig,
        deliver: Callable[[PosedMessage], None],
        end_session: Callable[[], None],
    ) -> None:
        self._node = node
        self._config = config
        self._gate = gate
        self._deliver = deliver
        self._end_session = end_session
        self.poses = pose_source(node)
        node.on_stop(self.poses.close)
        self._gatherer = Gatherer(
            self.poses.lookup,
            node.suite.map_frame,
            node.suite.base_frame,
            use_depth=config.use_depth,
            depth_slop_s=config.depth_slop_s,
            is_localized=not gate.use_localization_gate,
        )
        self.waiting: WaitingRoom[AnyImage, PosedMessage] = WaitingRoom(
            self._gatherer.gather, config.pose_timeout_s, MAX_WAITING, node.counters
        )
        self._rate = RateMeter(time.monotonic())
        node.health.gauges["camera"] = self._figures
        node.on_stop(lambda: node.health.gauges.pop("camera"))
        is_compressed = config.image_transport == "compressed"
        self._kind: type[AnyImage] = CompressedImage if is_compressed else Image
        node.listen(self._kind, endpoints.IMAGE, self._on_image, endpoints.SENSOR)
        node.listen(
            CameraInfo, endpoints.CAMERA_INFO, self._gatherer.take_camera_info, endpoints.SENSOR
        )
        if config.use_depth:
            node.listen(Image, endpoints.DEPTH, self._gatherer.take_depth, endpoints.SENSOR)
        if gate.use_localization_gate:
            kind_of_pose = PoseWithCovarianceStamped
            node.listen(kind_of_pose, endpoints.LOCALIZATION, self._on_pose, endpoints.EVENT)
        self._settling = node.on_demand(SETTLE_PERIOD_S, self._settle)
        node.every(LISTEN_PERIOD_S, self._listen_for_silence)
        node.on_jump_back(self._jumped_back)

    @property
    def is_localized(self) -> bool:
        """Whether the robot knows where it is right now."""
        return self._gatherer.is_localized

    def _on_image(self, message: AnyImage) -> None:
        self._node.counters["images"] += 1
        self._rate.note(time.monotonic())
        is_simulated = bool(self._node.get_parameter("use_sim_time").value)
        stamp_ns = stamp_of(message)
        problem = clock_problem(stamp_ns, self._node.now_ns(), is_simulated)
        self._node.trouble(problem, "clock", is_error=True)
        if problem is not None:
            self._node.counters["dropped_wrong_clock"] += 1
            return
        self.waiting.enter(message, time.monotonic())
        wake(self._settling)

    def _figures(self) -> dict[str, object]:
        now_s = time.monotonic()
        return {
            "image_rate_hz": round(self._rate.rate_hz(now_s), 2),
            "image_age_s": round(self._rate.age_s(now_s), 2),
            "images_waiting": len(self.waiting),
        }

    def _listen_for_silence(self) -> None:
        silence_s = self._config.image_silence_s
        is_silent = 0.0 < silence_s < self._rate.age_s(time.monotonic())
        self._node.trouble(self._silence(silence_s) if is_silent else None, "camera")

    def _silence(self, silence_s: float) -> str:
        """Why no image comes; not every middleware says that types differ."""
        topic = self._node.resolve_topic_name(endpoints.IMAGE)
        publishers = self._node.get_publishers_info_by_topic(topic)
        others = {item.topic_type for item in publishers} - {
            f"sensor_msgs/msg/{self._kind.__name__}"
        }
        if not others:
            return f"no image on {topic} for {silence_s:.0f} s: is the camera on?"
        kinds = ", ".join(sorted(others))
        return f"no image on {topic} for {silence_s:.0f} s: it has {kinds}, see image_transport"

    def _on_pose(self, message: PoseWithCovarianceStamped) -> None:
        self._gatherer.is_localized = is_localized(message.pose.covariance, self._gate)

    def _settle(self) -> bool:
        for posed in self.waiting.leave(time.monotonic()):
            self._deliver(posed)
        return len(self.waiting) > 0

    def _jumped_back(self) -> None:
        """Forgets all that waits."""
        self._node.get_logger().warning("time has jumped back: transforms are forgotten")
        self.poses.clear()
        self.waiting.clear()
        self._gatherer.clear()
        self._end_session()
