"""What is forgotten is what was asked for, all of it, and the rest holds together."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_nodes.errors import InputError
from memory_nodes.geometry import Pose
from memory_nodes.records import NS_PER_S, Gist, ItemKind, Relation
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.filters import Filter
from memory_nodes.store.forgetting.forgetting import Forgotten
from memory_nodes.store.forgetting.gists import SOURCE
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, observation, view

EVER_NS = 10**6 * NS_PER_S


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


@pytest.fixture
def search(tmp_path: Path) -> Iterator[Search]:
    opened = Search(tmp_path)
    yield opened
    opened.close()


def _rows(memory_dir: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def _texts(memory_dir: Path) -> list[str]:
    found = _rows(memory_dir, "SELECT text FROM observation JOIN text USING (text_key)")
    return sorted(text for (text,) in found)


def _two_chunks(writer: Writer) -> None:
    """mug_1 in keyframes 1, 2 and 3, desk_1 in 1 and 2, lamp_1 in 3; one metre a second."""
    frames = [keyframe(n, base=Pose.planar(float(n), 0.0, 0.0)) for n in (1, 2, 3)]
    mug, desk = descriptor("mug_1", view(1), view(2)), descriptor("desk_1", view(1), view(2))
    writer.commit_chunk(
        graph(1, frames[:2], [mug, desk], [Relation("mug_1", "on", "desk_1", (1, 2))])
    )
    later = descriptor("mug_1", view(3), description="on the floor")
    writer.commit_chunk(
        graph(
            2,
            frames[2:],
            [later, descriptor("lamp_1", view(3))],
            [Relation("lamp_1", "above", "mug_1", (3,))],
        )
    )


def test_nothing_given_is_refused() -> None:
    with pytest.raises(InputError, match="nothing is given"):
        Forget()


@pytest.mark.parametrize(
    "given",
    [
        {"text": "  "},
        {"since_ns": 2, "until_ns": 1},
        {"radius_m": 1.0},
        {"center_map_m": (0.0, 0.0, 0.0)},
        {"center_map_m": (0.0, 0.0, float("nan")), "radius_m": 1.0},
        {"center_map_m": (0.0, 0.0, 0.0), "radius_m": -1.0},
        {"center_map_m": (0.0, 0.0, 0.0), "radius_m": float("inf")},
    ],
)
def test_what_nothing_can_fulfil_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Forget(**given)


def test_time_0_is_a_time() -> None:
    assert Forget(since_ns=0).since_ns == 0


def test_unknown_ids_are_named_and_nothing_is_forgotten(writer: Writer) -> None:
    known = writer.add(observation("tea"))
    before = writer.counts()
    with pytest.raises(InputError, match=r"'mug_9', 'keyframe_4', 'gist_1', 'episode_7'"):
        writer.forget(Forget((known, "mug_9", "keyframe_4", "gist_1", "episode_7")))
    assert writer.counts() == before


def test_observation_goes_by_its_own_id_and_by_a_given_one(writer: Writer, tmp_path: Path) -> None:
    own = writer.add(observation("own"))
    writer.add(observation("given", observation_id="door:1"))
    writer.add(observation("kept"))
    assert writer.forget(Forget((own, "door:1"))) == Forgotten(observations=2)
    assert _texts(tmp_path) == ["kept"]
    assert _rows(tmp_path, "SELECT text FROM text") == [("kept",)]


def test_all_that_is_given_must_hold(writer: Writer, tmp_path: Path) -> None:
    """Against a second method: the same conditions over the list of what was written."""
    rng = np.random.default_rng(5)
    written = [
        observation(
            f"{number}: {'Tea' if rng.random() < 0.5 else 'Coffee'}",
            stamp_s=float(rng.integers(0, 10)),
            at_map_m=(float(rng.integers(0, 5)), float(rng.integers(0, 5)), 0.0),
            map_id=str(rng.choice(["home", "office"])),
        )
        for number in range(200)
    ]
    for item in written:
        writer.submit(item)
    what = Forget(
        since_ns=2 * NS_PER_S,
        until_ns=8 * NS_PER_S,
        map_id="home",
        center_map_m=(1.0, 2.0, 0.0),
        radius_m=2.0,
        text="tea",
    )
    kept = [
        item.text
        for item in written
        if not (
            2 * NS_PER_S <= item.stamp_ns <= 8 * NS_PER_S
            and item.map_id == "home"
            and np.hypot(item.map_from_base.position_m[0] - 1, item.map_from_base.position_m[1] - 2)
            <= 2.0
            and "Tea" in item.text
        )
    ]
    assert 0 < len(kept) < 200
    assert writer.forget(what).observations == 200 - len(kept)
    assert _texts(tmp_path) == sorted(kept)


def test_text_is_found_in_any_case_and_percent_is_no_wildcard(
    writer: Writer, tmp_path: Path
) -> None:
    for text in ("Die STRASSE", "die Straße", "50 % off", "50 off"):
        writer.add(observation(text))
    assert writer.forget(Forget(text="straße")).observations == 2
    assert writer.forget(Forget(text="% O")).observations == 1
    assert _texts(tmp_path) == ["50 off"]


def test_dry_run_counts_the_same_and_changes_nothing(writer: Writer, tmp_path: Path) -> None:
    _two_chunks(writer)
    writer.add(observation("tea", stamp_s=2.0))
    (tmp_path / "images").mkdir()
    (tmp_path / "images" / "3.jpg").write_bytes(b"any")
    before = "\n".join(writer.database.connection.iterdump())
    what = Forget(since_ns=2 * NS_PER_S)
    planned = writer.forget(what, dry_run=True)
    assert "\n".join(writer.database.connection.iterdump()) == before
    assert (tmp_path / "images" / "3.jpg").exists()
    assert planned == writer.forget(what)
    assert planned == Forgotten(keyframes=2, objects=1, observations=1, images=2)


def test_keyframes_of_a_time_take_their_views_and_what_is_left_is_made_anew(
    writer: Writer, reader: Reader, tmp_path: Path
) -> None:
    _two_chunks(writer)
    forgotten = writer.forget(Forget(until_ns=1 * NS_PER_S))
    assert forgotten == Forgotten(keyframes=1, images=1)
    objects, relations, frames = reader.graph()
    assert [frame.keyframe_id for frame in frames] == [2, 3]
    mug, desk, lamp = objects
    assert (mug.view_count, mug.views) == (2, (view(2), view(3)))
    assert (mug.first_seen_ns, mug.last_seen_ns) == (2 * NS_PER_S, 3 * NS_PER_S)
    assert (desk.view_count, lamp.view_count) == (1, 1)
    assert set(relations) == {
        Relation("mug_1", "on", "desk_1", (2,)),
        Relation("lamp_1", "above", "mug_1", (3,)),
    }
    assert _rows(tmp_path, "SELECT start_ns, end_ns FROM session") == [(2 * NS_PER_S, 3 * NS_PER_S)]


def test_object_is_then_as_if_it_had_never_been_seen_there(tmp_path: Path) -> None:
    """Against a second method: a memory that never had those keyframes."""
    frames = [keyframe(n, base=Pose.planar(0.2 * n, 0.1 * n, 0.0)) for n in (1, 2, 3)]
    point_m = (3.0, 0.3, 1.0)
    with_first, without = Writer(tmp_path / "a"), Writer(tmp_path / "b")
    early = graph(1, frames[:1], [descriptor("mug_1", view(1, point_map_m=(2.0, 0.0, 1.0)))])
    late = descriptor("mug_1", view(2, point_map_m=point_m), view(3, point_map_m=point_m))
    with_first.commit_chunk(early)
    with_first.commit_chunk(graph(2, frames[1:], [late]))
    without.commit_chunk(graph(2, frames[1:], [late]))
    with_first.forget(Forget(("keyframe_1",)))
    assert Reader(tmp_path / "a").objects() == Reader(tmp_path / "b").objects()
    with_first.close()
    without.close()


def test_words_of_a_forgotten_time_are_no_words_of_the_object(
    writer: Writer, reader: Reader, search: Search
) -> None:
    _two_chunks(writer)
    assert len(search.words("floor").hits) == 1
    writer.forget(Forget(("keyframe_3",)))
    (mug,) = reader.objects(["mug_1"])
    assert (mug.description, mug.wordings) == ("", ("mug", ""))
    assert not search.words("floor").hits
    assert [hit.item_id for hit in search.words("mug").hits] == ["mug_1"]


def test_chunks_without_keyframes_go_and_are_not_stored_again(
    writer: Writer, tmp_path: Path
) -> None:
    _two_chunks(writer)
    writer.forget(Forget(since_ns=0))
    for table in ("chunk", "object_state", "view", "relation", "object", "session", "text"):
        assert _rows(tmp_path, f"SELECT * FROM {table}") == []
    assert not writer.commit_chunk(graph(2, [keyframe(3)]))
    assert writer.commit_chunk(graph(3, [keyframe(4)]))


def test_area_takes_the_keyframes_within_a_ball_around_their_base(
    writer: Writer, reader: Reader
) -> None:
    _two_chunks(writer)
    writer.forget(Forget(center_map_m=(1.0, 0.0, 0.0), radius_m=0.9))
    assert [frame.keyframe_id for frame in reader.keyframes()] == [2, 3]


def test_object_goes_by_its_place_and_leaves_keyframes_from_elsewhere(
    writer: Writer, reader: Reader
) -> None:
    far_m = (6.0, 0.0, 1.0)
    seen = descriptor("mug_1", view(1, point_map_m=far_m), view(2, point_map_m=far_m))
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2)], [seen]))
    assert writer.forget(Forget(center_map_m=far_m, radius_m=1.0)).objects == 1
    assert (reader.objects(), len(reader.keyframes())) == ([], 2)


def test_object_goes_by_any_wording_it_ever_had(writer: Writer, reader: Reader) -> None:
    _two_chunks(writer)
    odd = replace(descriptor("desk_1", view(4)), attributes={"state": "Wobbly"})
    writer.commit_chunk(graph(3, [keyframe(4)], [odd]))
    writer.commit_chunk(graph(4, [keyframe(5)], [descriptor("desk_1", view(5))]))
    assert writer.forget(Forget(text="wobbly")).objects == 1
    objects, relations, frames = reader.graph()
    assert [item.object_id for item in objects] == ["mug_1", "lamp_1"]
    assert relations == [Relation("lamp_1", "above", "mug_1", (3,))]
    assert len(frames) == 5


def test_object_of_a_time_and_a_text_must_have_been_seen_only_then(
    writer: Writer, reader: Reader
) -> None:
    _two_chunks(writer)
    assert writer.forget(Forget(until_ns=2 * NS_PER_S, text="mug")).objects == 0
    assert writer.forget(Forget(until_ns=2 * NS_PER_S, text="desk")).objects == 1
    assert [item.object_id for item in reader.objects()] == ["mug_1", "lamp_1"]


def test_episode_takes_along_those_within_it_their_observations_and_gists(
    writer: Writer, tmp_path: Path
) -> None:
    writer.add(observation("before"))
    outer = writer.start_episode("patrol", "", 1)
    seen = writer.add(observation("in the outer one", stamp_s=500.0))
    inner = writer.start_episode("kitchen", outer, 2)
    writer.add(observation("in the inner one"))
    writer.end_episode(inner, 3)
    writer.end_episode(outer, 4)
    writer.add_gist(Gist("all", "map", "map", (0.0, 0.0, 0.0), 1.0, 0, 9, (seen,), outer))
    after = writer.start_episode("return", "", 5)
    writer.end_episode(after, 6)
    assert writer.forget(Forget((outer,))) == Forgotten(observations=2, episodes=2, gists=1)
    assert _texts(tmp_path) == ["before"]
    assert _rows(tmp_path, "SELECT name FROM episode") == [("return",)]
    assert _rows(tmp_path, "SELECT * FROM link") == []


def test_active_episode_is_not_forgotten(writer: Writer) -> None:
    active = writer.start_episode("patrol", "", 1)
    writer.add(observation("seen", stamp_s=1.0))
    with pytest.raises(InputError, match="episode_1 is active: end it"):
        writer.forget(Forget((active,)))
    assert writer.forget(Forget(since_ns=0)) == Forgotten(observations=1)
    writer.add(observation("seen later"))
    assert writer.end_episode(active, 2).name == "patrol"


def test_episode_goes_by_time_when_wholly_within(writer: Writer, tmp_path: Path) -> None:
    for name, start_ns, end_ns in (("early", 0, 5), ("within", 3, 5), ("long", 4, 9)):
        writer.end_episode(writer.start_episode(name, "", start_ns), end_ns)
    assert writer.forget(Forget(since_ns=3, until_ns=8)) == Forgotten(episodes=1)
    assert _rows(tmp_path, "SELECT name FROM episode") == [("early",), ("long",)]


def test_gist_is_told_anew_by_the_observations_that_are_left(
    writer: Writer, search: Search, tmp_path: Path
) -> None:
    ids = [
        writer.add(observation(text, stamp_s=float(at), at_map_m=(float(at), 0.0, 0.0)))
        for at, text in enumerate(("a mug", "a letter from Anna", "a lamp", "a mug"))
    ]
    gist_id = writer.add_gist(
        Gist("Anna's mug", "map", "map", (1.5, 0.0, 0.0), 1.5, 0, 3 * NS_PER_S, tuple(ids))
    )
    assert len(search.words("Anna").hits) == 2
    assert writer.forget(Forget((ids[1],))) == Forgotten(observations=1, gists=1)
    assert not search.words("Anna").hits
    (hit,) = search.between(0, EVER_NS, wanted=Filter(kinds=(ItemKind.GIST,))).hits
    assert (hit.text, hit.item_id != gist_id) == ("a mug; a lamp", True)
    # of 0, 2 and 3 m the mean is 5/3 m, and the first is farthest from it
    assert hit.position_map_m == pytest.approx((5.0 / 3.0, 0.0, 0.0))
    assert hit.radius_m == pytest.approx(5.0 / 3.0)
    assert _rows(tmp_path, "SELECT source, observation_count FROM gist") == [(SOURCE, 3)]
    assert sorted(_rows(tmp_path, "SELECT kind, to_key FROM link")) == [
        ("SUMMARIZES", 1),
        ("SUMMARIZES", 3),
        ("SUMMARIZES", 4),
    ]


def test_gist_goes_where_no_text_is_left_to_tell_it(writer: Writer, tmp_path: Path) -> None:
    old = writer.add(observation("archived", stamp_s=1.0))
    new = writer.add(observation("forgotten", stamp_s=9.0))
    writer.add_gist(Gist("both", "map", "map", (0.0, 0.0, 0.0), 1.0, 0, 9, (old, new)))
    writer.archive(5 * NS_PER_S)
    assert writer.forget(Forget((new,))).gists == 1
    for table in ("gist", "link", "text"):
        assert _rows(tmp_path, f"SELECT * FROM {table}") == []


def test_gist_goes_by_its_own_text_and_id(writer: Writer, tmp_path: Path) -> None:
    seen = writer.add(observation("tea"))
    gists = [
        writer.add_gist(Gist(text, "map", "map", (0.0, 0.0, 0.0), 1.0, 0, 9, (seen,)))
        for text in ("first", "second", "third")
    ]
    writer.forget(Forget((gists[0],)))
    writer.forget(Forget(text="SECOND"))
    assert _rows(tmp_path, "SELECT text FROM gist JOIN text USING (text_key)") == [("third",)]
    assert _texts(tmp_path) == ["tea"]


def test_history_that_overlaps_the_forgotten_goes_with_all_above_it(
    writer: Writer, tmp_path: Path
) -> None:
    seen = writer.add(observation("tea", stamp_s=15.0))
    with writer.database.transaction() as connection:
        connection.executemany(
            "INSERT INTO history_node (node_key, parent_key, level, start_ns, end_ns, text,"
            " evidence) VALUES (?, ?, ?, ?, ?, 'said', '[]')",
            [
                (key, parent, level, start * NS_PER_S, end * NS_PER_S)
                for key, parent, level, start, end in (
                    *((1, None, 3, 0, 40), (2, 1, 2, 0, 9), (3, 1, 2, 10, 20), (4, 3, 1, 10, 14)),
                    *((5, 3, 1, 15, 20), (6, None, 3, 41, 60)),
                )
            ],
        )
    assert writer.forget(Forget((seen,))).history_nodes == 3
    left = _rows(tmp_path, "SELECT node_key, parent_key FROM history_node ORDER BY node_key")
    assert left == [(2, None), (4, None), (6, None)]


def test_open_search_finds_the_forgotten_no_more(writer: Writer, search: Search) -> None:
    writer.use_embedding_model(EmbeddingModel("axes", 2))
    secret, other = np.array([1.0, 0.0]), np.array([0.6, 0.8])
    writer.add(observation("secret letter", stamp_s=1.0, at_map_m=(1.0, 0.0, 0.0)), secret)
    writer.add(observation("open letter", stamp_s=2.0, at_map_m=(2.0, 0.0, 0.0)), other)
    mug = descriptor("mug_1", view(3, point_map_m=(3.0, 0.0, 1.0)), description="secret mug")
    writer.commit_chunk(graph(1, [keyframe(3)], [mug]))
    assert next(hit.text for hit in search.semantic(secret).hits) == "secret letter"
    assert len(search.near((0.0, 0.0, 0.0), 9.0).hits) == 3
    assert writer.forget(Forget(text="secret")) == Forgotten(objects=1, observations=1, images=1)
    assert search.count() == 1
    for found in (
        search.near((0.0, 0.0, 0.0), 9.0, k=1),
        search.words("letter mug"),
        search.semantic(secret),
        search.near((0.0, 0.0, 0.0), 9.0),
        search.near((0.0, 0.0, 0.0), 9.0, wanted=Filter(since_ns=0)),
        search.between(0, EVER_NS),
        search.between(0, EVER_NS, wanted=Filter(map_id="map")),
        search.hybrid("secret letter", secret),
    ):
        assert [hit.text for hit in found.hits] == ["open letter"]


def test_memory_goes_on_after_it(writer: Writer, reader: Reader, search: Search) -> None:
    _two_chunks(writer)
    writer.forget(Forget(("mug_1",)))
    writer.commit_chunk(graph(3, [keyframe(4)], [descriptor("mug_1", view(4))]))
    (mug,) = reader.objects(["mug_1"])
    assert (mug.view_count, mug.first_seen_ns) == (1, 4 * NS_PER_S)
    assert [hit.item_id for hit in search.words("mug").hits] == ["mug_1"]
    with writer.database.reading() as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        connection.execute(
            "INSERT INTO text_words (text_words, rank) VALUES ('integrity-check', 1)"
        )


def test_what_keyframes_were_told_to_show_goes_with_them_and_with_the_objects(
    writer: Writer, tmp_path: Path
) -> None:
    """The mug shows in keyframe 2 of 1 to 3; of each it was told what it shows."""
    frames = [keyframe(number) for number in (1, 2, 3)]
    said = [
        observation(text, stamp_s=number, layer="detections", observation_id=f"chunk_7.{name}")
        for number, text, name in (
            (1, "desk", "detections.1"),
            (2, "red mug", "detections.2"),
            (3, "lamp", "detections.3"),
            (3, "a quiet room", "description"),
        )
    ]
    writer.commit_chunk(graph(7, frames, [descriptor("mug_1", view(2))]), said)
    assert writer.forget(Forget(ids=("mug_1",)), dry_run=True).observations == 1
    writer.forget(Forget(ids=("mug_1",)))
    assert _texts(tmp_path) == ["a quiet room", "desk", "lamp"]
    writer.forget(Forget(ids=("keyframe_3",)))
    assert _texts(tmp_path) == ["a quiet room", "desk"]
