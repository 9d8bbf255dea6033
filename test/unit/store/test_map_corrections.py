"""Poses follow their map: in one commit, with all that reads them, and back again."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import InputError
from memory_nodes.geometry import Pose
from memory_nodes.mapping.pose_graph import PoseGraph
from memory_nodes.records import (
    NS_PER_S,
    Box,
    ChunkGraph,
    EntitySighting,
    ItemKind,
    Keyframe,
    ObjectDescriptor,
    ObjectView,
)
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store import map_graphs, map_moves
from memory_nodes.store.consolidation import Piece
from memory_nodes.store.editing.edits import Merge, Split, Undo
from memory_nodes.store.filters import Filter
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.map_corrections import KEPT, MapCorrection
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import (
    BASE_FROM_CAMERA,
    descriptor,
    gist,
    graph,
    keyframe,
    observation,
    view,
)

END_S = 100.0
"""When the map moves."""
LINE = {key: (0.5 * key, 0.0) for key in range(24)}
SHIFTED = {key: (x_m, 0.4) for key, (x_m, _) in LINE.items()}
TURNED = {key: (0.0, x_m) for key, (x_m, _) in LINE.items()}
"""By a quarter turn about the origin."""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    opened.commit_chunk(_chunk(1))
    _hear(opened, LINE, 0.0)
    yield opened
    opened.close()


@pytest.fixture
def reader(writer: Writer, tmp_path: Path) -> Iterator[Reader]:
    opened = Reader(tmp_path)
    yield opened
    opened.close()


def _chunk(chunk_id: int, stamp_s: float | None = None) -> ChunkGraph:
    """Forty keyframes along a line, one a second, and a mug beside the middle one."""
    first = 40 * (chunk_id - 1) + 1
    shown = [
        keyframe(
            first + number,
            base=Pose.planar(0.25 * number, 0.0, 0.0),
            stamp_s=None if stamp_s is None else stamp_s + number,
        )
        for number in range(40)
    ]
    mug = descriptor("mug_1", view(first + 20, point_map_m=(7.0, 0.5, 0.5)))
    return graph(chunk_id, shown, [mug])


def _hear(
    writer: Writer,
    points_m: dict[int, tuple[float, float]],
    stamp_s: float,
    min_move_m: float = 0.05,
) -> MapCorrection | None:
    heard = PoseGraph.heard(points_m, round(stamp_s * NS_PER_S))
    return writer.follow_map("map", "map", heard, round(stamp_s * NS_PER_S), min_move_m)


def _only(reader: Reader, keyframe_id: int) -> Keyframe:
    return reader.keyframes([keyframe_id])[0]


def _mug(reader: Reader) -> ObjectDescriptor:
    return reader.objects(["mug_1"])[0]


def test_poses_move_with_the_vertices_yaw_included(writer: Writer, reader: Reader) -> None:
    """A quarter turn about the origin: (x, y) goes to (-y, x), and what looked along x along y."""
    before = _only(reader, 21)
    correction = _hear(writer, TURNED, END_S)
    assert correction is not None
    assert (correction.keyframes, correction.until_ns) == (40, 100 * NS_PER_S)
    after = _only(reader, 21)
    assert after.map_from_base.position_m == pytest.approx((0.0, 5.0, 0.0), abs=1e-9)
    assert after.map_from_base.yaw_rad == pytest.approx(math.pi / 2)
    x_m, y_m, z_m = before.map_from_camera.position_m
    assert after.map_from_camera.position_m == pytest.approx((-y_m, x_m, z_m), abs=1e-9)
    turned = after.map_from_base @ BASE_FROM_CAMERA
    assert after.map_from_camera.angle_rad(turned) == pytest.approx(0.0, abs=1e-6)


def test_object_moves_with_what_showed_it_and_its_covariance_turns(
    writer: Writer, reader: Reader
) -> None:
    before = _mug(reader)
    _hear(writer, TURNED, END_S)
    after = _mug(reader)
    assert before.position is not None and after.position is not None
    x_m, y_m, z_m = before.position.point_m
    assert after.position.point_m == pytest.approx((-y_m, x_m, z_m), abs=1e-9)
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    expected = turn @ np.reshape(before.position.covariance_m2, (3, 3)) @ turn.T
    assert np.reshape(after.position.covariance_m2, (3, 3)) == pytest.approx(expected, abs=1e-12)
    assert after.views[0].point_map_m == pytest.approx((-0.5, 7.0, 0.5), abs=1e-9)


def test_observations_gists_and_entities_are_found_at_the_new_place(
    writer: Writer, tmp_path: Path
) -> None:
    seen = writer.add(observation("a red mug", stamp_s=10.0, at_map_m=(5.0, 0.0, 0.0)))
    told = gist("a mug was seen", center_map_m=(5.0, 0.0, 0.0), observation_ids=(seen,))
    thing = EntitySighting("mug", (5.0, 0.0, 0.0), 1.0, 10 * NS_PER_S, (seen,))
    writer.add_piece(Piece(told, views=((thing,),)))
    search = Search(tmp_path)
    places = Filter(map_id="map")
    assert len(search.near((5.0, 0.0, 0.0), 0.1, 5, places).hits) == 3
    _hear(writer, SHIFTED, END_S)
    assert search.near((5.0, 0.0, 0.0), 0.3, 5, places).hits == ()
    found = search.near((5.0, 0.4, 0.0), 0.05, 5, places).hits
    assert {hit.kind for hit in found} == {ItemKind.OBSERVATION, ItemKind.GIST, ItemKind.ENTITY}
    search.close()


def test_search_that_opens_later_with_its_cache_finds_the_new_place(
    writer: Writer, tmp_path: Path
) -> None:
    writer.add(observation("a red mug", stamp_s=10.0, at_map_m=(5.0, 0.0, 0.0)))
    search = Search(tmp_path)
    assert search.near((5.0, 0.0, 0.0), 0.1, 5).hits
    search.close()
    _hear(writer, SHIFTED, END_S)
    search = Search(tmp_path)
    assert [hit.text for hit in search.near((5.0, 0.4, 0.0), 0.05, 5).hits] == ["a red mug"]
    assert search.near((5.0, 0.0, 0.0), 0.3, 5).hits == ()
    search.close()


def test_snapshot_that_follows_is_the_same_as_one_that_reads_everything(
    writer: Writer, reader: Reader
) -> None:
    cache = SnapshotCache(reader)
    cache.current()
    _hear(writer, TURNED, END_S)
    followed, anew = cache.current(), SnapshotCache(reader).current()
    assert list(followed.keyframes) == list(anew.keyframes)
    assert dict(followed.keyframes) == dict(anew.keyframes)
    assert followed.objects == anew.objects
    assert followed.keyframes[21].map_from_base.yaw_rad == pytest.approx(math.pi / 2)


def test_all_moves_in_one_commit(
    writer: Writer, reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks in between sees all of it as it was."""
    before = reader.keyframes()
    looked: list[list[Keyframe]] = []
    take = map_graphs.take

    def look(connection: sqlite3.Connection, *arguments: object, **named: object) -> None:
        looked.append(reader.keyframes())
        take(connection, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(map_graphs, "take", look)
    _hear(writer, SHIFTED, END_S)
    assert looked == [before]
    assert reader.keyframes() != before


def test_correction_that_a_crash_interrupts_is_as_if_it_had_never_begun(
    writer: Writer, reader: Reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = reader.keyframes()

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(map_moves, "_move", crash)
        with pytest.raises(KeyboardInterrupt):
            _hear(writer, SHIFTED, END_S)
    assert reader.keyframes() == before
    assert writer.map_corrections() == []
    writer.close()
    reopened = Writer(tmp_path)
    assert _hear(reopened, SHIFTED, END_S) is not None
    assert _only(reader, 21).map_from_base.position_m == pytest.approx((5.0, 0.4, 0.0))
    assert len(reopened.map_corrections()) == 1
    reopened.close()


def test_small_movements_are_ignored_until_they_add_up(writer: Writer, reader: Reader) -> None:
    for number in range(1, 5):
        crept = {key: (x_m, 0.01 * number) for key, (x_m, _) in LINE.items()}
        assert _hear(writer, crept, END_S + number) is None
    assert _only(reader, 21).map_from_base.position_m == (5.0, 0.0, 0.0)
    crept = {key: (x_m, 0.06) for key, (x_m, _) in LINE.items()}
    assert _hear(writer, crept, END_S + 5) is not None
    assert _only(reader, 21).map_from_base.position_m == pytest.approx((5.0, 0.06, 0.0))


def test_one_vertex_that_jumps_corrects_nothing(writer: Writer, reader: Reader) -> None:
    assert _hear(writer, LINE | {10: (5.0, 3.0)}, END_S) is None
    assert _only(reader, 21).map_from_base.position_m == (5.0, 0.0, 0.0)


def test_what_was_recorded_after_the_map_moved_stays(writer: Writer, reader: Reader) -> None:
    writer.commit_chunk(_chunk(2, stamp_s=END_S))
    correction = _hear(writer, SHIFTED, END_S)
    assert correction is not None and correction.keyframes == 40
    assert _only(reader, 40 + 21).map_from_base.position_m == (5.0, 0.0, 0.0)


def test_chunk_that_comes_late_is_corrected_when_it_comes(writer: Writer, reader: Reader) -> None:
    _hear(writer, TURNED, END_S)
    said = replace(observation("a mug", stamp_s=60.0, at_map_m=(5.0, 0.0, 0.0)), observation_id="a")
    writer.commit_chunk(_chunk(2, stamp_s=40.0), [said])
    assert _only(reader, 40 + 21).map_from_base.position_m == pytest.approx((0.0, 5.0, 0.0))
    assert _only(reader, 40 + 21).map_from_base.yaw_rad == pytest.approx(math.pi / 2)
    newest = _mug(reader).views[-1]
    assert newest.point_map_m == pytest.approx((-0.5, 7.0, 0.5))
    with writer.database.reading() as connection:
        place = connection.execute("SELECT x, y FROM observation WHERE public_id = 'a'").fetchone()
    assert tuple(place) == pytest.approx((0.0, 5.0), abs=1e-9)


def test_undo_puts_everything_back(writer: Writer, reader: Reader) -> None:
    writer.add(observation("a red mug", stamp_s=10.0, at_map_m=(5.0, 0.0, 0.0)))
    before, mug = reader.keyframes(), _mug(reader)
    correction = _hear(writer, TURNED, END_S)
    assert correction is not None
    cache = SnapshotCache(reader)
    cache.current()
    assert writer.undo_map_correction(correction.correction_key).is_undone
    for earlier, later in zip(before, reader.keyframes(), strict=True):
        assert later.map_from_base.position_m == pytest.approx(
            earlier.map_from_base.position_m, abs=1e-9
        )
        assert later.map_from_camera.angle_rad(earlier.map_from_camera) < 1e-6
    after = _mug(reader)
    assert mug.position is not None and after.position is not None
    assert after.position.point_m == pytest.approx(mug.position.point_m, abs=1e-9)
    assert after.position.covariance_m2 == pytest.approx(mug.position.covariance_m2, abs=1e-12)
    assert cache.current().keyframes == SnapshotCache(reader).current().keyframes


def test_late_chunk_is_moved_back_too(writer: Writer, reader: Reader) -> None:
    correction = _hear(writer, TURNED, END_S)
    assert correction is not None
    said = replace(observation("a mug", stamp_s=60.0, at_map_m=(5.0, 0.0, 0.0)), observation_id="a")
    writer.commit_chunk(_chunk(2, stamp_s=40.0), [said])
    writer.undo_map_correction(correction.correction_key)
    assert _only(reader, 61).map_from_base.position_m == pytest.approx((5.0, 0.0, 0.0), abs=1e-9)
    with writer.database.reading() as connection:
        place = connection.execute("SELECT x, y FROM observation WHERE public_id = 'a'").fetchone()
    assert tuple(place) == pytest.approx((5.0, 0.0), abs=1e-9)


@pytest.mark.parametrize("edit", ["merge", "split"])
def test_edit_of_before_can_be_undone_and_what_it_brings_back_has_moved(
    writer: Writer, reader: Reader, edit: str
) -> None:
    """A cup beside the mug; the two are taken for one, or the mug for two, and then are not."""
    seen = keyframe(41, base=Pose.planar(5.0, 0.0, 0.0), stamp_s=41.0)
    names = ("cup_1", "mug_1") if edit == "merge" else ("mug_1",)
    shown = [descriptor(name, view(41, point_map_m=(7.0, -0.5, 0.5))) for name in names]
    writer.commit_chunk(graph(2, [seen], shown))
    before = {item.object_id: item for item in reader.objects()}
    what = Merge("mug_1", ("cup_1",)) if edit == "merge" else Split("mug_1", (41,))
    made = writer.edit(what, 50 * NS_PER_S)
    _hear(writer, TURNED, END_S)
    writer.edit(Undo(made.event_id), 150 * NS_PER_S)
    after = {item.object_id: item for item in reader.objects()}
    assert after.keys() == before.keys()
    for name, item in before.items():
        place, moved = item.position, after[name].position
        assert place is not None and moved is not None
        x_m, y_m, z_m = place.point_m
        assert moved.point_m == pytest.approx((-y_m, x_m, z_m), abs=0.02)
        assert after[name].views[-1].point_map_m == pytest.approx((0.5, 7.0, 0.5), abs=1e-9)


def test_map_that_is_forgotten_leaves_no_vertices(writer: Writer) -> None:
    _hear(writer, SHIFTED, END_S)
    writer.forget(Forget(map_id="map"))
    assert writer.pose_graphs("map") == {}
    assert writer.map_corrections() == []
    with writer.database.reading() as connection:
        for table in ("map_vertex", "map_motion", "map_anchor"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0


def test_the_newest_correction_is_undone_first_and_each_once(writer: Writer) -> None:
    first, second = _hear(writer, SHIFTED, END_S), _hear(writer, LINE, END_S + 1)
    assert first is not None and second is not None
    with pytest.raises(InputError, match=f"map correction {second.correction_key} came after"):
        writer.undo_map_correction(first.correction_key)
    writer.undo_map_correction(second.correction_key)
    writer.undo_map_correction(first.correction_key)
    with pytest.raises(InputError, match="no map correction"):
        writer.undo_map_correction(first.correction_key)


def test_map_that_was_undone_is_followed_from_where_it_is(writer: Writer, reader: Reader) -> None:
    correction = _hear(writer, SHIFTED, END_S)
    assert correction is not None
    writer.undo_map_correction(correction.correction_key)
    assert _hear(writer, SHIFTED, END_S + 1) is None
    assert _only(reader, 21).map_from_base.position_m == pytest.approx((5.0, 0.0, 0.0))


def test_old_corrections_are_final_and_a_reader_behind_them_reads_all_anew(
    writer: Writer, reader: Reader
) -> None:
    cache = SnapshotCache(reader)
    cache.current()
    corrections = [
        _hear(writer, SHIFTED if number % 2 == 0 else LINE, END_S + number)
        for number in range(KEPT + 2)
    ]
    assert cache.current().keyframes == SnapshotCache(reader).current().keyframes
    first = corrections[0]
    assert first is not None
    for correction in reversed(corrections[2:]):
        assert correction is not None
        writer.undo_map_correction(correction.correction_key)
    with pytest.raises(InputError, match="too old"):
        writer.undo_map_correction(first.correction_key + 1)


def test_another_map_stays_where_it_is(writer: Writer, reader: Reader) -> None:
    shed = replace(
        graph(2, [keyframe(41, map_id="shed", base=Pose.planar(5.0, 0.0, 0.0))]), objects=()
    )
    writer.commit_chunk(shed)
    _hear(writer, SHIFTED, END_S)
    assert _only(reader, 41).map_from_base.position_m == (5.0, 0.0, 0.0)


def test_unknown_jump_makes_earlier_poses_of_the_session_less_certain(
    writer: Writer, reader: Reader
) -> None:
    before = _mug(reader)
    correction = writer.mark_stale(
        "map", "map", (20 * NS_PER_S, 30 * NS_PER_S), 0.3, whole_session=True
    )
    assert (correction.stale_m, correction.keyframes) == (0.3, 29)
    assert [item.stale_m for item in reader.keyframes([1, 29, 30])] == [0.3, 0.3, 0.0]
    after = _mug(reader)
    assert before.position is not None and after.position is not None
    widened = np.reshape(before.position.covariance_m2, (3, 3)) + np.diag([0.09, 0.09, 0.0])
    assert np.reshape(after.position.covariance_m2, (3, 3)) == pytest.approx(widened)


def test_two_jumps_add_up_as_independent_errors_and_a_late_chunk_has_them_too(
    writer: Writer, reader: Reader
) -> None:
    writer.mark_stale("map", "map", (0, 90 * NS_PER_S), 0.3)
    second = writer.mark_stale("map", "map", (0, 95 * NS_PER_S), 0.4)
    writer.commit_chunk(_chunk(2, stamp_s=50.0))
    assert _only(reader, 1).stale_m == pytest.approx(0.5)
    assert _only(reader, 41).stale_m == pytest.approx(0.5)
    writer.undo_map_correction(second.correction_key)
    assert _only(reader, 1).stale_m == pytest.approx(0.3)
    assert _only(reader, 41).stale_m == pytest.approx(0.3)


def test_pose_that_may_be_far_off_is_no_goal(writer: Writer, reader: Reader) -> None:
    assert all(item.is_localized for item in reader.keyframes())
    writer.mark_stale("map", "map", (10 * NS_PER_S, 12 * NS_PER_S), 50.0)
    doubtful = [item.keyframe_id for item in reader.keyframes() if not item.is_localized]
    assert doubtful == [10, 11]


def test_object_seen_from_places_that_moved_apart_is_where_both_show_it(tmp_path: Path) -> None:
    """On the second visit all is drawn 0.4 m aside, so that the mug seems to be elsewhere."""
    writer, reader = Writer(tmp_path), Reader(tmp_path)
    shown = Box(295.0, 381.0, 345.0, 431.0)
    _visit(writer, 1, 0.0, shown)
    true_place = _mug(reader).position
    second = {100 + key: (x_m, 0.4) for key, (x_m, _) in LINE.items()}
    _hear(writer, LINE, 0.0)
    _hear(writer, LINE | second, 200.0)
    _visit(writer, 2, 0.4, shown)
    mistaken = _mug(reader).position
    _hear(writer, LINE | {100 + key: point for key, point in LINE.items()}, 300.0)
    corrected = _mug(reader).position
    assert true_place is not None and mistaken is not None and corrected is not None
    assert mistaken.point_m[1] - true_place.point_m[1] > 0.1
    assert corrected.point_m == pytest.approx(true_place.point_m, abs=0.03)
    reader.close()
    writer.close()


def _visit(writer: Writer, number: int, aside_m: float, shown: Box) -> None:
    """One keyframe that looks at the mug from two metres away."""
    base = Pose.planar(5.0, aside_m, math.pi / 2)
    seen = keyframe(number, base=base, stamp_s=200.0 * (number - 1) + 1.0)
    mug = descriptor("mug_1", ObjectView(number, shown, point_map_m=(5.0, 1.5 + aside_m, 0.5)))
    writer.commit_chunk(graph(number, [seen], [mug]))
