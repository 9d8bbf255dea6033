"""What is forgotten is in no file any more, whenever the process dies."""

from __future__ import annotations

import shutil
import signal
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from memory_nodes.geometry import Array
from memory_nodes.perception.spool import Spool
from memory_nodes.records import NS_PER_S, Box, Gist, Keyframe
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.forgetting.image_erasure import GREY, image_file, orphan_images
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.indices.follower import Follower
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search, SearchConfig
from memory_nodes.store.writer import Writer
from memory_nodes.vectors import packed
from memory_test_support.child import run_python
from memory_test_support.records import descriptor, graph, keyframe, observation, view

SECRET = "Zyzzyx"
"""Its stem is the word itself, and no other word begins like it: found in an index of words too."""
EVER_NS = 10**6 * NS_PER_S
RED = (200, 30, 30)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


def _store_image(memory_dir: Path, keyframe_id: int) -> Path:
    path = memory_dir / keyframe(keyframe_id).image_path
    path.parent.mkdir(exist_ok=True)
    Image.new("RGB", (640, 480), RED).save(path, "JPEG", quality=95)
    return path


def _at(keyframe_id: int, image_path: str) -> Keyframe:
    return replace(keyframe(keyframe_id), image_path=image_path)


def _files_with(memory_dir: Path, secret: bytes) -> list[str]:
    files = [path for path in memory_dir.rglob("*") if path.is_file()]
    return sorted(path.name for path in files if secret.lower() in path.read_bytes().lower())


def _unit(seed: int) -> Array:
    vector: Array = np.random.default_rng(seed).normal(size=32)
    return vector / np.linalg.norm(vector)


def test_forgotten_words_and_vectors_are_in_no_byte_of_the_memory(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.use_embedding_model(EmbeddingModel("random", 32))
    for number in range(300):
        text = f"{number}: a note about {SECRET if number % 7 == 3 else 'nothing'} {number % 13}"
        writer.submit(observation(text, stamp_s=number, at_map_m=(number, 0.5, 0.0)), _unit(number))
    writer.flush()
    said = [writer.add(observation(text)) for text in (f"the {SECRET}", "a mug")]
    writer.add_gist(Gist(f"{SECRET} and mug", "map", "map", (0, 0, 0), 1.0, 0, 9, tuple(said)))
    writer.end_episode(writer.start_episode(f"look for {SECRET}", "", 5), 6)
    named = descriptor("mug_1", view(1), description=f"{SECRET} shows on it")
    chunk = graph(1, [keyframe(1)], [named, descriptor("lamp_1", view(1))])
    writer.commit_chunk(replace(chunk, problems=(f"no box of {SECRET}",)))
    search = Search(tmp_path)
    assert search.settle(30.0)
    assert len(search.words(SECRET, 100).hits) == 46  # 43 of 300, 1 more, a gist and an object
    search.close()
    assert (tmp_path / "index" / "columns.bin").exists()
    assert writer.database.clear_wal()
    assert _files_with(tmp_path, SECRET.encode()) == [DATABASE_NAME]
    forgotten = writer.forget(Forget(text=SECRET))
    assert (forgotten.observations, forgotten.objects, forgotten.episodes) == (44, 1, 1)
    assert forgotten.problems == ()
    assert _files_with(tmp_path, SECRET.encode()) == []
    assert _files_with(tmp_path, packed(_unit(3))) == []
    assert _files_with(tmp_path, packed(_unit(4))) == [DATABASE_NAME]
    assert (tmp_path / f"{DATABASE_NAME}-wal").stat().st_size == 0
    assert not list((tmp_path / "index").glob("*.bin"))
    writer.close()
    assert _files_with(tmp_path, SECRET.encode()) == []


def test_rows_that_pages_were_split_for_leave_no_copies(writer: Writer, tmp_path: Path) -> None:
    """States of objects enter the middle of their table, again and again."""
    rng = np.random.default_rng(2)
    for chunk_id in range(1, 40):
        objects = []
        for number in rng.choice(40, 8, replace=False).tolist():
            what = f"{SECRET} {chunk_id}" if number % 9 == 0 else "plain"
            objects.append(
                descriptor(f"mug_{number}", view(chunk_id), description=f"{what} {'x ' * number}")
            )
        writer.commit_chunk(graph(chunk_id, [keyframe(chunk_id)], objects))
    assert writer.forget(Forget(text=SECRET)).objects == 5
    assert _files_with(tmp_path, SECRET.encode()) == []


def test_reader_that_closes_does_not_write_forgotten_places_again(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    place_m = 1234.5678901
    writer.add(observation("here", at_map_m=(place_m, 0.0, 0.0)))
    search = Search(tmp_path, SearchConfig())
    assert search.count() == 1
    assert writer.forget(Forget(text="here")).observations == 1
    search.close()
    assert _files_with(tmp_path, np.float64(place_m).tobytes()) == []
    writer.close()


def test_caches_that_are_written_while_something_is_forgotten_are_deleted(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.add(observation("here"))
    search = Search(tmp_path)
    assert search.count() == 1
    plain = Follower.save

    def save_late(follower: Follower) -> None:
        assert writer.forget(Forget(text="here")).problems == ()
        plain(follower)

    monkeypatch.setattr(Follower, "save", save_late)
    search.close()
    assert not list((tmp_path / "index").glob("*.bin*"))


def test_reader_in_the_middle_of_an_answer_is_told_of(
    writer: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.add(observation(SECRET))
    writer.database.connection.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(tmp_path / DATABASE_NAME, isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT * FROM text").fetchall()
    (problem,) = writer.forget(Forget(text=SECRET)).problems
    assert "write-ahead log" in problem
    other.execute("COMMIT")
    other.close()
    writer.close()
    assert _files_with(tmp_path, SECRET.encode()) == []


def test_image_of_a_forgotten_keyframe_is_deleted(writer: Writer, tmp_path: Path) -> None:
    images = [_store_image(tmp_path, number) for number in (1, 2)]
    partial = images[0].with_name("1.jpg.partial")
    partial.write_bytes(b"half")
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2)]))
    assert writer.forget(Forget(("keyframe_1",))).images == 1
    assert [path.exists() for path in (*images, partial)] == [False, True, False]


def test_boxes_of_a_forgotten_object_are_painted_over(writer: Writer, tmp_path: Path) -> None:
    image = _store_image(tmp_path, 1)
    mug = view(1, Box(160.0, 80.0, 320.0, 240.0))
    lamp = view(1, Box(400.0, 80.0, 480.0, 240.0))
    writer.commit_chunk(
        graph(1, [keyframe(1)], [descriptor("mug_1", mug), descriptor("lamp_1", lamp)])
    )
    assert writer.forget(Forget(("mug_1",))).images == 1
    pixels = np.asarray(Image.open(image)).astype(int)
    # where two colours meet JPEG mixes them, over the width of two pixels
    assert np.abs(pixels[82:238, 162:318] - GREY).max() <= 4
    outside = np.ones((480, 640), bool)
    outside[78:242, 158:322] = False
    assert np.abs(pixels[outside] - RED).max() <= 4


def test_damaged_image_is_deleted_since_it_cannot_be_painted(
    writer: Writer, tmp_path: Path
) -> None:
    image = _store_image(tmp_path, 1)
    image.write_bytes(image.read_bytes()[:500])
    writer.commit_chunk(graph(1, [keyframe(1)], [descriptor("mug_1", view(1))]))
    assert writer.forget(Forget(("mug_1",))).problems == ()
    assert not image.exists()


def test_image_with_a_box_without_end_is_deleted(writer: Writer, tmp_path: Path) -> None:
    """Boxes come from another process: one that cannot be painted must not stop the rest."""
    images = [_store_image(tmp_path, number) for number in (1, 2)]
    endless = view(1, Box(0.0, 0.0, float("inf"), 9.0))
    shown = descriptor("mug_1", endless, view(2))
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2)], [shown]))
    assert writer.forget(Forget(("mug_1",))).problems == ()
    assert [path.exists() for path in images] == [False, True]


def test_path_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    memory_dir, outside = tmp_path / "memory", tmp_path / "outside"
    writer = Writer(memory_dir)
    outside.mkdir()
    for name in ("a.jpg", "1.jpg"):
        (outside / name).write_bytes(b"not of this memory")
    (memory_dir / "images").mkdir()
    (memory_dir / "images" / "link").symlink_to(outside)
    (memory_dir / "images" / "5.jpg").symlink_to(outside / "a.jpg")
    paths = (
        *("../outside/a.jpg", "images/../../outside/a.jpg", str(outside / "a.jpg")),
        *("images/link/1.jpg", "images/5.jpg", DATABASE_NAME, "images", "", "images/\0"),
    )
    frames = [_at(number, path) for number, path in enumerate(paths, start=1)]
    shown = descriptor("mug_1", *(view(frame.keyframe_id) for frame in frames))
    writer.commit_chunk(graph(1, frames, [shown]))
    assert [image_file(memory_dir, path) for path in paths] == [None] * len(paths)
    writer.forget(Forget(("mug_1",)))
    writer.forget(Forget(since_ns=0))
    assert [path.read_bytes() for path in sorted(outside.iterdir())] == [b"not of this memory"] * 2
    assert (memory_dir / DATABASE_NAME).exists()
    assert writer.counts().keyframes == 0
    writer.close()


def test_image_that_cannot_be_erased_now_is_erased_at_the_next_start(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    in_the_way = tmp_path / "images" / "1.jpg" / "file"
    in_the_way.parent.mkdir(parents=True)
    in_the_way.write_bytes(b"")
    writer.commit_chunk(graph(1, [keyframe(1)]))
    (problem,) = writer.forget(Forget(("keyframe_1",))).problems
    assert problem.startswith("images/1.jpg is not erased yet")
    writer.close()
    in_the_way.unlink()
    in_the_way.parent.rmdir()
    image = _store_image(tmp_path, 1)
    Writer(tmp_path).close()
    assert not image.exists()


def test_orphans_are_images_that_neither_memory_nor_spool_knows(
    writer: Writer, tmp_path: Path
) -> None:
    spool = Spool(tmp_path)
    images = [_store_image(tmp_path, number) for number in (1, 2, 3, 4)]
    for number in (1, 2, 3):
        spool.add(keyframe(number), None)
    spool.close_chunk(2)
    writer.commit_chunk(graph(1, [keyframe(1)]))
    spool.remove_stored(1)
    (tmp_path / "images" / "notes.txt").write_text("not the recorder's")
    partial = tmp_path / "images" / "2.jpg.partial"
    partial.write_bytes(b"half")
    with writer.database.reading() as connection:
        # 1 is stored, 3 waits, 4 is just being recorded
        assert orphan_images(connection, tmp_path) == [images[1], partial]
    spool.close()


_FORGETS = """
import os, signal, sys
from pathlib import Path
from memory_nodes.store.indices.follower import Follower
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.writer import Writer
writer, last = Writer(Path(sys.argv[1])), int(sys.argv[2])
statements = 0
def count(statement):
    global statements
    statements += 1
    if statements == last:
        os.kill(os.getpid(), signal.SIGKILL)
writer.database.connection.set_trace_callback(count)
writer.forget(Forget(since_ns=0))
print(statements)
"""
"""Kills itself before a statement of its own, or tells how many there were."""


def _fill(memory_dir: Path) -> None:
    writer = Writer(memory_dir)
    for number in range(400):
        writer.submit(observation(f"note {number}", stamp_s=number))
    for chunk_id in range(1, 21):
        _store_image(memory_dir, chunk_id)
        writer.commit_chunk(
            graph(chunk_id, [keyframe(chunk_id)], [descriptor("mug_1", view(chunk_id))])
        )
    writer.close()


def test_kill_9_anywhere_leaves_all_or_nothing(tmp_path: Path) -> None:
    _fill(tmp_path / "whole")
    shutil.copytree(tmp_path / "whole", tmp_path / "counted")
    statements = int(run_python(_FORGETS, tmp_path / "counted", "0").stdout)
    outcomes = []
    for last in (1, statements // 3, 2 * statements // 3, statements - 6, statements):
        memory_dir = tmp_path / str(last)
        shutil.copytree(tmp_path / "whole", memory_dir)
        assert run_python(_FORGETS, memory_dir, str(last)).returncode == -signal.SIGKILL
        writer = Writer(memory_dir)
        counts = writer.counts()
        outcomes.append((counts.observations, counts.keyframes, counts.objects, counts.views))
        # the start has finished what the kill has left
        assert len(list((memory_dir / "images").iterdir())) == counts.keyframes
        with writer.database.reading() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        writer.close()
    assert set(outcomes) == {(400, 20, 1, 20), (0, 0, 0, 0)}
    assert outcomes == sorted(outcomes, reverse=True)


def test_ten_thousand_observations_go_in_one_commit(writer: Writer, tmp_path: Path) -> None:
    for number in range(10_000):
        writer.submit(observation(f"note {number}", stamp_s=number))
        if number % 5000 == 4999:
            writer.flush()
    writer.add(observation("kept", stamp_s=20_000.0))
    before = writer.counts().sequence
    forgotten = writer.forget(Forget(until_ns=10_000 * NS_PER_S))
    assert forgotten.observations == 10_000
    assert writer.counts().sequence == before + 1
    assert Reader(tmp_path).counts().observations == 1
