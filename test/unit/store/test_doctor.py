"""Each fault is found by its name, and mended where it can be; a sound memory has none."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import StoreLocked, StoreMissing
from memory_nodes.perception.spool import SPOOL_NAME, Spool
from memory_nodes.process_lock import hold
from memory_nodes.store import file_checks
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.doctor import examine, repair
from memory_nodes.store.finding import Finding
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.child import start_python
from memory_test_support.full_memory import observation, unit_vector, write_full_memory
from memory_test_support.records import keyframe

Edit = Callable[[sqlite3.Connection], object]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With saved indices; each test gets a copy, since making it takes many commits."""
    memory_dir = tmp_path_factory.mktemp("template") / "memory"
    write_full_memory(memory_dir)
    search = Search(memory_dir)
    assert search.settle(60.0)
    search.close()
    return memory_dir


@pytest.fixture
def memory_dir(tmp_path: Path, template: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path, dirs_exist_ok=True))


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


def test_missing_image_and_unsafe_path_are_found_and_kept_apart(memory_dir: Path) -> None:
    (memory_dir / "images/2.jpg").unlink()
    _edit(memory_dir, "UPDATE keyframe SET image_path = '../3.jpg' WHERE keyframe_id = 3")
    found = _faults(memory_dir)
    assert "images/2.jpg" in found["images_missing"].message
    assert "'../3.jpg'" in found["image_paths_unsafe"].message
    assert not found["images_missing"].is_repairable


def test_image_that_only_the_spool_knows_is_left_alone(memory_dir: Path) -> None:
    spool = Spool(memory_dir)
    spool.start_after(3, 2)
    for keyframe_id in (4, 5):
        (memory_dir / f"images/{keyframe_id}.jpg").write_bytes(b"x")
    spool.add(keyframe(4), None)
    spool.add(keyframe(5), None)
    assert "images_unused" not in _faults(memory_dir)
    spool.close()
    repair(memory_dir, [Finding("images_unused", "warn", "", is_repairable=True)])
    assert (memory_dir / "images/4.jpg").exists()


def test_image_that_is_being_recorded_is_left_alone(memory_dir: Path) -> None:
    """It is on disk before its row is in the spool, under the next number."""
    spool = Spool(memory_dir)
    spool.start_after(3, 2)
    (memory_dir / f"images/{spool.next_keyframe_id()}.jpg").write_bytes(b"x")
    assert "images_unused" not in _faults(memory_dir)
    spool.close()


def test_unused_image_is_deleted_and_no_other_file(memory_dir: Path) -> None:
    (memory_dir / "images/2020-01-01").mkdir()
    (memory_dir / "images/2020-01-01/000000002.jpg").write_bytes(b"x")
    (memory_dir / "images/notes.jpg").write_bytes(b"mine")
    found = _faults(memory_dir)
    assert "images/2020-01-01/000000002.jpg" in found["images_unused"].message
    assert repair(memory_dir, found.values()) == ("images_unused",)
    left = sorted(path.name for path in (memory_dir / "images").rglob("*.jpg"))
    assert left == ["1.jpg", "2.jpg", "3.jpg", "notes.jpg"]
    assert _faults(memory_dir) == {}


def test_spool_that_cannot_be_read_costs_no_image(memory_dir: Path) -> None:
    (memory_dir / SPOOL_NAME).write_bytes(b"no database" * 100)
    (memory_dir / "images/77.jpg").write_bytes(b"x")
    found = _faults(memory_dir)
    assert found.keys() == {"spool_unreadable"}
    repair(memory_dir, found.values())
    assert (memory_dir / "images/77.jpg").exists()


@pytest.mark.parametrize("name", ["columns.bin", "graph.bin"])
@pytest.mark.parametrize("fault", ["cut off", "a bit turned", "of another memory"])
def test_damaged_index_is_deleted_and_the_sound_one_stays(
    memory_dir: Path, name: str, fault: str
) -> None:
    path = memory_dir / "index" / name
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    if fault == "of another memory":
        _edit(memory_dir, "UPDATE identity SET memory_id = 'another'")
    else:
        path.write_bytes(content if fault == "a bit turned" else content[:-5])
    found = _faults(memory_dir)
    assert name in found["index_damaged"].message or fault == "of another memory"
    assert "index_damaged" in repair(memory_dir, found.values())
    left = {item.name for item in (memory_dir / "index").glob("*.bin")}
    assert left == (
        {"columns.bin", "graph.bin"} - {name} if fault != "of another memory" else set()
    )
    assert _faults(memory_dir) == {}


def test_index_newer_than_the_memory_is_damage_and_an_older_one_has_an_age(
    memory_dir: Path,
) -> None:
    writer = Writer(memory_dir)  # one commit
    writer.add(observation("one more"))
    writer.close()
    assert "is 2 commits behind" in _facts(memory_dir)["index_age"].message
    _edit(memory_dir, "UPDATE commit_log SET sequence = 1")
    assert "is of commit" in _faults(memory_dir)["index_damaged"].message


def test_index_that_is_in_use_is_not_deleted(memory_dir: Path) -> None:
    (memory_dir / "index/columns.bin").write_bytes(b"damaged")
    with hold(memory_dir / file_checks.INDEX_LOCK):
        assert repair(memory_dir, examine(memory_dir)) == ()
    assert (memory_dir / "index/columns.bin").exists()


def test_half_written_files_are_deleted(memory_dir: Path) -> None:
    half = [memory_dir / name for name in ("images/9.jpg.partial", "index/graph.bin.new")]
    for path in half:
        path.write_bytes(b"x")
    export_dir = memory_dir / "exports/.all.0123abcd.partial"
    export_dir.mkdir(parents=True)
    (export_dir / "keyframes.jsonl").write_text("{}")
    found = _faults(memory_dir)
    assert found.keys() == {"leftovers"}
    assert repair(memory_dir, found.values()) == ("leftovers",)
    assert not any(path.exists() for path in (*half, export_dir))


@pytest.mark.skipif(sys.platform != "linux", reason="who holds a lock is told by Linux only")
def test_files_of_who_still_writes_are_no_leftovers(memory_dir: Path) -> None:
    spool = Spool(memory_dir)
    (memory_dir / "images/9.jpg.partial").write_bytes(b"x")
    assert "leftovers" not in _faults(memory_dir)
    assert repair(memory_dir, [Finding("leftovers", "warn", "", is_repairable=True)]) == ()
    assert (memory_dir / "images/9.jpg.partial").exists()
    spool.close()
    assert "leftovers" in _faults(memory_dir)


@pytest.mark.skipif(sys.platform != "linux", reason="who holds a lock is told by Linux only")
def test_writer_of_another_process_is_named_and_not_disturbed(memory_dir: Path) -> None:
    program = """
import sys
from pathlib import Path
from memory_nodes.store.writer import Writer
writer = Writer(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""
    assert "lock_held" not in _facts(memory_dir)  # the file is there, its holder is gone
    process = start_python(program, memory_dir)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        message = _facts(memory_dir)["lock_held"].message
        assert message.startswith(f"process {process.pid} holds memory.lock")
        assert _faults(memory_dir) == {}
        with pytest.raises(StoreLocked):
            repair(memory_dir, [])
    finally:
        process.kill()
        process.communicate()


def test_low_disk_is_found(memory_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_checks, "free_bytes", lambda directory: 499_999_999)
    assert "499 MB are free" in _faults(memory_dir)["disk_low"].message
    monkeypatch.setattr(file_checks, "free_bytes", lambda directory: 500_000_000)
    assert _faults(memory_dir) == {}


def test_old_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    script = Path(__file__).resolve().parents[2] / "data" / "memory_schema_2.sql"
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
