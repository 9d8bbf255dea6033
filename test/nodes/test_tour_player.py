"""The player of the tour over real DDS, held against the recorded poses and files."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image as PillowImage
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage

from memory_test_support.domain import own_domain
from memory_test_support.spinning import spin_until
from memory_test_support.tour import load_tour, tour_directory
from memory_test_support.tour_recorder import (
    LAUNCHER,
    RELIABLE,
    Matrix,
    Recorder,
    player,
    rigid,
    stamp_ns,
)


def recorded_poses() -> list[tuple[int, Matrix]]:
    """(stamp, map from optical) of poses.csv, read here on its own."""
    with (tour_directory() / "poses.csv").open(newline="", encoding="utf-8") as rows:
        return [
            (
                round(float(row["stamp"]) * 1000) * 10**6,
                rigid(
                    (float(row["x"]), float(row["y"]), float(row["z"])),
                    (float(row["qx"]), float(row["qy"]), float(row["qz"]), float(row["qw"])),
                ),
            )
            for row in csv.DictReader(rows)
        ]


@pytest.fixture(scope="module")
def recording() -> Iterator[Recorder]:
    """The whole tour, played once for all the tests that only look at it."""
    with own_domain() as domain_id, player(domain_id, speed=15.0) as (context, executor, _):
        recorder = Recorder(context)
        executor.add_node(recorder)
        end_ns = recorded_poses()[-1][0] + 2 * 10**9
        spin_until(
            executor,
            lambda: bool(recorder.clocks_ns) and recorder.clocks_ns[-1] > end_ns,
            "clock past the end of the tour",
            timeout_s=60,
        )
        yield recorder
        recorder.destroy_node()


def test_all_images_arrive_unchanged_with_their_stamps(recording: Recorder) -> None:
    assert [stamp_ns(image.header.stamp) for image in recording.images] == [
        stamp for stamp, _ in recorded_poses()
    ]
    files = sorted((tour_directory() / "rgb").glob("*.jpg"))
    assert all(
        bytes(image.data) == file.read_bytes()
        for image, file in zip(recording.images, files, strict=True)
    )
    assert {image.header.frame_id for image in recording.images} == {"camera_optical"}
    assert recording.counts[-1] == 75


def test_depth_is_the_recorded_one_in_millimetres(recording: Recorder) -> None:
    files = sorted((tour_directory() / "depth").glob("*.png"))
    for message, file in zip(recording.depths, files, strict=True):
        assert message.encoding == "16UC1"
        depth_mm = np.frombuffer(message.data, dtype="<u2").reshape(message.height, message.width)
        with PillowImage.open(file) as image:
            assert np.array_equal(depth_mm, np.asarray(image))


def test_camera_info_comes_with_each_image(recording: Recorder) -> None:
    stamps = [stamp_ns(info.header.stamp) for info in recording.infos]
    assert stamps == [stamp for stamp, _ in recorded_poses()]
    camera = load_tour().intrinsics
    info = recording.infos[0]
    assert (info.width, info.height) == (540, 360)
    assert list(info.k) == [
        camera.fx_px, 0, camera.cx_px, 0, camera.fy_px, camera.cy_px, 0, 0, 1
    ]  # fmt: skip


def test_transform_chain_at_each_stamp_is_the_recorded_pose(recording: Recorder) -> None:
    optical = recording.static[("camera_link", "camera_optical")]
    for stamp, map_from_optical in recorded_poses():
        map_from_base = (
            recording.transforms[("map", "odom", stamp)]
            @ recording.transforms[("odom", "base_link", stamp)]
        )
        chain = map_from_base @ recording.transforms[("base_link", "camera_link", stamp)] @ optical
        assert np.abs(chain - map_from_optical).max() < 1e-6
        # The base stands upright under the camera and looks where the camera looks.
        assert map_from_base[:3, 3] == pytest.approx([*map_from_optical[:2, 3], 0.0], abs=1e-6)
        assert map_from_base[:3, 2] == pytest.approx([0, 0, 1], abs=1e-9)
        ahead = map_from_optical[:2, 2] / np.linalg.norm(map_from_optical[:2, 2])
        assert map_from_base[:2, 0] == pytest.approx(ahead, abs=1e-6)


def test_static_link_is_that_of_rep_103(recording: Recorder) -> None:
    # Optical x is right (link -y), y is down (link -z), z is forward (link x).
    expected = [[0, 0, 1], [-1, 0, 0], [0, -1, 0]]
    assert np.allclose(recording.static[("camera_link", "camera_optical")][:3, :3], expected)


def test_map_from_odom_is_constant_and_not_the_identity(recording: Recorder) -> None:
    links = [m for (parent, _, _), m in recording.transforms.items() if parent == "map"]
    assert all(np.array_equal(link, links[0]) for link in links)
    assert not np.allclose(links[0], np.eye(4), atol=0.05)


def test_transforms_are_dense_and_surround_every_image(recording: Recorder) -> None:
    stamps = sorted(stamp for parent, _, stamp in recording.transforms if parent == "odom")
    assert np.diff(stamps).max() <= 100_000_000
    assert stamps[0] < recorded_poses()[0][0] and stamps[-1] > recorded_poses()[-1][0]


def test_clock_never_runs_back(recording: Recorder) -> None:
    assert (np.diff(recording.clocks_ns) >= 0).all()
    assert recording.clocks_ns[0] < recorded_poses()[0][0]


def test_nothing_is_played_while_nobody_looks(ros_domain: int) -> None:
    with player(ros_domain, speed=30.0, last_frame=5) as (context, executor, _):
        idle = Node("idle", context=context, namespace="robot")
        clocks: list[int] = []
        idle.create_subscription(Clock, "/clock", lambda m: clocks.append(stamp_ns(m.clock)), 10)
        executor.add_node(idle)
        spin_until(executor, lambda: len(clocks) > 150, "clock of a player that waits")
        assert clocks[-1] == clocks[-50] < recorded_poses()[0][0]
        recorder = Recorder(context)
        executor.add_node(recorder)
        spin_until(executor, lambda: len(recorder.images) == 6, "six images", timeout_s=20)
        first_ns = recorded_poses()[0][0]
        assert ("odom", "base_link", first_ns) in recorder.transforms


def test_pause_stops_time_until_it_is_lifted(ros_domain: int) -> None:
    with player(ros_domain, speed=2.0) as (context, executor, _):
        recorder = Recorder(context)
        executor.add_node(recorder)
        client: Any = recorder.create_client(SetBool, "pause")
        spin_until(executor, client.service_is_ready, "the pause service")
        spin_until(executor, lambda: len(recorder.images) >= 2, "two images", timeout_s=20)
        _call(executor, client, True)
        ticks = len(recorder.clocks_ns) + 20
        spin_until(executor, lambda: len(recorder.clocks_ns) > ticks + 50, "clock in the pause")
        assert len(set(recorder.clocks_ns[ticks:])) == 1
        before = len(recorder.images)
        _call(executor, client, False)
        spin_until(executor, lambda: len(recorder.images) > before, "an image after the pause")


def _call(executor: SingleThreadedExecutor, client: Any, paused: bool) -> None:
    future = client.call_async(SetBool.Request(data=paused))
    spin_until(executor, future.done, "an answer of the pause service")
    assert future.result().success


def test_raw_images_are_the_decoded_ones_and_the_player_ends(ros_domain: int) -> None:
    parameters = {"speed": 30.0, "first_frame": 3, "last_frame": 5, "raw": True, "hold": False}
    with player(ros_domain, publish_depth=False, **parameters) as (context, executor, process):
        recorder = Recorder(context, image_type=Image)
        executor.add_node(recorder)
        spin_until(executor, lambda: len(recorder.images) == 3, "three images", timeout_s=20)
        spin_until(
            executor,
            lambda: process.poll() is not None,
            "the end of the player",
            timeout_s=30,
        )
        assert process.returncode == 0
        assert recorder.depths == []
        image = recorder.images[0]
        assert (image.encoding, image.step) == ("rgb8", 3 * 540)
        with PillowImage.open(load_tour().frames[3].image_path) as expected:
            assert bytes(image.data) == expected.convert("RGB").tobytes()


def test_standing_robot_keeps_its_transforms_until_another_node_has_them(ros_domain: int) -> None:
    parameters = {"speed": 20.0, "first_frame": 70}
    with player(ros_domain, **parameters) as (context, executor, _):
        recorder = Recorder(context)
        executor.add_node(recorder)
        end_ns = recorded_poses()[-1][0]

        def last_ns() -> int:
            return max((stamp for _, _, stamp in recorder.transforms), default=0)

        def silent_ns() -> int:
            return recorder.clocks_ns[-1] - last_ns()

        spin_until(executor, lambda: last_ns() > end_ns + 5 * 10**9, "a standing robot", 20)
        standing = recorder.transforms[("odom", "base_link", last_ns())]
        assert np.array_equal(standing, recorder.transforms[("odom", "base_link", end_ns)])
        recorder.create_publisher(TFMessage, "/tf", RELIABLE)
        spin_until(executor, lambda: silent_ns() > 5 * 10**9, "a clock without transforms")


def test_help_says_that_it_is_a_stand_in() -> None:
    done = subprocess.run(
        [sys.executable, str(LAUNCHER), "--help"], capture_output=True, text=True, timeout=60
    )
    assert "stand-in" in done.stdout
