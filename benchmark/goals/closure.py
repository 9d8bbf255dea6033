"""How far goals are from where the robot was, after the map has moved by 0.4 m.

The robot drives four rounds through a flat and keeps a keyframe every quarter of a metre. In the
first metres its odometry slips: from there on all is drawn 0.4 m aside and a little turned, until
SLAM closes the loop and its vertices, with their noise, go to where they should have been. The
errors are those of the goals that the memory gives then, and those that it would give without.
"""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from memory_nodes.geometry import Pose
from memory_nodes.mapping.pose_graph import PoseGraph
from memory_nodes.navigation.candidates import Sight, choose
from memory_nodes.navigation.safety import Rules
from memory_nodes.records import NS_PER_S, Chunk, ChunkGraph, Keyframe
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer

CLOSURE_M = 0.4
ROUNDS = 4
MAP, FRAME = "flat", "map"
_CORNERS_M = ((0.0, 0.0), (9.0, 0.0), (9.0, 6.0), (0.0, 6.0))
_SPEED_M_PER_S = 0.5
_KEYFRAME_M, _VERTEX_M = 0.25, 0.5
_SLIP_M = (2.0, 4.0)
"""Between these metres of its way the robot slips."""
_TURN_RAD = 0.01
_VERTEX_SIGMA_M = 0.01
_CHUNK = 8
_MIN_MOVE_M = 0.05
_BASE_FROM_CAMERA = Pose((0.0, 0.0, 1.0), (-0.5, 0.5, -0.5, 0.5))


def closure_figures() -> dict[str, float]:
    """Median distance of goals from where the keyframe was taken, m.

    closure_goal_error_m: after the map has moved; closure_goal_error_uncorrected_m: of the same
    goals before; closure_yaw_error_rad: of their headings, after it.
    """
    with tempfile.TemporaryDirectory() as directory:
        return _figures(Path(directory))


def _figures(memory_dir: Path) -> dict[str, float]:
    writer, reader = Writer(memory_dir), Reader(memory_dir)
    snapshots = SnapshotCache(reader)
    truth = dict(enumerate(_way(_KEYFRAME_M), start=1))
    for chunk in _chunks(truth):
        writer.commit_chunk(chunk)
    vertices = dict(enumerate(_way(_VERTEX_M)))
    random = np.random.default_rng(0)
    drawn = _noisy({key: _drawn(key * _VERTEX_M, pose) for key, pose in vertices.items()}, random)
    closed = _noisy(vertices, random)
    end_ns = round(len(truth) * _KEYFRAME_M / _SPEED_M_PER_S * NS_PER_S) + NS_PER_S
    _hear(writer, drawn, end_ns)
    before = _errors(snapshots, truth)
    _hear(writer, closed, end_ns)
    after = _errors(snapshots, truth)
    reader.close()
    writer.close()
    return {
        "closure_goal_error_m": statistics.median(error_m for error_m, _ in after),
        "closure_goal_error_uncorrected_m": statistics.median(error_m for error_m, _ in before),
        "closure_yaw_error_rad": statistics.median(error_rad for _, error_rad in after),
    }


def _way(step_m: float) -> Iterator[Pose]:
    """Poses every step along the rounds, looking ahead."""
    corners_m = np.array(_CORNERS_M)
    sides_m = np.roll(corners_m, -1, axis=0) - corners_m
    lengths_m = np.linalg.norm(sides_m, axis=1)
    round_m = float(lengths_m.sum())
    for number in range(round(ROUNDS * round_m / step_m)):
        left_m, side = number * step_m % round_m, 0
        while left_m >= lengths_m[side]:
            left_m, side = left_m - lengths_m[side], side + 1
        x_m, y_m = corners_m[side] + sides_m[side] * (left_m / lengths_m[side])
        yield Pose.planar(float(x_m), float(y_m), math.atan2(sides_m[side, 1], sides_m[side, 0]))


def _drawn(along_m: float, truth: Pose) -> Pose:
    """Where SLAM takes the robot to be, before it closes the loop."""
    begin_m, end_m = _SLIP_M
    share = min(1.0, max(0.0, (along_m - begin_m) / (end_m - begin_m)))
    middle = Pose.planar(4.5, 3.0, 0.0)
    slip = Pose.planar(0.0, CLOSURE_M * share, _TURN_RAD * share)
    return middle @ slip @ middle.inverse() @ truth


def _noisy(poses: dict[int, Pose], random: np.random.Generator) -> dict[int, tuple[float, float]]:
    """Points of vertices; one of them is far off, as after a wrong match."""
    points_m = np.array([poses[key].position_m[:2] for key in sorted(poses)])
    points_m += random.normal(0.0, _VERTEX_SIGMA_M, points_m.shape)
    points_m[random.integers(len(points_m))] += 5.0
    return {key: (float(x_m), float(y_m)) for key, (x_m, y_m) in enumerate(points_m)}


def _hear(writer: Writer, points_m: dict[int, tuple[float, float]], stamp_ns: int) -> None:
    """A vertex is heard of when it is made."""
    made_s = np.array(sorted(points_m)) * _VERTEX_M / _SPEED_M_PER_S
    heard = PoseGraph.heard(points_m, stamp_ns)
    made = PoseGraph(heard.ids, heard.points_map_m, (made_s * NS_PER_S).astype(np.int64))
    writer.follow_map(MAP, FRAME, made, stamp_ns, _MIN_MOVE_M)


def _chunks(truth: dict[int, Pose]) -> Iterator[ChunkGraph]:
    keyframes = [_keyframe(number, pose) for number, pose in truth.items()]
    for chunk_id, first in enumerate(range(0, len(keyframes), _CHUNK), start=1):
        shown = tuple(keyframes[first : first + _CHUNK])
        yield ChunkGraph(Chunk(chunk_id, shown), (), (), resolved=True)


def _keyframe(number: int, truth: Pose) -> Keyframe:
    along_m = (number - 1) * _KEYFRAME_M
    base = _drawn(along_m, truth)
    return Keyframe(
        keyframe_id=number,
        stamp_ns=round(along_m / _SPEED_M_PER_S * NS_PER_S),
        map_id=MAP,
        session_id="session_1",
        map_frame=FRAME,
        map_from_base=base,
        map_from_camera=base @ _BASE_FROM_CAMERA,
        width_px=640,
        height_px=480,
        intrinsics=None,
        image_path="",
    )


def _errors(snapshots: SnapshotCache, truth: dict[int, Pose]) -> list[tuple[float, float]]:
    """Of the goal that each keyframe gives: metres, and radians of heading."""
    errors = []
    for number, keyframe in snapshots.current().keyframes.items():
        goal = choose([Sight(keyframe)], Rules(MAP), 0).candidates[0].map_from_goal
        errors.append((goal.distance_m(truth[number]), goal.angle_rad(truth[number])))
    return errors
