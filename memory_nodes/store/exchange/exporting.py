"""A memory in files that other programs read."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from memory_nodes.errors import InputError, StoreError
from memory_nodes.graph.cypher import to_cypher
from memory_nodes.graph.exchange import to_graphml, to_node_link
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.process_lock import hold
from memory_nodes.store import embeddings, schema
from memory_nodes.store.chunks import last_chunk_id
from memory_nodes.store.database import snapshot
from memory_nodes.store.exchange import export_lines
from memory_nodes.store.exchange.atomic_directory import new_directory, new_file
from memory_nodes.store.exchange.export_geojson import write_geojson
from memory_nodes.store.exchange.export_objects import Line
from memory_nodes.store.image_files import copy, shareable_image_paths, transfer_images
from memory_nodes.store.reader import Reader

EXPORTS_DIR = "exports"
LOCK_NAME = "export.lock"
GRAPHS: Mapping[str, Callable[[SceneGraph], str]] = {
    "graphml": to_graphml,
    "node-link": to_node_link,
    "cypher": lambda scene: "\n".join(to_cypher(scene)),
}
FORMATS = ("jsonl", *GRAPHS, "geojson")
MANIFEST_NAME = "manifest.json"
MANIFEST_FORMAT = "robot_memory jsonl"
MANIFEST_VERSION = 1
COUNTED_TABLES = ("entity", "episode", "gist", "history_node", "object_event", "observation")
"""Whose ids are numbers that are never given again."""

_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}")


def export(memory_dir: Path, name: str, format_name: str) -> Path:
    """Writes the memory as it is now to ``exports/<name>`` in its directory; gives the path.

    ``jsonl``: a directory with all that is remembered, which ``import_`` makes a memory of.
    ``graphml``, ``node-link`` (JSON), ``cypher`` (statements for Neo4j): objects and relations,
    of which ``graph/exchange.py`` reads the first two back. ``geojson``: objects, entities and
    gists on the map.
    It appears when it is whole. One export of a memory at a time.

    Raises:
        InputError: the format is unknown, the name not a plain one or taken.
        StoreLocked: another process is exporting it.
        StoreMissing: there is no memory.
        StoreError: it cannot be read, or the export not written.
    """
    if format_name not in FORMATS:
        raise InputError(f"no format {format_name!r}: choose one of {', '.join(FORMATS)}")
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f"{name[:200]!r} cannot be the name of an export: give up to 128 letters, digits and "
            "_ . - without a dot at the front"
        )
    target = memory_dir / EXPORTS_DIR / name
    with snapshot(memory_dir) as connection, _only_one(memory_dir):
        if format_name == "jsonl":
            with new_directory(target) as partial:
                _write_jsonl(connection, memory_dir, partial)
        elif format_name == "geojson":
            with new_file(target) as partial:
                write_geojson(connection, partial)
        else:
            with new_file(target) as partial:
                _write_graph(memory_dir, partial, format_name)
    return target


def _only_one(memory_dir: Path) -> TextIO:
    """What is left of an export that was killed can then be told from one that goes on."""
    try:
        return hold(memory_dir / LOCK_NAME)
    except OSError as error:
        raise StoreError(f"cannot write into {memory_dir}: {error}") from error


def _write_jsonl(connection: sqlite3.Connection, memory_dir: Path, directory: Path) -> None:
    _require_known_edges(connection)
    counts = {
        file_name: _write_lines(directory / file_name, lines(connection))
        for file_name, lines in export_lines.FILES.items()
    }
    images, _ = transfer_images(shareable_image_paths(connection), memory_dir, directory, copy)
    manifest = _manifest(connection, counts, images)
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    (directory / MANIFEST_NAME).write_text(text, encoding="utf-8")


def _write_graph(memory_dir: Path, path: Path, format_name: str) -> None:
    reader = Reader(memory_dir)
    try:
        scene = SceneGraph(*reader.graph())
    finally:
        reader.close()
    path.write_text(GRAPHS[format_name](scene), encoding="utf-8", newline="\n")


def _write_lines(path: Path, lines: Iterable[Line]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(export_lines.encoded(line) + "\n")
            count += 1
    return count


def _manifest(
    connection: sqlite3.Connection, counts: dict[str, int], images: int
) -> dict[str, Any]:
    model = embeddings.active_model(connection)
    last_ids = dict.fromkeys(COUNTED_TABLES, 0)
    for table, key in connection.execute("SELECT name, seq FROM sqlite_sequence"):
        if table in last_ids:
            last_ids[table] = key
    layers = connection.execute("SELECT name FROM layer ORDER BY layer_key")
    return {
        "format": MANIFEST_FORMAT,
        "version": MANIFEST_VERSION,
        "schema": schema.version(connection),
        "memory_id": connection.execute("SELECT memory_id FROM identity").fetchone()[0],
        "embedding_model": (
            {"model_id": model.model_id, "dimension": model.dimension} if model else None
        ),
        "layers": [row[0] for row in layers],
        "last_chunk_id": last_chunk_id(connection),
        "last_ids": last_ids,
        "counts": {**counts, "images": images},
    }


def _require_known_edges(connection: sqlite3.Connection) -> None:
    kinds = {row[0] for row in connection.execute("SELECT DISTINCT kind FROM link")}
    unknown = sorted(kinds - export_lines.EDGE_ENDS.keys())
    if unknown:
        raise StoreError(
            f"the memory has edges {', '.join(unknown)}, which this version cannot export: "
            "update robot_memory"
        )
