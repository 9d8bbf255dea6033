"""Camera in, chunk detections out."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import BoundedSemaphore

from robot_memory.msg import ChunkGraph as ChunkGraphMsg
from robot_memory.msg import StoreUpdate

from memory_nodes.errors import (
    ChunkTooLarge,
    ConfigurationError,
    EncodingUnsupported,
    ExtraMissing,
    ImageError,
    ModelUnavailable,
    StoreMissing,
)
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.visual_embeddings import OpenClipEmbedder, VisualConfig
from memory_nodes.perception.detector import ChunkDetector, DetectorConfig
from memory_nodes.perception.disk_space import DiskGuard, disk_figures
from memory_nodes.perception.gathering import PosedMessage
from memory_nodes.perception.intake import Intake
from memory_nodes.perception.localization import LocalizationConfig
from memory_nodes.perception.posed_image import PosedImage
from memory_nodes.perception.recorder import Recorder, RecorderConfig
from memory_nodes.perception.spool import Spool
from memory_nodes.perception.view_embedding import (
    WITHOUT_VECTORS,
    ViewEmbedder,
    ViewEmbedderConfig,
)
from memory_nodes.records import ChunkGraph
from memory_nodes.ros import endpoints
from memory_nodes.ros.camera import Camera, CameraConfig
from memory_nodes.ros.chat import metered_chat
from memory_nodes.ros.conversions import graph_to_msg
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.main import run
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.store.reader import Reader

TICK_PERIOD_S = 1.0
MAX_RESEND_PERIOD_S = 1.0
IDLE_S = 0.5
MAX_UNRECORDED = 50


class DetectorNode(MemoryNode):
    """Keyframes with the pose at their stamp, in chunks, through the vision-language model."""

    def __init__(self, **options: object) -> None:
        super().__init__("detector_node", **options)
        self.camera = declare(self, CameraConfig)
        self.gate = declare(self, LocalizationConfig)
        self.recording = declare(self, RecorderConfig)
        self.detection = declare(self, DetectorConfig)
        self.endpoint = declare(self, EndpointConfig)
        self.visual = declare(self, VisualConfig)
        self.viewing = declare(self, ViewEmbedderConfig)

    def open(self) -> None:
        model = metered_chat(self.health, lambda: self.endpoint)
        if model is None:
            raise ConfigurationError("base_url is empty: the detector needs a vision model")
        self.model = model
        memory_path = self.suite.memory_path
        self._open_visual()
        self.reader = Reader(memory_path)
        self.on_close(self.reader.close)
        self.spool = Spool(memory_path)
        self.on_close(self.spool.close)
        self._skip_what_is_stored()
        recorder = Recorder(memory_path, self.suite.map_id, self.spool, self.recording)
        self.intake = Intake(
            recorder,
            self.spool,
            self.recording,
            self.detection,
            DiskGuard(memory_path, self.recording.min_free_mb),
            self.counters,
            self.trouble,
        )
        self.disk = ThreadPoolExecutor(1, "recorder")
        self.on_close(self.disk.shutdown)
        self._unrecorded = BoundedSemaphore(MAX_UNRECORDED)
        self.health.gauges["spool"] = lambda: vars(self.spool.state())
        self.health.gauges["disk"] = partial(disk_figures, memory_path)

    def _open_visual(self) -> None:
        """A model on disk is loaded now, one that a hub may be asked for at its first use."""
        self.view_embedder: ViewEmbedder | None = None
        if not self.visual.use_visual_embeddings:
            return
        try:
            self.visual_model = OpenClipEmbedder(self.visual)
        except ExtraMissing as error:
            self.trouble(str(error), "visual_embeddings")
            return
        if self.visual_model.loads_locally:
            self.visual_model.load()
        self.view_embedder = ViewEmbedder(self.visual_model, self.suite.memory_path, self.viewing)

    def use_parameters(self) -> None:
        """A new detector: what was learnt of one model says nothing of the next."""
        self.detector = ChunkDetector(
            self.model, self.suite.memory_path, self.detection, self.endpoint.call_timeout_s
        )
        recording, detection = self.recording, self.detection
        self._on_disk(lambda: self.intake.use(recording, detection))

    def start(self) -> None:
        self._sent = (0, 0.0)
        self._on_disk(lambda: self.intake.start(time.monotonic()))
        self.on_stop(lambda: self._on_disk(lambda: self.intake.stop(time.monotonic())))
        self.images = Camera(self, self.camera, self.gate, self._on_posed, self._end_session)
        self.detections = self.announce(ChunkGraphMsg, endpoints.CHUNK_DETECTIONS, endpoints.EVENT)
        self.listen(StoreUpdate, endpoints.STORE_UPDATES, self._on_stored, endpoints.LATCHED)
        self.every(TICK_PERIOD_S, self._tick)
        self.every(min(self.detection.resend_s, MAX_RESEND_PERIOD_S), self._deliver)
        self._deliver()
        self.repeat(self._detect_next)

    def on_map(self) -> None:
        map_id = self.suite.map_id
        self._on_disk(lambda: self.intake.change_map(map_id, time.monotonic()))

    # images, until they are on disk

    def _on_posed(self, posed: PosedMessage) -> None:
        if not self._unrecorded.acquire(blocking=False):
            self.counters["dropped_disk_too_slow"] += 1
            return
        self._on_disk(partial(self._record, posed))

    def _end_session(self) -> None:
        self._on_disk(lambda: self.intake.end_session(time.monotonic()))

    def _tick(self) -> None:
        self._on_disk(lambda: self.intake.tick(time.monotonic()))

    def _record(self, posed: PosedMessage) -> None:
        """In the disk thread: one image becomes a keyframe, if it is wanted."""
        read = partial(self._read, posed)
        try:
            self.intake.take(posed.stamp_ns, posed.map_from_base, read, time.monotonic())
        finally:
            self._unrecorded.release()

    def _read(self, posed: PosedMessage) -> PosedImage:
        image = posed.decoded(self.suite.map_frame)
        self.trouble(None, "images")
        return image

    def _on_disk(self, work: Callable[[], None]) -> None:
        """Work for the disk thread, in order; what it raises is logged and counted."""

        def finish(job: Future[None]) -> None:
            if job.exception() is not None:
                self.in_executor(job.result)

        def attempt() -> None:
            try:
                work()
            except ImageError as error:
                self._refused(error)
                raise

        self.disk.submit(attempt).add_done_callback(finish)

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
        except ChunkTooLarge as error:
            self.get_logger().warning(f"chunk {chunk.chunk_id} is split: {error}")
            self.spool.split(chunk.chunk_id, error.size)
            self.counters["chunks_split"] += 1
            return 0.0
        except ModelUnavailable as error:
            self.trouble(f"recording goes on, but the vision model is away: {error}", "model")
            self.spool.put_back(chunk.chunk_id)
            self.counters["model_unavailable"] += 1
            return max(self.detection.retry_s, error.retry_after_s or 0.0)
        self.trouble(None, "model")
        self.trouble(self.detector.format_problem, "bbox_format", is_error=True)
        self.spool.store_detections(await self._embedded(graph))
        self.in_executor(self._deliver)
        self.counters["chunks_detected"] += 1
        return 0.0

    async def _embedded(self, graph: ChunkGraph) -> ChunkGraph:
        """In the background: the graph with the vectors of its views, as far as there are any."""
        if self.view_embedder is None:
            return graph
        graph = await self.view_embedder.embed(graph)
        without = (line for line in graph.problems if line.startswith(WITHOUT_VECTORS))
        self.trouble(next(without, None), "visual_embeddings")
        self.trouble(self.visual_model.problem, "visual_device")
        self.counters["views_embedded"] += sum(
            bool(view.embedding) for item in graph.objects for view in item.views
        )
        return graph

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
        self._on_disk(self._forget_stored)

    def _forget_stored(self) -> None:
        """In the disk thread. The memory itself is asked: the word may be of another robot's."""
        try:
            self.spool.remove_stored(self.reader.counts().last_chunk_id)
        except StoreMissing:
            return
        self.in_executor(self._deliver)

    def _skip_what_is_stored(self) -> None:
        """A crash may have come between the store's commit and the spool's; ids go on."""
        try:
            counts, latest = self.reader.counts(), self.reader.latest_keyframe()
        except StoreMissing:
            return
        self.spool.start_after(latest.keyframe_id if latest else 0, counts.last_chunk_id)
        self.spool.remove_stored(counts.last_chunk_id)


def main() -> int:
    return run(DetectorNode)
