"""Which images become keyframes and chunks, and what happens at the limits of the disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageFilter

from memory_nodes.errors import ImageError
from memory_nodes.geometry import Pose
from memory_nodes.perception.detector import DetectorConfig
from memory_nodes.perception.disk_space import BYTES_PER_MB, DiskGuard
from memory_nodes.perception.intake import LIMITS_PERIOD_S, Intake
from memory_nodes.perception.posed_image import PosedImage
from memory_nodes.perception.recorder import Recorder, RecorderConfig
from memory_nodes.perception.spool import Spool
from memory_nodes.records import NS_PER_S
from memory_test_support.records import CAMERA, graph

EVERY_FRAME = RecorderConfig(
    min_interval_s=0.0, min_translation_m=0.0, min_rotation_rad=0.0, sharpness_window_s=0.0
)
EVERY_HALF_METRE = replace(EVERY_FRAME, min_translation_m=0.5, min_rotation_rad=1.0)
CHUNKS = DetectorConfig(chunk_size=4, chunk_flush_s=10.0)
SHARP = Image.fromarray(np.random.default_rng(0).integers(0, 256, (60, 80)).astype(np.uint8))
BLURRED = SHARP.filter(ImageFilter.BoxBlur(3))
NOISE = Image.fromarray(np.random.default_rng(1).integers(0, 256, (700, 700)).astype(np.uint8))
"""About 0.4 MB as a JPEG."""


class Rig:
    """An intake with a disk, a clock and a camera by hand."""

    def __init__(self, memory_dir: Path, recording: RecorderConfig) -> None:
        self.memory_dir = memory_dir
        self.spool = Spool(memory_dir)
        self.counters: Counter[str] = Counter()
        self.problems: dict[str, tuple[str, bool]] = {}
        self.free_mb = 10_000
        self.measured = 0
        self.now_s = 1000.0
        self.intake = Intake(
            Recorder(memory_dir, "map", self.spool, recording),
            self.spool,
            recording,
            CHUNKS,
            DiskGuard(memory_dir, recording.min_free_mb, self._measure),
            self.counters,
            self._report,
        )
        self.intake.start(self.now_s)

    def _measure(self, _: Path) -> int:
        self.measured += 1
        return self.free_mb * BYTES_PER_MB

    def _report(self, problem: str | None, about: str, is_error: bool) -> None:
        self.problems.pop(about, None)
        if problem is not None:
            self.problems[about] = (problem, is_error)

    def shoot(self, stamp_s: float, image: Image.Image = SHARP, x_m: float = 0.0) -> None:
        pose = Pose.planar(x_m, 0.0, 0.0)
        stamp_ns = round(stamp_s * NS_PER_S)
        self.take(stamp_ns, pose, lambda: _posed(stamp_ns, pose, image))

    def take(self, stamp_ns: int, pose: Pose, read: Callable[[], PosedImage]) -> None:
        self.intake.take(stamp_ns, pose, read, self.now_s)

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        self.intake.tick(self.now_s)

    def stamps_s(self) -> list[float]:
        """Of all keyframes that are in the spool, in order."""
        while self.spool.open_keyframe_ids():
            self.spool.close_chunk(32)
        found = []
        while (chunk := self.spool.next_undetected()) is not None:
            found += [keyframe.stamp_ns / NS_PER_S for keyframe in chunk.keyframes]
            self.spool.store_detections(graph(chunk.chunk_id, chunk.keyframes, resolved=False))
        return found

    def images_on_disk(self) -> int:
        return len(list(self.memory_dir.rglob("*.jpg")))


def _posed(stamp_ns: int, pose: Pose, image: Image.Image) -> PosedImage:
    return PosedImage(stamp_ns, image, None, "map", pose, pose, CAMERA)


def _unreadable() -> PosedImage:
    raise ImageError("damaged")


def _never() -> PosedImage:
    raise AssertionError("an image that is not wanted is not decoded")


# selection


def test_other_parameters_count_from_the_next_image_on(tmp_path: Path) -> None:
    rig = Rig(tmp_path, EVERY_FRAME)
    rig.shoot(0.0)
    rig.intake.use(replace(EVERY_FRAME, min_interval_s=1.0), CHUNKS)
    rig.shoot(0.5)
    rig.shoot(1.0)
    assert rig.stamps_s() == [0.0, 1.0]
    rig.free_mb = 600
    rig.intake.use(replace(EVERY_FRAME, min_free_mb=700), CHUNKS)
    rig.wait(LIMITS_PERIOD_S)
    assert "min_free_mb is 700" in rig.problems["disk"][0]


def test_without_a_window_every_wanted_frame_is_kept_at_once(tmp_path: Path) -> None:
    rig = Rig(tmp_path, EVERY_FRAME)
    for frame in range(75):
        rig.shoot(frame * 0.1)
        assert rig.counters["keyframes"] == frame + 1
    assert rig.stamps_s() == pytest.approx([frame * 0.1 for frame in range(75)])


def test_sharpest_frame_of_each_window_is_kept(tmp_path: Path) -> None:
    rig = Rig(tmp_path, replace(EVERY_FRAME, sharpness_window_s=0.2))
    frames = ((0.0, BLURRED), (0.1, SHARP), (0.2, BLURRED), (1.0, BLURRED), (1.1, BLURRED))
    for stamp_s, image in (*frames, (1.15, SHARP), (2.0, BLURRED)):
        rig.shoot(stamp_s, image)
    rig.intake.flush(rig.now_s)
    assert rig.stamps_s() == [0.1, 1.15, 2.0]


def test_last_frame_is_kept_though_no_other_comes(tmp_path: Path) -> None:
    rig = Rig(tmp_path, replace(EVERY_FRAME, sharpness_window_s=0.2))
    rig.shoot(5.0)
    rig.wait(0.6)
    assert rig.counters["keyframes"] == 0
    rig.wait(0.2)
    assert rig.stamps_s() == [5.0]


def test_frame_of_a_later_time_is_measured_against_the_one_that_was_kept(tmp_path: Path) -> None:
    rig = Rig(tmp_path, replace(EVERY_HALF_METRE, sharpness_window_s=0.2))
    rig.shoot(0.0, BLURRED, x_m=0.0)
    rig.shoot(0.15, SHARP, x_m=0.3)  # the one that is kept
    rig.shoot(1.0, SHARP, x_m=0.6)  # 0.3 m on: too near
    rig.shoot(2.0, SHARP, x_m=0.8)  # 0.5 m on
    rig.intake.flush(rig.now_s)
    assert rig.stamps_s() == [0.15, 2.0]
    assert rig.counters["images_not_needed"] == 1


def test_time_that_jumps_back_loses_no_frame(tmp_path: Path) -> None:
    rig = Rig(tmp_path, replace(EVERY_FRAME, sharpness_window_s=0.2))
    rig.shoot(50.0)
    rig.shoot(1.0)
    rig.intake.flush(rig.now_s)
    assert rig.stamps_s() == [50.0, 1.0]


def test_frame_that_is_not_wanted_is_not_decoded(tmp_path: Path) -> None:
    rig = Rig(tmp_path, EVERY_HALF_METRE)
    rig.shoot(0.0)
    rig.take(NS_PER_S, Pose.identity(), _never)
    assert rig.counters["images_not_needed"] == 1


def test_damaged_frame_does_not_close_its_window(tmp_path: Path) -> None:
    rig = Rig(tmp_path, replace(EVERY_FRAME, sharpness_window_s=0.2))
    rig.shoot(0.0, BLURRED)
    with pytest.raises(ImageError, match="damaged"):
        rig.take(NS_PER_S // 10, Pose.identity(), _unreadable)
    rig.shoot(0.2, SHARP)
    assert rig.stamps_s() == [0.2]


# chunks


def test_chunk_closes_when_it_is_full_or_has_waited_or_a_session_begins(tmp_path: Path) -> None:
    rig = Rig(tmp_path, EVERY_FRAME)
    for stamp_s in range(5):
        rig.shoot(stamp_s)
    assert (rig.spool.state().open_keyframes, rig.spool.state().waiting_chunks) == (1, 1)
    rig.wait(10.1)
    assert (rig.spool.state().open_keyframes, rig.spool.state().waiting_chunks) == (0, 2)
    rig.shoot(6.0)
    rig.shoot(5000.0)
    assert (rig.spool.state().open_keyframes, rig.spool.state().waiting_chunks) == (1, 3)


# a full disk


def test_recording_stops_before_the_disk_is_full_and_goes_on_when_there_is_room(
    tmp_path: Path,
) -> None:
    rig = Rig(tmp_path, EVERY_FRAME)
    rig.shoot(0.0)
    rig.free_mb = 499
    rig.wait(LIMITS_PERIOD_S)
    problem, is_error = rig.problems["disk"]
    assert is_error
    assert "min_free_mb is 500" in problem
    rig.shoot(1.0)
    rig.take(2 * NS_PER_S, Pose.identity(), _never)
    assert rig.counters["dropped_disk_full"] == 2
    rig.free_mb = 500
    rig.wait(LIMITS_PERIOD_S)
    assert rig.problems == {}
    rig.shoot(3.0)
    assert rig.stamps_s() == [0.0, 3.0]


def test_disk_that_is_full_from_the_start_is_noticed(tmp_path: Path) -> None:
    rig = Rig(tmp_path, replace(EVERY_FRAME, min_free_mb=20_000))
    rig.shoot(0.0)
    assert (rig.counters["dropped_disk_full"], rig.counters["keyframes"]) == (1, 0)


def test_disk_is_not_measured_for_each_frame(tmp_path: Path) -> None:
    rig = Rig(tmp_path, EVERY_FRAME)
    for frame in range(100):
        rig.shoot(frame * 0.01)
        rig.wait(0.01)
    assert rig.measured == 1


# a full spool


def test_full_spool_is_thinned_from_its_oldest_chunk_and_says_so(tmp_path: Path) -> None:
    rig = Rig(tmp_path, replace(EVERY_FRAME, max_spool_mb=4))
    for frame in range(12):
        rig.shoot(frame, NOISE)
    dropped = rig.counters["keyframes_thinned"]
    assert dropped > 0
    problem, is_error = rig.problems["spool"]
    assert not is_error
    assert f"{dropped} of the oldest" in problem
    assert rig.spool.waiting_bytes() <= 4 * BYTES_PER_MB
    assert rig.images_on_disk() == 12 - dropped
    kept = rig.stamps_s()
    assert kept[:2] == [0.0, 2.0]
    assert kept[-4:] == [8.0, 9.0, 10.0, 11.0]
    assert len(kept) == 12 - dropped


def test_report_ends_when_the_spool_has_emptied(tmp_path: Path) -> None:
    rig = Rig(tmp_path, replace(EVERY_FRAME, max_spool_mb=4))
    for frame in range(12):
        rig.shoot(frame, NOISE)
    rig.stamps_s()
    rig.spool.remove_stored(3)
    rig.wait(LIMITS_PERIOD_S)
    assert "spool" not in rig.problems


def test_spool_that_cannot_be_thinned_any_more_stops_recording(tmp_path: Path) -> None:
    rig = Rig(tmp_path, replace(EVERY_FRAME, max_spool_mb=1))
    for frame in range(20):
        rig.shoot(frame, NOISE)
        rig.wait(LIMITS_PERIOD_S)
    problem, is_error = rig.problems["spool"]
    assert is_error
    assert "nothing is left to thin" in problem
    assert rig.counters["dropped_spool_full"] > 0
    # What came in until the next look at the limit, at most.
    assert rig.spool.waiting_bytes() < 3 * BYTES_PER_MB
    rig.stamps_s()
    rig.spool.remove_stored(99)
    rig.wait(LIMITS_PERIOD_S)
    rig.shoot(100.0)
    assert rig.problems == {}
    assert rig.stamps_s() == [100.0]


def test_what_was_seen_on_two_maps_is_in_two_chunks(tmp_path: Path) -> None:
    rig = Rig(tmp_path, EVERY_FRAME)
    rig.shoot(1.0)
    rig.intake.change_map("shed", rig.now_s)
    rig.shoot(2.0)
    rig.intake.stop(rig.now_s)
    first = rig.spool.next_undetected()
    assert first is not None
    assert [item.map_id for item in first.keyframes] == ["map"]
    rig.spool.store_detections(graph(first.chunk_id, first.keyframes))
    second = rig.spool.next_undetected()
    assert second is not None
    assert [item.map_id for item in second.keyframes] == ["shed"]
