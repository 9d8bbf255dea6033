"""What is forgotten leaves the entities that it told of, and the history that tells of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.errors import InputError
from memory_nodes.records import NS_PER_S, EntitySighting, HistoryNode, HistoryUnit
from memory_nodes.store.consolidation import Piece
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.forgetting.forgetting import Forgotten
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.past import Past
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, gist, graph, keyframe, observation


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    """At 1, 2 and 3 s and metres: a mug and a spoon, the mug alone, the spoon with a fork."""
    opened = Writer(tmp_path)
    ids = [
        opened.add(observation(text, stamp_s=float(at), at_map_m=(float(at), 0.0, 0.0)))
        for at, text in enumerate(("mug and spoon", "mug", "spoon and fork"), start=1)
    ]
    mug = EntitySighting("mug", (1.0, 0.0, 0.0), 1.0, NS_PER_S, (ids[0],))
    spoon = replace(mug, name="spoon")
    later = replace(mug, position_map_m=(2.0, 0.0, 0.0), stamp_ns=2 * NS_PER_S, weight=3.0)
    last = replace(spoon, position_map_m=(3.0, 0.0, 0.0), stamp_ns=3 * NS_PER_S)
    views = (
        (mug, spoon),
        (replace(later, entity_id="entity_1", observation_ids=(ids[1],)),),
        (
            replace(last, entity_id="entity_2", observation_ids=(ids[2],)),
            replace(last, name="fork", observation_ids=(ids[2],)),
        ),
    )
    opened.add_piece(Piece(gist("cutlery", observation_ids=tuple(ids)), views))
    yield opened
    opened.close()


@pytest.fixture
def past(writer: Writer, tmp_path: Path) -> Iterator[Past]:
    opened = Past(tmp_path)
    yield opened
    opened.close()


def _rows(memory_dir: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def _together(memory_dir: Path) -> list[tuple[Any, ...]]:
    query = "SELECT from_key, to_key, weight FROM link WHERE kind = 'COOCCURS_WITH' ORDER BY 1, 2"
    return _rows(memory_dir, query)


def test_entity_is_told_anew_by_the_observations_that_are_left(
    writer: Writer, past: Past, tmp_path: Path
) -> None:
    """The mug is where the second observation was made, which weighed 3; the spoon lost one."""
    assert _together(tmp_path) == [(1, 2, 1.0), (2, 3, 1.0)]
    forgotten = writer.forget(Forget(("observation_1",)))
    assert forgotten == Forgotten(observations=1, gists=1)
    mug, spoon, _ = past.entities()
    assert (mug.position_map_m, mug.weight) == ((2.0, 0.0, 0.0), 3.0)
    assert (mug.first_seen_ns, mug.last_seen_ns, mug.observation_count) == (2 * NS_PER_S,) * 2 + (
        1,
    )
    assert spoon.position_map_m == (3.0, 0.0, 0.0)
    assert _together(tmp_path) == [(2, 3, 1.0)]


def test_archived_observations_still_say_where_and_when_an_entity_was(
    writer: Writer, past: Past
) -> None:
    writer.archive(3 * NS_PER_S)
    writer.forget(Forget(("observation_1",)))
    mug = past.entities(["entity_1"])[0]
    assert (mug.position_map_m, mug.first_seen_ns) == ((2.0, 0.0, 0.0), 2 * NS_PER_S)


def test_entity_that_no_observation_speaks_of_goes_with_its_name_and_edges(
    writer: Writer, past: Past, tmp_path: Path
) -> None:
    search = Search(tmp_path)
    assert {hit.item_id for hit in search.words("fork").hits} >= {"entity_3"}
    forgotten = writer.forget(Forget(("observation_3",)))
    assert forgotten == Forgotten(observations=1, gists=1, entities=1)
    assert search.words("fork").hits == ()
    assert [item.name for item in past.entities()] == ["mug", "spoon"]
    assert _together(tmp_path) == [(1, 2, 1.0)]
    assert _rows(tmp_path, "SELECT count(*) FROM text WHERE text = 'fork'") == [(0,)]
    search.close()


@pytest.mark.parametrize(
    ("what", "left"),
    [
        (Forget(("entity_1",)), ["spoon", "fork"]),
        (Forget(until_ns=2 * NS_PER_S), ["spoon", "fork"]),
        (Forget(center_map_m=(1.75, 0.0, 0.0), radius_m=0.1), ["spoon", "fork"]),
        (Forget(map_id="shed"), ["mug", "spoon", "fork"]),
        (Forget(map_id="map"), []),
        (Forget(text="FOR"), ["mug", "spoon"]),
        (Forget(text="spoon", since_ns=2 * NS_PER_S), ["mug", "spoon"]),
    ],
)
def test_entity_goes_by_id_time_place_map_and_text(
    writer: Writer, past: Past, what: Forget, left: list[str]
) -> None:
    """The mug is at (1 * 1 + 3 * 2) / 4 = 1.75 m; since 2 s there is only one that says spoon, and
    the fork is of no other.
    """
    expected = writer.forget(what, dry_run=True)
    assert len(past.entities()) == 3
    assert writer.forget(what) == expected
    assert [item.name for item in past.entities()] == left
    assert expected.entities == 3 - len(left)
    assert writer.counts().entities == len(left)


def test_entity_forgotten_by_its_id_leaves_the_observations(writer: Writer, tmp_path: Path) -> None:
    assert writer.forget(Forget(("entity_2",))) == Forgotten(entities=1)
    assert _rows(tmp_path, "SELECT count(*) FROM link WHERE kind = 'OBSERVED_IN'") == [(3,)]
    with pytest.raises(InputError, match="nothing has the id 'entity_2'"):
        writer.forget(Forget(("entity_2",)))


def test_forgotten_object_leaves_the_entity_and_its_edges(
    writer: Writer, past: Past, tmp_path: Path
) -> None:
    """An object and an entity may have the same key."""
    writer.commit_chunk(graph(1, [keyframe(1)], [descriptor("mug_1")]))
    with writer.database.transaction() as connection:
        connection.execute("UPDATE entity SET object_key = 1 WHERE entity_key = 1")
    before = _rows(tmp_path, "SELECT * FROM link ORDER BY 1, 2, 3")
    assert past.entities()[0].object_id == "mug_1"
    assert writer.forget(Forget(("mug_1",))).objects == 1
    assert past.entities()[0].object_id == ""
    assert _rows(tmp_path, "SELECT * FROM link ORDER BY 1, 2, 3") == before


def test_history_goes_by_its_text_though_what_it_told_of_is_archived(
    writer: Writer, past: Past
) -> None:
    def told(text: str, at_s: int, *child_ids: str) -> HistoryNode:
        stamp_ns, unit = at_s * NS_PER_S, HistoryUnit.GROUP if child_ids else HistoryUnit.EVENT
        return HistoryNode(unit, 2, stamp_ns, stamp_ns, text, child_ids=child_ids)

    writer.archive(4 * NS_PER_S)
    events = writer.put_history([told("a mug", 1), told("the fork", 3)])
    (group,) = writer.put_history([told("some cutlery", 3, *events)])
    assert writer.forget(Forget(text="Fork", until_ns=2 * NS_PER_S)).history_nodes == 0
    forgotten = writer.forget(Forget(text="Fork"))
    assert forgotten == Forgotten(entities=1, history_nodes=2)
    (left,) = past.parentless([HistoryUnit.EVENT, HistoryUnit.GROUP])
    assert left.text == "a mug"
    with pytest.raises(InputError, match="no history node"):
        past.history([group])
