"""How many keyframes the detector takes, over real DDS, and what the suite takes when it is idle.

The detector is pinned to one core, and its model is instant. The bench plays the camera, TF and the
rest of the suite: it says of each chunk at once that it is stored. Images are sent as fast as they
become keyframes, so that none has to be lost. What is measured when idle stands in idle.py.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from rclpy.qos import QoSProfile, ReliabilityPolicy
from robot_memory.msg import ChunkGraph, StoreUpdate
from sensor_msgs.msg import CameraInfo, CompressedImage
from tf2_msgs.msg import TFMessage

from benchmark import idle
from benchmark.instant_model import instant_model
from benchmark.standing_camera import CAMERA_INFO, image_at, transforms_at
from memory_nodes.perception.spool import SPOOL_NAME
from memory_nodes.records import NS_PER_S
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import graph_from_msg, time_to_msg
from memory_nodes.store.writer import Writer
from memory_test_support.domain import own_domain
from memory_test_support.node_bench import NodeBench
from memory_test_support.programs import Program
from memory_test_support.tour import load_tour

KEYFRAMES = 10_000
LATENCY_SAMPLES = 200
PERIOD_NS = NS_PER_S // 100
MAX_ON_THE_WAY = 20
DEEP = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE)
PARAMETERS: dict[str, Any] = {
    "min_interval_s": 0.0,
    "min_translation_m": 0.0,
    "min_rotation_rad": 0.0,
    "sharpness_window_s": 0.0,
    "qos_overrides./memory/image.subscription.reliability": "reliable",
    "qos_overrides./memory/image.subscription.depth": 100,
}


class Feeder:
    """A camera on a robot that stands at the origin of the map."""

    def __init__(self, bench: NodeBench) -> None:
        self.sent = 0
        self._bench = bench
        self._writer = Writer(bench.memory_dir)
        self._data = load_tour().frames[0].image_path.read_bytes()
        self._images = bench.publisher(CompressedImage, endpoints.IMAGE, DEEP)
        self._tf = bench.publisher(TFMessage, "/tf", DEEP)
        self._stored = bench.publisher(StoreUpdate, endpoints.STORE_UPDATES, endpoints.LATCHED)
        infos = bench.publisher(CameraInfo, endpoints.CAMERA_INFO, DEEP)
        infos.publish(CAMERA_INFO)
        bench.user.create_subscription(
            ChunkGraph, endpoints.CHUNK_DETECTIONS, self._on_chunk, endpoints.EVENT
        )
        spool = bench.memory_dir / SPOOL_NAME
        self._spool = sqlite3.connect(f"{spool.as_uri()}?mode=ro", uri=True)

    def recorded(self) -> int:
        """Keyframes that are on disk."""
        query = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'keyframe'"
        return int(self._spool.execute(query).fetchone()[0])

    def send(self) -> None:
        """One image with the transforms at its stamp."""
        self.sent += 1
        stamp = time_to_msg(self.sent * PERIOD_NS)
        self._tf.publish(transforms_at(stamp))
        self._images.publish(image_at(stamp, self._data))

    def serve(self) -> None:
        self._bench.executor.spin_once(timeout_sec=0.0)

    def _on_chunk(self, graph: ChunkGraph) -> None:
        if self._writer.commit_chunk(replace(graph_from_msg(graph), resolved=True)):
            self._stored.publish(StoreUpdate(last_chunk_id=graph.chunk_id))


def run() -> dict[str, Any]:
    """Figures of one run."""
    return {**_recording(), **idle.run()}


def _recording() -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory() as directory,
        instant_model() as base_url,
        own_domain() as domain_id,
        NodeBench(domain_id, Path(directory)) as bench,
    ):
        parameters = {**PARAMETERS, "memory_dir": directory, "base_url": base_url}
        detector = Program("detector_node", Path(directory), parameters)
        os.sched_setaffinity(detector.process.pid, {min(os.sched_getaffinity(0))})
        try:
            feeder = Feeder(bench)
            latencies_ms = [_spooled_ms(feeder) for _ in range(LATENCY_SAMPLES)]
            keyframes_per_s = _throughput(feeder)
            rss_mb = _rss_mb(detector.process.pid)
            bench.until(lambda: feeder.recorded() >= feeder.sent, "the last keyframes")
        finally:
            detector.end()
        return {
            "keyframes_per_s": round(keyframes_per_s, 1),
            "spooled_ms_p50": round(statistics.median(latencies_ms), 2),
            "spooled_ms_p95": round(statistics.quantiles(latencies_ms, n=20)[-1], 2),
            "rss_mb": round(rss_mb, 1),
            "keyframes": feeder.sent,
            "lost": feeder.sent - feeder.recorded(),
        }


def _spooled_ms(feeder: Feeder) -> float:
    """From sending one image to its row in the spool."""
    started_s = time.perf_counter()
    feeder.send()
    while feeder.recorded() < feeder.sent:
        feeder.serve()
    return (time.perf_counter() - started_s) * 1000.0


def _throughput(feeder: Feeder) -> float:
    first, started_s = feeder.sent, time.perf_counter()
    while feeder.sent < KEYFRAMES:
        if feeder.sent - feeder.recorded() < MAX_ON_THE_WAY:
            feeder.send()
        feeder.serve()
    return (feeder.sent - first) / (time.perf_counter() - started_s)


def _rss_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024.0
    raise RuntimeError(f"process {pid} has no VmRSS")
