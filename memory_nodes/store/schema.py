"""The tables, as migrations that are only ever appended to (``migrations/NNNN_name.sql``).

``PRAGMA user_version`` is the number of migrations a database has had. Each runs in one
transaction with the new version number, so that a crash leaves the old schema or the new one.
"""

from __future__ import annotations

import json
import sqlite3
from hashlib import blake2b
from importlib.resources import files

from memory_nodes.errors import SchemaTooNew


def _scripts() -> tuple[str, ...]:
    found = (files(__package__) / "migrations").iterdir()
    scripts = sorted((item for item in found if item.name.endswith(".sql")), key=lambda i: i.name)
    return tuple(item.read_text(encoding="utf-8") for item in scripts)


MIGRATIONS: tuple[str, ...] = _scripts()


def version(connection: sqlite3.Connection) -> int:
    """The number of migrations the database has had; 0 for an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def require_known(connection: sqlite3.Connection) -> None:
    """Raises SchemaTooNew when a newer version of this package wrote the database."""
    found = version(connection)
    if found > len(MIGRATIONS):
        raise SchemaTooNew(
            f"the memory has schema {found}, this version knows up to {len(MIGRATIONS)}: "
            "update robot_memory, or give another memory directory"
        )


def migrate(connection: sqlite3.Connection) -> None:
    """Brings the database to the newest schema, one transaction a migration."""
    require_known(connection)
    connection.create_function("text_hash", 1, text_hash, deterministic=True)
    connection.create_function("object_text", 3, _object_text, deterministic=True)
    for number, script in enumerate(MIGRATIONS, start=1):
        if number > version(connection):
            _run(connection, f"{script} PRAGMA user_version = {number};")


def text_hash(text: str) -> int:
    """A signed 64-bit digest by which a text is found; unequal texts may share it."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little", signed=True)


def object_text(type_name: str, description: str, attributes: list[str]) -> str:
    """What an object is found by: its newest type, description and attributes."""
    said = ", ".join(item for item in (description, *attributes) if item)
    return f"{type_name}: {said}" if said else type_name


def _object_text(type_name: str, description: str, attributes_json: str) -> str:
    return object_text(type_name, description, list(json.loads(attributes_json).values()))


def _run(connection: sqlite3.Connection, script: str) -> None:
    try:
        connection.executescript(f"BEGIN IMMEDIATE; {script} COMMIT;")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.rollback()
        raise
