"""What the suite takes while nothing happens: start-up, CPU time and memory, over real DDS.

The memory is a small one that exists already. First the camera is silent; then it sends ten
pictures a second with their transforms, and the robot stands still. CPU is time used, as a share
of one core, so that it does not depend on what else the machine does.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rclpy.qos import QoSProfile
from sensor_msgs.msg import CameraInfo, CompressedImage
from tf2_msgs.msg import TFMessage

from benchmark.instant_model import instant_model
from benchmark.standing_camera import CAMERA_INFO, image_at, transforms_at
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import time_to_msg
from memory_test_support.domain import own_domain
from memory_test_support.full_memory import write_full_memory
from memory_test_support.node_bench import NodeBench
from memory_test_support.programs import Program
from memory_test_support.tour import load_tour

SUITES = {
    "one_process": ("memory",),
    "six_processes": (
        "episodic_node",
        "detector_node",
        "association_node",
        "query_node",
        "goal_node",
        "marker_node",
    ),
}
NODES = 6
START_TIMEOUT_S = 180.0
POLL_S = 0.02
SETTLING_S = 5.0
"""What is new to a node is looked at once: a memory that was found, the first pictures."""
MEASURED_S = 20.0
IMAGE_PERIOD_S = 0.1
KB_PER_MB = 1024.0


def run() -> dict[str, float]:
    """Figures of the suite in one process, and of its six nodes in processes of their own."""
    figures: dict[str, float] = {}
    for name, programs in SUITES.items():
        figures.update({f"{name}_{key}": value for key, value in _suite(programs).items()})
    return figures


def _suite(names: Sequence[str]) -> dict[str, float]:
    with (
        tempfile.TemporaryDirectory() as directory,
        instant_model() as base_url,
        own_domain() as domain_id,
        NodeBench(domain_id, Path(directory)) as bench,
    ):
        write_full_memory(Path(directory))
        parameters = {"memory_dir": directory, "base_url": base_url}
        started_s = time.monotonic()
        programs = [Program(name, Path(directory) / "log", parameters) for name in names]
        try:
            _await_active(programs)
            start_s = time.monotonic() - started_s
            silent_percent = _cpu_percent(programs, time.sleep)
            camera_percent = _cpu_percent(programs, _StandingRobot(bench).stand)
            memory = [_memory_mb(program.process.pid) for program in programs]
        finally:
            for program in programs:
                program.end()
    return {
        "start_s": round(start_s, 1),
        "idle_cpu_percent": silent_percent,
        "standing_cpu_percent": camera_percent,
        "rss_mb": round(sum(item["Rss"] for item in memory), 1),
        "pss_mb": round(sum(item["Pss"] for item in memory), 1),
    }


class _StandingRobot:
    """A camera that is looking, on a robot that stands at the origin of the map."""

    def __init__(self, bench: NodeBench) -> None:
        self._jpeg = load_tour().frames[0].image_path.read_bytes()
        self._images = bench.publisher(CompressedImage, endpoints.IMAGE, QoSProfile(depth=5))
        self._infos = bench.publisher(CameraInfo, endpoints.CAMERA_INFO, QoSProfile(depth=5))
        self._tf = bench.publisher(TFMessage, "/tf", QoSProfile(depth=100))

    def stand(self, duration_s: float) -> None:
        end_s = time.monotonic() + duration_s
        while time.monotonic() < end_s:
            self._look()
            time.sleep(IMAGE_PERIOD_S)

    def _look(self) -> None:
        stamp = time_to_msg(time.time_ns())
        self._tf.publish(transforms_at(stamp))
        self._infos.publish(CAMERA_INFO)
        self._images.publish(image_at(stamp, self._jpeg))


def _await_active(programs: Sequence[Program]) -> None:
    deadline_s = time.monotonic() + START_TIMEOUT_S
    while sum(item.log.read_text().count("active: memory") for item in programs) < NODES:
        if time.monotonic() > deadline_s:
            raise TimeoutError(f"the suite is not active within {START_TIMEOUT_S:g} s")
        time.sleep(POLL_S)


def _cpu_percent(programs: Sequence[Program], spend: Callable[[float], None]) -> float:
    """Of one core, all programs together, while a time is spent in some way."""
    spend(SETTLING_S)
    started_s, used_s = time.monotonic(), _cpu_s(programs)
    spend(MEASURED_S)
    share = (_cpu_s(programs) - used_s) / (time.monotonic() - started_s)
    return round(100.0 * share, 2)


def _cpu_s(programs: Sequence[Program]) -> float:
    """Source: proc(5), /proc/PID/stat, fields utime and stime behind the name in brackets."""
    ticks = 0
    for program in programs:
        stat = Path(f"/proc/{program.process.pid}/stat").read_text(encoding="ascii")
        fields = stat.rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _memory_mb(pid: int) -> dict[str, float]:
    """Rss, and Pss, in which what processes share counts once."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()[1:]
    lines = [line.split() for line in rollup]
    return {line[0].rstrip(":"): int(line[1]) / KB_PER_MB for line in lines}
