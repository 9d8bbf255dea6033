"""How the pages of a memory's database divide among what is stored in it."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping

from memory_nodes.errors import ConfigurationError

Shares = dict[str, dict[str, float]]
"""Bytes by item (a layer, or objects, keyframes and so on), and by part of it."""
ROWS, TEXTS, WORDS, VECTORS = "rows", "texts", "words", "vectors"
FIXED, FREE = "fixed", "free"

_ITEM_OF_TABLE = {
    **dict.fromkeys(("keyframe", "chunk", "session"), "keyframes"),
    **dict.fromkeys(("object", "object_state", "object_place", "object_event"), "objects"),
    **dict.fromkeys(("view", "view_embedding", "relation", "clear_look"), "objects"),
    **{"gist": "gists", "entity": "entities", "history_node": "history", "episode": "episodes"},
    "tombstone": "tombstones",
}
_ITEM_OF_LINK = {
    **{"SUMMARIZES": "gists", "FOLLOWS": "episodes"},
    **dict.fromkeys(("OBSERVED_IN", "COOCCURS_WITH"), "entities"),
}
_PAGES = """
SELECT coalesce(s.tbl_name, d.name) AS tbl, sum(d.pgsize) AS bytes
FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name GROUP BY 1
"""
_OBSERVATIONS = "SELECT l.name, count(*) FROM observation JOIN layer l USING (layer_key) GROUP BY 1"
_LINKS = "SELECT kind, count(*) FROM link GROUP BY 1"
_SAID = """
WITH said (text_key, item) AS (
    SELECT text_key, l.name FROM observation JOIN layer l USING (layer_key)
        WHERE text_key IS NOT NULL
    UNION SELECT text_key, 'objects' FROM object WHERE text_key IS NOT NULL
    UNION SELECT text_key, 'gists' FROM gist
    UNION SELECT text_key, 'entities' FROM entity
), sharing (text_key, sharers) AS (SELECT text_key, count(*) FROM said GROUP BY 1)
SELECT item, sum(1.0 * length(text) / sharers), sum(1.0 / sharers)
FROM said JOIN sharing USING (text_key) JOIN text USING (text_key) GROUP BY item
"""


def shares(connection: sqlite3.Connection) -> Shares:
    """All pages of the database, whole and half empty ones.

    A table goes to one item with its indices. Observations divide by their number, texts and words
    by characters, vectors by texts; what several items say, they share equally.

    Raises ConfigurationError where this SQLite does not tell how large a table is.
    """
    tables = _table_bytes(connection)
    layers = dict(connection.execute(_OBSERVATIONS).fetchall())
    links: dict[str, float] = defaultdict(float)
    for kind, count in connection.execute(_LINKS):
        links[_ITEM_OF_LINK.get(kind, FIXED)] += count
    said = connection.execute(_SAID).fetchall()
    characters = {item: size for item, size, _ in said}
    texts = {item: count for item, _, count in said}
    found: Shares = defaultdict(lambda: defaultdict(float))
    for table, size in tables.items():
        part, weights = ROWS, {_ITEM_OF_TABLE.get(table, FIXED): 1.0}
        if table == "observation":
            weights = layers
        elif table == "link":
            weights = links
        elif table == "text":
            part, weights = TEXTS, characters
        elif table.startswith("text_words"):
            part, weights = WORDS, characters
        elif table == "embedding":
            part, weights = VECTORS, texts
        for item, share in _divided(size, weights).items():
            found[item][part] += share
    page_bytes, free = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_size", "freelist_count")
    )
    found[FREE][ROWS] = float(page_bytes * free)
    return {item: dict(parts) for item, parts in sorted(found.items())}


def _table_bytes(connection: sqlite3.Connection) -> dict[str, int]:
    try:
        return dict(connection.execute(_PAGES).fetchall())
    except sqlite3.OperationalError as error:
        raise ConfigurationError(
            f"the SQLite {sqlite3.sqlite_version} of this Python tells no sizes of tables "
            f"({error}): take one that was compiled with SQLITE_ENABLE_DBSTAT_VTAB"
        ) from error


def _divided(size: float, weights: Mapping[str, float]) -> dict[str, float]:
    total = sum(weights.values())
    if total == 0.0:
        return {FIXED: size}
    return {item: size * weight / total for item, weight in weights.items()}
