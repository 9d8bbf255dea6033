"""How each fault that an examination finds is mended."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from memory_nodes.errors import StoreLocked
from memory_nodes.process_lock import hold
from memory_nodes.records import ItemKind
from memory_nodes.store import embeddings, objects, texts
from memory_nodes.store.database import Database, sequence
from memory_nodes.store.doctor.database_checks import (
    CIRCULAR_HISTORY,
    DAMAGED_VECTORS,
    DANGLING_LINKS,
    ENTITIES_OF_NOTHING,
    FAILED_TEXTS,
    FOREIGN_VECTORS,
    OBJECTS_WITHOUT_TEXT,
    OBSERVATIONS_WITHOUT_TEXT,
    ORPHANED_HISTORY,
    UNQUEUED_TEXTS,
    UNUSED_TEXTS,
)
from memory_nodes.store.doctor.file_checks import (
    INDEX_LOCK,
    is_damage,
    leftovers,
    saved_indices,
)
from memory_nodes.store.exchange.atomic_directory import discard
from memory_nodes.store.forgetting import image_erasure
from memory_nodes.store.forgetting.entities import delete_entities
from memory_nodes.store.forgetting.objects import Traces

KEYS_PER_STEP = 10_000


def words_are_sound(connection: sqlite3.Connection) -> bool:
    """Whether the word index is whole and has the words of every text: reads all of them."""
    try:
        connection.execute(
            "INSERT INTO text_words (text_words, rank) VALUES ('integrity-check', 1)"
        )
    except sqlite3.DatabaseError:
        return False
    return True


def _recount(connection: sqlite3.Connection) -> None:
    for (name,) in connection.execute("SELECT table_name FROM row_count").fetchall():
        connection.execute(
            f'UPDATE row_count SET rows = (SELECT count(*) FROM "{name}") WHERE table_name = ?',
            (name,),
        )


def _rebuild_words(connection: sqlite3.Connection) -> None:
    connection.execute("INSERT INTO text_words (text_words) VALUES ('rebuild')")


def _delete_unused_texts(connection: sqlite3.Connection) -> None:
    keys = _keys(connection, UNUSED_TEXTS)
    for first in range(0, len(keys), KEYS_PER_STEP):
        texts.release(connection, keys[first : first + KEYS_PER_STEP])


def _archive_without_text(connection: sqlite3.Connection) -> None:
    keys = _keys(connection, OBSERVATIONS_WITHOUT_TEXT)
    connection.executemany(
        "UPDATE observation SET text_key = NULL WHERE observation_key = ?", [(k,) for k in keys]
    )
    texts.bury(connection, ItemKind.OBSERVATION, keys)


def _name_objects(connection: sqlite3.Connection) -> None:
    for key in _keys(connection, OBJECTS_WITHOUT_TEXT):
        objects.name(connection, key)
        connection.execute(
            "UPDATE object SET changed = ? WHERE object_key = ?", (sequence(connection), key)
        )


def _delete_dangling_links(connection: sqlite3.Connection) -> None:
    connection.execute(f"DELETE FROM link WHERE (kind, from_key, to_key) IN ({DANGLING_LINKS})")


def _delete_entities_of_nothing(connection: sqlite3.Connection) -> None:
    delete_entities(connection, set(_keys(connection, ENTITIES_OF_NOTHING)), Traces())


def _part_orphaned_history(connection: sqlite3.Connection) -> None:
    _part_history(connection, _keys(connection, ORPHANED_HISTORY))


def _cut_circular_history(connection: sqlite3.Connection) -> None:
    while circular := _keys(connection, CIRCULAR_HISTORY):
        _part_history(connection, circular[:1])


def _part_history(connection: sqlite3.Connection, keys: Iterable[int]) -> None:
    connection.executemany(
        "UPDATE history_node SET parent_key = NULL WHERE node_key = ?", [(key,) for key in keys]
    )


def _delete_foreign_vectors(connection: sqlite3.Connection) -> None:
    connection.execute(f"DELETE FROM embedding WHERE embedding_key IN ({FOREIGN_VECTORS})")
    _queue_texts(connection)


def _delete_damaged_vectors(connection: sqlite3.Connection) -> None:
    connection.execute(f"DELETE FROM embedding WHERE embedding_key IN ({DAMAGED_VECTORS})")
    _queue_texts(connection)


def _queue_texts(connection: sqlite3.Connection) -> None:
    embeddings.enqueue(connection, _keys(connection, UNQUEUED_TEXTS))


def _retry_texts(connection: sqlite3.Connection) -> None:
    connection.execute(
        f"UPDATE embedding_queue SET attempts = 0 WHERE text_key IN ({FAILED_TEXTS})"
    )


ROW_REPAIRS: Mapping[str, Callable[[sqlite3.Connection], None]] = {
    # the words first: deleting a text takes its words out of the index
    "words_wrong": _rebuild_words,
    "observations_without_text": _archive_without_text,
    "objects_without_text": _name_objects,
    # what they leave without a link or a user comes after them
    "links_dangling": _delete_dangling_links,
    "entities_of_nothing": _delete_entities_of_nothing,
    "history_orphaned": _part_orphaned_history,
    "history_circular": _cut_circular_history,
    "texts_unused": _delete_unused_texts,
    "vectors_foreign": _delete_foreign_vectors,
    "vectors_damaged": _delete_damaged_vectors,
    "texts_not_queued": _queue_texts,
    "texts_failed": _retry_texts,
    "counts_wrong": _recount,
}
"""By the code of the finding; each within a transaction of the writer."""


def _delete_unused_images(database: Database) -> bool:
    """Also while a recorder runs: what it may be about to take in is not among them."""
    _discard(image_erasure.orphan_images(database.connection, database.memory_dir))
    return True


def _erase_images(database: Database) -> bool:
    return not image_erasure.finish(database)


def _delete_leftovers(database: Database) -> bool:
    """False where all of them may still be in use."""
    deleted = [
        _discard_under(database.memory_dir / lock_name, paths)
        for lock_name, paths in leftovers(database.memory_dir).items()
        if paths
    ]
    return any(deleted)


def _delete_indices(database: Database) -> bool:
    found = saved_indices(database.memory_dir, database.connection)
    damaged = [path for path, state in found if is_damage(state)]
    return _discard_under(database.memory_dir / INDEX_LOCK, damaged)


FILE_REPAIRS: Mapping[str, Callable[[Database], bool]] = {
    "erasures_pending": _erase_images,
    "images_unused": _delete_unused_images,
    "leftovers": _delete_leftovers,
    "index_damaged": _delete_indices,
}
"""By the code of the finding; each tells whether it could."""


def _discard_under(lock: Path, paths: Iterable[Path]) -> bool:
    try:
        holding = hold(lock)
    except StoreLocked:
        return False
    with holding:
        _discard(paths)
    return True


def _discard(paths: Iterable[Path]) -> None:
    for path in paths:
        discard(path)


def _keys(connection: sqlite3.Connection, selection: str) -> list[int]:
    return [int(row[0]) for row in connection.execute(selection)]
