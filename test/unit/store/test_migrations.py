"""A memory made by any earlier version opens and keeps all it had.

``test/data/memory_schema_N.sql`` are memories as version N left them. Those of 1 and 3 to 6 have
the same rows: three maps, a session on two of them, an object with two states, and two texts that
are said twice. In those of 5 and 6 a person has pinned desk_1.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.errors import StoreError
from memory_nodes.records import Counts, EpisodeOrigin, HistoryUnit
from memory_nodes.store import schema
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.editing.edits import Undo
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.observations import LAYERS
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import observation

DATA = Path(__file__).resolve().parents[2] / "data"
S = 1_000_000_000
EARLIER = range(1, len(schema.MIGRATIONS))
UNCHANGED = ("keyframe", "chunk", "object", "object_state", "view", "relation", "episode")
Rows = list[tuple[Any, ...]]


def _restore(memory_dir: Path, number: int) -> sqlite3.Connection:
    script = (DATA / f"memory_schema_{number}.sql").read_text(encoding="utf-8")
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    connection.executescript(script)
    assert schema.version(connection) == number
    return connection


def _rows(memory_dir: Path, query: str) -> Rows:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    found = connection.execute(query).fetchall()
    connection.close()
    return found


def _columns(connection: sqlite3.Connection, table: str) -> str:
    return ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({table})"))


@pytest.fixture(params=[1, 3, 4, 5, 6])
def migrated(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """The directory of a memory that was of an earlier schema."""
    _restore(tmp_path, request.param).close()
    Writer(tmp_path).close()
    yield tmp_path


@pytest.mark.parametrize("number", EARLIER)
def test_rows_that_a_migration_does_not_touch_stay_as_they_are(tmp_path: Path, number: int) -> None:
    connection = _restore(tmp_path, number)
    queries = {
        table: f"SELECT {_columns(connection, table)} FROM {table} ORDER BY 1, 2"
        for table in UNCHANGED
    }
    before = {table: connection.execute(query).fetchall() for table, query in queries.items()}
    connection.close()
    Writer(tmp_path).close()
    assert {table: _rows(tmp_path, query) for table, query in queries.items()} == before
    assert _rows(tmp_path, "PRAGMA user_version") == [(len(schema.MIGRATIONS),)]
    assert _rows(tmp_path, "PRAGMA foreign_key_check") == []
    assert _rows(tmp_path, "PRAGMA integrity_check") == [("ok",)]


def test_observations_keep_their_ids_and_all_that_was_said(migrated: Path) -> None:
    assert _rows(
        migrated,
        "SELECT observation_key, public_id, stamp_ns, map_id, map_frame, name, text, x, y, z,"
        " qx, qy, qz, qw, confidence, source, episode_key FROM observation JOIN map USING (map_key)"
        " JOIN layer USING (layer_key) JOIN text USING (text_key) ORDER BY observation_key",
    ) == [
        (
            *(1, None, 0, "home", "map", "battery", "battery at 40 %", 0.0, 0.0, 0.0),
            *(0.0, 0.0, 0.0, 1.0, 1.0, "battery_node", None),
        ),
        (
            *(2, None, 3 * S, "home", "map", "speech", "Where is my café mug?", 1.0, 2.0, 0.0),
            *(0.0, 0.0, 0.0, 1.0, 0.5, "", None),
        ),
        (
            *(4, None, 6 * S, "shed", "map", "battery", "battery at 40 %", -1.0, 0.5, 0.25),
            *(0.0, 0.0, 0.0, 1.0, 1.0, "battery_node", None),
        ),
        (
            *(7, None, 1 * S, "attic", "map", "speech", "mug: on the desk, red", 3.0, 0.0, 0.0),
            *(0.0, 0.0, 0.0, 1.0, 1.0, "x'y\nz", None),
        ),
    ]


def test_next_observation_gets_the_next_number(migrated: Path) -> None:
    writer = Writer(migrated)
    assert writer.add(observation()) == "observation_8"
    writer.close()


def test_each_text_is_there_once_that_of_an_object_is_of_its_newest_state(migrated: Path) -> None:
    said = _rows(migrated, "SELECT text FROM text ORDER BY text")
    assert said == [
        ("Where is my café mug?",),
        ("battery at 40 %",),
        ("cup: chipped, dark red, small",),
        ("desk",),
        ("mug: on the desk, red",),
    ]
    assert _rows(
        migrated,
        "SELECT object_id, text, map_id, map_frame FROM object JOIN text USING (text_key)"
        " JOIN map USING (map_key) ORDER BY object_key",
    ) == [
        ("mug_1", "cup: chipped, dark red, small", "shed", "map"),
        ("desk_1", "desk", "home", "map"),
        ("mug_2", "mug: on the desk, red", "home", "robot/map"),
    ]


def test_texts_are_interned_under_the_digest_by_which_they_are_looked_up(migrated: Path) -> None:
    for number, text in _rows(migrated, "SELECT hash, text FROM text"):
        assert number == schema.text_hash(text)
    writer = Writer(migrated)
    before = _rows(migrated, "SELECT count(*) FROM text")
    writer.add(observation("mug: on the desk, red"))
    writer.close()
    assert _rows(migrated, "SELECT count(*) FROM text") == before


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("cafe", ["observation_2"]),
        ("batteries", ["observation_1", "observation_4"]),
        ("desk", ["desk_1", "mug_2", "observation_7"]),
        ("chipped", ["mug_1"]),
        ("drink", []),
    ],
)
def test_words_find_observations_and_objects(migrated: Path, words: str, found: list[str]) -> None:
    search = Search(migrated)
    assert sorted(hit.item_id for hit in search.words(words).hits) == found
    search.close()


def test_places_and_times_find_them_too(migrated: Path) -> None:
    search = Search(migrated)
    assert [hit.item_id for hit in search.near((1.5, 0.25, 0.75), 0.1).hits] == ["mug_1"]
    assert [hit.item_id for hit in search.between(6 * S, 6 * S).hits] == ["mug_1", "observation_4"]
    search.close()


def test_maps_layers_and_sessions_are_those_of_the_rows(migrated: Path) -> None:
    """A session that went on on another map is on that where it began, as in a new memory."""
    places = _rows(migrated, "SELECT map_id, map_frame FROM map ORDER BY map_id, map_frame")
    assert places == [("attic", "map"), ("home", "map"), ("home", "robot/map"), ("shed", "map")]
    assert {name for (name,) in _rows(migrated, "SELECT name FROM layer")} == set(LAYERS)
    assert _rows(
        migrated,
        "SELECT session_id, map_id, map_frame, start_ns, end_ns FROM session"
        " JOIN map USING (map_key) ORDER BY session_id",
    ) == [
        ("monday", "home", "map", 0, 2 * S),
        ("tuesday", "home", "robot/map", 5 * S, 7 * S),
    ]


def test_counts_and_the_spool_go_on_where_they_were(migrated: Path) -> None:
    reader = Reader(migrated)
    counts = reader.counts()
    assert counts == Counts(
        sequence=counts.sequence,
        last_chunk_id=3,
        keyframes=4,
        objects=3,
        views=5,
        relations=2,
        observations=4,
        episodes=2,
        gists=0,
    )
    assert counts.sequence > 9
    reader.close()


def test_what_an_earlier_version_wrote_waits_to_be_consolidated_and_told(migrated: Path) -> None:
    past = Past(migrated)
    ended = [episode.episode_id for episode in past.episodes_to_consolidate(9)]
    assert ended == ["episode_2", "episode_1"]
    free = [item.key for item in past.free_observations(before_ns=9 * S, limit=9)]
    assert free == [1, 2, 4, 7]
    assert past.told_up_to() == ToldUpTo(chunk_id=0, observation_key=0)
    assert past.entities() == []
    assert {episode.origin for episode in past.episodes()} == {EpisodeOrigin.REQUEST}
    past.close()


def test_history_that_a_memory_of_schema_5_has_is_counted_and_kept(tmp_path: Path) -> None:
    connection = _restore(tmp_path, 5)
    connection.execute("INSERT INTO history_node VALUES (1, NULL, 4, 0, 5, 'a day', '[]')")
    connection.commit()
    connection.close()
    writer, past = Writer(tmp_path), Past(tmp_path)
    assert writer.counts().history_nodes == 1
    (node,) = past.history(["history_1"])
    assert (node.unit, node.text, node.is_open) == (HistoryUnit.GROUP, "a day", False)
    past.close()
    writer.close()


def test_pin_of_schema_5_can_be_undone(tmp_path: Path) -> None:
    _restore(tmp_path, 5).close()
    writer, reader = Writer(tmp_path), Reader(tmp_path)
    assert reader.objects(["desk_1"])[0].is_pinned
    writer.edit(Undo("event_1"), 10 * S)
    assert not reader.objects(["desk_1"])[0].is_pinned
    reader.close()
    writer.close()


def test_two_memories_get_names_of_their_own(tmp_path: Path) -> None:
    names = set()
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        _restore(tmp_path / name, 1).close()
        for _ in range(2):
            Writer(tmp_path / name).close()
            names.update(_rows(tmp_path / name, "SELECT memory_id FROM identity"))
    assert len(names) == 2


def test_migration_that_fails_half_way_leaves_the_old_schema_and_all_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = _restore(tmp_path, 3)
    before = list(connection.iterdump())
    connection.close()
    broken = f"{schema.MIGRATIONS[3]}\nINSERT INTO nowhere VALUES (1);"
    with monkeypatch.context() as patched:
        patched.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS[:3], broken))
        with pytest.raises(StoreError, match="nowhere"):
            Writer(tmp_path)
    connection = sqlite3.connect(tmp_path / DATABASE_NAME)
    assert (schema.version(connection), list(connection.iterdump())) == (3, before)
    connection.close()
    writer = Writer(tmp_path)
    assert writer.counts().observations == 4
    writer.close()
