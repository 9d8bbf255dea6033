"""Observations: what may be written down, and how it is."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory_nodes.errors import InputError
from memory_nodes.records import Observation
from memory_nodes.store import embeddings, rows, texts
from memory_nodes.store.bulk import insert_all
from memory_nodes.store.checks import check_unicode
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.maps import map_key

MAX_TEXT_CHARS = 100_000
MAX_NAME_CHARS = 256
MAX_COORDINATE_M = 1e7
MAX_STAMP_NS = 2**63 - 1
LAYERS = (
    *("description", "detections", "place", "human_presence", "speech", "action", "goal"),
    *("battery", "diagnostics", "text"),
)
"""Those that every memory knows; others are made known by Writer.add_layer."""
INTEROCEPTIVE = ("battery", "diagnostics")
"""Layers on which the robot perceives itself; so are those whose names begin with body_."""
_GIVEN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
_OWN_ID = re.compile(r"observation_(\d{1,18})")
_KEPT_ID = re.compile(r"(observation|episode|gist|entity|history|keyframe)_\d+")
"""What the memory itself calls its rows."""


@dataclass(frozen=True)
class Incoming:
    """An observation on its way to the disk."""

    observation: Observation
    vector: bytes = b""
    """Of its text; empty: it is made later."""
    model: EmbeddingModel | None = None
    """Made the vector, which is of no use if another one is active by the time it is stored."""
    episode_key: int | None = None


def check(observation: Observation, layers: Collection[str]) -> None:
    """Raises InputError for what cannot be written down, and says how to mend it."""
    text = observation.text
    for name in ("text", "map_id", "map_frame", "source"):
        check_unicode(name, getattr(observation, name))
    if len(text) > MAX_TEXT_CHARS:
        raise InputError(
            f"the text has {len(text)} characters, the limit is {MAX_TEXT_CHARS}: split it"
        )
    if not text.strip():
        raise InputError("an observation needs a text")
    for name in ("map_id", "map_frame", "source"):
        if len(getattr(observation, name)) > MAX_NAME_CHARS:
            raise InputError(f"the {name} is longer than {MAX_NAME_CHARS} characters: shorten it")
    if observation.layer not in layers:
        raise InputError(
            f"no layer {observation.layer!r}: choose one of {', '.join(sorted(layers))}, or make "
            "it known first"
        )
    check_stamp(observation.stamp_ns)
    if not observation.map_from_base.is_valid:
        raise InputError("the pose is not finite, or its quaternion not of unit length")
    if max(map(abs, observation.map_from_base.position_m)) > MAX_COORDINATE_M:
        raise InputError(f"the position is beyond {MAX_COORDINATE_M:.0f} m: check its unit")
    if not 0.0 <= observation.confidence <= 1.0 or math.isnan(observation.confidence):
        raise InputError(f"the confidence is {observation.confidence}, give one from 0 to 1")
    given = observation.observation_id
    if given and (_GIVEN_ID.fullmatch(given) is None or _KEPT_ID.fullmatch(given)):
        raise InputError(
            f"{given[:80]!r} cannot be an id: give up to 64 letters, digits and _ . : -, "
            "not observation_<number> or the like"
        )


def check_stamp(stamp_ns: int) -> None:
    """Raises InputError for a stamp that is before 0 or does not fit the database."""
    if type(stamp_ns) is not int or not 0 <= stamp_ns <= MAX_STAMP_NS:
        raise InputError(f"the stamp is {stamp_ns!r} ns, give an int from 0 to 2^63 - 1")


def insert(connection: sqlite3.Connection, batch: Sequence[Incoming]) -> list[str | Exception]:
    """Stores checked observations in one go; the id of each, or why it was refused.

    One that was stored before under the id it was given gets that id again.
    """
    outcomes: list[str | Exception] = [""] * len(batch)
    fresh: list[int] = []
    given: dict[str, int] = {}
    for number, incoming in enumerate(batch):
        public_id = incoming.observation.observation_id
        if not public_id:
            fresh.append(number)
        elif public_id in given:
            outcomes[number] = _repeated(incoming.observation, batch[given[public_id]].observation)
        elif (stored := _by_public_id(connection, public_id)) is not None:
            outcomes[number] = _repeated(incoming.observation, stored)
        else:
            given[public_id] = number
            fresh.append(number)
    ids = _insert_fresh(connection, [batch[number] for number in fresh])
    for number, public_id in zip(fresh, ids, strict=True):
        outcomes[number] = public_id
    return outcomes


def key_from_id(connection: sqlite3.Connection, observation_id: str) -> int | None:
    """The key of the observation with a public id; None when there is none."""
    own = _OWN_ID.fullmatch(observation_id)
    if own is not None:
        query, value = "observation_key = ? AND public_id IS NULL", int(own[1])
        row = connection.execute(
            f"SELECT observation_key FROM observation WHERE {query}", (value,)
        ).fetchone()
    elif _GIVEN_ID.fullmatch(observation_id) is None:
        return None
    else:
        row = connection.execute(
            "SELECT observation_key FROM observation WHERE public_id = ?", (observation_id,)
        ).fetchone()
    return None if row is None else int(row[0])


def layer_key(connection: sqlite3.Connection, name: str) -> int:
    """The key of a layer, which is made known if it was not."""
    connection.execute("INSERT OR IGNORE INTO layer (name) VALUES (?)", (name,))
    row = connection.execute("SELECT layer_key FROM layer WHERE name = ?", (name,)).fetchone()
    return int(row[0])


def is_interoceptive(layer: str) -> bool:
    """Whether a layer is about the robot's own body, and not about the world."""
    return layer in INTEROCEPTIVE or layer.startswith("body_")


def layers(connection: sqlite3.Connection) -> dict[str, int]:
    """The layers that are known, with their keys."""
    return {row["name"]: row["layer_key"] for row in connection.execute("SELECT * FROM layer")}


def _insert_fresh(connection: sqlite3.Connection, batch: Sequence[Incoming]) -> list[str]:
    active = embeddings.active_model(connection)
    vectors = {
        item.observation.text: item.vector for item in batch if item.vector and item.model == active
    }
    text_keys = texts.intern(connection, [item.observation.text for item in batch], vectors)
    layer_keys = layers(connection)
    map_keys: dict[tuple[str, str], int] = {}
    key = _last_key(connection)
    values, ids = [], []
    for item in batch:
        observation = item.observation
        place = (observation.map_id, observation.map_frame)
        if place not in map_keys:
            map_keys[place] = map_key(connection, *place)
        key += 1
        ids.append(observation.observation_id or rows.observation_id(key))
        values.append(
            rows.observation_row(
                key,
                observation,
                map_keys[place],
                layer_keys[observation.layer],
                item.episode_key,
                text_keys[observation.text],
            )
        )
    insert_all(connection, "INSERT INTO observation", rows.OBSERVATION_COLUMNS, values)
    return ids


def _last_key(connection: sqlite3.Connection) -> int:
    row = connection.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = 'observation'"
    ).fetchone()
    return 0 if row is None else int(row[0])


def _by_public_id(connection: sqlite3.Connection, public_id: str) -> Observation | None:
    row = connection.execute(
        f"{rows.OBSERVATION_QUERY} WHERE o.public_id = ?", (public_id,)
    ).fetchone()
    return None if row is None else rows.observation_from(row)


def _repeated(observation: Observation, stored: Observation) -> str | Exception:
    is_same = (observation.stamp_ns, observation.layer) == (stored.stamp_ns, stored.layer)
    if is_same and stored.text in ("", observation.text):  # no text: archived meanwhile
        return observation.observation_id
    return InputError(
        f"another observation has the id {observation.observation_id!r}: give each its own, or none"
    )
