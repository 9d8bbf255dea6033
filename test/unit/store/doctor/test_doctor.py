"""Each fault is found by its name, and mended where it can be; a sound memory has none."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import StoreMissing
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.doctor.doctor import examine, repair
from memory_nodes.store.doctor.finding import Finding
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.full_memory import observation, unit_vector

Edit = Callable[[sqlite3.Connection], object]


def _edit(memory_dir: Path, *statements: str) -> None:
    """As a fault would: past foreign keys."""
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def _faults(memory_dir: Path) -> dict[str, Finding]:
    return {item.code: item for item in examine(memory_dir) if item.severity != "ok"}


def _facts(memory_dir: Path) -> dict[str, Finding]:
    return {item.code: item for item in examine(memory_dir) if item.severity == "ok"}


def _number(memory_dir: Path, query: str) -> int:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    found = connection.execute(query).fetchone()[0]
    connection.close()
    return int(found)


def test_sound_memory_has_no_faults(memory_dir: Path) -> None:
    assert _faults(memory_dir) == {}


def test_examination_changes_nothing(memory_dir: Path) -> None:
    def content() -> dict[Path, bytes]:
        files = (path for path in memory_dir.rglob("*") if path.is_file())
        # SQLite makes these two for every connection
        return {p: p.read_bytes() for p in files if not p.name.endswith(("-wal", "-shm"))}

    before = content()
    examine(memory_dir)
    assert content() == before


def test_no_memory_is_no_finding_but_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        examine(tmp_path)


ROW_FAULTS: dict[str, tuple[str, ...]] = {
    "counts_wrong": ("UPDATE row_count SET rows = rows + 3 WHERE table_name = 'observation'",),
    "words_wrong": ("DELETE FROM text_words_docsize WHERE id = (SELECT max(text_key) FROM text)",),
    "texts_unused": (
        "INSERT INTO text VALUES (900, 1, 'of nobody')",
        "INSERT INTO text_words (rowid, text) VALUES (900, 'of nobody')",
        "INSERT INTO embedding_queue VALUES (900, 0)",
    ),
    "observations_without_text": (
        "UPDATE observation SET text_key = 4711 WHERE observation_key = 5",
    ),
    "objects_without_text": ("UPDATE object SET text_key = NULL WHERE object_id = 'mug_1'",),
    "links_dangling": (
        "INSERT INTO link VALUES ('OBSERVED_IN', 1, 99, 1.0), ('SUMMARIZES', 99, 1, 1.0),"
        " ('COOCCURS_WITH', 1, 99, 1.0), ('FOLLOWS', 99, 1, 1.0)",
    ),
    "entities_of_nothing": (
        "DELETE FROM link WHERE kind = 'OBSERVED_IN' AND from_key = 2",
        "UPDATE entity SET text_key = 4711 WHERE entity_key = 1",
    ),
    "history_orphaned": ("UPDATE history_node SET parent_key = 99 WHERE node_key = 2",),
    "history_circular": (
        "INSERT INTO history_node VALUES (10, 12, 5, 0, 1, '', '[]', 'group', '', 0),"
        " (11, 10, 4, 0, 1, '', '[]', 'group', '', 0), (12, 11, 3, 0, 1, '', '[]', 'goal', '', 0),"
        " (13, 12, 2, 0, 1, '', '[]', 'event', '', 0), (14, 14, 2, 0, 1, '', '[]', 'event', '', 0)",
    ),
    "vectors_foreign": (
        "INSERT INTO embedding_model VALUES (77, 'another', 8, 0)",
        "UPDATE embedding SET model_key = 77 WHERE embedding_key = 1",
    ),
    "vectors_damaged": ("UPDATE embedding SET vector = x'0011' WHERE embedding_key = 2",),
    "texts_not_queued": ("DELETE FROM embedding_queue",),
    "texts_failed": ("UPDATE embedding_queue SET attempts = 3",),
}


@pytest.mark.parametrize("code", ROW_FAULTS)
def test_fault_in_rows_is_found_and_mended(memory_dir: Path, code: str) -> None:
    _edit(memory_dir, *ROW_FAULTS[code])
    found = _faults(memory_dir)
    assert found[code].is_repairable
    assert code in repair(memory_dir, found.values())
    while left := _faults(memory_dir):  # mending one fault may bring another to light
        assert code not in left
        assert repair(memory_dir, left.values())
    writer = Writer(memory_dir)
    assert writer.add(observation("goes on")).startswith("observation_")
    writer.close()


def test_repair_of_many_faults_at_once_leaves_none(memory_dir: Path) -> None:
    for statements in ROW_FAULTS.values():
        _edit(memory_dir, *statements)
    (memory_dir / "images/77.jpg").write_bytes(b"")
    (memory_dir / "index/columns.bin").write_bytes(b"damaged")
    (memory_dir / "index/graph.bin.new").write_bytes(b"half")
    found = _faults(memory_dir)
    expected = {*ROW_FAULTS, "images_unused", "index_damaged", "leftovers"}
    assert expected - found.keys() == {"texts_failed"}  # the queue is gone by another fault
    repair(memory_dir, found.values())
    repair(memory_dir, _faults(memory_dir).values())
    assert _faults(memory_dir) == {}


def test_counts_are_those_of_the_rows(memory_dir: Path) -> None:
    _edit(memory_dir, *ROW_FAULTS["counts_wrong"])
    assert "observation has 5 rows, not 8" in _faults(memory_dir)["counts_wrong"].message
    repair(memory_dir, examine(memory_dir))
    assert _number(memory_dir, "SELECT rows FROM row_count WHERE table_name='observation'") == 5


def test_words_that_are_not_those_of_the_text_are_mended_by_every_repair(
    memory_dir: Path,
) -> None:
    """They are as many as the texts: only the comparison that a repair makes tells."""
    _edit(memory_dir, "UPDATE text SET text = 'something blue' WHERE text = 'a red mug'")
    assert "words_wrong" in repair(memory_dir, [])
    search = Search(memory_dir)
    assert [hit.text for hit in search.words("blue", k=1).hits] == ["something blue"]
    search.close()


def test_links_to_what_is_there_outlive_those_to_nothing(memory_dir: Path) -> None:
    links = _number(memory_dir, "SELECT count(*) FROM link")
    _edit(memory_dir, *ROW_FAULTS["links_dangling"])
    assert _faults(memory_dir)["links_dangling"].message.startswith("4 links")
    repair(memory_dir, examine(memory_dir))
    assert _number(memory_dir, "SELECT count(*) FROM link") == links


def test_entity_of_nothing_goes_with_its_edges_and_its_name(memory_dir: Path) -> None:
    _edit(memory_dir, *ROW_FAULTS["entities_of_nothing"])
    repair(memory_dir, examine(memory_dir))
    assert _number(memory_dir, "SELECT count(*) FROM entity") == 0
    edges = "SELECT count(*) FROM link WHERE kind IN ('OBSERVED_IN', 'COOCCURS_WITH')"
    assert _number(memory_dir, edges) == 0
    assert _number(memory_dir, "SELECT count(*) FROM text WHERE text = 'kitchen'") == 0


def test_circle_in_the_history_is_cut_at_its_highest_node(memory_dir: Path) -> None:
    """Of 10 above 11 above 12 above 10, with 13 below, and of 14 above itself."""
    _edit(memory_dir, *ROW_FAULTS["history_circular"])
    assert _faults(memory_dir)["history_circular"].message.startswith("5 nodes")
    repair(memory_dir, examine(memory_dir))
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    query = "SELECT node_key, parent_key FROM history_node WHERE node_key >= 10 ORDER BY 1"
    parents = connection.execute(query).fetchall()
    connection.close()
    assert parents == [(10, None), (11, 10), (12, 11), (13, 12), (14, None)]


def test_object_gets_the_text_of_its_newest_state(memory_dir: Path) -> None:
    _edit(memory_dir, *ROW_FAULTS["objects_without_text"])
    repair(memory_dir, examine(memory_dir))
    assert _number(
        memory_dir,
        "SELECT count(*) FROM object JOIN text USING (text_key)"
        " WHERE object_id = 'mug_1' AND text.text = 'mug: dark red'",
    )


def test_damaged_vector_is_made_again(memory_dir: Path) -> None:
    _edit(memory_dir, *ROW_FAULTS["vectors_damaged"])
    key = _number(memory_dir, "SELECT text_key FROM embedding WHERE embedding_key = 2")
    repair(memory_dir, examine(memory_dir))
    writer = Writer(memory_dir)
    assert key in writer.texts_without_vector(10)
    assert writer.store_vectors({key: unit_vector(5)}) == 1
    writer.close()


def test_texts_that_wait_are_no_fault(memory_dir: Path) -> None:
    assert "1 texts wait for a vector of test-model" in _facts(memory_dir)["texts_waiting"].message


def test_old_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    script = Path(__file__).resolve().parents[3] / "data" / "memory_schema_2.sql"
    connection = sqlite3.connect(tmp_path / DATABASE_NAME)
    connection.executescript(script.read_text(encoding="utf-8"))
    connection.close()
    found = _faults(tmp_path)
    assert "schema 2" in found["schema_old"].message
    assert "schema_old" in repair(tmp_path, found.values())
    assert "schema_old" not in _faults(tmp_path)


def test_new_schema_is_found_and_left_alone(memory_dir: Path) -> None:
    _edit(memory_dir, "PRAGMA user_version = 999")
    found = _faults(memory_dir)
    assert found.keys() == {"schema_new"}
    assert not found["schema_new"].is_repairable


def test_damaged_pages_are_found(memory_dir: Path) -> None:
    path = memory_dir / DATABASE_NAME
    content = bytearray(path.read_bytes())
    for first in range(8 * 4096, len(content), 3 * 4096):
        content[first : first + 64] = b"\xff" * 64
    path.write_bytes(content)
    assert _faults(memory_dir).keys() & {"database_damaged", "database_unreadable"}


def test_file_that_is_no_database_is_found(memory_dir: Path) -> None:
    (memory_dir / DATABASE_NAME).write_bytes(b"no database" * 1000)
    assert "restore a backup" in _faults(memory_dir)["database_unreadable"].message


def test_rows_that_refer_to_nothing_are_found(memory_dir: Path) -> None:
    _edit(memory_dir, "DELETE FROM object WHERE object_id = 'desk_1'")
    found = _faults(memory_dir)["references_dangling"]
    assert "relation" in found.message
    assert "view" in found.message


def test_vacuum_gives_unused_space_back(memory_dir: Path) -> None:
    writer = Writer(memory_dir)
    rng = np.random.default_rng(1)
    for _ in range(8):
        writer.submit(observation(rng.bytes(45_000).hex()))
    writer.close()
    _edit(memory_dir, "DELETE FROM observation WHERE length(source) > 0")
    repair(memory_dir, examine(memory_dir))
    large = (memory_dir / DATABASE_NAME).stat().st_size
    repair(memory_dir, examine(memory_dir), vacuum=True)
    given_back = large - (memory_dir / DATABASE_NAME).stat().st_size
    assert given_back > 0.9 * 8 * 90_000  # eight texts of 90,000 characters
    assert not (memory_dir / f"{DATABASE_NAME}-wal").exists()
