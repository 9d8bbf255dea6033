"""What may be wrong within the database of a memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from memory_nodes.store import embeddings, schema
from memory_nodes.store.doctor.finding import Finding, Severity
from memory_nodes.store.embeddings import MAX_ATTEMPTS
from memory_nodes.store.exchange.export_lines import EDGE_ENDS
from memory_nodes.store.texts import IS_UNUSED
from memory_nodes.vectors import ITEM_BYTES

MAX_SHOWN = 5
SPARSE_SHARE = 0.25
SPARSE_PAGES = 1000

# Conditions and selections that an examination counts and a repair mends.
UNUSED_TEXTS = f"SELECT text_key FROM text WHERE {IS_UNUSED}"
OBSERVATIONS_WITHOUT_TEXT = (
    "SELECT observation_key FROM observation WHERE text_key IS NOT NULL"
    " AND text_key NOT IN (SELECT text_key FROM text)"
)
OBJECTS_WITHOUT_TEXT = (
    "SELECT object_key FROM object WHERE (text_key IS NULL"
    " OR text_key NOT IN (SELECT text_key FROM text))"
    " AND object_key IN (SELECT object_key FROM object_state)"
)
FOREIGN_VECTORS = (
    "SELECT embedding_key FROM embedding WHERE model_key NOT IN"
    " (SELECT model_key FROM embedding_model WHERE is_active)"
)
DAMAGED_VECTORS = (
    "SELECT embedding_key FROM embedding JOIN embedding_model USING (model_key)"
    f" WHERE is_active AND length(vector) != dimension * {ITEM_BYTES}"
)
UNQUEUED_TEXTS = (
    "SELECT text_key FROM text WHERE EXISTS (SELECT 1 FROM embedding_model WHERE is_active)"
    " AND text_key NOT IN (SELECT text_key FROM embedding)"
    " AND text_key NOT IN (SELECT text_key FROM embedding_queue)"
)
ENTITIES_OF_NOTHING = (
    "SELECT entity_key FROM entity WHERE text_key NOT IN (SELECT text_key FROM text)"
    " OR entity_key NOT IN (SELECT from_key FROM link WHERE kind = 'OBSERVED_IN')"
)
DANGLING_LINKS = "SELECT kind, from_key, to_key FROM link WHERE " + " OR ".join(
    f"kind = '{kind}' AND {end} NOT IN (SELECT {table}_key FROM {table})"
    for kind, tables in EDGE_ENDS.items()
    for end, table in zip(("from_key", "to_key"), tables, strict=True)
)
ORPHANED_HISTORY = (
    "SELECT node_key FROM history_node WHERE parent_key NOT IN (SELECT node_key FROM history_node)"
)
CIRCULAR_HISTORY = (
    "WITH RECURSIVE rooted (node_key) AS ("
    f" SELECT node_key FROM history_node WHERE parent_key IS NULL UNION {ORPHANED_HISTORY}"
    " UNION SELECT n.node_key FROM history_node n JOIN rooted ON n.parent_key = rooted.node_key)"
    " SELECT node_key FROM history_node WHERE node_key NOT IN (SELECT node_key FROM rooted)"
    " ORDER BY level DESC, node_key"
)
FAILED_TEXTS = f"SELECT text_key FROM embedding_queue WHERE attempts >= {MAX_ATTEMPTS}"
_WAITING_TEXTS = f"SELECT text_key FROM embedding_queue WHERE attempts < {MAX_ATTEMPTS}"
# The rows of the index are in its own table; asking the index itself would ask the texts.
_MISMATCHED_WORDS = (
    "SELECT text_key FROM text WHERE text_key NOT IN (SELECT id FROM text_words_docsize)"
    " UNION ALL"
    " SELECT id FROM text_words_docsize WHERE id NOT IN (SELECT text_key FROM text)"
)


def check_schema(connection: sqlite3.Connection) -> Iterator[Finding]:
    found, known = schema.version(connection), len(schema.MIGRATIONS)
    if found > known:
        yield Finding(
            "schema_new",
            "error",
            f"the memory has schema {found}, this version knows up to {known}: update robot_memory",
        )
    elif found < known:
        yield Finding(
            "schema_old",
            "warn",
            f"the memory has schema {found}, this version reads {known}: repair, or start the "
            "episodic node, to bring it up to date",
            is_repairable=True,
        )


def check_integrity(connection: sqlite3.Connection, *, quick: bool) -> Iterator[Finding]:
    pragma = "quick_check" if quick else "integrity_check"
    found = [row[0] for row in connection.execute(f"PRAGMA {pragma}({MAX_SHOWN})")]
    if found != ["ok"]:
        yield Finding(
            "database_damaged",
            "error",
            f"the database file is damaged ({'; '.join(found)}): export what can be read, and "
            "import that or restore a backup",
        )
    dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
    tables = sorted({row[0] for row in dangling})
    if dangling:
        yield Finding(
            "references_dangling",
            "error",
            f"{len(dangling)} rows of {', '.join(tables)} refer to what is not there: where no "
            "repair mends them, export and import leaves them out",
        )


def check_rows(connection: sqlite3.Connection) -> Iterator[Finding]:
    """Counts, texts, links and vectors of a memory with the current schema."""
    yield from _check_row_counts(connection)
    yield from _counted(
        connection,
        _MISMATCHED_WORDS,
        "words_wrong",
        "error",
        "texts are not in the word index, or only there: repair builds it anew",
    )
    yield from _counted(
        connection,
        UNUSED_TEXTS,
        "texts_unused",
        "warn",
        "texts are used by nothing: repair deletes them with their words and vectors",
    )
    yield from _counted(
        connection,
        OBSERVATIONS_WITHOUT_TEXT,
        "observations_without_text",
        "error",
        "observations have lost their text: repair archives them, a backup may have it",
    )
    yield from _counted(
        connection,
        OBJECTS_WITHOUT_TEXT,
        "objects_without_text",
        "error",
        "objects cannot be found by words: repair gives them the text of their newest state",
    )
    yield from _check_links(connection)
    yield from _check_vectors(connection)


def check_space(connection: sqlite3.Connection) -> Iterator[Finding]:
    free, pages, page_bytes = (
        connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("freelist_count", "page_count", "page_size")
    )
    if free >= max(SPARSE_PAGES, SPARSE_SHARE * pages):
        yield Finding(
            "database_sparse",
            "ok",
            f"{free * page_bytes // 1_000_000} MB of the database file are unused and will be used "
            "again: repair with vacuum gives them back",
        )


def _check_row_counts(connection: sqlite3.Connection) -> Iterator[Finding]:
    wrong = []
    for name, noted in connection.execute("SELECT table_name, rows FROM row_count").fetchall():
        counted = connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]
        if counted != noted:
            wrong.append(f"{name} has {counted} rows, not {noted}")
    if wrong:
        yield Finding(
            "counts_wrong",
            "warn",
            f"{'; '.join(wrong)}: repair counts anew",
            is_repairable=True,
        )


def _check_links(connection: sqlite3.Connection) -> Iterator[Finding]:
    yield from _counted(
        connection,
        DANGLING_LINKS,
        "links_dangling",
        "error",
        "links begin or end at what is not there: repair deletes them",
    )
    yield from _counted(
        connection,
        ENTITIES_OF_NOTHING,
        "entities_of_nothing",
        "warn",
        "entities have no name, or no observation speaks of them: repair deletes them",
    )
    yield from _counted(
        connection,
        ORPHANED_HISTORY,
        "history_orphaned",
        "error",
        "nodes of the history are below one that is not there: repair lets them wait for another",
    )
    yield from _counted(
        connection,
        CIRCULAR_HISTORY,
        "history_circular",
        "error",
        "nodes of the history are below themselves: repair cuts each circle at its highest node",
    )


def _check_vectors(connection: sqlite3.Connection) -> Iterator[Finding]:
    yield from _counted(
        connection,
        FOREIGN_VECTORS,
        "vectors_foreign",
        "warn",
        "vectors are of a model that is not active and never compared: repair deletes them",
    )
    yield from _counted(
        connection,
        DAMAGED_VECTORS,
        "vectors_damaged",
        "error",
        "vectors have not the length of their model's: repair has them made again",
    )
    yield from _counted(
        connection,
        UNQUEUED_TEXTS,
        "texts_not_queued",
        "warn",
        "texts have no vector and wait for none: repair lets them wait",
    )
    yield from _counted(
        connection,
        FAILED_TEXTS,
        "texts_failed",
        "warn",
        f"texts got no usable vector in {MAX_ATTEMPTS} attempts and are found by words only: "
        "repair lets the model try again",
    )
    waiting = _count(connection, _WAITING_TEXTS)
    model = embeddings.active_model(connection)
    if waiting and model is not None:
        yield Finding(
            "texts_waiting",
            "ok",
            f"{waiting} texts wait for a vector of {model.model_id}: they are found by words until "
            "the episodic node runs with that model",
        )


def _counted(
    connection: sqlite3.Connection, selection: str, code: str, severity: Severity, message: str
) -> Iterator[Finding]:
    """A finding where the selection has rows; all of these can be repaired."""
    if count := _count(connection, selection):
        yield Finding(code, severity, f"{count} {message}", is_repairable=True)


def _count(connection: sqlite3.Connection, selection: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM ({selection})").fetchone()[0])
