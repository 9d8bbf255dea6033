"""Old images are deleted, the newest of each object stays, and everybody copes with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.errors import ConfigurationError
from memory_nodes.parameters import check
from memory_nodes.records import NS_PER_S, ObjectStatus
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store import image_retention
from memory_nodes.store.doctor.doctor import examine
from memory_nodes.store.editing.edits import Mark, Pin
from memory_nodes.store.exchange.backup import backup
from memory_nodes.store.exchange.exporting import export
from memory_nodes.store.exchange.importing import import_
from memory_nodes.store.forgetting import image_erasure
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.reader import Reader
from memory_nodes.store.retention import RetentionConfig
from memory_nodes.store.writer import Writer
from memory_test_support.full_memory import write_images
from memory_test_support.records import descriptor, graph, keyframe, view

EVER_NS = 10**6 * NS_PER_S


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    """mug_1 shows in keyframes 1 to 4, desk_1 in 1 and 2, nothing in 5, one a second."""
    write_images(tmp_path, 1, 2, 3, 4, 5)
    opened = Writer(tmp_path)
    mug = descriptor("mug_1", *(view(number) for number in (1, 2, 3, 4)))
    desk = descriptor("desk_1", view(1), view(2))
    opened.commit_chunk(graph(1, [keyframe(number) for number in range(1, 6)], [mug, desk]))
    yield opened
    opened.close()


def _kept(memory_dir: Path) -> list[int]:
    """The keyframes with an image; no other file is there."""
    reader = Reader(memory_dir)
    kept = [item for item in reader.keyframes() if item.image_path]
    reader.close()
    files = {path.relative_to(memory_dir).as_posix() for path in memory_dir.rglob("*.jpg")}
    assert files == {item.image_path for item in kept}
    return [item.keyframe_id for item in kept]


def test_old_image_goes_and_its_keyframe_and_the_newest_of_each_object_stay(
    writer: Writer, tmp_path: Path
) -> None:
    assert writer.drop_images(4 * NS_PER_S) == 2
    assert _kept(tmp_path) == [2, 4, 5]
    assert writer.drop_images(EVER_NS) == 1
    assert _kept(tmp_path) == [2, 4]
    assert writer.counts().keyframes == 5
    assert writer.drop_images(EVER_NS) == 0


def test_image_of_an_object_that_is_gone_goes_unless_it_is_pinned(
    writer: Writer, tmp_path: Path
) -> None:
    writer.edit(Pin("mug_1"), 1)
    for object_id in ("mug_1", "desk_1"):
        writer.edit(Mark(object_id, ObjectStatus.MISSING), 2)
    writer.drop_images(EVER_NS)
    assert _kept(tmp_path) == [4]


def test_slices_drop_all_of_a_stamp_and_pass_over_what_stays(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_retention, "SLICE", 2)
    monkeypatch.setattr(image_retention, "WINDOW", 3)
    numbers = range(6, 20)
    write_images(tmp_path, *numbers)
    writer.commit_chunk(graph(2, [keyframe(number, stamp_s=6.0) for number in numbers]))
    assert writer.drop_images(EVER_NS) == 3 + len(numbers)
    assert _kept(tmp_path) == [2, 4]


def test_crash_between_commit_and_deletion_leaves_no_image_behind(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(image_erasure, "finish", die)
        with pytest.raises(Killed):
            writer.drop_images(EVER_NS)
    assert len(list(tmp_path.rglob("*.jpg"))) == 5
    assert "erasures_pending" in {finding.code for finding in examine(tmp_path)}
    writer.close()
    Writer(tmp_path).close()
    assert _kept(tmp_path) == [2, 4]


def test_memory_without_old_images_is_sound_and_can_be_copied(
    writer: Writer, tmp_path: Path
) -> None:
    writer.drop_images(EVER_NS)
    assert [item.code for item in examine(tmp_path) if item.severity != "ok"] == []
    saved = backup(tmp_path, tmp_path.parent / "copy" / "saved")
    assert (saved.images, saved.missing_images) == (2, 0)
    exported = export(tmp_path, "all", "jsonl")
    imported = import_(exported, tmp_path.parent / "copy" / "imported")
    assert (imported.problems, imported.images) == ([], 2)
    reader = Reader(imported.memory_dir)
    paths = [item.image_path for item in reader.keyframes()]
    assert paths == ["", "images/2.jpg", "", "images/4.jpg", ""]
    reader.close()


def test_reader_that_follows_the_memory_learns_which_images_are_gone(
    writer: Writer, tmp_path: Path
) -> None:
    reader = Reader(tmp_path)
    cache = SnapshotCache(reader)
    assert all(item.image_path for item in cache.current().keyframes.values())
    writer.drop_images(EVER_NS)
    followed = cache.current()
    kept = [item.keyframe_id for item in followed.keyframes.values() if item.image_path]
    assert kept == [2, 4]
    writer.add_layer("smell")
    assert cache.current() is followed, "read anew though no image was dropped since"
    reader.close()


def test_forgetting_counts_no_image_that_was_dropped(writer: Writer, tmp_path: Path) -> None:
    writer.drop_images(EVER_NS)
    assert writer.forget(Forget(("desk_1",))).images == 1
    assert writer.forget(Forget(("keyframe_1",))).images == 0
    assert writer.forget(Forget(until_ns=EVER_NS)).images == 2
    assert list(tmp_path.rglob("*.jpg")) == []


def test_retention_is_a_week_of_texts_and_all_images_unless_it_is_told_otherwise() -> None:
    assert RetentionConfig() == RetentionConfig(7 * 24 * 3600.0, 0.0)
    check(RetentionConfig(archive_after_s=0.0))
    with pytest.raises(ConfigurationError, match="archive_after_s is -1"):
        check(RetentionConfig(archive_after_s=-1.0))
