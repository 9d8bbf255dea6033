"""A backup is a memory that was whole at one moment, whoever wrote meanwhile."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_nodes.errors import InputError, StoreError, StoreMissing
from memory_nodes.store.database import DATABASE_NAME, snapshot
from memory_nodes.store.doctor.doctor import examine
from memory_nodes.store.exchange import backup as backup_module
from memory_nodes.store.exchange.backup import backup
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.full_memory import observation


def _texts(memory_dir: Path) -> set[str]:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    try:
        return {row[0] for row in connection.execute("SELECT text FROM text")}
    finally:
        connection.close()


def test_backup_opens_as_the_same_memory(memory_dir: Path, tmp_path: Path) -> None:
    made = backup(memory_dir, tmp_path / "backup")
    original, copy = Reader(memory_dir), Reader(made.path)
    assert copy.graph() == original.graph()
    assert copy.counts() == original.counts()
    original.close()
    copy.close()
    assert [item for item in examine(made.path) if item.severity != "ok"] == []
    writer = Writer(made.path)
    assert writer.add(observation("after the backup")) == "observation_6"
    writer.close()


def test_images_of_keyframes_come_along_and_missing_ones_are_counted(
    memory_dir: Path, tmp_path: Path
) -> None:
    (memory_dir / "images/2.jpg").unlink()
    (memory_dir / "images/99.jpg").write_bytes(b"of no keyframe")
    made = backup(memory_dir, tmp_path / "backup")
    assert (made.images, made.missing_images) == (2, 1)
    found = {path.name: path.read_bytes() for path in (made.path / "images").iterdir()}
    assert found == {n: (memory_dir / "images" / n).read_bytes() for n in ("1.jpg", "3.jpg")}


def test_image_replaced_after_the_backup_stays_in_it(memory_dir: Path, tmp_path: Path) -> None:
    before = (memory_dir / "images/1.jpg").read_bytes()
    made = backup(memory_dir, tmp_path / "backup")
    (memory_dir / "images/new").write_bytes(b"painted over")
    (memory_dir / "images/new").replace(memory_dir / "images/1.jpg")
    assert (made.path / "images/1.jpg").read_bytes() == before


def test_indices_locks_and_exports_stay_behind(memory_dir: Path, tmp_path: Path) -> None:
    for name in ("exports/old", "spool.sqlite"):
        (memory_dir / name).parent.mkdir(exist_ok=True)
        (memory_dir / name).write_bytes(b"x")
    made = backup(memory_dir, tmp_path / "backup")
    assert {path.name for path in made.path.iterdir()} == {DATABASE_NAME, "images"}


def test_acknowledged_rows_are_in_a_backup_made_while_a_thread_writes(
    memory_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One page a step, so that many commits fall into the backup.
    monkeypatch.setattr(backup_module, "PAGES_PER_STEP", 1)
    writer = Writer(memory_dir)
    acknowledged: list[str] = []
    has_begun, is_over = threading.Event(), threading.Event()

    def write() -> None:
        number = 0
        while not is_over.is_set():
            text = f"said in the meantime {number}"
            writer.add(observation(text))
            acknowledged.append(text)
            number += 1
            if number == 20:
                has_begun.set()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert has_begun.wait(60.0)
        for attempt in range(3):
            before = list(acknowledged)
            made = backup(memory_dir, tmp_path / f"backup_{attempt}")
            copied = _texts(made.path)
            assert set(before) <= copied
            said = sorted(int(t.split()[-1]) for t in copied if t.startswith("said"))
            assert said == list(range(len(said)))  # whole: nothing before the last is missing
            check = sqlite3.connect(made.path / DATABASE_NAME)
            assert check.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            check.close()
    finally:
        is_over.set()
        thread.join()
        writer.close()


def test_backup_is_of_the_moment_at_which_it_began(
    memory_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So no commit starts it again, however fast they come."""
    writer = Writer(memory_dir)

    @contextmanager
    def snapshot_before_a_commit(directory: Path) -> Iterator[sqlite3.Connection]:
        with snapshot(directory) as connection:
            writer.add(observation("too late"))
            yield connection

    monkeypatch.setattr(backup_module, "snapshot", snapshot_before_a_commit)
    made = backup(memory_dir, tmp_path / "backup")
    writer.close()
    assert _texts(memory_dir) - _texts(made.path) == {"too late"}


def test_target_that_is_there_is_refused_and_left_alone(memory_dir: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "file").write_text("mine")
    with pytest.raises(InputError, match="taken is there already"):
        backup(memory_dir, taken)
    assert [path.name for path in taken.iterdir()] == ["file"]


def test_link_to_nowhere_is_no_free_target(memory_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError):
        backup(memory_dir, tmp_path / "link")


def test_empty_directory_may_be_the_target(memory_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "backup").mkdir()
    backup(memory_dir, tmp_path / "backup")
    assert (tmp_path / "backup" / DATABASE_NAME).is_file()


def test_backup_that_fails_leaves_nothing(
    memory_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(source: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup_module, "link_or_copy", fail)
    with pytest.raises(StoreError, match="No space left"):
        backup(memory_dir, tmp_path / "backup")
    assert [path.name for path in tmp_path.iterdir()] == ["memory"]


def test_backup_of_no_memory_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing):
        backup(tmp_path / "nothing", tmp_path / "backup")
    assert list(tmp_path.iterdir()) == []
