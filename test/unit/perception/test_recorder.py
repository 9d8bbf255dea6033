"""Which images are remembered, in which session, and in which order they reach the disk."""

from __future__ import annotations

import io
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memory_nodes.errors import ImageError
from memory_nodes.geometry import Pose
from memory_nodes.perception.images import depth_from_png
from memory_nodes.perception.posed_image import PosedImage
from memory_nodes.perception.recorder import Recorder, RecorderConfig
from memory_nodes.perception.spool import Spool
from memory_nodes.records import NS_PER_S, Keyframe
from memory_test_support.records import CAMERA

CONFIG = RecorderConfig(
    min_interval_s=0.5,
    min_translation_m=0.25,
    min_rotation_rad=0.25,
    max_still_s=60.0,
    session_gap_s=300.0,
    max_side_px=640,
)
HERE = Pose.planar(0.0, 0.0, 0.0)
AWAY = Pose.planar(1.0, 0.0, 0.0)


def _recorder(memory_dir: Path, map_id: str = "map") -> Recorder:
    return Recorder(memory_dir, map_id, Spool(memory_dir), CONFIG)


def _ns(seconds: float) -> int:
    return round(seconds * NS_PER_S)


def _posed(stamp_s: float, base: Pose = HERE, size: tuple[int, int] = (64, 48)) -> PosedImage:
    return PosedImage(
        stamp_ns=_ns(stamp_s),
        image=Image.new("RGB", size, "red"),
        encoded=None,
        map_frame="map",
        map_from_base=base,
        map_from_camera=base,
        intrinsics=CAMERA,
    )


def _jpeg(image: Image.Image, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", **options)
    return buffer.getvalue()


def test_first_image_is_wanted_even_at_time_zero(tmp_path: Path) -> None:
    recorder = _recorder(tmp_path)
    assert recorder.wants(0, HERE)
    assert recorder.record(_posed(0.0)).stamp_ns == 0
    assert not recorder.wants(0, AWAY)


@pytest.mark.parametrize(
    ("waited_s", "base", "wanted"),
    [
        (0.4, Pose.planar(5.0, 0.0, 0.0), False),
        (0.5, Pose.planar(0.25, 0.0, 0.0), True),
        (0.5, Pose.planar(0.24, 0.0, 0.0), False),
        (0.5, Pose.planar(0.0, 0.0, 0.26), True),
        (0.5, Pose.planar(0.0, 0.0, -0.26), True),
        (0.5, Pose.planar(0.0, 0.0, 0.24), False),
        (0.5, Pose.planar(0.0, 0.0, 2.0 * math.pi), False),
        (59.0, HERE, False),
        (60.0, HERE, True),
    ],
)
def test_image_is_wanted_after_time_and_way_or_turn_or_long_rest(
    tmp_path: Path, waited_s: float, base: Pose, wanted: bool
) -> None:
    recorder = _recorder(tmp_path)
    recorder.record(_posed(100.0))
    assert recorder.wants(_ns(100.0 + waited_s), base) is wanted


def test_reopened_recorder_goes_on_in_the_same_session(tmp_path: Path) -> None:
    first = _recorder(tmp_path).record(_posed(1.0))
    reopened = _recorder(tmp_path)
    assert not reopened.wants(_ns(1.2), HERE)
    second = reopened.record(_posed(2.0, AWAY))
    assert second.session_id == first.session_id
    assert second.keyframe_id == first.keyframe_id + 1


@pytest.mark.parametrize(
    ("stamp_s", "map_id", "is_new"),
    [
        (1300.0, "map", False),
        (1300.5, "map", True),
        (998.9, "map", True),
        (999.9, "map", False),  # images may overtake each other
        (1000.1, "other", True),
    ],
)
def test_new_session_after_a_gap_backwards_time_or_on_another_map(
    tmp_path: Path, stamp_s: float, map_id: str, is_new: bool
) -> None:
    first = _recorder(tmp_path).record(_posed(1000.0))
    recorder = _recorder(tmp_path, map_id)
    assert recorder.starts_session(_ns(stamp_s)) is is_new
    second = recorder.record(_posed(stamp_s, AWAY))
    assert (second.session_id != first.session_id) is is_new
    assert second.map_id == map_id


def test_new_session_asks_for_an_image_at_once(tmp_path: Path) -> None:
    recorder = _recorder(tmp_path)
    recorder.record(_posed(1000.0))
    assert recorder.wants(_ns(10.0), HERE)


def test_sessions_never_share_a_name(tmp_path: Path) -> None:
    recorder = _recorder(tmp_path)
    stamps_s = (0.0, 1000.0, 5.0, 2000.0)
    names = [recorder.record(_posed(stamp_s)).session_id for stamp_s in stamps_s]
    assert len(set(names)) == 4


class _WatchingSpool(Spool):
    """Remembers whether an image was on disk when its keyframe came."""

    was_on_disk: bool | None = None

    def __init__(self, memory_dir: Path) -> None:
        super().__init__(memory_dir)
        self._watched_dir = memory_dir

    def add(self, keyframe: Keyframe, depth_png: bytes | None, image_bytes: int = 0) -> None:
        self.was_on_disk = (self._watched_dir / keyframe.image_path).is_file()
        super().add(keyframe, depth_png, image_bytes)


def test_image_is_on_disk_before_the_spool_knows_of_it(tmp_path: Path) -> None:
    spool = _WatchingSpool(tmp_path)
    Recorder(tmp_path, "map", spool, CONFIG).record(_posed(1.0))
    assert spool.was_on_disk is True


def test_image_that_cannot_be_written_reaches_no_spool(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    (tmp_path / "images").write_text("a file where the directory should be")
    with pytest.raises(ImageError, match="cannot write"):
        Recorder(tmp_path, "map", spool, CONFIG).record(_posed(1.0))
    assert spool.open_keyframe_ids() == []


def test_bytes_of_an_upright_jpeg_are_kept(tmp_path: Path) -> None:
    data = _jpeg(Image.new("RGB", (64, 48), "blue"), quality=35)
    posed = replace(_posed(1.0), encoded=data, image=Image.open(io.BytesIO(data)))
    kept = _recorder(tmp_path).record(posed)
    assert (tmp_path / kept.image_path).read_bytes() == data
    assert (kept.width_px, kept.height_px) == (64, 48)


def test_larger_image_shrinks_and_its_camera_with_it(tmp_path: Path) -> None:
    kept = _recorder(tmp_path).record(_posed(1.0, size=(1280, 960)))
    assert (kept.width_px, kept.height_px) == (640, 480)
    assert kept.intrinsics == CAMERA.scaled(0.5)
    with Image.open(tmp_path / kept.image_path) as image:
        assert image.size == (640, 480)


def test_image_that_lies_on_its_side_is_stored_upright(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned clockwise by a quarter
    picture = Image.new("RGB", (64, 48), "blue")
    picture.paste("red", (0, 0, 64, 24))  # above; after the turn to the right
    data = _jpeg(picture, exif=exif)
    posed = replace(_posed(1.0), encoded=data, image=Image.open(io.BytesIO(data)))
    kept = _recorder(tmp_path).record(posed)
    assert (kept.width_px, kept.height_px) == (48, 64)
    assert kept.intrinsics is not None
    assert kept.intrinsics.cx_px == pytest.approx(47.0 - CAMERA.cy_px)
    assert kept.map_from_camera != kept.map_from_base
    with Image.open(tmp_path / kept.image_path) as image:
        assert image.size == (48, 64)
        assert 0x0112 not in image.getexif()
        assert image.getpixel((40, 32)) == pytest.approx((255, 0, 0), abs=5)
        assert image.getpixel((8, 32)) == pytest.approx((0, 0, 255), abs=5)


def test_depth_waits_in_the_spool(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    depth_m = np.array([[1.5, 0.0], [0.25, 65.0]], np.float32)
    Recorder(tmp_path, "map", spool, CONFIG).record(replace(_posed(1.0), depth_m=depth_m))
    spool.close_chunk(1)
    chunk = spool.next_undetected()
    assert chunk is not None
    np.testing.assert_array_equal(depth_from_png(spool.depth_pngs(chunk)[1]), depth_m)


def test_image_lies_under_the_day_of_its_stamp(tmp_path: Path) -> None:
    kept = _recorder(tmp_path).record(_posed(86400.0 * 365))  # 1970 had 365 days
    assert kept.image_path == "images/1971-01-01/000000001.jpg"


def test_time_that_jumped_back_starts_a_session_whatever_the_next_stamp(tmp_path: Path) -> None:
    """A robot that stood still: its last keyframe is older than where time jumped to."""
    recorder = _recorder(tmp_path)
    first = recorder.record(_posed(41.0))
    recorder.end_session()
    assert recorder.starts_session(_ns(50.0))
    second = recorder.record(_posed(50.0, AWAY))
    assert second.session_id != first.session_id
    assert recorder.record(_posed(51.0)).session_id == second.session_id


def test_keyframe_after_a_change_of_maps_is_on_the_new_one_in_a_session_of_its_own(
    tmp_path: Path,
) -> None:
    recorder = _recorder(tmp_path)
    before = recorder.record(_posed(1.0))
    recorder.change_map("shed")
    assert recorder.starts_session(_ns(2.0))
    after = recorder.record(_posed(2.0))
    assert (before.map_id, after.map_id) == ("map", "shed")
    assert before.session_id != after.session_id
