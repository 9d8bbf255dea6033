"""A spool that grows too large is thinned, oldest chunks first."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from memory_nodes.perception.spool import SPOOL_NAME, Spool
from memory_nodes.records import ChunkGraph
from memory_test_support.records import graph, keyframe


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path)


def _detect(spool: Spool) -> ChunkGraph:
    chunk = spool.next_undetected()
    assert chunk is not None
    found = graph(chunk.chunk_id, chunk.keyframes, resolved=False)
    spool.store_detections(found)
    return found


def _fill(spool: Spool, chunks: int, size: int, image_bytes: int = 100) -> None:
    for _ in range(chunks):
        for _ in range(size):
            spool.add(keyframe(spool.next_keyframe_id()), None, image_bytes)
        spool.close_chunk(size)


def _waiting(spool: Spool) -> list[list[int]]:
    """The keyframe ids of each chunk without detections; gives the chunks detections."""
    found = []
    while spool.state().waiting_chunks:
        found.append([item.keyframe_id for item in _detect(spool).chunk.keyframes])
    return found


def test_images_and_depth_images_count_until_they_are_stored(spool: Spool) -> None:
    spool.add(keyframe(1), b"depth", 100)
    spool.add(keyframe(2), None, 200)
    spool.close_chunk(1)
    spool.close_chunk(1)
    assert spool.waiting_bytes() == 305
    spool.remove_stored(1)
    assert spool.waiting_bytes() == 200


def test_every_other_keyframe_of_the_oldest_chunks_is_dropped(spool: Spool) -> None:
    _fill(spool, chunks=3, size=4)
    dropped = spool.thin(max_bytes=800)
    assert [item.keyframe_id for item in dropped] == [2, 4, 6, 8]
    assert spool.waiting_bytes() == 800
    assert _waiting(spool) == [[1, 3], [5, 7], [9, 10, 11, 12]]


def test_no_chunk_is_thinned_twice_before_all_were_thinned_once(spool: Spool) -> None:
    _fill(spool, chunks=3, size=4)
    spool.thin(max_bytes=500)
    assert _waiting(spool) == [[1], [5, 7], [9, 11]]


def test_one_keyframe_of_each_chunk_stays(spool: Spool) -> None:
    _fill(spool, chunks=3, size=8)
    assert len(spool.thin(max_bytes=0)) == 21
    assert _waiting(spool) == [[1], [9], [17]]
    assert spool.waiting_bytes() == 300


def test_spool_below_its_limit_is_left_as_it_is(spool: Spool) -> None:
    _fill(spool, chunks=1, size=4)
    assert spool.thin(max_bytes=400) == []


def test_detected_chunk_open_keyframes_and_a_chunk_in_hand_are_not_thinned(spool: Spool) -> None:
    _fill(spool, chunks=3, size=4)
    detected = _detect(spool)
    in_hand = spool.next_undetected()
    assert in_hand is not None
    spool.add(keyframe(spool.next_keyframe_id()), None, 100)
    dropped = [item.keyframe_id for item in spool.thin(max_bytes=0)]
    assert dropped == [10, 12, 11]
    assert spool.detections(1) == detected
    assert spool.open_keyframe_ids() == [13]
    spool.put_back(in_hand.chunk_id)
    assert [item.keyframe_id for item in spool.thin(max_bytes=0)] == [6, 8, 7]


def test_thinned_chunk_survives_a_reopen(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    _fill(spool, chunks=1, size=4)
    spool.thin(max_bytes=0)
    spool.close()
    reopened = Spool(tmp_path)
    assert _waiting(reopened) == [[1]]
    assert reopened.next_keyframe_id() == 5


def test_spool_that_was_made_without_sizes_is_read(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.add(keyframe(1), None)
    spool.add(keyframe(2), None)
    spool.close()
    old = sqlite3.connect(tmp_path / SPOOL_NAME)
    old.executescript("DROP INDEX keyframe_size; ALTER TABLE keyframe DROP COLUMN size_bytes")
    old.close()
    reopened = Spool(tmp_path)
    reopened.add(keyframe(3), b"depth", 100)
    assert reopened.waiting_bytes() == 105
    reopened.close_chunk(8)
    assert _waiting(reopened) == [[1, 2, 3]]
