"""What consolidation writes, piece by piece: a gist, and the entities that show in it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.errors import InputError
from memory_nodes.records import EntitySighting, Gist
from memory_nodes.store import entities, episodes, gists, observations
from memory_nodes.store.maps import map_key


@dataclass(frozen=True)
class Piece:
    """Observations that one gist tells of, and what each view among them shows."""

    gist: Gist
    views: tuple[tuple[EntitySighting, ...], ...] = ()


def check(piece: Piece) -> None:
    """Raises InputError for a piece that cannot be written down."""
    gists.check(piece.gist)
    if not piece.gist.observation_ids:
        raise InputError("a piece needs the observations that its gist tells of")
    for view in piece.views:
        for sighting in view:
            entities.check(sighting)


def store(connection: sqlite3.Connection, piece: Piece) -> str:
    """Stores a checked piece and gives the id of its gist; "" where it was stored before.

    Raises InputError for an unknown observation, entity or episode, and where only some of the
    observations have a gist: the piece was cut in another way before.
    """
    told = summarised(connection, piece.gist.observation_ids)
    if told:
        if len(told) == len(set(piece.gist.observation_ids)):
            return ""
        raise InputError(
            f"{len(told)} of {len(piece.gist.observation_ids)} observations have a gist already: "
            "leave them out"
        )
    gist_id = gists.insert(connection, piece.gist)
    key = map_key(connection, piece.gist.map_id, piece.gist.map_frame)
    entities.note_views(connection, key, piece.views)
    return gist_id


def summarised(connection: sqlite3.Connection, observation_ids: Sequence[str]) -> set[str]:
    """Those of the observations that have a gist."""
    found = set()
    for observation_id in observation_ids:
        key = observations.key_from_id(connection, observation_id)
        if (
            key is not None
            and connection.execute(
                "SELECT 1 FROM link WHERE kind = 'SUMMARIZES' AND to_key = ?", (key,)
            ).fetchone()
        ):
            found.add(observation_id)
    return found


def finish_episode(connection: sqlite3.Connection, episode_id: str, up_to_key: int) -> None:
    """All observations of an episode up to a key have a gist now.

    It waits on where something has come into it since. Raises InputError while it is active.
    """
    key = episodes.key_from_id(connection, episode_id)
    changed = connection.execute(
        "UPDATE episode SET is_consolidated = NOT EXISTS ("
        "SELECT 1 FROM observation WHERE episode_key = ? AND observation_key > ?"
        " AND text_key IS NOT NULL) WHERE episode_key = ? AND status != 0",
        (key, up_to_key, key),
    ).rowcount
    if not changed:
        raise InputError(f"episode {episode_id} is active: end it first")


def finish_free(connection: sqlite3.Connection, up_to_id: str, before_ns: int) -> None:
    """Outside of episodes all observations up to this one have a gist now, or are noise.

    Those from ``before_ns`` on have none: they wait for their time.
    """
    key = observations.key_from_id(connection, up_to_id)
    if key is None:
        raise InputError(f"no observation {up_to_id!r} to be consolidated up to")
    connection.execute(
        "DELETE FROM passed_over WHERE observation_key IN (SELECT observation_key FROM observation"
        " JOIN passed_over USING (observation_key) WHERE observation_key <= ? AND stamp_ns < ?)",
        (key, before_ns),
    )
    connection.execute(
        "INSERT INTO passed_over"
        " SELECT observation_key FROM observation INDEXED BY observation_free"
        " WHERE episode_key IS NULL AND text_key IS NOT NULL AND stamp_ns >= ?"
        " AND observation_key > (SELECT last_observation_key FROM consolidation_mark)"
        " AND observation_key <= ?",
        (before_ns, key),
    )
    connection.execute(
        "UPDATE consolidation_mark SET last_observation_key = max(last_observation_key, ?)",
        (key,),
    )
