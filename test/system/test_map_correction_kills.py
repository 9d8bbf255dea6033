"""A correction that is killed at any moment has moved everything or nothing, and comes again."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from memory_nodes.geometry import Pose
from memory_nodes.mapping.pose_graph import PoseGraph
from memory_nodes.records import NS_PER_S
from memory_nodes.store.database import open_for_reading
from memory_nodes.store.doctor.doctor import examine
from memory_nodes.store.writer import Writer
from memory_test_support.child import start_python
from memory_test_support.full_memory import write_images
from memory_test_support.records import descriptor, graph, keyframe, observation, view

KILLS = 8
COUNT = 60
STEPS = 32
"""Fewer than the program tells of in the end."""
END_NS = 100 * NS_PER_S
LINE = {key: (0.5 * key, 0.0) for key in range(40)}
SHIFTED = {key: (x_m, 0.4) for key, (x_m, _) in LINE.items()}

_PROGRAM = """
import sys
from pathlib import Path

from memory_nodes.mapping.pose_graph import PoseGraph
from memory_nodes.store import map_corrections, map_moves, placed
from memory_nodes.store.writer import Writer


def telling(plain):
    def told(*arguments):
        result = plain(*arguments)
        print("step", flush=True)
        return result

    return told


map_moves.SLICE = 5
map_corrections.insert_anchors = telling(map_corrections.insert_anchors)
placed.move = telling(placed.move)
writer = Writer(Path(sys.argv[1]))
shifted = {key: (0.5 * key, 0.4) for key in range(40)}
end_ns = 100 * 10**9
writer.follow_map("map", "map", PoseGraph.heard(shifted, end_ns), end_ns, 0.05)
writer.close()
print("done", flush=True)
"""


def _write(memory_dir: Path) -> None:
    write_images(memory_dir, *range(1, COUNT + 1))
    writer = Writer(memory_dir)
    frames = [keyframe(n, base=Pose.planar(0.25 * n, 0.0, 0.0)) for n in range(1, COUNT + 1)]
    mugs = [descriptor(f"mug_{n}", view(n)) for n in range(1, COUNT + 1, 10)]
    writer.commit_chunk(graph(1, frames, mugs))
    for number in range(COUNT):
        place_m = (0.25 * number, 0.0, 0.0)
        writer.submit(observation(f"text {number}", stamp_ns=number * NS_PER_S, at_map_m=place_m))
    writer.flush()
    writer.follow_map("map", "map", PoseGraph.heard(LINE, 0), 0, 0.05)
    writer.close()


def _killed_after(memory_dir: Path, steps: int) -> None:
    process = start_python(_PROGRAM, memory_dir)
    assert process.stdout is not None and process.stderr is not None
    try:
        for _ in range(steps):
            assert process.stdout.readline().strip() == "step", process.stderr.read()
    finally:
        process.kill()
        process.communicate()


def _shifts_m(memory_dir: Path) -> set[float]:
    """How far aside keyframes and observations are."""
    connection = open_for_reading(memory_dir)
    found = connection.execute(
        "SELECT base_y FROM keyframe UNION SELECT camera_y FROM keyframe UNION"
        " SELECT y FROM observation"
    ).fetchall()
    connection.close()
    return {round(row[0], 6) for row in found}


@pytest.mark.parametrize("seed", range(KILLS))
def test_killed_correction_moves_all_or_nothing_and_comes_again(tmp_path: Path, seed: int) -> None:
    _write(tmp_path)
    _killed_after(tmp_path, random.Random(seed).randint(1, STEPS))
    assert _shifts_m(tmp_path) in ({0.0}, {0.4})
    writer = Writer(tmp_path)
    writer.follow_map("map", "map", PoseGraph.heard(SHIFTED, END_NS), END_NS, 0.05)
    assert len(writer.map_corrections()) == 1
    writer.close()
    assert _shifts_m(tmp_path) == {0.4}
    assert [item.code for item in examine(tmp_path) if item.severity == "error"] == []
