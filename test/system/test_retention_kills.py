"""Archiving and dropping images go on after kill -9 at any moment, and leave nothing half done."""

from __future__ import annotations

import random
from pathlib import Path

from memory_nodes.records import NS_PER_S
from memory_nodes.store.database import open_for_reading
from memory_nodes.store.doctor.doctor import examine
from memory_nodes.store.writer import Writer
from memory_test_support.child import start_python
from memory_test_support.full_memory import write_images
from memory_test_support.records import descriptor, graph, keyframe, observation, view

KILLS = 8
OBSERVATIONS = 200
WAITING = 20
KEYFRAMES = 60

_PROGRAM = """
import sys
from pathlib import Path

from memory_nodes.store import archiving, image_retention
from memory_nodes.store.writer import Writer


def telling(plain):
    def told(connection, slice_):
        plain(connection, slice_)
        print("slice", flush=True)

    return told


archiving.SLICE = image_retention.SLICE = 2
archiving._archive = telling(archiving._archive)
image_retention._drop = telling(image_retention._drop)
writer = Writer(Path(sys.argv[1]))
writer.drop_images(2**62)
writer.archive(2**62, only_consolidated=True)
writer.close()
print("done", flush=True)
"""


def _write(memory_dir: Path) -> None:
    """The last observations are not consolidated; a mug shows in all keyframes."""
    write_images(memory_dir, *range(1, KEYFRAMES + 1))
    writer = Writer(memory_dir)
    frames = [keyframe(number) for number in range(1, KEYFRAMES + 1)]
    mug = descriptor("mug_1", *(view(number) for number in range(1, KEYFRAMES + 1)))
    writer.commit_chunk(graph(1, frames, [mug]))
    for number in range(OBSERVATIONS):
        writer.submit(observation(f"text {number}", stamp_ns=number * NS_PER_S))
    writer.flush()
    writer.finish_free(f"observation_{OBSERVATIONS - WAITING}")
    writer.close()


def _killed_after(memory_dir: Path, slices: int) -> bool:
    """Whether there were so many: it has ended by itself otherwise."""
    process = start_python(_PROGRAM, memory_dir)
    assert process.stdout is not None and process.stderr is not None
    try:
        for _ in range(slices):
            line = process.stdout.readline().strip()
            assert line in ("slice", "done"), process.stderr.read()
            if line == "done":
                return False
        return True
    finally:
        process.kill()
        process.communicate()


def _left(memory_dir: Path) -> tuple[int, int]:
    """Observations with a text, and keyframes with an image."""
    connection = open_for_reading(memory_dir)
    texts, images = connection.execute(
        "SELECT (SELECT count(*) FROM observation WHERE text_key IS NOT NULL),"
        " (SELECT count(*) FROM keyframe WHERE image_path != '')"
    ).fetchone()
    connection.close()
    return int(texts), int(images)


def test_retention_that_is_killed_at_any_slice_goes_on_where_it_was(tmp_path: Path) -> None:
    _write(tmp_path)
    moments, before = random.Random(3), _left(tmp_path)
    assert before == (OBSERVATIONS, KEYFRAMES)
    for _ in range(KILLS):
        assert _killed_after(tmp_path, moments.randrange(1, 14))
        after = _left(tmp_path)
        assert after[0] <= before[0]
        assert after[1] <= before[1]
        faults = {item.code for item in examine(tmp_path) if item.severity != "ok"}
        # what was to be deleted when it was killed is deleted at the next start
        assert faults <= {"erasures_pending", "images_unused"}
        before = after
    assert before[0] < OBSERVATIONS, "it was never killed while it archived"
    assert not _killed_after(tmp_path, 10**6)
    assert _left(tmp_path) == (WAITING, 1)
    assert [path.name for path in tmp_path.rglob("*.jpg")] == [f"{KEYFRAMES}.jpg"]
    assert [item.code for item in examine(tmp_path) if item.severity != "ok"] == []
