"""A memory in public terms: each of its rows as fields that JSON can hold.

Ids are those that the memory gives out, never its keys. Stamps are ns, lengths m, points and
poses in the map frame that stands beside them, quaternions x, y, z, w. What is not known is null.
Rows come one at a time, in the order in which they were made where nothing else is said.
"""

from __future__ import annotations

import base64
import json
import math
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from typing import Any

from memory_nodes.records import EpisodeStatus
from memory_nodes.store import rows
from memory_nodes.store.entities import QUERY as ENTITY_QUERY
from memory_nodes.store.exchange.export_objects import Line, events, objects
from memory_nodes.store.texts import IS_UNUSED

EDGE_ENDS: Mapping[str, tuple[str, str]] = {
    "COOCCURS_WITH": ("entity", "entity"),
    "FOLLOWS": ("episode", "episode"),
    "OBSERVED_IN": ("entity", "observation"),
    "SUMMARIZES": ("gist", "observation"),
}
"""From what to what the edges go that no field of another line stands for."""

_HISTORY = """
WITH RECURSIVE down (node_key, depth) AS (
    SELECT node_key, 0 FROM history_node WHERE parent_key IS NULL
    UNION ALL
    SELECT n.node_key, depth + 1 FROM history_node n JOIN down ON n.parent_key = down.node_key
) SELECT n.* FROM history_node n JOIN down USING (node_key) ORDER BY depth, node_key
"""

_ID_OF = {
    "observation": (
        "(SELECT coalesce(public_id, 'observation_' || observation_key) FROM observation"
        " WHERE observation_key = {key})"
    ),
    "entity": "'entity_' || {key}",
    "episode": "'episode_' || {key}",
    "gist": "'gist_' || {key}",
}


def chunks(connection: sqlite3.Connection) -> Iterator[Line]:
    for row in connection.execute(
        "SELECT c.*, chunk_id <= last_chunk_id AS is_told FROM chunk c, history_mark"
        " ORDER BY chunk_id"
    ):
        yield {
            "chunk_id": row["chunk_id"],
            "prompt_version": row["prompt_version"],
            "model": row["model"],
            "problems": json.loads(row["problems"]),
            "is_told": bool(row["is_told"]),
        }


def keyframes(connection: sqlite3.Connection) -> Iterator[Line]:
    for row in connection.execute("SELECT * FROM keyframe ORDER BY keyframe_id"):
        lens = ("fx_px", "fy_px", "cx_px", "cy_px")
        yield {
            **{name: row[name] for name in ("keyframe_id", "chunk_id", "stamp_ns")},
            **{name: row[name] for name in ("map_id", "map_frame", "session_id")},
            "map_from_base": _pose(row, "base_"),
            "map_from_camera": _pose(row, "camera_"),
            **{name: row[name] for name in ("width_px", "height_px")},
            "intrinsics": (
                {name: row[name] for name in lens} if row["fx_px"] is not None else None
            ),
            "image_path": row["image_path"],
            "is_localized": bool(row["is_localized"]),
            "stale_m2": row["stale_m2"],
        }


def sessions(connection: sqlite3.Connection) -> Iterator[Line]:
    names = ("session_id", "map_id", "map_frame", "start_ns", "end_ns")
    for row in connection.execute(
        "SELECT * FROM session JOIN map USING (map_key) ORDER BY session_key"
    ):
        yield {name: row[name] for name in names}


def episodes(connection: sqlite3.Connection) -> Iterator[Line]:
    for row in connection.execute("SELECT * FROM episode ORDER BY episode_key"):
        yield {
            "episode_id": rows.episode_id(row["episode_key"]),
            "parent_id": _episode_id(row["parent_key"]),
            "name": row["name"],
            "status": EpisodeStatus(row["status"]).name.lower(),
            "start_ns": row["start_ns"],
            "end_ns": row["end_ns"],
            "origin": row["origin"],
            "is_consolidated": bool(row["is_consolidated"]),
        }


def observations(connection: sqlite3.Connection) -> Iterator[Line]:
    """The text of an archived one is null. Within an episode it is that which is consolidated."""
    for row in connection.execute(
        "SELECT o.*, episode_key IS NULL AND observation_key <= c.last_observation_key"
        " AND observation_key NOT IN passed_over AS is_done,"
        f" observation_key <= h.last_observation_key AS is_told FROM ({rows.OBSERVATION_QUERY}) o,"
        " consolidation_mark c, history_mark h ORDER BY observation_key"
    ):
        yield {
            "observation_id": row["public_id"] or rows.observation_id(row["observation_key"]),
            **{name: row[name] for name in ("stamp_ns", "map_id", "map_frame", "layer", "text")},
            "map_from_base": _pose(row),
            "confidence": row["confidence"],
            "source": row["source"],
            "episode_id": _episode_id(row["episode_key"]),
            "is_consolidated": bool(row["is_done"]),
            "is_told": bool(row["is_told"]),
        }


def gists(connection: sqlite3.Connection) -> Iterator[Line]:
    for row in connection.execute(
        "SELECT g.*, m.map_id, m.map_frame, t.text FROM gist g JOIN map m USING (map_key)"
        " JOIN text t USING (text_key) ORDER BY gist_key"
    ):
        yield {
            "gist_id": rows.gist_id(row["gist_key"]),
            **{name: row[name] for name in ("text", "map_id", "map_frame")},
            "center_map_m": [row["x"], row["y"], row["z"]],
            **{name: row[name] for name in ("radius_m", "start_ns", "end_ns")},
            "observation_count": row["observation_count"],
            "episode_id": _episode_id(row["episode_key"]),
            "source": row["source"],
        }


def entities(connection: sqlite3.Connection) -> Iterator[Line]:
    for row in connection.execute(f"{ENTITY_QUERY} ORDER BY e.entity_key"):
        yield {
            "entity_id": rows.entity_id(row["entity_key"]),
            **{name: row[name] for name in ("name", "map_id", "map_frame")},
            "position_map_m": [row["x"], row["y"], row["z"]],
            **{name: row[name] for name in ("weight", "first_seen_ns", "last_seen_ns")},
            **{name: row[name] for name in ("observation_count", "object_id")},
        }


def relations(connection: sqlite3.Connection) -> Iterator[Line]:
    """Each with all keyframes that show it."""
    found = connection.execute(
        "SELECT s.object_id AS subject_id, r.predicate, o.object_id AS object_id, r.keyframe_id"
        " FROM relation r JOIN object s ON s.object_key = r.subject_key"
        " JOIN object o ON o.object_key = r.object_key"
        " ORDER BY r.subject_key, r.predicate, r.object_key, r.keyframe_id"
    )
    names = ("subject_id", "predicate", "object_id")
    for said, shown in groupby(found, lambda row: tuple(row[name] for name in names)):
        yield {
            **dict(zip(names, said, strict=True)),
            "keyframe_ids": [row["keyframe_id"] for row in shown],
        }


def edges(connection: sqlite3.Connection) -> Iterator[Line]:
    for kind, (from_kind, to_kind) in EDGE_ENDS.items():
        from_id = _ID_OF[from_kind].format(key="from_key")
        to_id = _ID_OF[to_kind].format(key="to_key")
        for row in connection.execute(
            f"SELECT kind, {from_id} AS from_id, {to_id} AS to_id, weight FROM link"
            " WHERE kind = ? ORDER BY from_key, to_key",
            (kind,),
        ):
            yield dict(row)


def history(connection: sqlite3.Connection) -> Iterator[Line]:
    """Parents first."""
    for row in connection.execute(_HISTORY):
        parent = row["parent_key"]
        yield {
            "node_id": rows.history_id(row["node_key"]),
            "parent_id": rows.history_id(parent) if parent is not None else None,
            **{name: row[name] for name in ("unit", "level", "start_ns", "end_ns", "text")},
            **{name: row[name] for name in ("evidence", "source")},
            "is_open": bool(row["is_open"]),
        }


def embeddings(connection: sqlite3.Connection) -> Iterator[Line]:
    """Of texts that are in use, by the active model: float16, little-endian, in base64."""
    for row in connection.execute(
        "SELECT text.text, e.vector FROM embedding e JOIN text USING (text_key)"
        " JOIN embedding_model m USING (model_key)"
        f" WHERE m.is_active AND NOT {IS_UNUSED} ORDER BY embedding_key"
    ):
        yield {"text": row["text"], "vector": _base64(row["vector"])}


def view_embeddings(connection: sqlite3.Connection) -> Iterator[Line]:
    """Of pictures in boxes."""
    for row in connection.execute(
        "SELECT e.*, o.object_id FROM view_embedding e JOIN object o USING (object_key)"
        " ORDER BY e.model_id, e.object_key, e.keyframe_id"
    ):
        yield {
            **{name: row[name] for name in ("object_id", "keyframe_id", "model_id")},
            "vector": _base64(row["vector"]),
        }


Lines = Callable[[sqlite3.Connection], Iterator[Line]]
FILES: Mapping[str, Lines] = {
    f"{lines.__name__}.jsonl": lines
    for lines in (
        *(chunks, keyframes, sessions, episodes, observations, gists, objects, events),
        *(entities, relations, edges, history, embeddings, view_embeddings),
    )
}
"""In an order in which nothing is named before it is there."""


def encoded(line: Line) -> str:
    """As JSON on one line. A number that is not finite is null: JSON knows no other."""
    try:
        return json.dumps(line, ensure_ascii=False, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(line), ensure_ascii=False, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return [_finite(item) for item in value] if isinstance(value, list) else value


def _pose(row: sqlite3.Row, prefix: str = "") -> Line:
    pose = rows.pose_from(row, prefix)
    return {"position_m": list(pose.position_m), "quat_xyzw": list(pose.quat_xyzw)}


def _episode_id(key: int | None) -> str | None:
    return None if key is None else rows.episode_id(key)


def _base64(vector: bytes) -> str:
    return base64.b64encode(vector).decode("ascii")
