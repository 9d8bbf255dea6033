"""Camera in, chunk detections out."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from rclpy.clock import JumpThreshold, TimeJump
from rclpy.duration import Duration
from robot_memory.msg import ChunkGraph as ChunkGraphMsg
from robot_memory.msg import StoreUpdate
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from memory_nodes.errors import (
    ConfigurationError,
    EncodingUnsupported,
    ImageError,
    ModelUnavailable,
    RobotMemoryError,
    StoreMissing,
    TransformNotYet,
)
from memory_nodes.geometry import Intrinsics, Pose
from memory_nodes.models.openai_endpoint import EndpointConfig, chat_for
from memory_nodes.parameters import parameter
from memory_nodes.perception.detector import ChunkDetector, DetectorConfig
from memory_nodes.perception.disk_space import DiskGuard
from memory_nodes.perception.intake import Intake
from memory_nodes.perception.posed_image import PosedImage
from memory_nodes.perception.recorder import Recorder, RecorderConfig
from memory_nodes.perception.spool import Spool
from memory_nodes.perception.waiting import WaitingRoom
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import graph_to_msg, time_from_msg
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.images import depth_from_msg, image_from_msg, intrinsics_from_msg
from memory_nodes.ros.main import run
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.pose_source import pose_source
from memory_nodes.store.reader import Reader

AnyImage: TypeAlias = Image | CompressedImage

SETTLE_PERIOD_S = 0.02
TICK_PERIOD_S = 0.1
DELIVER_PERIOD_S = 0.1
IDLE_S = 0.1
MAX_WAITING = 100
MAX_UNRECORDED = 50


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


@dataclass(frozen=True)
class _Posed:
    """An image message with all that belongs to its stamp."""

    message: AnyImage
    map_from_base: Pose
    map_from_camera: Pose
    intrinsics: Intrinsics | None
    depth: Image | None


class DetectorNode(MemoryNode):
    """Keyframes with the pose at their stamp, in chunks, through the vision-language model."""

    def __init__(self, **options: object) -> None:
        super().__init__("detector_node", **options)
        self.camera = declare(self, CameraConfig)
        self.recording = declare(self, RecorderConfig)
        self.detection = declare(self, DetectorConfig)
        self.endpoint = declare(self, EndpointConfig)

    def open(self) -> None:
        model = chat_for(self.endpoint)
        if model is None:
            raise ConfigurationError("base_url is empty: the detector needs a vision model")
        memory_path = self.suite.memory_path
        self.reader = Reader(memory_path)
        self.spool = Spool(memory_path)
        try:
            self._skip_what_is_stored()
            recorder = Recorder(memory_path, self.suite.map_id, self.spool, self.recording)
        except RobotMemoryError:
            self.spool.close()
            raise
        self.intake = Intake(
            recorder,
            self.spool,
            self.recording,
            self.detection,
            DiskGuard(memory_path, self.recording.min_free_mb),
            self.counters,
            self.trouble,
        )
        self.detector = ChunkDetector(
            model, memory_path, self.detection, self.endpoint.call_timeout_s
        )
        self.disk = ThreadPoolExecutor(1, "recorder")
        self.health.gauges = lambda: vars(self.spool.state())

    def start(self) -> None:
        self._intrinsics: Intrinsics | None = None
        self._depths: dict[int, Image] = {}
        self._unrecorded = 0
        self._on_disk(lambda: self.intake.start(time.monotonic()))
        self.on_stop(lambda: self._on_disk(lambda: self.intake.flush(time.monotonic())))
        self._sent = (0, 0.0)
        self.waiting: WaitingRoom[AnyImage, _Posed] = WaitingRoom(
            self._gather, self.camera.pose_timeout_s, MAX_WAITING, self.counters
        )
        self.poses = pose_source(self)
        self.on_stop(self.poses.close)
        self.detections = self.announce(ChunkGraphMsg, endpoints.CHUNK_DETECTIONS, endpoints.EVENT)
        kind = CompressedImage if self.camera.image_transport == "compressed" else Image
        self.listen(kind, endpoints.IMAGE, self._on_image, endpoints.SENSOR)
        self.listen(CameraInfo, endpoints.CAMERA_INFO, self._on_camera_info, endpoints.SENSOR)
        if self.camera.use_depth:
            self.listen(Image, endpoints.DEPTH, self._on_depth, endpoints.SENSOR)
        self.listen(StoreUpdate, endpoints.STORE_UPDATES, self._on_stored, endpoints.LATCHED)
        self.every(SETTLE_PERIOD_S, self._settle)
        self.every(TICK_PERIOD_S, self._tick)
        self.every(DELIVER_PERIOD_S, self._deliver)
        self.on_stop(self._watch_clock())
        self.repeat(self._detect_next)

    def close(self) -> None:
        self.health.gauges = dict
        self.disk.shutdown()
        self.spool.close()
        self.reader.close()

    # images, until they are on disk

    def _on_image(self, message: AnyImage) -> None:
        self.counters["images"] += 1
        self.waiting.enter(message, time.monotonic())

    def _on_camera_info(self, message: CameraInfo) -> None:
        self._intrinsics = intrinsics_from_msg(message)

    def _on_depth(self, message: Image) -> None:
        self._depths[time_from_msg(message.header.stamp)] = message
        while len(self._depths) > MAX_WAITING:
            del self._depths[next(iter(self._depths))]

    def _gather(self, message: AnyImage, is_last_call: bool) -> _Posed:
        """All that belongs to an image; depth and calibration are done without at the end."""
        stamp_ns = time_from_msg(message.header.stamp)
        suite, camera_frame = self.suite, message.header.frame_id.lstrip("/")
        map_from_base = self.poses.lookup(suite.map_frame, suite.base_frame, stamp_ns)
        map_from_camera = self.poses.lookup(suite.map_frame, camera_frame, stamp_ns)
        depth = self._depth_at(stamp_ns, is_last_call)
        is_whole = self._intrinsics is not None and (depth is not None or not self.camera.use_depth)
        if not is_whole and not is_last_call:
            raise TransformNotYet("its camera_info or depth has not come yet")
        return _Posed(message, map_from_base, map_from_camera, self._intrinsics, depth)

    def _depth_at(self, stamp_ns: int, is_last_call: bool) -> Image | None:
        """The depth of the same stamp; the nearest one as soon as that will not come any more."""
        if stamp_ns in self._depths:
            return self._depths[stamp_ns]
        may_come = max(self._depths, default=stamp_ns) <= stamp_ns
        if may_come and not is_last_call:
            return None
        nearest = min(self._depths, key=lambda other: abs(other - stamp_ns), default=None)
        if nearest is None or abs(nearest - stamp_ns) > self.camera.depth_slop_s * 1e9:
            return None
        return self._depths[nearest]

    def _settle(self) -> None:
        """Hands images whose pose is known to the disk thread."""
        for posed in self.waiting.leave(time.monotonic()):
            if self._unrecorded >= MAX_UNRECORDED:
                self.counters["dropped_disk_too_slow"] += 1
                continue
            self._unrecorded += 1
            self._on_disk(partial(self._record, posed), self._recorded)

    def _tick(self) -> None:
        self._on_disk(lambda: self.intake.tick(time.monotonic()))

    def _record(self, posed: _Posed) -> None:
        """In the disk thread: one image becomes a keyframe, if it is wanted."""
        stamp_ns = time_from_msg(posed.message.header.stamp)
        read = partial(self._read, posed, stamp_ns)
        self.intake.take(stamp_ns, posed.map_from_base, read, time.monotonic())

    def _read(self, posed: _Posed, stamp_ns: int) -> PosedImage:
        image, encoded = image_from_msg(posed.message)
        depth_m = depth_from_msg(posed.depth) if posed.depth is not None else None
        self.trouble(None, "images")
        return PosedImage(
            stamp_ns=stamp_ns,
            image=image,
            encoded=encoded,
            map_frame=self.suite.map_frame,
            map_from_base=posed.map_from_base,
            map_from_camera=posed.map_from_camera,
            intrinsics=posed.intrinsics,
            depth_m=depth_m,
        )

    def _recorded(self) -> None:
        self._unrecorded -= 1

    def _on_disk(self, work: Callable[[], None], then: Callable[[], None] = lambda: None) -> None:
        """Work for the disk thread, in order; what it raises is logged and counted."""

        def finish() -> None:
            then()
            error = job.exception()
            if error is not None:
                raise error

        def attempt() -> None:
            try:
                work()
            except ImageError as error:
                self._refused(error)
                raise

        job = self.disk.submit(attempt)
        job.add_done_callback(lambda _: self.in_executor(finish))

    def _refused(self, error: ImageError) -> None:
        is_kind = isinstance(error, EncodingUnsupported)
        self.counters["dropped_encoding_unsupported" if is_kind else "dropped_image_unusable"] += 1
        self.trouble(str(error), "images", is_error=is_kind)

    # chunks, until they are stored

    async def _detect_next(self) -> float:
        """In the background: looks at the oldest chunk; gives the time to wait before the next."""
        chunk = self.spool.next_undetected()
        if chunk is None:
            return IDLE_S
        try:
            graph = await self.detector.detect(chunk, self.spool.depth_pngs(chunk))
        except ModelUnavailable as error:
            self.trouble(f"recording goes on, but the vision model is away: {error}", "model")
            self.spool.put_back(chunk.chunk_id)
            self.counters["model_unavailable"] += 1
            return self.detection.retry_s
        self.trouble(None, "model")
        self.spool.store_detections(graph)
        self.counters["chunks_detected"] += 1
        return 0.0

    def _deliver(self) -> None:
        """Sends the oldest chunk, again and again until it is stored."""
        chunk_id = self.spool.next_undelivered_id()
        sent_id, sent_s = self._sent
        now_s = time.monotonic()
        if chunk_id is None or (chunk_id == sent_id and now_s - sent_s < self.detection.resend_s):
            return
        self.detections.publish(graph_to_msg(self.spool.detections(chunk_id)))
        self._sent = (chunk_id, now_s)

    def _on_stored(self, update: StoreUpdate) -> None:
        self._on_disk(self._forget_stored, self._deliver)

    def _forget_stored(self) -> None:
        """In the disk thread. The memory itself is asked: the word may be of another robot's."""
        try:
            self.spool.remove_stored(self.reader.counts().last_chunk_id)
        except StoreMissing:
            return

    def _skip_what_is_stored(self) -> None:
        """A crash may have come between the store's commit and the spool's; ids go on."""
        try:
            counts, latest = self.reader.counts(), self.reader.latest_keyframe()
        except StoreMissing:
            return
        self.spool.start_after(latest.keyframe_id if latest else 0, counts.last_chunk_id)
        self.spool.remove_stored(counts.last_chunk_id)

    def _watch_clock(self) -> Callable[[], None]:
        """Forgets transforms and waiting images when time jumps back, as a bag that loops does."""

        def jumped(jump: TimeJump) -> None:
            self.get_logger().warning("time has jumped back: transforms are forgotten")
            self.poses.clear()
            self.waiting.clear()
            self._depths.clear()

        threshold = JumpThreshold(min_forward=None, min_backward=Duration(nanoseconds=-1))
        handle = self.get_clock().create_jump_callback(threshold, post_callback=jumped)
        return handle.unregister


def main() -> int:
    return run(DetectorNode)
