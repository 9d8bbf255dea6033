"""The memory for RViz: objects, relations, trail, and the image of the last answer."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from nav_msgs.msg import Path
from PIL.Image import Image as Picture
from robot_memory.msg import MemoryAnswer, StoreUpdate
from sensor_msgs.msg import Image
from std_msgs.msg import Header
from visualization_msgs.msg import MarkerArray

from memory_nodes.drawing.answer_picture import answer_picture
from memory_nodes.errors import StoreMissing
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import retrieved_from_msg
from memory_nodes.ros.images import raw_msg
from memory_nodes.ros.main import run
from memory_nodes.ros.markers import MarkerScene, trail
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.store.reader import Reader

REDRAW_PERIOD_S = 1.0


class MarkerNode(MemoryNode):
    """Redraws when the memory has changed, at a bounded rate."""

    def __init__(self, **options: object) -> None:
        super().__init__("marker_node", **options)

    def open(self) -> None:
        self.reader = Reader(self.suite.memory_path)
        self.snapshots = SnapshotCache(self.reader)
        self.drawing = ThreadPoolExecutor(1, "drawing")

    def start(self) -> None:
        self._sequence, self._drawn_sequence = 0, -1
        self._work: Future[None] | None = None
        self._scene = MarkerScene()
        self.markers = self.announce(MarkerArray, endpoints.MARKERS, endpoints.LATCHED)
        self.trail = self.announce(Path, endpoints.TRAIL, endpoints.LATCHED)
        self.retrieved = self.announce(Image, endpoints.RETRIEVED_IMAGE, endpoints.LATCHED)
        self.listen(StoreUpdate, endpoints.STORE_UPDATES, self._on_stored, endpoints.LATCHED)
        self.listen(MemoryAnswer, endpoints.ANSWERS, self._on_answer, endpoints.EVENT)
        self.every(REDRAW_PERIOD_S, self._redraw)

    def close(self) -> None:
        self.drawing.shutdown()
        self.reader.close()

    def _on_stored(self, update: StoreUpdate) -> None:
        self._sequence = int(update.sequence)

    def _redraw(self) -> None:
        is_busy = self._work is not None and not self._work.done()
        if self._sequence != self._drawn_sequence and not is_busy:
            self._drawn_sequence = self._sequence
            self._work = self.drawing.submit(self._draw)
            self._work.add_done_callback(lambda work: self.in_executor(work.result))

    def _draw(self) -> None:
        """In the drawing thread."""
        try:
            snapshot = self.snapshots.current()
        except StoreMissing:
            return
        suite = self.suite
        scene = self._scene.update(snapshot, suite.map_id, suite.map_frame)
        path = trail(snapshot.keyframes, suite.map_id, suite.map_frame)
        self.in_executor(lambda: self.markers.publish(scene))
        self.in_executor(lambda: self.trail.publish(path))

    def _on_answer(self, answer: MemoryAnswer) -> None:
        """Shows the best keyframe whose image is still kept."""
        best = next((item for item in answer.keyframes if item.keyframe.image_uri), None)
        if best is None:
            return
        job = self.drawing.submit(answer_picture, self.suite.memory_path, retrieved_from_msg(best))
        header = best.keyframe.header
        job.add_done_callback(lambda done: self.in_executor(lambda: self._show(done, header)))

    def _show(self, done: Future[Picture], header: Header) -> None:
        message = raw_msg(done.result())
        message.header = header
        self.retrieved.publish(message)


def main() -> int:
    return run(MarkerNode)
