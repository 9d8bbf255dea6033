"""What may be wrong with the files beside the database of a memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from memory_nodes.errors import IndexDamaged, InputError, StoreError
from memory_nodes.perception.disk_space import BYTES_PER_MB, free_bytes
from memory_nodes.perception.recorder import IMAGES_DIR
from memory_nodes.perception.spool import LOCK_NAME as SPOOL_LOCK_NAME
from memory_nodes.process_lock import holder
from memory_nodes.store import database, embeddings
from memory_nodes.store.doctor.finding import Finding
from memory_nodes.store.exchange.atomic_directory import PARTIAL_SUFFIX
from memory_nodes.store.exchange.exporting import EXPORTS_DIR
from memory_nodes.store.exchange.exporting import LOCK_NAME as EXPORT_LOCK_NAME
from memory_nodes.store.forgetting.image_erasure import orphan_images
from memory_nodes.store.image_files import image_file, image_paths
from memory_nodes.store.indices import columns_cache, vector_cache
from memory_nodes.store.indices.follower import COLUMNS_NAME, GRAPH_NAME, graph_id

MAX_WAL_BYTES = 100 * BYTES_PER_MB
MAX_SHOWN = 3
INDEX_LOCK = f"{database.INDEX_DIR}/{database.INDEX_LOCK_NAME}"
LOCKS = {
    database.LOCK_NAME: "writes the memory",
    SPOOL_LOCK_NAME: "records into it",
    INDEX_LOCK: "saves its indices",
    EXPORT_LOCK_NAME: "exports it",
}
_LEFTOVERS = (
    (database.INDEX_DIR, "*.new", INDEX_LOCK),
    (EXPORTS_DIR, f".*{PARTIAL_SUFFIX}", EXPORT_LOCK_NAME),
)
"""Half-written files, and the lock of who may be writing them. Images are among the unused."""


def check_disk(memory_dir: Path, min_free_mb: int) -> Iterator[Finding]:
    free_mb = free_bytes(memory_dir) // BYTES_PER_MB
    if free_mb < min_free_mb:
        yield Finding(
            "disk_low",
            "warn",
            f"{free_mb} MB are free on the disk of {memory_dir}, recording needs {min_free_mb}: "
            "free some space",
        )
    wal = memory_dir / f"{database.DATABASE_NAME}-wal"
    wal_bytes = wal.stat().st_size if wal.is_file() else 0
    if wal_bytes > MAX_WAL_BYTES:
        yield Finding(
            "wal_large",
            "warn",
            f"{wal_bytes // BYTES_PER_MB} MB wait in {wal.name}: a reader has held on to an old "
            "state for long; stop it, or repair while nothing reads",
            is_repairable=True,
        )


def check_locks(memory_dir: Path) -> Iterator[Finding]:
    for name, deed in LOCKS.items():
        process_id = holder(memory_dir / name)
        if process_id is not None:
            yield Finding("lock_held", "ok", f"process {process_id} holds {name}: it {deed}")


def check_images(memory_dir: Path, connection: sqlite3.Connection) -> Iterator[Finding]:
    """Images without keyframes and keyframes without images.

    Not within a transaction: the database must be read after the files were listed.
    """
    try:
        if unused := orphan_images(connection, memory_dir):
            yield Finding(
                "images_unused",
                "warn",
                f"{len(unused)} images belong to no keyframe ({_named(unused, memory_dir)}): "
                "repair deletes them",
                is_repairable=True,
            )
    except StoreError as error:
        yield Finding("spool_unreadable", "error", str(error))
    pending = connection.execute("SELECT count(DISTINCT image_path) FROM image_erasure")
    if count := pending.fetchone()[0]:
        yield Finding(
            "erasures_pending",
            "error",
            f"{count} images still show what was forgotten, or were to be kept no longer: repair, "
            "or start the episodic node, to erase it",
            is_repairable=True,
        )
    missing, unsafe = [], []
    for image_path in image_paths(connection):
        try:
            path = image_file(memory_dir, image_path)
        except InputError:
            unsafe.append(image_path)
        else:
            if not path.is_file():
                missing.append(path)
    if missing:
        yield Finding(
            "images_missing",
            "error",
            f"the images of {len(missing)} keyframes are not there "
            f"({_named(missing, memory_dir)}): copy them from a backup",
        )
    if unsafe:
        yield Finding(
            "image_paths_unsafe",
            "error",
            f"{len(unsafe)} keyframes name an image outside {IMAGES_DIR}/ (such as "
            f"{unsafe[0]!r}), which is never read: restore a backup",
        )


def check_leftovers(memory_dir: Path) -> Iterator[Finding]:
    found = [
        path
        for lock_name, paths in leftovers(memory_dir).items()
        if holder(memory_dir / lock_name) is None
        for path in paths
    ]
    if found:
        yield Finding(
            "leftovers",
            "warn",
            f"{len(found)} files were half written when a process was killed "
            f"({_named(found, memory_dir)}): repair deletes them",
            is_repairable=True,
        )


def leftovers(memory_dir: Path) -> dict[str, list[Path]]:
    """Half-written files by the lock that must be held to delete them."""
    return {
        lock_name: sorted((memory_dir / folder).rglob(pattern))
        for folder, pattern, lock_name in _LEFTOVERS
    }


def check_indices(memory_dir: Path, connection: sqlite3.Connection) -> Iterator[Finding]:
    """Not within a transaction: a cache may be newer than it."""
    for path, found in saved_indices(memory_dir, connection):
        if is_damage(found):
            yield Finding(
                "index_damaged",
                "warn",
                f"{found}: the next search makes it anew, repair deletes it",
                is_repairable=True,
            )
        elif isinstance(found, int):
            message = f"{path.name} is {found} commits behind the memory: a search catches up"
            yield Finding("index_age", "ok", message)
        else:
            message = f"there is no {path.name} yet: the first search makes it"
            yield Finding("index_missing", "ok", message)


def saved_indices(
    memory_dir: Path, connection: sqlite3.Connection
) -> Iterator[tuple[Path, int | IndexDamaged]]:
    """The caches, and how many commits each is behind or why it cannot be used."""
    memory_id = connection.execute("SELECT memory_id FROM identity").fetchone()[0]
    model = embeddings.active_model(connection)
    columns, graph = (memory_dir / database.INDEX_DIR / name for name in (COLUMNS_NAME, GRAPH_NAME))
    try:
        rows, sequence = columns_cache.restored(columns, memory_id)
        columns_cache.require_same(connection, rows)
        yield columns, _commits_behind(columns, sequence, connection)
    except IndexDamaged as error:
        yield columns, error
    if model is None:
        return
    try:
        found, sequence = vector_cache.saved(graph)
        expected = graph_id(memory_id, model)
        if found != expected:
            raise IndexDamaged(f"{graph} is of {found!r}, this is {expected!r}", "other_model")
        yield graph, _commits_behind(graph, sequence, connection)
    except IndexDamaged as error:
        yield graph, error


def is_damage(found: int | IndexDamaged) -> bool:
    """A cache that is not there yet is no damage."""
    return isinstance(found, IndexDamaged) and found.reason != "missing"


def _commits_behind(path: Path, saved_at: int, connection: sqlite3.Connection) -> int:
    newest, oldest = connection.execute(
        "SELECT (SELECT sequence FROM commit_log), (SELECT sequence FROM tombstone_floor)"
    ).fetchone()
    if not oldest <= saved_at <= newest:
        raise IndexDamaged(
            f"{path} is of commit {saved_at}, usable are {oldest} to {newest}", "other_commit"
        )
    return int(newest - saved_at)


def _named(paths: list[Path], memory_dir: Path) -> str:
    shown = ", ".join(str(path.relative_to(memory_dir)) for path in paths[:MAX_SHOWN])
    return shown if len(paths) <= MAX_SHOWN else f"{shown} and more"
