"""The first half: from a recording to chunks of keyframes that wait on disk."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from memory_nodes.errors import ImageError
from memory_nodes.perception.detector import DetectorConfig
from memory_nodes.perception.disk_space import DiskGuard
from memory_nodes.perception.gathering import Gatherer, PosedMessage
from memory_nodes.perception.intake import Intake
from memory_nodes.perception.messages import take_transforms
from memory_nodes.perception.recorder import Recorder, RecorderConfig
from memory_nodes.perception.spool import Spool
from memory_nodes.perception.transforms import TransformBuffer
from memory_nodes.perception.waiting import WaitingRoom
from memory_nodes.records import NS_PER_S
from memory_nodes.replay.bag import Bag
from memory_nodes.replay.topics import STATIC_TRANSFORMS, TRANSFORMS, Topics
from memory_nodes.suite import SuiteConfig

Progress: TypeAlias = Callable[[str, int, int], None]
"""Takes what is done, how much of it, and how much there is."""

READING = "reading the recording"
POSE_TIMEOUT_S = 2.0
"""Recorded time that an image waits for the transform of its stamp."""
DEPTH_SLOP_S = 0.05
MAX_WAITING = 100
HISTORY_S = 30.0
NO_LIMIT_MB = 1_000_000_000
"""What waits is looked at right after the reading: it is not to be thinned."""


@dataclass(frozen=True)
class RecordingConfig:
    """What is recorded, and how."""

    suite: SuiteConfig
    topics: Topics = field(default_factory=Topics)
    recorder: RecorderConfig = field(
        default_factory=lambda: RecorderConfig(max_spool_mb=NO_LIMIT_MB)
    )
    detection: DetectorConfig = field(default_factory=DetectorConfig)


class BagRecorder:
    """Does with a recording what detector_node does with a camera; its clock is the recording's."""

    def __init__(self, memory_dir: Path, spool: Spool, config: RecordingConfig) -> None:
        self.counters: Counter[str] = Counter()
        """Images by what became of them."""
        self.problems: dict[str, str] = {}
        """By what each is about; the first of a kind."""
        self._config = config
        self._buffer = TransformBuffer(HISTORY_S)
        suite = config.suite
        self._gatherer = Gatherer(
            self._buffer.lookup,
            suite.map_frame,
            suite.base_frame,
            use_depth=bool(config.topics.depth),
            depth_slop_s=DEPTH_SLOP_S,
        )
        self._waiting: WaitingRoom[Any, PosedMessage] = WaitingRoom(
            self._gatherer.gather, POSE_TIMEOUT_S, MAX_WAITING, self.counters
        )
        self._intake = Intake(
            Recorder(memory_dir, suite.map_id, spool, config.recorder),
            spool,
            config.recorder,
            config.detection,
            DiskGuard(memory_dir, config.recorder.min_free_mb),
            self.counters,
            self._report,
        )

    def record(self, bag: Bag, progress: Progress) -> None:
        """Reads it from beginning to end."""
        topics = self._config.topics
        if not topics.camera_info:
            self._report("there is no camera_info: objects get no place", "camera_info")
        for heard in bag.messages([STATIC_TRANSFORMS]):  # latched: true of all the recording
            take_transforms(self._buffer, heard.message, is_static=True)
        total, now_s = bag.count(topics.in_time), -math.inf
        for number, heard in enumerate(bag.messages(topics.in_time)):
            now_s, is_first = heard.stamp_ns / NS_PER_S, number == 0
            if is_first:
                self._intake.start(now_s)
            self._hear(heard.topic, heard.message, topics, now_s)
            self._settle(now_s)
            self._intake.tick(now_s)
            progress(READING, number + 1, total)
        self._settle(math.inf)
        self._intake.stop(now_s)

    def _hear(self, topic: str, message: Any, topics: Topics, now_s: float) -> None:
        if topic == TRANSFORMS:
            take_transforms(self._buffer, message, is_static=False)
        elif topic == topics.camera_info:
            self._gatherer.take_camera_info(message)
        elif topic == topics.depth:
            self._gatherer.take_depth(message)
        else:
            self.counters["images"] += 1
            self._waiting.enter(message, now_s)

    def _settle(self, now_s: float) -> None:
        for posed in self._waiting.leave(now_s):
            self._take(posed, posed.stamp_ns / NS_PER_S if math.isinf(now_s) else now_s)

    def _take(self, posed: PosedMessage, now_s: float) -> None:
        map_frame = self._config.suite.map_frame
        try:
            self._intake.take(
                posed.stamp_ns, posed.map_from_base, lambda: posed.decoded(map_frame), now_s
            )
        except ImageError as error:
            self.counters["dropped_image_unusable"] += 1
            self._report(str(error), "images")

    def _report(self, problem: str | None, about: str, is_error: bool = False) -> None:
        """What is over is no problem of a recording that has been read."""
        if problem is not None:
            self.problems.setdefault(about, problem)
