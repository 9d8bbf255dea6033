"""What the detector does and says when clocks, links or places cannot be trusted."""

from __future__ import annotations

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.qos import QoSProfile, ReliabilityPolicy
from robot_memory.msg import ChunkGraph
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CompressedImage

from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.ros import endpoints
from memory_test_support.hand_camera import (
    EVERY_IMAGE,
    Camera,
    clock_message,
)
from memory_test_support.model_server import ModelServer
from memory_test_support.node_bench import NodeBench
from memory_test_support.tour import Tour


def test_time_that_jumps_back_forgets_transforms_and_waiting_images(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(
        DetectorNode,
        base_url=server.base_url,
        use_sim_time=True,
        pose_timeout_s=60.0,
        **EVERY_IMAGE,
    )
    clock = bench.publisher(Clock, "/clock")
    camera = Camera(bench, tour)
    clock.publish(clock_message(100))
    bench.until(lambda: node.now_ns() == 100 * 10**9, "the clock")
    camera.stand_at(99, 0.0)
    camera.shoot(101)
    bench.until(lambda: len(node.images.waiting) == 1, "the image to wait")
    clock.publish(clock_message(3))
    bench.until(lambda: node.counters["dropped_time_jump"] == 1, "the jump")
    assert len(node.images.waiting) == 0


def test_time_that_jumps_back_starts_a_session_though_the_robot_stood_still(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    """The last keyframe, at 90 s, is older than the time that the clock jumps back to."""
    node = bench.start(DetectorNode, base_url=server.base_url, use_sim_time=True, **EVERY_IMAGE)
    graphs = bench.heard(ChunkGraph, endpoints.CHUNK_DETECTIONS)
    clock = bench.publisher(Clock, "/clock")
    camera = Camera(bench, tour)
    clock.publish(clock_message(100))
    bench.until(lambda: node.now_ns() == 100 * 10**9, "the clock")
    camera.stand_at(80, 0.0)
    camera.stand_at(100, 0.0)
    camera.shoot(90)
    bench.until(lambda: node.counters["keyframes"] == 1, "the first keyframe")
    clock.publish(clock_message(95))
    bench.until(lambda: bool(graphs), "the chunk of the first session")
    camera.stand_at(94, 0.0)
    camera.stand_at(99, 0.0)
    camera.shoot(96)
    bench.until(lambda: node.counters["keyframes"] == 2, "the second keyframe")
    assert node.spool.last_keyframe().session_id != graphs[0].keyframes[0].session_id


@pytest.mark.parametrize("reliability", [ReliabilityPolicy.BEST_EFFORT, ReliabilityPolicy.RELIABLE])
def test_images_of_best_effort_and_of_reliable_cameras_arrive(
    reliability: ReliabilityPolicy, bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(DetectorNode, base_url=server.base_url, pose_timeout_s=60.0)
    images = bench.publisher(
        CompressedImage, endpoints.IMAGE, QoSProfile(depth=5, reliability=reliability)
    )
    image = CompressedImage(format="jpeg", data=tour.frames[0].image_path.read_bytes())
    image.header.stamp.sec = 5

    def sent_again_until_heard() -> bool:
        images.publish(image)
        return bool(node.counters["images"] > 0)

    bench.until(sent_again_until_heard, "an image")


def test_publisher_of_another_quality_of_service_is_an_error_in_the_diagnostics(
    bench: NodeBench, server: ModelServer
) -> None:
    bench.start(DetectorNode, base_url=server.base_url, **EVERY_IMAGE)
    said = bench.heard(DiagnosticArray, endpoints.DIAGNOSTICS)
    best_effort = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    bench.user.create_publisher(CompressedImage, endpoints.IMAGE, best_effort)
    bench.until(lambda: _says(said, "quality of service", DiagnosticStatus.ERROR), "the error")


def test_stamp_0_under_wall_time_is_refused_and_told(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(DetectorNode, base_url=server.base_url, **EVERY_IMAGE)
    said = bench.heard(DiagnosticArray, endpoints.DIAGNOSTICS)
    Camera(bench, tour).shoot(0)
    bench.until(lambda: _says(said, "stamp 0", DiagnosticStatus.ERROR), "the error")
    assert node.counters["dropped_wrong_clock"] == 1


def test_wall_stamps_under_simulated_time_are_refused_and_both_clocks_named(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(DetectorNode, base_url=server.base_url, use_sim_time=True, **EVERY_IMAGE)
    said = bench.heard(DiagnosticArray, endpoints.DIAGNOSTICS)
    clock = bench.publisher(Clock, "/clock")
    clock.publish(clock_message(3))
    bench.until(lambda: node.now_ns() == 3 * 10**9, "the clock")
    Camera(bench, tour).shoot(1_574_652_168)
    bench.until(lambda: _says(said, "1574652168 s, /clock says 3 s", DiagnosticStatus.ERROR), "it")


def test_keyframe_of_an_uncertain_place_is_marked(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(
        DetectorNode,
        base_url=server.base_url,
        chunk_size=2,
        use_localization_gate=True,
        **EVERY_IMAGE,
    )
    graphs = bench.heard(ChunkGraph, endpoints.CHUNK_DETECTIONS)
    localization = bench.publisher(PoseWithCovarianceStamped, endpoints.LOCALIZATION)
    camera = Camera(bench, tour)
    camera.stand_at(1, 0.0)
    camera.stand_at(9, 0.0)
    camera.shoot(2)
    bench.until(lambda: node.counters["keyframes"] == 1, "the first keyframe")
    certain = PoseWithCovarianceStamped()
    certain.pose.covariance[0] = certain.pose.covariance[7] = 0.01
    localization.publish(certain)
    bench.until(lambda: node.images.is_localized, "the localisation")
    camera.shoot(3)
    bench.until(lambda: bool(graphs), "the chunk")
    assert [keyframe.unlocalized for keyframe in graphs[0].keyframes] == [True, False]


def test_chunk_left_open_is_closed_at_deactivation(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(DetectorNode, base_url=server.base_url, **EVERY_IMAGE)
    camera = Camera(bench, tour)
    camera.stand_at(1, 0.0)
    camera.stand_at(9, 0.0)
    camera.shoot(2)
    bench.until(lambda: node.counters["keyframes"] == 1, "the keyframe")
    node.trigger_deactivate()
    bench.until(lambda: node.spool.state().waiting_chunks == 1, "the chunk")


def _says(said: list[DiagnosticArray], text: str, level: bytes) -> bool:
    return any(
        text in status.message and status.level == level
        for array in said
        for status in array.status
    )
