"""Faults in the files beside the database, and what belongs to somebody and is left alone."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pytest

from memory_nodes.errors import StoreLocked
from memory_nodes.perception.spool import SPOOL_NAME, Spool
from memory_nodes.process_lock import hold
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.doctor import file_checks
from memory_nodes.store.doctor.doctor import examine, repair
from memory_nodes.store.doctor.finding import Finding
from memory_nodes.store.writer import Writer
from memory_test_support.child import start_python
from memory_test_support.full_memory import observation
from memory_test_support.records import keyframe


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
    half = memory_dir / "index/graph.bin.new"
    half.write_bytes(b"x")
    export_dir = memory_dir / "exports/.all.0123abcd.partial"
    export_dir.mkdir(parents=True)
    (export_dir / "keyframes.jsonl").write_text("{}")
    found = _faults(memory_dir)
    assert found.keys() == {"leftovers"}
    assert repair(memory_dir, found.values()) == ("leftovers",)
    assert not half.exists()
    assert not export_dir.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="who holds a lock is told by Linux only")
def test_files_of_who_still_writes_are_no_leftovers(memory_dir: Path) -> None:
    half = memory_dir / "index/graph.bin.new"
    half.write_bytes(b"x")
    with hold(memory_dir / file_checks.INDEX_LOCK):
        assert "leftovers" not in _faults(memory_dir)
        assert repair(memory_dir, [Finding("leftovers", "warn", "", is_repairable=True)]) == ()
    assert half.exists()
    assert "leftovers" in _faults(memory_dir)


def test_half_written_image_is_unused(memory_dir: Path) -> None:
    (memory_dir / "images/9.jpg.partial").write_bytes(b"x")
    found = _faults(memory_dir)
    assert found.keys() == {"images_unused"}
    repair(memory_dir, found.values())
    assert not (memory_dir / "images/9.jpg.partial").exists()


def test_image_that_still_shows_what_was_forgotten_is_erased(memory_dir: Path) -> None:
    _edit(
        memory_dir,
        "INSERT INTO image_erasure (image_path, x0_px, y0_px, x1_px, y1_px)"
        " VALUES ('images/1.jpg', 0, 0, 8, 6)",
    )
    before = (memory_dir / "images/1.jpg").read_bytes()
    found = _faults(memory_dir)
    assert "1 images still show" in found["erasures_pending"].message
    assert repair(memory_dir, found.values()) == ("erasures_pending",)
    assert (memory_dir / "images/1.jpg").read_bytes() != before
    assert _faults(memory_dir) == {}


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
