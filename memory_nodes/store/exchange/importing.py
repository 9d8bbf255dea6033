"""A new memory from an export."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from memory_nodes.errors import InputError
from memory_nodes.perception.recorder import IMAGES_DIR
from memory_nodes.store import embeddings, observations
from memory_nodes.store.database import Database
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.exchange.atomic_directory import new_directory
from memory_nodes.store.exchange.exporting import (
    COUNTED_TABLES,
    MANIFEST_FORMAT,
    MANIFEST_NAME,
    MANIFEST_VERSION,
)
from memory_nodes.store.exchange.import_destination import Destination
from memory_nodes.store.exchange.import_fields import Fields
from memory_nodes.store.exchange.import_lines import IMPORTS, Import
from memory_nodes.store.image_files import copy, image_file, transfer_image

MAX_LINE_BYTES = 64 * 2**20
MAX_PROBLEMS = 100
LINES_PER_COMMIT = 10_000


@dataclass
class Imported:
    """What came of an import."""

    memory_dir: Path
    counts: dict[str, int] = field(default_factory=dict)
    """Lines that were imported, by file."""
    images: int = 0
    skipped: int = 0
    """Lines that were not."""
    problem_count: int = 0
    problems: list[str] = field(default_factory=list)
    """The first MAX_PROBLEMS, each with file and line: what was skipped, and what is missing."""

    def note(self, problem: str) -> None:
        self.problem_count += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)


@dataclass(frozen=True)
class _Manifest:
    layers: tuple[str, ...]
    model: EmbeddingModel | None
    last_chunk_id: int
    last_ids: dict[str, int]
    counts: dict[str, int]


def import_(export_dir: Path, memory_dir: Path) -> Imported:
    """Makes a memory of a jsonl export; it appears when it is whole.

    A line that cannot be used is reported and left out, the rest is imported. All public ids
    stay; only the memory itself is another one, so that no index of the first is taken for its.

    Raises:
        InputError: there is no manifest that this version can read, the images are a link, or
            the directory of the memory is not empty.
        StoreError: it cannot be written.
    """
    manifest = _manifest(export_dir)
    if (export_dir / IMAGES_DIR).is_symlink():
        raise InputError(f"{export_dir / IMAGES_DIR} is a link: copy the images to where it is")
    imported = Imported(memory_dir)
    with new_directory(memory_dir) as partial:
        database = Database(partial)
        try:
            with database.transaction() as connection:
                _prepare(connection, manifest)
            for file_name, import_line in IMPORTS.items():
                _import_file(database, export_dir, file_name, import_line, manifest, imported)
            with database.transaction() as connection:
                _finish(connection, manifest)
        finally:
            database.close()
    return imported


def _manifest(export_dir: Path) -> _Manifest:
    path = export_dir / MANIFEST_NAME
    try:
        line = Fields.from_line(path.read_bytes())
        if (line.text("format"), line.integer("version")) != (MANIFEST_FORMAT, MANIFEST_VERSION):
            raise InputError(f"it is not {MANIFEST_FORMAT!r} in version {MANIFEST_VERSION}")
        last_ids, counts = line.fields("last_ids"), line.fields("counts")
        return _Manifest(
            layers=line.texts("layers"),
            model=_model(line),
            last_chunk_id=line.integer("last_chunk_id", 0),
            # an export of an older memory knows less of them
            last_ids={table: last_ids.integer(table, 0, 0) for table in COUNTED_TABLES},
            counts={file_name: counts.integer(file_name, 0, 0) for file_name in IMPORTS},
        )
    except (OSError, InputError) as error:
        raise InputError(
            f"{export_dir} is no jsonl export that can be read: {MANIFEST_NAME}: {error}"
        ) from error


def _model(line: Fields) -> EmbeddingModel | None:
    if line.is_null("embedding_model"):
        return None
    named = line.fields("embedding_model")
    return EmbeddingModel(named.text("model_id"), named.integer("dimension", 1))


def _prepare(connection: sqlite3.Connection, manifest: _Manifest) -> None:
    for name in manifest.layers:
        observations.layer_key(connection, name)
    if manifest.model is not None:
        embeddings.activate(connection, manifest.model, reembed=False)


def _finish(connection: sqlite3.Connection, manifest: _Manifest) -> None:
    """No id that was ever given is given again."""
    connection.execute("UPDATE spool_mark SET last_chunk_id = ?", (manifest.last_chunk_id,))
    for table, last_id in manifest.last_ids.items():
        connection.execute(
            "INSERT INTO sqlite_sequence SELECT ?, 0"
            " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)",
            (table, table),
        )
        connection.execute(
            "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (last_id, table)
        )


def _import_file(
    database: Database,
    export_dir: Path,
    file_name: str,
    import_line: Import,
    manifest: _Manifest,
    imported: Imported,
) -> None:
    number = imported.counts[file_name] = 0
    where = file_name

    def note(problem: str) -> None:
        imported.note(f"{where}: {problem}")

    def take_image(image_path: str) -> bool:
        image_file(export_dir, image_path)
        is_taken = transfer_image(export_dir, database.memory_dir, image_path, copy)
        imported.images += is_taken
        return is_taken

    into = Destination(database.connection, manifest.layers, manifest.model, take_image, note)
    lines = enumerate(_lines(export_dir / file_name), start=1)
    while batch := list(islice(lines, LINES_PER_COMMIT)):
        with database.transaction():
            for number, line in batch:
                where = f"{file_name}:{number}"
                problem = _import_line(into, import_line, line)
                if problem is None:
                    imported.counts[file_name] += 1
                else:
                    imported.skipped += 1
                    note(problem)
    if number != manifest.counts[file_name]:
        where = file_name
        note(f"it has {number} lines, {MANIFEST_NAME} says {manifest.counts[file_name]}")


def _import_line(into: Destination, import_line: Import, line: bytes) -> str | None:
    """All of a line or nothing; why it was left out."""
    connection = into.connection
    connection.execute("SAVEPOINT line")
    try:
        if len(line) > MAX_LINE_BYTES:
            raise InputError(f"the line is longer than {MAX_LINE_BYTES} bytes")
        import_line(into, Fields.from_line(line))
    except (InputError, sqlite3.IntegrityError) as error:
        connection.execute("ROLLBACK TO line")
        return f"skipped: {_explained(error)}"
    finally:
        connection.execute("RELEASE line")
    return None


def _explained(error: Exception) -> str:
    if isinstance(error, sqlite3.IntegrityError):
        return f"its id is there already, or it names what is not there ({error})"
    return str(error)


def _lines(path: Path) -> Iterator[bytes]:
    """Without their ends; of one that is too long only the beginning. None where no file is."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        while line := file.readline(MAX_LINE_BYTES + 1):
            rest = line
            while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
                rest = file.readline(MAX_LINE_BYTES + 1)
            yield line.rstrip(b"\r\n")
