"""Forgetting: rows, words, vectors, images and caches; all of the rows in one commit, or none."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace

from memory_nodes.errors import StoreError
from memory_nodes.records import ItemKind
from memory_nodes.store import rows, texts, tombstones, trace_files
from memory_nodes.store.database import INDEX_DIR, Database
from memory_nodes.store.forgetting import image_erasure
from memory_nodes.store.forgetting.entities import forget_entities
from memory_nodes.store.forgetting.gists import forget_gists, replace_gists, summarising
from memory_nodes.store.forgetting.history import forget_history
from memory_nodes.store.forgetting.objects import (
    Traces,
    delete,
    forget_keyframes_and_objects,
    unlink,
)
from memory_nodes.store.forgetting.selection import Chosen, Forget, among, choose
from memory_nodes.store.indices import cache_file


@dataclass(frozen=True)
class Forgotten:
    """How many of each kind were forgotten, or would be."""

    keyframes: int = 0
    objects: int = 0
    """Also those that no keyframe shows any more."""
    observations: int = 0
    episodes: int = 0
    gists: int = 0
    """Deleted, or told anew without what is forgotten."""
    images: int = 0
    """Deleted, or painted over where a forgotten object was."""
    entities: int = 0
    """Also those that no observation speaks of any more."""
    history_nodes: int = 0
    problems: tuple[str, ...] = ()
    """What is still on disk, and why. Empty after a dry run."""


def forget(database: Database, what: Forget, *, dry_run: bool) -> Forgotten:
    """Forgets it, and what is left of it in files; a dry run changes nothing.

    Raises InputError for an unknown id: nothing is forgotten then. The traces of agents are gone
    in any case.
    """
    if not dry_run:
        _delete_traces(database)
    with database.transaction(is_rehearsal=dry_run) as connection:
        forgotten = _forget_rows(connection, what)
        if forgotten != Forgotten() and not dry_run:
            _forget_words(connection)
    if dry_run:
        return forgotten
    return replace(forgotten, problems=clean_up(database))


def _delete_traces(database: Database) -> None:
    """First of all: after a crash nobody would know which of them tell of what is forgotten."""
    try:
        trace_files.delete_all(database.memory_dir)
    except OSError as error:
        directory = database.memory_dir / trace_files.TRACES_DIR
        raise StoreError(
            f"cannot delete {directory}: {error}; nothing was forgotten, delete it and try again"
        ) from error


def clean_up(database: Database) -> tuple[str, ...]:
    """Brings files level with what the rows have forgotten; what could not be done, and why."""
    tombstones.trim(database)
    problems = list(image_erasure.finish(database))
    try:
        # They hold places and times. A reader that is writing them sees that, and deletes them.
        cache_file.delete_all(database.memory_dir / INDEX_DIR)
    except OSError as error:
        problems.append(f"the caches of the indices are still there: {error}")
    if not database.clear_wal():
        problems.append(
            "a reader is in the middle of a long answer: old pages stay in the write-ahead log"
            " until the memory is closed, or something else is forgotten"
        )
    return tuple(problems)


def _forget_rows(connection: sqlite3.Connection, what: Forget) -> Forgotten:
    chosen, traces = choose(connection, what), Traces()
    last_erasure = image_erasure.last_key(connection)
    retold = summarising(connection, chosen)
    forget_keyframes_and_objects(connection, chosen, traces)
    forget_entities(connection, chosen, traces)
    _forget_observations(connection, chosen, traces)
    replace_gists(connection, retold, traces)
    forget_gists(connection, chosen.gists, traces)
    _forget_episodes(connection, chosen, traces)
    texts.release(connection, traces.text_keys)
    return Forgotten(
        keyframes=len(chosen.keyframes),
        objects=len(chosen.objects),
        observations=len(chosen.observations),
        episodes=len(chosen.episodes),
        gists=len(chosen.gists | retold),
        images=image_erasure.count(connection, last_erasure),
        entities=len(chosen.entities),
        history_nodes=forget_history(connection, chosen.history_nodes, traces),
    )


def _forget_observations(connection: sqlite3.Connection, chosen: Chosen, traces: Traces) -> None:
    keys = chosen.observations
    where, values = among("observation_key", keys)
    for key, public_id, stamp_ns, text_key in connection.execute(
        f"SELECT observation_key, public_id, stamp_ns, text_key FROM observation WHERE {where}",
        values,
    ):
        traces.ids.add(public_id or rows.observation_id(key))
        traces.spans_ns.add((stamp_ns, stamp_ns))
        if text_key is not None:
            traces.text_keys.add(text_key)
    unlink(connection, "SUMMARIZES", "to_key", keys)
    delete(connection, "observation", "observation_key", keys)
    texts.bury(connection, ItemKind.OBSERVATION, keys)


def _forget_episodes(connection: sqlite3.Connection, chosen: Chosen, traces: Traces) -> None:
    keys = chosen.episodes
    traces.ids.update(map(rows.episode_id, keys))
    where, values = among("episode_key", keys)
    for start_ns, end_ns in connection.execute(
        f"SELECT start_ns, end_ns FROM episode WHERE {where}", values
    ):
        traces.spans_ns.add((start_ns, end_ns))
    for end in ("from_key", "to_key"):
        unlink(connection, "FOLLOWS", end, keys)
    where, values = among("parent_key", keys)
    connection.execute(f"UPDATE episode SET parent_key = NULL WHERE {where}", values)
    delete(connection, "episode", "episode_key", keys)


def _forget_words(connection: sqlite3.Connection) -> None:
    """The index of words is made anew: its pages are freed, and zeros are all that is left there.

    Deleting words in it, and even merging it, may leave them between the cells of a page.
    """
    connection.execute("INSERT INTO text_words (text_words) VALUES ('rebuild')")
