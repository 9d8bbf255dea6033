"""Texts stand once: each is interned under a key, by which words and vectors are found."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from memory_nodes.records import ItemKind
from memory_nodes.store import embeddings
from memory_nodes.store.bulk import insert_all
from memory_nodes.store.database import sequence
from memory_nodes.store.schema import text_hash

IS_UNUSED = """
(NOT EXISTS (SELECT 1 FROM observation o WHERE o.text_key = text.text_key)
AND NOT EXISTS (SELECT 1 FROM object o WHERE o.text_key = text.text_key)
AND NOT EXISTS (SELECT 1 FROM gist g WHERE g.text_key = text.text_key)
AND NOT EXISTS (SELECT 1 FROM entity e WHERE e.text_key = text.text_key))
"""
"""A condition on rows of text: nothing says them."""
_UNUSED = f"""
SELECT text_key, text FROM text WHERE text_key IN (SELECT value FROM json_each(?))
AND {IS_UNUSED}
"""


def intern(
    connection: sqlite3.Connection, texts: Sequence[str], vectors: Mapping[str, bytes] | None = None
) -> dict[str, int]:
    """The key of each text; those that are new are stored with their words.

    ``vectors``: of the active embedding model, as vectors.packed writes them, for some of the
    texts. Where a model is active, what is new and has none waits in the queue.
    """
    digests = {text: text_hash(text) for text in texts}
    keys = _known(connection, digests)
    first = _next_key(connection)
    unknown = [text for text in digests if text not in keys]
    fresh = [(key, digests[text], text) for key, text in enumerate(unknown, start=first)]
    keys.update((text, key) for key, _, text in fresh)
    if fresh:
        insert_all(connection, "INSERT INTO text", ("text_key", "hash", "text"), fresh)
        words = [(key, text) for key, _, text in fresh]
        insert_all(connection, "INSERT INTO text_words", ("rowid", "text"), words)
        embeddings.enqueue(connection, [key for key, text in words if text not in (vectors or ())])
    if vectors:
        embeddings.store(connection, {keys[text]: vector for text, vector in vectors.items()})
    return keys


def find(connection: sqlite3.Connection, text: str) -> int | None:
    """The key of a text; None where nothing has said it."""
    return _known(connection, {text: text_hash(text)}).get(text)


def release(connection: sqlite3.Connection, text_keys: Iterable[int]) -> int:
    """Deletes those of the texts that nothing uses any more, with words and vectors; how many."""
    unused = connection.execute(_UNUSED, (json.dumps(sorted(set(text_keys))),)).fetchall()
    if not unused:
        return 0
    keys = [(row["text_key"],) for row in unused]
    connection.executemany(
        "INSERT INTO text_words (text_words, rowid, text) VALUES ('delete', ?, ?)",
        [(row["text_key"], row["text"]) for row in unused],
    )
    for table in ("embedding_queue", "embedding", "text"):
        connection.executemany(f"DELETE FROM {table} WHERE text_key = ?", keys)
    bury(connection, ItemKind.TEXT, (key for (key,) in keys))
    return len(keys)


def bury(connection: sqlite3.Connection, kind: ItemKind, keys: Iterable[int]) -> None:
    """Tells the readers that these leave the indices with this commit."""
    now = sequence(connection)
    connection.executemany(
        "INSERT OR IGNORE INTO tombstone VALUES (?, ?, ?)", [(now, int(kind), k) for k in keys]
    )


def _next_key(connection: sqlite3.Connection) -> int:
    """Keys are never given again, not even that of a deleted text."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'text'").fetchone()
    return 1 if row is None else int(row[0]) + 1


def _known(connection: sqlite3.Connection, digests: Mapping[str, int]) -> dict[str, int]:
    """Keys of those of the texts that are stored; another text may share a digest."""
    listed = [text for text in digests if "\0" not in text]
    found = connection.execute(
        "SELECT json_group_array(json_array(key, text_key)) FROM json_each(?) CROSS JOIN text t"
        " ON t.hash = json_extract(value, '$[0]') AND t.text = json_extract(value, '$[1]')",
        (json.dumps([[digests[text], text] for text in listed]),),
    ).fetchone()[0]
    keys = {listed[place]: text_key for place, text_key in json.loads(found)}
    for text in digests.keys() - listed:  # SQLite's JSON ends at a NUL
        row = connection.execute(
            "SELECT text_key FROM text WHERE hash = ? AND text = ?", (digests[text], text)
        ).fetchone()
        if row is not None:
            keys[text] = row[0]
    return keys
