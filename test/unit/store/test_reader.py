"""Reading while there is no memory, a strange one, or one that changes."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from memory_nodes.errors import SchemaTooNew, StoreError, StoreMissing
from memory_nodes.records import Relation
from memory_nodes.store.database import DATABASE_NAME, open_for_reading
from memory_nodes.store.reader import Reader
from memory_nodes.store.statistics import statistics
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view


def test_reader_may_start_before_the_writer(tmp_path: Path) -> None:
    reader = Reader(tmp_path / "memory")
    with pytest.raises(StoreMissing, match="no memory in"):
        reader.counts()
    Writer(tmp_path / "memory").close()
    assert reader.counts().keyframes == 0


def test_memory_that_is_just_being_made_is_missing_still(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / DATABASE_NAME).execute("PRAGMA journal_mode=WAL")
    with pytest.raises(StoreMissing, match="just being made"):
        Reader(tmp_path).counts()


def test_memory_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    Writer(tmp_path).close()
    sqlite3.connect(tmp_path / DATABASE_NAME).execute("PRAGMA user_version = 999")
    with pytest.raises(SchemaTooNew):
        Reader(tmp_path).counts()


def test_file_that_is_no_memory_is_a_store_error(tmp_path: Path) -> None:
    (tmp_path / DATABASE_NAME).write_bytes(b"anything else" * 1000)
    with pytest.raises(StoreError, match="cannot read the memory"):
        Reader(tmp_path).counts()


def test_reader_cannot_write(tmp_path: Path) -> None:
    Writer(tmp_path).close()
    connection = open_for_reading(tmp_path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM chunk")


def test_only_the_asked_objects_and_keyframes_come(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    objects = [descriptor(f"mug_{n}", view(1)) for n in (1, 2, 3)]
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2)], objects))
    reader = Reader(tmp_path)
    found = reader.objects(["mug_3", "mug_1", "lamp_1"])
    assert [item.object_id for item in found] == ["mug_1", "mug_3"]
    assert reader.objects([]) == []
    assert reader.keyframes([2, 9]) == [keyframe(2)]


def test_newest_keyframe_is_the_last_one(tmp_path: Path) -> None:
    writer, reader = Writer(tmp_path), Reader(tmp_path)
    assert reader.latest_keyframe() is None
    writer.commit_chunk(graph(1, [keyframe(4), keyframe(5, map_id="upstairs")]))
    assert reader.latest_keyframe() == keyframe(5, map_id="upstairs")


def test_relation_seen_in_several_chunks_is_one(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    for number in (1, 2):
        objects = [descriptor(key, view(number)) for key in ("mug_1", "desk_1")]
        relation = Relation("mug_1", "on", "desk_1", (number,))
        writer.commit_chunk(graph(number, [keyframe(number)], objects, [relation]))
    assert Reader(tmp_path).relations() == [Relation("mug_1", "on", "desk_1", (1, 2))]


def test_graph_is_of_one_moment_while_commits_go_on(tmp_path: Path) -> None:
    """Each chunk adds one object with one view of one keyframe: a torn read would not match."""
    writer, reader = Writer(tmp_path), Reader(tmp_path)
    is_done = threading.Event()

    def write() -> None:
        for number in range(1, 60):
            seen = descriptor(f"mug_{number}", view(number))
            writer.commit_chunk(graph(number, [keyframe(number)], [seen]))
        is_done.set()

    thread = threading.Thread(target=write)
    thread.start()
    while not is_done.is_set():
        objects, _, keyframes = reader.graph()
        shown = [item.views[0].keyframe_id for item in objects]
        assert shown == [item.keyframe_id for item in keyframes]
    thread.join()
    assert len(reader.graph()[0]) == 59


def test_statistics_span_the_memory(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    frames = [keyframe(1, stamp_s=0.0), keyframe(2, stamp_s=3.0, map_id="upstairs")]
    writer.commit_chunk(graph(1, frames))
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "1.jpg").write_bytes(bytes(1000))
    found = statistics(Reader(tmp_path), tmp_path)
    assert (found.first_stamp_ns, found.last_stamp_ns) == (0, 3_000_000_000)
    assert set(found.map_ids) == {"map", "upstairs"}
    assert found.disk_bytes > 1000
    assert found.counts.keyframes == 2
