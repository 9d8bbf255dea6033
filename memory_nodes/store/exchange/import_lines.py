"""Lines of an export to rows of a memory: the way back of export_lines."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from memory_nodes.errors import InputError
from memory_nodes.geometry import Intrinsics
from memory_nodes.records import (
    EpisodeOrigin,
    EpisodeStatus,
    Gist,
    HistoryUnit,
    Keyframe,
    Observation,
)
from memory_nodes.store import embeddings, entities, gists, observations, rows, texts
from memory_nodes.store.database import sequence
from memory_nodes.store.exchange.export_lines import EDGE_ENDS
from memory_nodes.store.exchange.import_destination import (
    NUMBERED_ID,
    Destination,
    number_of,
    one_of,
    optional_key,
    present,
    status_of,
)
from memory_nodes.store.exchange.import_fields import Fields
from memory_nodes.store.exchange.import_objects import event, object_, relation, view_embedding
from memory_nodes.store.maps import map_key
from memory_nodes.store.object_ids import key_of
from memory_nodes.vectors import ITEM_BYTES, is_sound

Import: TypeAlias = Callable[[Destination, Fields], None]


def chunk(into: Destination, line: Fields) -> None:
    chunk_id, problems = line.integer("chunk_id", 0), json.dumps(line.texts("problems"))
    into.connection.execute(
        "INSERT INTO chunk VALUES (?, ?, ?, ?)",
        (chunk_id, line.text("prompt_version"), line.text("model"), problems),
    )
    if line.flag("is_told", False):
        into.connection.execute(
            "UPDATE history_mark SET last_chunk_id = max(last_chunk_id, ?)", (chunk_id,)
        )


def keyframe(into: Destination, line: Fields) -> None:
    """One whose image is not there is remembered all the same."""
    read = Keyframe(
        keyframe_id=line.integer("keyframe_id", 0),
        stamp_ns=line.integer("stamp_ns"),
        map_id=line.text("map_id"),
        session_id=line.text("session_id"),
        map_frame=line.text("map_frame"),
        map_from_base=line.pose("map_from_base"),
        map_from_camera=line.pose("map_from_camera"),
        width_px=line.integer("width_px", 0),
        height_px=line.integer("height_px", 0),
        intrinsics=None if line.is_null("intrinsics") else _lens(line.fields("intrinsics")),
        image_path=line.text("image_path"),
        is_localized=line.flag("is_localized"),
        stale_m=math.sqrt(max(0.0, line.number("stale_m2", 0.0))),
    )
    values = rows.keyframe_row(read, line.integer("chunk_id", 0))
    into.connection.execute(rows.insert("keyframe", rows.KEYFRAME_COLUMNS), values)
    map_key(into.connection, read.map_id, read.map_frame)
    if read.image_path and not into.take_image(read.image_path):
        into.note(f"its image {read.image_path} is not there")


def session(into: Destination, line: Fields) -> None:
    place = map_key(into.connection, line.text("map_id"), line.text("map_frame"))
    into.connection.execute(
        "INSERT INTO session (session_id, map_key, start_ns, end_ns) VALUES (?, ?, ?, ?)",
        (line.text("session_id"), place, line.integer("start_ns"), line.integer("end_ns")),
    )


def episode(into: Destination, line: Fields) -> None:
    end_ns = None if line.is_null("end_ns") else line.integer("end_ns")
    into.connection.execute(
        "INSERT INTO episode (episode_key, parent_key, name, status, start_ns, end_ns, origin,"
        " is_consolidated) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number_of("episode", line.text("episode_id")),
            optional_key(into, "episode", "episode_key", line, "parent_id"),
            line.text("name"),
            status_of(EpisodeStatus, line.text("status")),
            *(line.integer("start_ns"), end_ns),
            one_of(EpisodeOrigin, line.text("origin", EpisodeOrigin.REQUEST.value)),
            line.flag("is_consolidated", False),
        ),
    )


def observation(into: Destination, line: Fields) -> None:
    public_id, text = line.text("observation_id"), line.optional_text("text")
    is_numbered = NUMBERED_ID.fullmatch(public_id) is not None
    read = Observation(
        stamp_ns=line.integer("stamp_ns"),
        map_id=line.text("map_id"),
        map_frame=line.text("map_frame"),
        layer=line.text("layer"),
        text=text or "",
        map_from_base=line.pose("map_from_base"),
        confidence=line.number("confidence"),
        source=line.text("source"),
        observation_id="" if is_numbered else public_id,
    )
    observations.check(replace(read, text="archived") if text is None else read, into.layers)
    connection = into.connection
    # An id of its own is the key; the others take the next, as they did when they were made.
    key = number_of("observation", public_id) if is_numbered else _next_observation(connection)
    values = rows.observation_row(
        key,
        read,
        map_key(connection, read.map_id, read.map_frame),
        observations.layer_key(connection, read.layer),
        optional_key(into, "episode", "episode_key", line, "episode_id"),
        None if text is None else texts.intern(connection, [text])[text],
    )
    connection.execute(rows.insert("observation", rows.OBSERVATION_COLUMNS), values)
    if line.flag("is_consolidated", False):
        _pass_over(connection, key)
    for mark, name in (("consolidation_mark", "is_consolidated"), ("history_mark", "is_told")):
        if line.flag(name, False):
            connection.execute(
                f"UPDATE {mark} SET last_observation_key = max(last_observation_key, ?)", (key,)
            )


def _pass_over(connection: sqlite3.Connection, before_key: int) -> None:
    """What is outside of episodes and waits, though a later one does not."""
    connection.execute(
        "INSERT INTO passed_over SELECT observation_key FROM observation WHERE observation_key > "
        "(SELECT last_observation_key FROM consolidation_mark) AND observation_key < ?"
        " AND episode_key IS NULL AND text_key IS NOT NULL",
        (before_key,),
    )


def gist(into: Destination, line: Fields) -> None:
    read = Gist(
        text=line.text("text"),
        map_id=line.text("map_id"),
        map_frame=line.text("map_frame"),
        center_map_m=line.point("center_map_m"),
        radius_m=line.number("radius_m"),
        start_ns=line.integer("start_ns"),
        end_ns=line.integer("end_ns"),
        source=line.text("source"),
    )
    gists.check(read)
    into.connection.execute(
        "INSERT INTO gist VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number_of("gist", line.text("gist_id")),
            texts.intern(into.connection, [read.text])[read.text],
            map_key(into.connection, read.map_id, read.map_frame),
            optional_key(into, "episode", "episode_key", line, "episode_id"),
            *(*read.center_map_m, read.radius_m, read.start_ns, read.end_ns),
            *(line.integer("observation_count", 0), read.source),
        ),
    )


def entity(into: Destination, line: Fields) -> None:
    """One whose object is not there is remembered all the same."""
    connection, name, point = into.connection, line.text("name"), line.point("position_map_m")
    weight, object_id = line.number("weight"), line.optional_text("object_id")
    stamps_ns = line.integer("first_seen_ns", 0), line.integer("last_seen_ns", 0)
    entities.check_thing(name, point, weight)
    of_object = None if object_id is None else key_of(connection, object_id)
    if object_id is not None and of_object is None:
        into.note(f"its object {object_id[:80]} is not there")
    connection.execute(
        "INSERT INTO entity VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number_of("entity", line.text("entity_id")),
            texts.intern(connection, [name])[name],
            map_key(connection, line.text("map_id"), line.text("map_frame")),
            *(of_object, *point, weight, *stamps_ns),
            *(line.integer("observation_count", 0), sequence(connection)),
        ),
    )


def edge(into: Destination, line: Fields) -> None:
    kind = line.text("kind")
    if kind not in EDGE_ENDS:
        raise InputError(f"no kind of edge {kind[:80]!r}: it is one of {', '.join(EDGE_ENDS)}")
    ends = zip(EDGE_ENDS[kind], ("from_id", "to_id"), strict=True)
    keys = [_item_key(into, item_kind, line.text(name)) for item_kind, name in ends]
    into.connection.execute(
        "INSERT INTO link VALUES (?, ?, ?, ?)", (kind, *keys, line.number("weight"))
    )


def history(into: Destination, line: Fields) -> None:
    into.connection.execute(
        "INSERT INTO history_node (node_key, parent_key, level, start_ns, end_ns, text, evidence,"
        " unit, source, is_open) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            number_of("history", line.text("node_id")),
            optional_key(into, "history_node", "node_key", line, "parent_id"),
            *(line.integer("level", 0), line.integer("start_ns"), line.integer("end_ns")),
            *(line.text("text"), line.text("evidence")),
            one_of(HistoryUnit, line.text("unit", HistoryUnit.GROUP.value)),
            *(line.text("source", ""), line.flag("is_open", False)),
        ),
    )


def embedding(into: Destination, line: Fields) -> None:
    vector = line.vector("vector")
    dimension = 0 if into.model is None else into.model.dimension
    if len(vector) != dimension * ITEM_BYTES or not is_sound(vector):
        raise InputError(f"the vector is no finite one of unit length with {dimension} numbers")
    key = texts.find(into.connection, line.text("text"))
    if key is None:
        raise InputError("nothing has the text of this vector")
    embeddings.store(into.connection, {key: vector})


IMPORTS: Mapping[str, Import] = {
    "chunks.jsonl": chunk,
    "keyframes.jsonl": keyframe,
    "sessions.jsonl": session,
    "episodes.jsonl": episode,
    "observations.jsonl": observation,
    "gists.jsonl": gist,
    "objects.jsonl": object_,
    "events.jsonl": event,
    "entities.jsonl": entity,
    "relations.jsonl": relation,
    "edges.jsonl": edge,
    "history.jsonl": history,
    "embeddings.jsonl": embedding,
    "view_embeddings.jsonl": view_embedding,
}
"""In the order of export_lines.FILES."""


def _lens(item: Fields) -> Intrinsics:
    return Intrinsics(*map(item.number, ("fx_px", "fy_px", "cx_px", "cy_px")))


def _next_observation(connection: sqlite3.Connection) -> int:
    query = "SELECT coalesce(max(observation_key), 0) + 1 FROM observation"
    return int(connection.execute(query).fetchone()[0])


def _item_key(into: Destination, kind: str, public_id: str) -> int:
    key: int | None
    if kind == "observation":
        key = observations.key_from_id(into.connection, public_id)
    else:
        found = present(into, kind, f"{kind}_key", [number_of(kind, public_id)])
        key = next(iter(found), None)
    if key is None:
        raise InputError(f"no {kind} {public_id[:80]!r}")
    return key
