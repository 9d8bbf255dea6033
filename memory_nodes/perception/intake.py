"""From images whose pose is known to chunks that wait on disk, within the limits of the disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

from memory_nodes.geometry import Pose
from memory_nodes.perception.detector import DetectorConfig
from memory_nodes.perception.disk_space import BYTES_PER_MB, DiskGuard
from memory_nodes.perception.posed_image import PosedImage
from memory_nodes.perception.recorder import Recorder, RecorderConfig
from memory_nodes.perception.sharpness import SharpnessWindow, sharpness
from memory_nodes.perception.spool import Spool

Report: TypeAlias = Callable[[str | None, str, bool], None]
"""Takes a problem or None when it is over, what it is about, and whether it is an error."""

LIMITS_PERIOD_S = 2.0
LAST_FRAME_S = 0.5


class Intake:
    """Selects keyframes, has them recorded, and closes chunks. To be called from one thread.

    All ``now_s`` are of a clock that never jumps.

    Args:
        counters: takes one count for each image, by what became of it.
        report: takes problems with the disk and the spool.
    """

    def __init__(
        self,
        recorder: Recorder,
        spool: Spool,
        recording: RecorderConfig,
        detection: DetectorConfig,
        disk: DiskGuard,
        counters: Counter[str],
        report: Report,
    ) -> None:
        self._recorder = recorder
        self._spool = spool
        self._recording = recording
        self._detection = detection
        self._disk = disk
        self._counters = counters
        self._report = report
        self._window: SharpnessWindow[PosedImage] = SharpnessWindow(recording.sharpness_window_s)
        self._stopped: str | None = None
        self._frame_s = self._keyframe_s = 0.0
        self._checked_s = 0.0

    def use(self, recording: RecorderConfig, detection: DetectorConfig) -> None:
        """Goes on by other parameters, but for `sharpness_window_s`."""
        self._recording, self._detection = recording, detection
        self._recorder.config = recording
        self._disk.min_free_mb = recording.min_free_mb

    def start(self, now_s: float) -> None:
        """To be called before the first image: a chunk left open waits its time from here on."""
        self._frame_s = self._keyframe_s = now_s
        self._check_limits(now_s)

    def take(
        self, stamp_ns: int, map_from_base: Pose, read: Callable[[], PosedImage], now_s: float
    ) -> None:
        """An image comes, in the order of stamps; ``read`` decodes it if it is wanted.

        Raises ImageError when it cannot be read, or a keyframe cannot be written.
        """
        self._frame_s = now_s
        self._keep(self._window.leave(stamp_ns), now_s)
        if not self._recorder.wants(stamp_ns, map_from_base):
            self._counters["images_not_needed"] += 1
        elif self._stopped is not None:
            self._counters[self._stopped] += 1
        else:
            posed = read()
            score = sharpness(posed.image) if self._recording.sharpness_window_s > 0.0 else 0.0
            self._keep(self._window.offer(posed, stamp_ns, score), now_s)

    def tick(self, now_s: float) -> None:
        """To be called some times a second: what must happen though no image comes."""
        if now_s - self._frame_s > self._recording.sharpness_window_s + LAST_FRAME_S:
            self.flush(now_s)
        if now_s - self._keyframe_s > self._detection.chunk_flush_s:
            self._keyframe_s = now_s
            self._close_chunk()
        if now_s - self._checked_s >= LIMITS_PERIOD_S:
            self._check_limits(now_s)

    def end_session(self, now_s: float) -> None:
        """Time has jumped back: what was seen before and after belongs to different chunks."""
        self.stop(now_s)
        self._recorder.end_session()

    def change_map(self, map_id: str, now_s: float) -> None:
        """What was seen on one map and on another belongs to different chunks."""
        self.stop(now_s)
        self._recorder.change_map(map_id)

    def stop(self, now_s: float) -> None:
        """To be called at the end: what is left becomes a chunk."""
        self.flush(now_s)
        self._close_chunk()

    def flush(self, now_s: float) -> None:
        """Records what a window still holds."""
        self._keep(self._window.take(), now_s)

    def _keep(self, chosen: PosedImage | None, now_s: float) -> None:
        if chosen is None:
            return
        if self._recorder.starts_session(chosen.stamp_ns):
            self._close_chunk()
        self._recorder.record(chosen)
        self._counters["keyframes"] += 1
        self._keyframe_s = now_s
        if len(self._spool.open_keyframe_ids()) >= self._detection.chunk_size:
            self._close_chunk()

    def _close_chunk(self) -> None:
        self._spool.close_chunk(self._detection.chunk_size)
        self._limit_spool()

    def _check_limits(self, now_s: float) -> None:
        self._checked_s = now_s
        problem = self._disk.problem()
        self._report(problem, "disk", True)
        is_spool_full = self._limit_spool()
        self._stopped = (
            "dropped_disk_full" if problem else "dropped_spool_full" if is_spool_full else None
        )

    def _limit_spool(self) -> bool:
        """Thins the spool when it is too large; True when it still is."""
        limit_mb = self._recording.max_spool_mb
        dropped = self._spool.thin(limit_mb * BYTES_PER_MB)
        for keyframe in dropped:
            self._counters["keyframes_thinned"] += 1
            self._recorder.forget(keyframe)
        waiting_mb = self._spool.waiting_bytes() / BYTES_PER_MB
        is_full = waiting_mb > limit_mb
        if is_full:
            self._report(
                f"recording has stopped: max_spool_mb is {limit_mb}, more waits in the spool and "
                "nothing is left to thin; see whether the vision model and episodic_node run",
                "spool",
                True,
            )
        elif dropped:
            self._report(
                f"max_spool_mb is {limit_mb}: {self._counters['keyframes_thinned']} of the oldest "
                "waiting keyframes were thinned out so far; the vision model is away or too slow",
                "spool",
                False,
            )
        elif waiting_mb < limit_mb / 2.0:
            self._report(None, "spool", False)
        return is_full
