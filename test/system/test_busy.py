"""The suite answers while it records at the camera's rate and waits for a slow model."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import TransformStamped
from rclpy.clock import Clock, ClockType
from rclpy.qos import QoSProfile, ReliabilityPolicy
from robot_memory.srv import GetStats, LocateObject
from sensor_msgs.msg import CameraInfo, CompressedImage
from tf2_msgs.msg import TFMessage

from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import time_to_msg
from memory_test_support.model_server import ModelServer, ServerOptions
from memory_test_support.node_bench import NodeBench
from memory_test_support.programs import Program
from memory_test_support.tour import load_tour

MODEL_LATENCY_S = 5.0
CALLS = 20
RATE_HZ = 30.0


@pytest.fixture
def busy(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    """All six nodes in one process, a camera at 30 Hz, and a model call on its way."""
    with ExitStack() as stack:
        server = stack.enter_context(ModelServer(ServerOptions(latency_s=MODEL_LATENCY_S)))
        bench = stack.enter_context(NodeBench(ros_domain, tmp_path))
        parameters = {"memory_dir": tmp_path, "base_url": server.base_url, "chunk_size": 2}
        suite = Program("memory", tmp_path / "logs", {**parameters, "min_translation_m": 0.0})
        stack.callback(suite.kill)
        _camera(bench)
        bench.until(lambda: server.requests["chunk_detection"] > 0, "a model call", 60.0)
        yield bench


def _camera(bench: NodeBench) -> None:
    """Publishes an image with its transforms at a steady rate from now on."""
    reliable = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)
    images = bench.publisher(CompressedImage, endpoints.IMAGE, reliable)
    infos = bench.publisher(CameraInfo, endpoints.CAMERA_INFO, reliable)
    transforms = bench.publisher(TFMessage, "/tf")
    data = load_tour().frames[0].image_path.read_bytes()

    def shoot() -> None:
        stamp = time_to_msg(time.time_ns())
        message = TFMessage()
        for parent, child in (("map", "base_link"), ("base_link", "camera_optical")):
            item = TransformStamped(child_frame_id=child)
            item.header.frame_id, item.header.stamp = parent, stamp
            item.transform.rotation.w = 1.0
            message.transforms.append(item)
        transforms.publish(message)
        infos.publish(CameraInfo(k=[500.0, 0.0, 270.0, 0.0, 500.0, 180.0, 0.0, 0.0, 1.0]))
        image = CompressedImage(format="jpeg", data=data)
        image.header.frame_id, image.header.stamp = "camera_optical", stamp
        images.publish(image)

    bench.user.create_timer(1.0 / RATE_HZ, shoot, clock=Clock(clock_type=ClockType.STEADY_TIME))


@pytest.mark.parametrize(
    ("kind", "name", "request_"),
    [
        (GetStats, endpoints.STATS, GetStats.Request()),
        (LocateObject, endpoints.LOCATE, LocateObject.Request(text="door")),
    ],
)
def test_twenty_calls_at_once_are_answered_before_the_model_is(
    kind: type[Any], name: str, request_: Any, busy: NodeBench
) -> None:
    client = busy.calling(kind, name)
    started_s = time.monotonic()
    futures = [client.call_async(request_) for _ in range(CALLS)]
    busy.until(lambda: all(future.done() for future in futures), "the answers", MODEL_LATENCY_S)
    print(f"{CALLS} calls of {name} in {time.monotonic() - started_s:.3f} s")
    assert all(future.result().success for future in futures)
