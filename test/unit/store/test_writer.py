"""What was committed is there in full; what was not has left no trace."""

from __future__ import annotations

import math
import signal
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.errors import InputError, SchemaTooNew, StoreError, StoreLocked
from memory_nodes.geometry import Pose
from memory_nodes.records import (
    NS_PER_S,
    ChunkGraph,
    Counts,
    EpisodeStatus,
    ObjectStatus,
    Observation,
    Relation,
)
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.observations import MAX_TEXT_CHARS
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.child import start_python
from memory_test_support.records import descriptor, graph, keyframe, point, view


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    opened = Reader(tmp_path)
    yield opened
    opened.close()


def _first() -> ChunkGraph:
    return graph(
        1,
        [keyframe(1), keyframe(2)],
        [descriptor("mug_1", view(1), view(2), color="red"), descriptor("desk_1", view(1))],
        [Relation("mug_1", "on", "desk_1", (1, 2))],
    )


def _second() -> ChunkGraph:
    return graph(2, [keyframe(3)], [descriptor("mug_1", view(3), color="dark red")])


def _observation(text: str = "battery at 40 %") -> Observation:
    return Observation(
        stamp_ns=0,
        map_id="map",
        map_frame="map",
        layer="battery",
        text=text,
        map_from_base=Pose.identity(),
    )


def test_chunk_comes_back_as_it_was(writer: Writer, reader: Reader) -> None:
    assert writer.commit_chunk(_first())
    mug, desk = reader.objects()
    assert (mug.object_id, mug.attributes, mug.view_count) == ("mug_1", {"color": "red"}, 2)
    assert mug.views == (view(1), view(2))
    assert (mug.first_seen_ns, mug.last_seen_ns) == (1 * NS_PER_S, 2 * NS_PER_S)
    assert desk.object_id == "desk_1"
    assert reader.relations() == [Relation("mug_1", "on", "desk_1", (1, 2))]
    assert reader.keyframes() == [keyframe(1), keyframe(2)]
    assert writer.counts() == Counts(
        sequence=writer.counts().sequence,
        last_chunk_id=1,
        keyframes=2,
        objects=2,
        views=3,
        relations=2,
    )


def test_later_chunk_adds_to_what_is_known_of_an_object(writer: Writer, reader: Reader) -> None:
    writer.commit_chunk(_first())
    seen = replace(_second().objects[0], type="cup", description="on the floor")
    writer.commit_chunk(replace(_second(), objects=(seen,)))
    mug = reader.objects(["mug_1"])[0]
    assert (mug.type, mug.description, mug.attributes) == (
        "cup",
        "on the floor",
        {"color": "dark red"},
    )
    assert (mug.view_count, mug.status) == (3, ObjectStatus.PRESENT)
    assert (mug.first_seen_ns, mug.last_seen_ns) == (1 * NS_PER_S, 3 * NS_PER_S)
    assert {"mug", "red", "cup", "on the floor", "dark red"} <= set(mug.wordings)


def test_commit_again_changes_nothing(writer: Writer) -> None:
    assert writer.commit_chunk(_first())
    before = writer.counts()
    assert not writer.commit_chunk(_first())
    assert writer.counts() == before


def test_each_commit_counts_once(writer: Writer) -> None:
    before = writer.counts().sequence
    writer.commit_chunk(_first())
    writer.add(_observation())
    assert writer.counts().sequence == before + 2


def test_unresolved_chunk_is_refused(writer: Writer) -> None:
    with pytest.raises(InputError, match="chunk 1 is unresolved"):
        writer.commit_chunk(replace(_first(), resolved=False))
    assert writer.counts().keyframes == 0


def test_chunk_after_a_missing_one_is_refused(writer: Writer) -> None:
    writer.commit_chunk(_first())
    with pytest.raises(InputError, match="chunk 3 came after 1"):
        writer.commit_chunk(graph(3, [keyframe(9)]))
    assert writer.counts().last_chunk_id == 1


def test_first_chunk_may_have_any_number(writer: Writer) -> None:
    assert writer.commit_chunk(graph(16, [keyframe(121)]))


MUG = descriptor("mug_1", view(1))


@pytest.mark.parametrize(
    "broken",
    [
        graph(1, []),
        graph(1, [keyframe(1)], [MUG, MUG]),
        graph(1, [keyframe(1)], [descriptor("mug_1", view(5))]),
        graph(1, [keyframe(1)], [descriptor("mug_1", view(1), view(1))]),
        graph(1, [keyframe(1)], [replace(MUG, views=())]),
        graph(1, [keyframe(1)], [MUG], [Relation("mug_1", "on", "desk_1", (1,))]),
        graph(1, [keyframe(1)], [MUG], [Relation("mug_1", "on", "mug_1", (5,))]),
        graph(1, [keyframe(1)], [MUG], [Relation("mug_1", "", "mug_1", (1,))]),
    ],
    ids=[
        "no keyframe",
        "one id twice",
        "view of a foreign keyframe",
        "two views in a keyframe",
        "no view",
        "relation to an unlisted object",
        "relation in a foreign keyframe",
        "relation without a predicate",
    ],
)
def test_graph_that_contradicts_itself_is_refused(writer: Writer, broken: ChunkGraph) -> None:
    with pytest.raises(InputError):
        writer.commit_chunk(broken)
    assert writer.counts().keyframes == 0


def test_commit_that_fails_half_way_leaves_nothing(
    writer: Writer, reader: Reader, tmp_path: Path
) -> None:
    writer.commit_chunk(_first())
    before = writer.counts()
    other = sqlite3.connect(tmp_path / DATABASE_NAME)
    other.execute(
        "CREATE TRIGGER full BEFORE INSERT ON view BEGIN SELECT raise(ABORT, 'full'); END"
    )
    with pytest.raises(StoreError, match="nothing was changed"):
        writer.commit_chunk(_second())
    assert writer.counts() == before == reader.counts()
    other.execute("DROP TRIGGER full")
    assert writer.commit_chunk(_second())


def test_position_is_that_of_all_views_on_the_map_of_the_newest(
    writer: Writer, reader: Reader
) -> None:
    old_map = [keyframe(1, map_id="ground floor"), keyframe(2, map_id="ground floor")]
    far = descriptor("mug_1", view(1, point_map_m=(90.0, 9.0, 1.0)), view(2))
    writer.commit_chunk(graph(1, old_map, [far]))
    near = descriptor("mug_1", view(3, point_map_m=(2.0, 0.5, 0.5)))
    writer.commit_chunk(graph(2, [keyframe(3, map_id="first floor")], [near]))
    position = reader.objects()[0].position
    assert position is not None
    # behind the measured surface by a fifth of the object's size, and near it on the other axes
    assert position.point_m == pytest.approx((2.0, 0.5, 0.5), abs=0.1)


def test_place_on_an_old_map_is_not_kept_for_the_new_one(writer: Writer, reader: Reader) -> None:
    old = descriptor("mug_1", view(1, point_map_m=(9.0, 9.0, 1.0)), position=point(9.0, 9.0))
    writer.commit_chunk(graph(1, [keyframe(1, map_id="old")], [old]))
    unplaced = keyframe(2, map_id="new", intrinsics=None)
    writer.commit_chunk(graph(2, [unplaced], [descriptor("mug_1", view(2))]))
    assert reader.objects()[0].position is None


def test_second_writer_is_refused_by_the_name_of_the_first(tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from memory_nodes.store.writer import Writer
writer = Writer(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""
    process = start_python(program, tmp_path)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with pytest.raises(StoreLocked, match=f"process {process.pid} holds memory"):
            Writer(tmp_path)
    finally:
        process.kill()
        process.communicate()
    Writer(tmp_path).close()


def test_memory_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    Writer(tmp_path).close()
    other = sqlite3.connect(tmp_path / DATABASE_NAME)
    other.execute("PRAGMA user_version = 999")
    with pytest.raises(SchemaTooNew, match="schema 999"):
        Writer(tmp_path)
    assert other.execute("PRAGMA user_version").fetchone() == (999,)


def test_directory_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        Writer(tmp_path / "file" / "memory")


_ENDLESS = """
import sys
from pathlib import Path
from memory_nodes.records import Relation
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view
writer = Writer(Path(sys.argv[1]))
number = writer.counts().last_chunk_id
while True:
    number += 1
    ids = range(number * 4, number * 4 + 4)
    objects = [descriptor(f"mug_{n}", *map(view, ids)) for n in range(5)]
    relations = [Relation("mug_0", "near", "mug_1", tuple(ids))]
    writer.commit_chunk(graph(number, [keyframe(n) for n in ids], objects, relations))
    print(number, flush=True)
"""


def test_kill_9_in_the_middle_of_commits_leaves_whole_chunks_only(tmp_path: Path) -> None:
    for chunks in (1, 4, 6):
        process = start_python(_ENDLESS, tmp_path)
        assert process.stdout is not None
        acknowledged = 0
        for _ in range(chunks):
            acknowledged = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *map(int, process.stdout.read().split())])
        process.wait(timeout=30)
        writer = Writer(tmp_path)
        counts = writer.counts()
        writer.close()
        assert counts.last_chunk_id in (acknowledged, acknowledged + 1)
        stored = counts.last_chunk_id
        assert (counts.keyframes, counts.views, counts.relations) == (
            4 * stored,
            20 * stored,
            4 * stored,
        )


def test_reader_in_another_process_sees_each_commit(writer: Writer, tmp_path: Path) -> None:
    program = """
import sys
from pathlib import Path
from memory_nodes.store.reader import Reader
reader = Reader(Path(sys.argv[1]))
for line in sys.stdin:
    print(reader.counts().last_chunk_id, len(reader.graph()[0]), flush=True)
"""
    process = start_python(program, tmp_path)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for committed, expected in ((None, "0 0"), (_first(), "1 2"), (_second(), "2 2")):
            if committed is not None:
                writer.commit_chunk(committed)
            process.stdin.write("read\n")
            process.stdin.flush()
            assert process.stdout.readline().strip() == expected
    finally:
        process.kill()
        process.communicate()


def test_observation_gets_an_id_and_is_counted(writer: Writer) -> None:
    assert writer.add(_observation()) == "observation_1"
    assert writer.add(_observation()) == "observation_2"
    assert writer.counts().observations == 2


@pytest.mark.parametrize(
    "observation",
    [
        _observation(""),
        _observation(" \n"),
        _observation("x" * (MAX_TEXT_CHARS + 1)),
        replace(_observation(), layer=""),
        replace(_observation(), map_from_base=Pose((math.nan, 0, 0), (0, 0, 0, 1))),
        replace(_observation(), map_from_base=Pose((0, 0, 0), (0, 0, 0, 0))),
        replace(_observation(), confidence=math.nan),
        replace(_observation(), confidence=1.5),
    ],
    ids=["empty", "blank", "long", "no layer", "nan pose", "zero turn", "nan", "above one"],
)
def test_observation_that_cannot_be_used_is_refused(
    writer: Writer, observation: Observation
) -> None:
    with pytest.raises(InputError):
        writer.add(observation)
    assert writer.counts().observations == 0


def test_episode_ends_and_cannot_end_twice(writer: Writer) -> None:
    episode_id = writer.start_episode("tidy up", "", 5)
    ended = writer.end_episode(episode_id, 9)
    assert (ended.name, ended.status, ended.start_ns, ended.end_ns) == (
        "tidy up",
        EpisodeStatus.COMPLETED,
        5,
        9,
    )
    with pytest.raises(InputError, match="has ended already"):
        writer.end_episode(episode_id, 10)


def test_innermost_episode_ends_first(writer: Writer) -> None:
    outer = writer.start_episode("patrol", "", 1)
    inner = writer.start_episode("kitchen", outer, 2)
    ended = writer.end_episode("", 3)
    assert (ended.episode_id, ended.parent_id) == (inner, outer)
    assert writer.end_episode("", 4).episode_id == outer
    with pytest.raises(InputError, match="no episode is active"):
        writer.end_episode("", 5)


def test_unknown_episode_is_refused(writer: Writer) -> None:
    with pytest.raises(InputError, match="'episode_77'"):
        writer.start_episode("x", "episode_77", 0)
    with pytest.raises(InputError, match="'1; DROP TABLE episode'"):
        writer.end_episode("1; DROP TABLE episode", 0)


def test_interrupted_episode_is_closed_at_the_last_time_known(tmp_path: Path) -> None:
    crashed = Writer(tmp_path)
    crashed.start_episode("patrol", "", 1 * NS_PER_S)
    crashed.commit_chunk(_first())
    crashed.add(replace(_observation(), stamp_ns=7 * NS_PER_S))
    crashed.close()
    Writer(tmp_path).close()
    row = sqlite3.connect(tmp_path / DATABASE_NAME).execute("SELECT status, end_ns FROM episode")
    assert row.fetchone() == (EpisodeStatus.INTERRUPTED, 7 * NS_PER_S)


def test_interrupted_episode_of_an_empty_memory_ends_when_it_started(tmp_path: Path) -> None:
    crashed = Writer(tmp_path)
    crashed.start_episode("patrol", "", 8)
    crashed.close()
    Writer(tmp_path).close()
    row = sqlite3.connect(tmp_path / DATABASE_NAME).execute("SELECT status, end_ns FROM episode")
    assert row.fetchone() == (EpisodeStatus.INTERRUPTED, 8)
