"""memory replay"""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict
from pathlib import Path

from memory_nodes.cli.command import Command, Outcome, Table
from memory_nodes.cli.options import add_model, add_time_zone, endpoint_of
from memory_nodes.cli.progress import progress_bars
from memory_nodes.errors import ConfigurationError
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.perception.boxes import BBOX_FORMATS
from memory_nodes.perception.detector import DetectorConfig
from memory_nodes.replay.recording import RecordingConfig
from memory_nodes.replay.replay import Replayed, replay
from memory_nodes.replay.topics import Topics
from memory_nodes.suite import SuiteConfig

MAX_PROBLEMS = 20


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "recording",
        nargs="?",
        type=Path,
        help="a rosbag2 directory, .mcap or .db3 file; without it what was read before is finished",
    )
    add_model(parser, is_required=True)
    parser.add_argument(
        "--append", action="store_true", help="add a later recording to a memory that is there"
    )
    for name, about in (
        ("image", "of the camera, compressed or raw (default: the only one)"),
        ("camera-info", "its calibration (default: the one beside the image)"),
        ("depth", "registered to the image (default: none)"),
    ):
        parser.add_argument(f"--{name}", default="", metavar="TOPIC", help=about)
    suite = SuiteConfig()
    for name, default, about in (
        ("map-id", suite.map_id, "name of the map"),
        ("map-frame", suite.map_frame, "TF frame of the map"),
        ("base-frame", suite.base_frame, "TF frame of the robot's base"),
    ):
        parser.add_argument(
            f"--{name}", default=default, metavar="NAME", help=f"{about} (default: %(default)s)"
        )
    parser.add_argument(
        "--bbox-format",
        choices=BBOX_FORMATS,
        default=DetectorConfig().bbox_format,
        help="how the model writes boxes (default: %(default)s)",
    )
    add_time_zone(parser)


def _run(memory_dir: Path, arguments: argparse.Namespace) -> Outcome:
    endpoint = endpoint_of(arguments)
    model = chat_for(endpoint)
    if model is None:
        raise ConfigurationError("--base-url is empty: a replay needs a vision model")
    started_s = time.monotonic()
    with progress_bars() as progress:
        replayed = replay(
            arguments.recording,
            memory_dir,
            _config(arguments, memory_dir),
            model,
            endpoint.call_timeout_s,
            progress,
            appends=arguments.append,
        )
    return _outcome(replayed, memory_dir, time.monotonic() - started_s)


def _config(arguments: argparse.Namespace, memory_dir: Path) -> RecordingConfig:
    return RecordingConfig(
        suite=SuiteConfig(
            memory_dir=str(memory_dir),
            map_id=arguments.map_id,
            map_frame=arguments.map_frame,
            base_frame=arguments.base_frame,
            time_zone=arguments.time_zone,
        ),
        topics=Topics(arguments.image, arguments.camera_info, arguments.depth),
        detection=DetectorConfig(bbox_format=arguments.bbox_format),
    )


def _outcome(replayed: Replayed, memory_dir: Path, duration_s: float) -> Outcome:
    unnamed = len(replayed.problems) - MAX_PROBLEMS
    counted = {name.replace("_", " "): count for name, count in sorted(replayed.images.items())}
    held = {name: getattr(replayed.counts, name) for name in ("keyframes", "objects", "relations")}
    rows = [
        *((f"images: {name}" if name != "images" else name, n) for name, n in counted.items()),
        *((f"memory: {name}", count) for name, count in held.items()),
    ]
    return Outcome(
        lines=(
            Table(("", ""), tuple((name, str(count)) for name, count in rows)),
            f"{memory_dir} after {duration_s:.1f} s",
            *(f"problem: {problem}" for problem in replayed.problems[:MAX_PROBLEMS]),
            *((f"and {unnamed} more problems; --json lists all",) if unnamed > 0 else ()),
            *(
                (f"{len(replayed.notes)} notes on replies; --json lists them",)
                if replayed.notes
                else ()
            ),
        ),
        data={
            "memory_dir": str(memory_dir),
            "duration_s": duration_s,
            "images": dict(replayed.images),
            "counts": asdict(replayed.counts),
            "problems": replayed.problems,
            "notes": replayed.notes,
        },
        is_ok=not replayed.problems,
    )


COMMAND = Command(
    "replay", "build a memory from a rosbag2 recording, without ROS", _run, _add_arguments
)
