"""What is to be forgotten, and which rows that is."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from memory_nodes.errors import InputError
from memory_nodes.geometry import Vector3
from memory_nodes.records import EpisodeStatus
from memory_nodes.store import observations
from memory_nodes.store.object_ids import key_of
from memory_nodes.words import words

Term: TypeAlias = tuple[str, Sequence[object]]
"""A condition of a WHERE clause, and its values."""

_NUMBERED = re.compile(r"(keyframe|episode|gist|entity)_(\d{1,18})")
_SPANS = {
    "observation": ("stamp_ns", "stamp_ns"),
    "gist": ("start_ns", "end_ns"),
    "entity": ("first_seen_ns", "last_seen_ns"),
}
"""Columns of the first and the last stamp."""
_WITHIN = """
WITH RECURSIVE inside (episode_key) AS (
    SELECT value FROM json_each(?)
    UNION SELECT e.episode_key FROM episode e JOIN inside ON e.parent_key = inside.episode_key
    WHERE e.status != ?
) SELECT episode_key FROM inside
"""
_SHOWN = """
SELECT observation_key FROM observation WHERE public_id IN (
    SELECT 'chunk_' || chunk_id || '.detections.' || keyframe_id FROM keyframe
    WHERE keyframe_id IN (SELECT value FROM json_each(?))
    OR keyframe_id IN (
        SELECT keyframe_id FROM view WHERE object_key IN (SELECT value FROM json_each(?))
    )
)
"""
"""What was told of keyframes, and of those that show objects (episodic/chunk_observations.py)."""


@dataclass(frozen=True)
class Forget:
    """What is to be forgotten: all that is given must hold.

    Raises InputError where nothing is given, or something that nothing can fulfil.
    """

    ids: tuple[str, ...] = ()
    """Of objects, observations, episodes, gists, entities and keyframes (``keyframe_12``)."""
    since_ns: int | None = None
    until_ns: int | None = None
    """Both inclusive. What lasts (an episode, a gist, an entity, an object with its views) must be
    within."""
    map_id: str = ""
    center_map_m: Vector3 | None = None
    radius_m: float = 0.0
    """Of a ball: around where a keyframe was taken, an object or an entity stands, a gist has its
    centre. An episode has no place."""
    text: str = ""
    """In any case, anywhere in the words of an observation, a gist, an object or the history, or in
    the name of an episode or an entity. A keyframe has no text: what shows in it is forgotten with
    its object."""

    def __post_init__(self) -> None:
        bounds = (self.since_ns, self.until_ns, self.center_map_m)
        is_given = any(bound is not None for bound in bounds) or self.radius_m != 0.0
        if not (is_given or self.ids or self.map_id or self.text):
            raise InputError("nothing is given to forget: give ids, a time, a place or a text")
        if self.text and not self.text.strip():
            raise InputError("the text to forget is blank: it would be in nearly everything")
        since_ns, until_ns, center = bounds
        if since_ns is not None and until_ns is not None and since_ns > until_ns:
            raise InputError(f"from {since_ns} to {until_ns} ns: give since <= until")
        if center is None and self.radius_m != 0.0:
            raise InputError(f"the radius is {self.radius_m} m of no place: give its centre")
        is_finite = center is None or all(map(math.isfinite, (*center, self.radius_m)))
        if not is_finite or (center is not None and self.radius_m <= 0.0):
            raise InputError(
                f"the place {center} with radius {self.radius_m} m: give finite numbers, and a"
                " radius above 0"
            )


@dataclass
class Chosen:
    """Keys of rows by kind; the steps of forgetting add what goes with them."""

    keyframes: set[int] = field(default_factory=set)
    objects: set[int] = field(default_factory=set)
    observations: set[int] = field(default_factory=set)
    episodes: set[int] = field(default_factory=set)
    gists: set[int] = field(default_factory=set)
    entities: set[int] = field(default_factory=set)
    history_nodes: set[int] = field(default_factory=set)
    """By their text; those that tell of the others come by their times."""


def choose(connection: sqlite3.Connection, what: Forget) -> Chosen:
    """All that fulfils it; an episode brings along the ended ones within it, and what is of them.

    Raises InputError for an id that nothing has, or that of an active episode.
    """
    named = _named(connection, what.ids)
    saying = _texts(connection, what.text) if what.text else None
    chosen = Chosen(
        keyframes=_keyframes(connection, what, named),
        objects=_objects(connection, what, named, saying),
        observations=_items(connection, what, "observation", named.observations, saying),
        episodes=_episodes(connection, what, named),
        gists=_items(connection, what, "gist", named.gists, saying),
        entities=_items(connection, what, "entity", named.entities, saying),
        history_nodes=_history_nodes(connection, what),
    )
    within = connection.execute(_WITHIN, (json.dumps(list(chosen.episodes)), EpisodeStatus.ACTIVE))
    chosen.episodes |= {row[0] for row in within}
    of_them = [among("episode_key", chosen.episodes)]
    chosen.observations |= _keys(connection, "SELECT observation_key FROM observation", of_them)
    chosen.gists |= _keys(connection, "SELECT gist_key FROM gist", of_them)
    shown = (json.dumps(list(chosen.keyframes)), json.dumps(list(chosen.objects)))
    chosen.observations |= {row[0] for row in connection.execute(_SHOWN, shown)}
    return chosen


def among(column: str, keys: Iterable[int]) -> Term:
    """Holds where a column has one of these keys."""
    return f"{column} IN (SELECT value FROM json_each(?))", (json.dumps(sorted(keys)),)


def _named(connection: sqlite3.Connection, ids: Sequence[str]) -> Chosen:
    """The rows with these ids; where several have one, all of them."""
    named, unknown = Chosen(), []
    for item_id in ids:
        found = 0
        for keys, key in _rows_with_id(connection, item_id, named):
            keys.add(key)
            found += 1
        if not found:
            unknown.append(item_id)
    if unknown:
        raise InputError(
            f"nothing has the id {', '.join(map(repr, unknown[:10]))}"
            f"{f' or {len(unknown) - 10} more' if len(unknown) > 10 else ''}: nothing was forgotten"
        )
    return named


def _rows_with_id(
    connection: sqlite3.Connection, item_id: str, named: Chosen
) -> Iterator[tuple[set[int], int]]:
    """The keys with this id, each with the set that it is for."""
    numbered = _NUMBERED.fullmatch(item_id)
    if numbered is not None:
        table, column, keys = {
            "keyframe": ("keyframe", "keyframe_id", named.keyframes),
            "episode": ("episode", "episode_key", named.episodes),
            "gist": ("gist", "gist_key", named.gists),
            "entity": ("entity", "entity_key", named.entities),
        }[numbered[1]]
        for row in connection.execute(
            f"SELECT * FROM {table} WHERE {column} = ?", (int(numbered[2]),)
        ):
            if table == "episode" and row["status"] == EpisodeStatus.ACTIVE:
                raise InputError(f"{item_id} is active: end it before it is forgotten")
            yield keys, int(row[column])
    observation_key = observations.key_from_id(connection, item_id)
    if observation_key is not None:
        yield named.observations, observation_key
    object_key = key_of(connection, item_id)
    if object_key is not None:
        yield named.objects, object_key


def _texts(connection: sqlite3.Connection, text: str) -> set[int]:
    """Of the texts that have it in them."""
    wanted = text.casefold()
    found = connection.execute("SELECT text_key, text FROM text")
    return {key for key, said in found if wanted in said.casefold()}


def _keyframes(connection: sqlite3.Connection, what: Forget, named: Chosen) -> set[int]:
    if what.text:
        return set()
    terms = [*_time(what, "stamp_ns", "stamp_ns"), *_area(what, "base_")]
    if what.map_id:
        terms.append(("map_id = ?", (what.map_id,)))
    if what.ids:
        terms.append(among("keyframe_id", named.keyframes))
    return _keys(connection, "SELECT keyframe_id FROM keyframe", terms)


def _objects(
    connection: sqlite3.Connection, what: Forget, named: Chosen, saying: set[int] | None
) -> set[int]:
    terms = [*_map(what), *_area(what)]
    if what.ids:
        terms.append(among("object_key", named.objects))
    outside = {"stamp_ns < ?": what.since_ns, "stamp_ns > ?": what.until_ns}
    terms += [
        (
            "NOT EXISTS (SELECT 1 FROM view v JOIN keyframe k USING (keyframe_id)"
            f" WHERE v.object_key = object.object_key AND k.{term})",
            (bound_ns,),
        )
        for term, bound_ns in outside.items()
        if bound_ns is not None
    ]
    if saying is not None:
        terms.append(among("object_key", _objects_called(connection, what.text, saying)))
    return _keys(connection, "SELECT object_key FROM object", terms)


def _objects_called(connection: sqlite3.Connection, text: str, saying: set[int]) -> set[int]:
    """Objects with a text in their words of today, or in any that they ever had.

    Also in what a person called them, or did to them.
    """
    called = _keys(connection, "SELECT object_key FROM object", [among("text_key", saying)])
    wanted = text.casefold()
    for key, name in connection.execute("SELECT object_key, name FROM object WHERE name NOT NULL"):
        if wanted in name.casefold():
            called.add(key)
    for key, detail in connection.execute("SELECT object_key, detail FROM object_event"):
        if any(wanted in said.casefold() for said in _texts_within(json.loads(detail))):
            called.add(key)
    for row in connection.execute(
        "SELECT object_key, type, description, attributes, affordances FROM object_state"
    ):
        attributes, affordances = json.loads(row["attributes"]), json.loads(row["affordances"])
        said = (row["type"], row["description"], *attributes.values(), *affordances)
        if any(wanted in wording.casefold() for wording in said):
            called.add(row["object_key"])
    return called


def _texts_within(value: object) -> Iterator[str]:
    """Every text in a value of JSON; the names of fields are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts_within(item)


def _items(
    connection: sqlite3.Connection, what: Forget, kind: str, keys: set[int], saying: set[int] | None
) -> set[int]:
    """Of a kind that has a time, a place and a text."""
    terms = [*_time(what, *_SPANS[kind]), *_map(what), *_area(what)]
    if what.ids:
        terms.append(among(f"{kind}_key", keys))
    if saying is not None:
        terms.append(among("text_key", saying))
    return _keys(connection, f"SELECT {kind}_key FROM {kind}", terms)


def _episodes(connection: sqlite3.Connection, what: Forget, named: Chosen) -> set[int]:
    if what.map_id or what.center_map_m is not None:
        return set()
    terms = [*_time(what, "start_ns", "end_ns"), ("status != ?", (EpisodeStatus.ACTIVE,))]
    if what.ids:
        terms.append(among("episode_key", named.episodes))
    if what.text:
        wanted = what.text.casefold()
        names = connection.execute("SELECT episode_key, name FROM episode")
        terms.append(
            among("episode_key", [key for key, name in names if wanted in name.casefold()])
        )
    return _keys(connection, "SELECT episode_key FROM episode", terms)


def _history_nodes(connection: sqlite3.Connection, what: Forget) -> set[int]:
    """They have neither an id to be asked for, nor a place."""
    if not what.text or what.ids or what.map_id or what.center_map_m is not None:
        return set()
    wanted, as_told = what.text.casefold(), _as_told(what.text)
    told = connection.execute("SELECT node_key, text FROM history_node")
    saying = [
        key
        for key, text in told
        if wanted in text.casefold() or (as_told and as_told in _as_told(text))
    ]
    terms = [*_time(what, "start_ns", "end_ns"), among("node_key", saying)]
    return _keys(connection, "SELECT node_key FROM history_node", terms)


def _as_told(text: str) -> str:
    """The words alone: what parts the lists of the history is taken out of what it tells."""
    return " ".join(words(text))


def _time(what: Forget, start: str, end: str) -> list[Term]:
    bounds = ((f"{start} >= ?", what.since_ns), (f"{end} <= ?", what.until_ns))
    return [(term, (bound_ns,)) for term, bound_ns in bounds if bound_ns is not None]


def _map(what: Forget) -> list[Term]:
    if not what.map_id:
        return []
    return [("map_key IN (SELECT map_key FROM map WHERE map_id = ?)", (what.map_id,))]


def _area(what: Forget, prefix: str = "") -> list[Term]:
    if what.center_map_m is None:
        return []
    squares = " + ".join(f"({prefix}{axis} - ?) * ({prefix}{axis} - ?)" for axis in "xyz")
    centres = [centre_m for centre_m in what.center_map_m for _ in range(2)]
    return [(f"{squares} <= ?", (*centres, what.radius_m**2))]


def _keys(connection: sqlite3.Connection, query: str, terms: Sequence[Term]) -> set[int]:
    where = " AND ".join(term for term, _ in terms)
    values = [value for _, of_term in terms for value in of_term]
    return {row[0] for row in connection.execute(f"{query} WHERE {where}", values)}
