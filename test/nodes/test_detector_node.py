"""Camera in, chunk detections out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from PIL import Image as PilImage
from robot_memory.msg import ChunkGraph, StoreUpdate
from sensor_msgs.msg import Image

from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import graph_from_msg
from memory_nodes.store.writer import Writer
from memory_test_support.hand_camera import (
    EVERY_IMAGE,
    RELIABLE,
    Camera,
    knows_the_camera,
)
from memory_test_support.model_server import ModelServer
from memory_test_support.node_bench import NodeBench
from memory_test_support.picky_server import picky_server
from memory_test_support.tour import Tour
from memory_test_support.tour_player import TourPlayer


def test_tour_in_chunks_out_one_after_the_other_is_stored(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    bench.start(
        DetectorNode,
        base_url=server.base_url,
        use_depth=True,
        resend_s=0.5,
        pose_timeout_s=40.0,  # a busy machine may be late
        **EVERY_IMAGE,
    )
    graphs = bench.heard(ChunkGraph, endpoints.CHUNK_DETECTIONS)
    stored = bench.publisher(StoreUpdate, endpoints.STORE_UPDATES, endpoints.LATCHED)
    bench.make(TourPlayer, speed=20.0, last_frame=15, publish_depth=True)
    bench.until(lambda: bool(graphs), "the first chunk", 40.0)
    first = graphs[0]
    assert [k.header.stamp.sec * 10**9 + k.header.stamp.nanosec for k in first.keyframes] == [
        frame.stamp_ns for frame in tour.frames[:8]
    ]
    assert not first.resolved
    assert first.objects
    bench.until(lambda: len(graphs) > 1, "the chunk again, since nobody has stored it", 40.0)
    assert {graph.chunk_id for graph in graphs} == {first.chunk_id}
    stored.publish(StoreUpdate(last_chunk_id=first.chunk_id))  # as another robot's memory may say
    heard = len(graphs)
    bench.until(lambda: len(graphs) > heard, "the first chunk still", 40.0)
    assert graphs[-1].chunk_id == first.chunk_id
    writer = Writer(bench.memory_dir)
    writer.commit_chunk(replace(graph_from_msg(first), resolved=True))
    writer.close()
    stored.publish(StoreUpdate(last_chunk_id=first.chunk_id))
    bench.until(lambda: graphs[-1].chunk_id != first.chunk_id, "the second chunk", 40.0)
    assert graphs[-1].chunk_id == first.chunk_id + 1


def test_keyframe_has_the_pose_at_its_stamp_and_not_the_latest(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(DetectorNode, base_url=server.base_url, chunk_size=1, **EVERY_IMAGE)
    graphs = bench.heard(ChunkGraph, endpoints.CHUNK_DETECTIONS)
    camera = Camera(bench, tour)
    camera.stand_at(10, 1.0)
    camera.shoot(11)
    bench.until(lambda: node.counters["images"] == 1, "the image")
    assert node.counters["keyframes"] == 0
    camera.stand_at(12, 3.0)
    camera.stand_at(20, 50.0)
    bench.until(lambda: bool(graphs), "a chunk")
    (keyframe,) = graphs[0].keyframes
    assert keyframe.base_pose.pose.position.x == pytest.approx(2.0)


def test_image_without_transform_is_dropped_and_counted(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(DetectorNode, base_url=server.base_url, pose_timeout_s=0.3, **EVERY_IMAGE)
    camera = Camera(bench, tour)
    camera.shoot(5)
    bench.until(lambda: node.counters["dropped_frame_unknown"] == 1, "the drop")
    camera.stand_at(10, 0.0)
    camera.stand_at(11, 0.0)
    bench.until(lambda: knows_the_camera(node), "the transforms")
    camera.shoot(5)
    bench.until(lambda: node.counters["dropped_transform_too_old"] == 1, "the drop")
    camera.shoot(12)
    bench.until(lambda: node.counters["dropped_transform_late"] == 1, "the drop")
    assert node.counters["keyframes"] == 0


def test_damaged_image_is_counted_and_the_next_one_is_kept(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(DetectorNode, base_url=server.base_url, **EVERY_IMAGE)
    camera = Camera(bench, tour)
    camera.stand_at(1, 0.0)
    camera.stand_at(9, 0.0)
    bench.until(lambda: knows_the_camera(node), "the transforms")
    camera.shoot(2, data=tour.frames[0].image_path.read_bytes()[:2000])
    camera.shoot(3)
    bench.until(lambda: node.counters["keyframes"] == 1, "the good image")
    assert node.counters["dropped_image_unusable"] == 1


def test_format_that_is_no_picture_is_an_error_by_name_until_a_picture_comes(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(DetectorNode, base_url=server.base_url, **EVERY_IMAGE)
    reports = bench.heard(DiagnosticArray, endpoints.DIAGNOSTICS)
    camera = Camera(bench, tour)
    camera.stand_at(1, 0.0)
    camera.stand_at(9, 0.0)
    bench.until(lambda: knows_the_camera(node), "the transforms")
    camera.shoot(2, format_text="16UC1; compressedDepth png")
    bench.until(lambda: _level(reports) == DiagnosticStatus.ERROR, "an error")
    assert "compressedDepth" in reports[-1].status[0].message
    assert node.counters["dropped_encoding_unsupported"] == 1
    assert node.counters["keyframes"] == 0
    camera.shoot(3)
    bench.until(lambda: _level(reports) == DiagnosticStatus.OK, "the end of the error")
    assert node.counters["keyframes"] == 1


def test_raw_images_are_kept_in_their_colours_and_unknown_ones_refused(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(DetectorNode, base_url=server.base_url, image_transport="raw", **EVERY_IMAGE)
    camera = bench.publisher(Image, endpoints.IMAGE, RELIABLE)
    transforms = Camera(bench, tour, sends_images=False)
    transforms.stand_at(1, 0.0)
    transforms.stand_at(9, 0.0)
    bench.until(lambda: knows_the_camera(node), "the transforms")
    for stamp_s, encoding in ((2, "bgr8"), (3, "8UC3")):
        image = Image(encoding=encoding, width=64, height=48, step=200, data=_blue_bgr(64, 48, 200))
        image.header.frame_id = "camera_optical"
        image.header.stamp.sec = stamp_s
        transforms.inform()
        camera.publish(image)
    bench.until(lambda: node.counters["dropped_encoding_unsupported"] == 1, "the refusal")
    assert node.counters["keyframes"] == 1
    (path,) = bench.memory_dir.rglob("*.jpg")
    with PilImage.open(path) as kept:
        assert kept.getpixel((30, 20)) == pytest.approx((0, 0, 255), abs=3)


def test_last_image_of_a_window_is_kept_though_no_other_comes(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    options = {**EVERY_IMAGE, "sharpness_window_s": 0.2}
    node = bench.start(DetectorNode, base_url=server.base_url, **options)
    camera = Camera(bench, tour)
    camera.stand_at(1, 0.0)
    camera.stand_at(9, 0.0)
    bench.until(lambda: knows_the_camera(node), "the transforms")
    camera.shoot(2)
    bench.until(lambda: node.counters["keyframes"] == 1, "the image")
    camera.shoot(3)
    bench.until(lambda: node.counters["images"] == 2 and not len(node.images.waiting), "its pose")
    assert str(node.trigger_deactivate()).endswith("SUCCESS")
    bench.until(lambda: node.counters["keyframes"] == 2, "the image that was on its way")


def test_recording_goes_on_while_the_model_is_away_and_nothing_is_lost(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    server.fail_with(503)
    node = bench.start(
        DetectorNode, base_url=server.base_url, chunk_size=2, retry_s=0.2, **EVERY_IMAGE
    )
    graphs = bench.heard(ChunkGraph, endpoints.CHUNK_DETECTIONS)
    reports = bench.heard(DiagnosticArray, endpoints.DIAGNOSTICS)
    camera = Camera(bench, tour)
    camera.stand_at(0, 0.0)
    camera.stand_at(9, 0.0)
    bench.until(lambda: knows_the_camera(node), "the transforms")
    for stamp_s in range(1, 5):
        camera.shoot(stamp_s)
    bench.until(lambda: node.counters["keyframes"] == 4, "four keyframes")
    bench.until(lambda: node.counters["model_unavailable"] > 0, "a failed call")
    assert not graphs
    bench.until(lambda: _level(reports) == DiagnosticStatus.WARN, "a warning")
    server.restore()
    bench.until(lambda: bool(graphs), "the first chunk")
    assert [k.header.stamp.sec for k in graphs[0].keyframes] == [1, 2]


def test_chunk_is_split_when_the_server_takes_fewer_images(bench: NodeBench, tour: Tour) -> None:
    with picky_server() as picky:
        picky.max_images = 3
        node = bench.start(DetectorNode, base_url=picky.base_url, chunk_size=8, **EVERY_IMAGE)
        graphs = bench.heard(ChunkGraph, endpoints.CHUNK_DETECTIONS)
        camera = Camera(bench, tour)
        camera.stand_at(0, 0.0)
        camera.stand_at(9, 0.0)
        bench.until(lambda: knows_the_camera(node), "the transforms")
        for stamp_s in range(1, 9):
            camera.shoot(stamp_s)
        bench.until(lambda: node.spool.state().detected_chunks == 3, "the parts")
    assert len(graphs[0].keyframes) == 3


def _level(reports: list[Any]) -> bytes | None:
    """Of the newest report."""
    return reports[-1].status[0].level if reports else None


def _blue_bgr(width_px: int, height_px: int, step_bytes: int) -> bytes:
    return (bytes((255, 0, 0)) * width_px).ljust(step_bytes, b"\x63") * height_px
