"""The index of known objects: level with the memory, and with the right ones first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from memory_nodes.association import known_objects
from memory_nodes.association.known_objects import KnownObjects
from memory_nodes.association.places import LOOSE_M, LOOSE_SHARE, NEAR_M
from memory_nodes.errors import StoreMissing
from memory_nodes.geometry import Pose, Vector3
from memory_nodes.records import ClearLook, ObjectDescriptor, ObjectStatus
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, point, view


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def known(tmp_path: Path, writer: Writer) -> Iterator[KnownObjects]:
    """After the writer: there is a memory."""
    reader = Reader(tmp_path)
    yield KnownObjects(reader)
    reader.close()


def _at(object_id: str, keyframe_id: int, x_m: float, y_m: float = 0.0) -> ObjectDescriptor:
    """Measured by depth, 2 m and more before the camera of its keyframe."""
    place_m: Vector3 = (x_m, y_m, 1.0)
    made = descriptor(object_id, view(keyframe_id, point_map_m=place_m))
    return replace(made, description=made.type, position=point(*place_m))


def _store(writer: Writer, number: int, *objects: ObjectDescriptor, map_id: str = "map") -> None:
    """As a chunk with one keyframe of the same number, from the origin."""
    frame = keyframe(number, base=Pose.identity(), map_id=map_id)
    writer.commit_chunk(graph(number, [frame], objects))


def _candidates(known: KnownObjects, seen: ObjectDescriptor, k: int = 6) -> list[str]:
    known.follow()
    return known.candidates(seen, "map", k)


def test_memory_that_is_not_there_yet_is_looked_for_again(tmp_path: Path) -> None:
    known = KnownObjects(Reader(tmp_path / "later"))
    with pytest.raises(StoreMissing):
        known.follow()
    writer = Writer(tmp_path / "later")
    _store(writer, 1, _at("mug_1", 1, 3.0))
    known.follow()
    assert len(known) == 1
    writer.close()


def test_index_follows_each_commit(writer: Writer, known: KnownObjects) -> None:
    _store(writer, 1, _at("mug_1", 1, 3.0), _at("lamp_1", 1, 3.0, 1.0))
    known.follow()
    _store(writer, 2, replace(_at("mug_1", 2, 3.0), type="cup", description="chipped"))
    known.follow()
    assert len(known) == 2
    item = known["mug_1"].item
    assert (item.types, item.texts) == (("mug", "cup"), ("mug", "chipped"))
    assert item.last_seen_ns == 2 * 10**9
    assert _candidates(known, descriptor("cup_9"), k=1) == ["mug_1"]


def test_followed_index_is_that_of_a_new_process(
    tmp_path: Path, writer: Writer, known: KnownObjects, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through changes, a forgotten object, and rows that are thrown out in between."""
    monkeypatch.setattr(known_objects, "MIN_DEAD_ROWS", 4)
    names = [f"{name}_{number}" for name in ("mug", "lamp", "globe") for number in (1, 2)]
    for number in range(1, 9):
        _store(writer, number, *(_at(n, number, 3.0, 0.4 * i) for i, n in enumerate(names)))
        if number == 4:
            writer.forget(Forget(("lamp_1",)))
            names.remove("lamp_1")
        known.follow()
    fresh = KnownObjects(Reader(tmp_path))
    fresh.follow()
    assert len(known) == len(fresh) == 5
    assert [known[name] for name in names] == [fresh[name] for name in names]
    for seen in (_at("mug_7", 9, 3.0, 0.3), _at("globe_7", 9, 3.1, 0.9), descriptor("lamp_7")):
        assert known.candidates(seen, "map", 4) == fresh.candidates(seen, "map", 4)


def test_forgotten_object_is_no_candidate_and_its_id_is_unknown(
    writer: Writer, known: KnownObjects
) -> None:
    _store(writer, 1, _at("mug_1", 1, 3.0), _at("mug_2", 1, 3.0, 1.0))
    assert _candidates(known, descriptor("mug_9")) == ["mug_1", "mug_2"]
    writer.forget(Forget(("mug_2",)))
    assert _candidates(known, descriptor("mug_9")) == ["mug_1"]
    with pytest.raises(KeyError):
        known["mug_2"]


def test_only_objects_on_a_map_have_a_place_on_it(writer: Writer, known: KnownObjects) -> None:
    _store(writer, 1, _at("mug_1", 1, 3.0), descriptor("lamp_1", view(1)))
    _store(writer, 2, _at("cup_1", 2, 3.0), map_id="shed")
    _store(writer, 3, _at("desk_1", 3, 5.0, 1.0))
    known.follow()
    rows, points_m = known.placed("map")
    object_ids = known.ids(rows)
    assert {"mug_1", "desk_1"} <= set(object_ids)
    assert "cup_1" not in object_ids
    assert points_m[object_ids.index("desk_1")] == pytest.approx((5.0, 1.0, 1.0), abs=0.2)
    writer.forget(Forget(("mug_1",)))
    known.follow()
    assert "mug_1" not in known.ids(known.placed("map")[0])
    assert known.ids(known.placed("shed")[0]) == ["cup_1"]
    assert known.ids(known.placed("nowhere")[0]) == []


def test_clear_looks_are_counted_and_an_object_that_has_expired_is_none(
    writer: Writer, known: KnownObjects, tmp_path: Path
) -> None:
    doubtful = _at("cup_1", 1, 3.0, 1.0)
    doubtful = replace(doubtful, views=(replace(doubtful.views[0], confidence=0.1),))
    _store(writer, 1, _at("mug_1", 1, 3.0), doubtful)
    _store(writer, 2, _at("mug_1", 2, 3.0))
    known.follow()
    assert len(known) == 2
    looks = (ClearLook("mug_1", 3), ClearLook("cup_1", 3))
    frame = keyframe(3, base=Pose.identity())
    writer.commit_chunk(replace(graph(3, [frame], []), clear_looks=looks))
    anew = KnownObjects(Reader(tmp_path))
    for index in (known, anew):
        index.follow()
        assert len(index) == 1
        assert index["mug_1"].item.clear_looks == 1
    _store(writer, 4, _at("cup_1", 4, 3.0, 1.0))
    known.follow()
    assert known["cup_1"].item.status == ObjectStatus.PRESENT


def test_index_that_is_behind_the_tombstones_is_made_anew(
    tmp_path: Path, writer: Writer, known: KnownObjects
) -> None:
    _store(writer, 1, _at("mug_1", 1, 3.0), _at("mug_2", 1, 3.0, 1.0))
    known.follow()
    writer.forget(Forget(("mug_2",)))
    with writer.database.transaction() as connection:
        connection.execute("DELETE FROM tombstone")
        newest = "SELECT sequence FROM commit_log"
        connection.execute(f"UPDATE tombstone_floor SET sequence = ({newest})")
    known.follow()
    assert len(known) == 1


def test_best_by_words_and_best_by_place_are_both_there(
    writer: Writer, known: KnownObjects
) -> None:
    mugs = [_at(f"mug_{number}", 1, 20.0, 2.0 * number) for number in range(1, 9)]
    _store(writer, 1, *mugs, _at("plant_1", 1, 3.0, 0.2), _at("plant_2", 1, 9.0, 4.0))
    found = _candidates(known, _at("mug_9", 2, 3.0), k=3)
    assert "plant_1" in found
    assert any(name.startswith("mug_") for name in found)
    assert "plant_2" not in found
    assert len(found) == 3


def test_of_many_that_look_the_same_the_likeliest_place_comes_first(
    writer: Writer, known: KnownObjects
) -> None:
    places_m = np.random.default_rng(0).uniform((4.0, -8.0), (12.0, 8.0), size=(60, 2))
    _store(writer, 1, *(_at(f"mug_{n}", 1, x, y) for n, (x, y) in enumerate(places_m, start=1)))
    seen_m = places_m[17] + 0.02
    seen = replace(descriptor("mug_99"), position=point(float(seen_m[0]), float(seen_m[1]), 1.0))
    found = _candidates(known, seen, k=1)
    densities = {}
    for number in range(1, 61):
        stored = known[f"mug_{number}"].item.position
        assert stored is not None
        assert seen.position is not None
        covariance_m2 = np.add(stored.covariance_m2, seen.position.covariance_m2).reshape(3, 3)
        gap_m = np.subtract(seen.position.point_m, stored.point_m)
        densities[f"mug_{number}"] = sum(
            share * multivariate_normal.pdf(gap_m, cov=covariance_m2 + spread_m**2 * np.eye(3))
            for share, spread_m in ((1.0 - LOOSE_SHARE, NEAR_M), (LOOSE_SHARE, LOOSE_M))
        )
    assert found == [max(densities, key=lambda name: densities[name])]


def test_without_a_place_the_newest_of_equals_comes_first(
    writer: Writer, known: KnownObjects
) -> None:
    _store(writer, 1, _at("mug_1", 1, 3.0), _at("mug_2", 1, 3.0, 1.0))
    _store(writer, 2, _at("mug_1", 2, 3.0))
    assert _candidates(known, descriptor("mug_9"), k=1) == ["mug_1"]


def test_place_on_another_map_counts_for_nothing(writer: Writer, known: KnownObjects) -> None:
    _store(writer, 1, _at("lamp_1", 1, 3.0), map_id="cellar")
    known.follow()
    mug = _at("mug_9", 2, 3.0)
    assert known.candidates(mug, "map", 6) == []
    assert known.candidates(mug, "cellar", 6) == ["lamp_1"]


def test_object_that_the_model_has_not_confirmed_has_a_place_of_its_own(
    writer: Writer, known: KnownObjects
) -> None:
    """Of twenty equal ones the nearest come first; the open one, farthest of all, comes too."""
    mugs = [_at(f"mug_{number}", 1, 3.0 + number, 0.0) for number in range(1, 21)]
    mugs[19] = replace(mugs[19], status=ObjectStatus.PROVISIONAL)
    _store(writer, 1, *mugs)
    assert "mug_20" in _candidates(known, _at("mug_99", 2, 4.0), k=4)
    _store(writer, 2, *(_at(f"mug_{n}", 2, 3.0 + n) for n in range(1, 21)))
    assert "mug_20" not in _candidates(known, _at("mug_99", 2, 4.0), k=4)


def test_what_means_the_same_has_a_place_of_its_own(writer: Writer, known: KnownObjects) -> None:
    mugs = [_at(f"mug_{number}", 1, 3.0 + number, 0.0) for number in range(1, 21)]
    _store(writer, 1, *mugs, _at("beaker_1", 1, 30.0))
    known.follow()
    assert "beaker_1" not in known.candidates(_at("mug_99", 2, 4.0), "map", 4)
    assert "beaker_1" in known.candidates(_at("mug_99", 2, 4.0), "map", 4, ["beaker_1", "gone_1"])


def test_name_that_a_person_gave_is_found(writer: Writer, known: KnownObjects) -> None:
    _store(writer, 1, _at("mug_1", 1, 3.0), _at("lamp_1", 1, 3.0, 1.0))
    with writer.database.transaction() as connection:
        connection.execute(
            "UPDATE object SET name = 'Jonathan', changed = (SELECT sequence FROM commit_log)"
            " WHERE object_id = 'lamp_1'"
        )
    assert _candidates(known, descriptor("jonathan_9")) == ["lamp_1"]
