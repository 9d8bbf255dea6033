"""Listens to the player of the tour, which runs in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rclpy
from numpy.typing import NDArray
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy, qos_profile_sensor_data
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Int32
from tf2_msgs.msg import TFMessage

from memory_test_support.ros_messages import LATCHED

LAUNCHER = Path(__file__).resolve().parents[1] / "bin" / "tour_player"
Matrix = NDArray[np.float64]
RELIABLE = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)


class Recorder(Node):
    """Keeps all that the player says."""

    def __init__(self, context: Any, image_type: Any = CompressedImage) -> None:
        super().__init__("recorder", context=context, namespace="robot")
        self.clocks_ns: list[int] = []
        self.transforms: dict[tuple[str, str, int], Matrix] = {}
        self.static: dict[tuple[str, str], Matrix] = {}
        self.depths: list[Any] = []
        self.infos: list[Any] = []
        self.images: list[Any] = []
        self.counts: list[int] = []
        self.create_subscription(Clock, "/clock", self._on_clock, RELIABLE)
        self.create_subscription(TFMessage, "/tf", self._on_tf, RELIABLE)
        self.create_subscription(TFMessage, "/tf_static", self._on_static, LATCHED)
        self.create_subscription(Int32, "frames_published", self._on_count, LATCHED)
        self.create_subscription(Image, "depth", self.depths.append, RELIABLE)
        self.create_subscription(CameraInfo, "camera_info", self.infos.append, RELIABLE)
        # As a camera driver's subscriber does: best effort.
        self.create_subscription(image_type, "image", self.images.append, qos_profile_sensor_data)

    def _on_clock(self, message: Any) -> None:
        self.clocks_ns.append(stamp_ns(message.clock))

    def _on_count(self, message: Any) -> None:
        self.counts.append(message.data)

    def _on_tf(self, message: Any) -> None:
        for transform in message.transforms:
            key = (transform.header.frame_id, transform.child_frame_id)
            stamp = stamp_ns(transform.header.stamp)
            self.transforms[key[0], key[1], stamp] = matrix(transform.transform)

    def _on_static(self, message: Any) -> None:
        for transform in message.transforms:
            key = (transform.header.frame_id, transform.child_frame_id)
            self.static[key] = matrix(transform.transform)


def stamp_ns(stamp: Any) -> int:
    return int(stamp.sec) * 10**9 + int(stamp.nanosec)


def matrix(transform: Any) -> Matrix:
    """A 4x4 matrix by the textbook formula, apart from the support's quaternion code."""
    q, t = transform.rotation, transform.translation
    return rigid((t.x, t.y, t.z), (q.x, q.y, q.z, q.w))


def rigid(position: tuple[float, ...], quaternion_xyzw: tuple[float, ...]) -> Matrix:
    x, y, z, w = np.array(quaternion_xyzw) / np.linalg.norm(quaternion_xyzw)
    placed = np.eye(4)
    placed[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    placed[:3, 3] = position
    return placed


class Playing(NamedTuple):
    context: Any
    executor: SingleThreadedExecutor
    process: subprocess.Popen[bytes]


@contextmanager
def player(domain_id: int, **parameters: Any) -> Iterator[Playing]:
    """A player in a process of its own, and a context and executor to listen with."""
    command = [sys.executable, str(LAUNCHER), "--ros-args", "-r", "__ns:=/robot"]
    for name, value in parameters.items():
        command += ["-p", f"{name}:={str(value).lower() if isinstance(value, bool) else value}"]
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=domain_id)
    executor = SingleThreadedExecutor(context=context)
    process = subprocess.Popen(command)
    try:
        yield Playing(context, executor, process)
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        finally:
            process.kill()
            executor.shutdown()
            rclpy.shutdown(context=context)
