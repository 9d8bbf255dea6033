"""What waits on disk is neither lost, repeated nor reordered."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import StoreError, StoreLocked
from memory_nodes.perception.graph_json import graph_from_json, graph_to_json
from memory_nodes.perception.spool import SPOOL_NAME, Spool, SpoolState
from memory_nodes.records import ChunkGraph, Relation
from memory_nodes.vectors import packed
from memory_test_support.child import run_python
from memory_test_support.records import descriptor, graph, keyframe, view

Step = Callable[[Spool], object]


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path)


def _add(spool: Spool, count: int) -> None:
    for _ in range(count):
        spool.add(keyframe(spool.next_keyframe_id()), None)


def _detect(spool: Spool) -> ChunkGraph:
    chunk = spool.next_undetected()
    assert chunk is not None
    found = graph(chunk.chunk_id, chunk.keyframes, resolved=False)
    spool.store_detections(found)
    return found


def test_keyframes_form_chunks_in_their_order(spool: Spool) -> None:
    _add(spool, 5)
    spool.close_chunk(3)
    spool.close_chunk(3)
    first = spool.next_undetected()
    assert first is not None
    assert [item.keyframe_id for item in first.keyframes] == [1, 2, 3]
    _detect(spool)
    second = spool.next_undetected()
    assert second is not None
    assert (second.chunk_id, [item.keyframe_id for item in second.keyframes]) == (2, [4, 5])
    assert spool.open_keyframe_ids() == []


def test_closing_without_open_keyframes_makes_no_chunk(spool: Spool) -> None:
    spool.close_chunk(8)
    assert spool.next_undetected() is None
    _add(spool, 1)
    spool.close_chunk(8)
    chunk = spool.next_undetected()
    assert chunk is not None
    assert chunk.chunk_id == 1


def test_keyframe_comes_back_as_it_was(spool: Spool) -> None:
    kept = replace(keyframe(1, map_id="up/stairs"), session_id="session_9")
    bare = keyframe(2, intrinsics=None)
    spool.add(kept, b"depth")
    spool.add(bare, None)
    spool.close_chunk(8)
    chunk = spool.next_undetected()
    assert chunk is not None
    assert chunk.keyframes == (kept, bare)
    assert spool.depth_pngs(chunk) == {1: b"depth"}


def test_detections_come_back_as_they_were(spool: Spool) -> None:
    _add(spool, 2)
    spool.close_chunk(8)
    chunk = spool.next_undetected()
    assert chunk is not None
    mug = descriptor("mug_1", view(1, point_map_m=(1.0, 2.0, 0.0)), view(2), color="réd")
    desk = descriptor("desk_1", view(1), affordances=("write",))
    relation = Relation("mug_1", "on", "desk_1", (1, 2))
    found = graph(chunk.chunk_id, chunk.keyframes, [mug, desk], [relation], resolved=False)
    spool.store_detections(found)
    assert spool.detections(chunk.chunk_id) == found


def test_vectors_come_back_as_they_were(spool: Spool) -> None:
    _add(spool, 1)
    spool.close_chunk(8)
    vector = packed(np.array([0.6, -0.8]))
    mug = descriptor("mug_1", replace(view(1), embedding=vector))
    found = replace(graph(1, [keyframe(1)], [mug], resolved=False), embedding_model="colour")
    spool.store_detections(found)
    assert spool.detections(1) == found


def test_scene_waits_with_its_chunk(spool: Spool) -> None:
    _add(spool, 1)
    spool.close_chunk(8)
    found = replace(graph(1, [keyframe(1)], resolved=False), scene="A tidy office.", place="office")
    spool.store_detections(found)
    assert spool.detections(1) == found


def test_detections_of_a_version_without_vectors_and_scenes_are_read() -> None:
    found = graph(1, [keyframe(1)], [descriptor("mug_1", view(1))])
    fields = json.loads(graph_to_json(found))
    del fields["embedding_model"], fields["scene"], fields["place"]
    del fields["objects"][0]["views"][0]["embedding"]
    assert graph_from_json(json.dumps(fields)) == found


def test_later_chunk_waits_for_the_one_before_it(spool: Spool) -> None:
    _add(spool, 2)
    spool.close_chunk(1)
    spool.close_chunk(1)
    second = graph(2, [keyframe(2)], resolved=False)
    spool.store_detections(second)
    assert spool.next_undelivered_id() is None
    _detect(spool)
    assert spool.next_undelivered_id() == 1
    spool.remove_stored(1)
    assert spool.next_undelivered_id() == 2


def test_ids_are_never_used_again_after_all_rows_are_gone(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    _add(spool, 2)
    spool.close_chunk(8)
    _detect(spool)
    spool.remove_stored(1)
    spool.close()
    reopened = Spool(tmp_path)
    assert reopened.next_keyframe_id() == 3
    _add(reopened, 1)
    reopened.close_chunk(8)
    chunk = reopened.next_undetected()
    assert chunk is not None
    assert (chunk.chunk_id, chunk.keyframes[0].keyframe_id) == (2, 3)


def test_one_id_cannot_be_taken_twice(spool: Spool) -> None:
    spool.add(keyframe(1), None)
    with pytest.raises(StoreError):
        spool.add(keyframe(1), None)
    assert spool.open_keyframe_ids() == [1]


def test_ids_begin_after_those_of_the_memory_when_the_spool_was_deleted(spool: Spool) -> None:
    spool.start_after(keyframe_id=120, chunk_id=15)
    assert spool.next_keyframe_id() == 121
    assert spool.open_keyframe_ids() == []
    _add(spool, 1)
    spool.close_chunk(8)
    chunk = spool.next_undetected()
    assert chunk is not None
    assert (chunk.chunk_id, chunk.keyframes[0].keyframe_id) == (16, 121)


def test_ids_of_an_older_memory_change_nothing(spool: Spool) -> None:
    _add(spool, 3)
    spool.close_chunk(2)
    spool.start_after(keyframe_id=3, chunk_id=1)
    spool.start_after(keyframe_id=0, chunk_id=0)
    chunk = spool.next_undetected()
    assert chunk is not None
    assert (chunk.chunk_id, len(chunk.keyframes)) == (1, 2)
    assert spool.open_keyframe_ids() == [3]
    assert spool.next_keyframe_id() == 4


def test_last_keyframe_outlives_its_chunk(spool: Spool) -> None:
    assert spool.last_keyframe() is None
    _add(spool, 2)
    spool.close_chunk(8)
    spool.remove_stored(1)
    assert spool.last_keyframe() == keyframe(2)


def test_state_counts_what_waits_where(spool: Spool) -> None:
    _add(spool, 5)
    spool.close_chunk(2)
    spool.close_chunk(2)
    _detect(spool)
    assert spool.state() == SpoolState(open_keyframes=1, waiting_chunks=1, detected_chunks=1)


def test_every_step_survives_a_reopen(tmp_path: Path) -> None:
    steps: list[tuple[Step, SpoolState]] = [
        (lambda spool: _add(spool, 3), SpoolState(3, 0, 0)),
        (lambda spool: spool.close_chunk(2), SpoolState(1, 1, 0)),
        (_detect, SpoolState(1, 0, 1)),
        (lambda spool: spool.remove_stored(1), SpoolState(1, 0, 0)),
        (lambda spool: spool.close_chunk(2), SpoolState(0, 1, 0)),
    ]
    for step, expected in steps:
        spool = Spool(tmp_path)
        step(spool)
        spool.close()
        reopened = Spool(tmp_path)
        assert reopened.state() == expected
        reopened.close()


def test_second_recorder_is_refused_by_name(spool: Spool, tmp_path: Path) -> None:
    with pytest.raises(StoreLocked, match=rf"process {os.getpid()} holds spool\.lock"):
        Spool(tmp_path)


_KILLED = """
import os, signal, sys
from pathlib import Path
from memory_nodes.perception.spool import Spool
from memory_test_support.records import keyframe
spool = Spool(Path(sys.argv[1]))
for number in range(1, 6):
    spool.add(keyframe(number), b"depth")
spool.close_chunk(4)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    killed = run_python(_KILLED, tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    spool = Spool(tmp_path)
    chunk = spool.next_undetected()
    assert chunk is not None
    assert [item.keyframe_id for item in chunk.keyframes] == [1, 2, 3, 4]
    assert len(spool.depth_pngs(chunk)) == 4
    assert spool.open_keyframe_ids() == [5]


def test_spool_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / SPOOL_NAME).write_bytes(b"no database, but long enough to be read as one" * 100)
    with pytest.raises(StoreError, match=str(tmp_path)):
        Spool(tmp_path)


def test_failed_write_leaves_the_spool_usable(spool: Spool, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / SPOOL_NAME)
    other.execute(
        "CREATE TRIGGER full BEFORE INSERT ON chunk BEGIN SELECT raise(ABORT, 'full'); END"
    )
    _add(spool, 2)
    with pytest.raises(StoreError, match="full"):
        spool.close_chunk(8)
    assert spool.open_keyframe_ids() == [1, 2]
    other.execute("DROP TRIGGER full")
    spool.close_chunk(8)
    assert spool.open_keyframe_ids() == []


def test_split_chunk_makes_way_for_its_parts_and_keeps_the_order(spool: Spool) -> None:
    _add(spool, 12)
    for _ in range(3):
        spool.close_chunk(5)  # 1 to 5, 6 to 10, 11 and 12
    _detect(spool)
    chunk = spool.next_undetected()
    assert chunk is not None
    assert chunk.chunk_id == 2
    spool.split(2, 2)
    found = []
    while (chunk := spool.next_undetected()) is not None:
        found.append((chunk.chunk_id, [item.keyframe_id for item in chunk.keyframes]))
        spool.store_detections(graph(chunk.chunk_id, chunk.keyframes, resolved=False))
    assert found == [(2, [6, 7]), (3, [8, 9]), (4, [10]), (5, [11, 12])]
    _add(spool, 1)
    spool.close_chunk(5)
    later = spool.next_undetected()
    assert later is not None
    assert later.chunk_id == 6
