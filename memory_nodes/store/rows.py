"""Records to rows and back: the only place that knows the order of columns."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence

from memory_nodes.geometry import Intrinsics, PointEstimate, Pose
from memory_nodes.records import (
    MAX_STALE_M,
    Box,
    Counts,
    Episode,
    EpisodeOrigin,
    EpisodeStatus,
    Gist,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
    ObjectView,
    Observation,
)
from memory_nodes.vectors import ITEM_BYTES

_POSE = ("x", "y", "z", "qx", "qy", "qz", "qw")

KEYFRAME_COLUMNS = (
    *("keyframe_id", "chunk_id", "stamp_ns", "map_id", "session_id", "map_frame"),
    *(f"base_{name}" for name in _POSE),
    *(f"camera_{name}" for name in _POSE),
    *("width_px", "height_px", "fx_px", "fy_px", "cx_px", "cy_px", "image_path", "is_localized"),
    "stale_m2",
)
VIEW_COLUMNS = (
    *("object_key", "keyframe_id", "x0_px", "y0_px", "x1_px", "y1_px", "confidence"),
    *("point_x", "point_y", "point_z"),
)
STATE_COLUMNS = ("object_key", "chunk_id", "type", "description", "attributes", "affordances")
VIEW_EMBEDDING_COLUMNS = ("object_key", "keyframe_id", "model_id", "dimension", "vector")
NOT_EXPIRED = f"status != {ObjectStatus.EXPIRED:d}"
"""Of objects that may be found."""
OBSERVATION_COLUMNS = (
    *("observation_key", "stamp_ns", "map_key", "layer_key", "episode_key", "text_key"),
    *(*_POSE, "confidence", "source", "public_id"),
)
OBSERVATION_QUERY = (
    "SELECT o.*, m.map_id, m.map_frame, l.name AS layer, t.text FROM observation o"
    " JOIN map m USING (map_key) JOIN layer l USING (layer_key) LEFT JOIN text t USING (text_key)"
)
"""Rows that observation_from can read."""

COUNTS_QUERY = """
SELECT (SELECT sequence FROM commit_log) AS sequence,
       (SELECT last_chunk_id FROM spool_mark) AS last_chunk_id,
       max(CASE table_name WHEN 'keyframe' THEN rows END) AS keyframes,
       max(CASE table_name WHEN 'object' THEN rows END) AS objects,
       max(CASE table_name WHEN 'view' THEN rows END) AS views,
       max(CASE table_name WHEN 'relation' THEN rows END) AS relations,
       max(CASE table_name WHEN 'observation' THEN rows END) AS observations,
       max(CASE table_name WHEN 'episode' THEN rows END) AS episodes,
       max(CASE table_name WHEN 'gist' THEN rows END) AS gists,
       max(CASE table_name WHEN 'entity' THEN rows END) AS entities,
       max(CASE table_name WHEN 'history_node' THEN rows END) AS history_nodes
FROM row_count
"""


def counts(connection: sqlite3.Connection) -> Counts:
    """Rows of each kind, the number of commits and the last chunk stored."""
    row = connection.execute(COUNTS_QUERY).fetchone()
    return Counts(**{name: row[name] for name in row.keys()})  # noqa: SIM118


def insert(table: str, columns: Sequence[str]) -> str:
    """An INSERT statement for whole rows."""
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"


def keyframe_row(keyframe: Keyframe, chunk_id: int) -> tuple[object, ...]:
    camera = keyframe.intrinsics
    return (
        *(keyframe.keyframe_id, chunk_id, keyframe.stamp_ns),
        *(keyframe.map_id, keyframe.session_id, keyframe.map_frame),
        *pose_row(keyframe.map_from_base),
        *pose_row(keyframe.map_from_camera),
        *(keyframe.width_px, keyframe.height_px),
        *(
            (camera.fx_px, camera.fy_px, camera.cx_px, camera.cy_px)
            if camera is not None
            else (None,) * 4
        ),
        keyframe.image_path,
        *(keyframe.is_localized, keyframe.stale_m**2),
    )


def keyframe_from(row: sqlite3.Row) -> Keyframe:
    lens = tuple(row[name] for name in ("fx_px", "fy_px", "cx_px", "cy_px"))
    return Keyframe(
        keyframe_id=row["keyframe_id"],
        stamp_ns=row["stamp_ns"],
        map_id=row["map_id"],
        session_id=row["session_id"],
        map_frame=row["map_frame"],
        map_from_base=pose_from(row, "base_"),
        map_from_camera=pose_from(row, "camera_"),
        width_px=row["width_px"],
        height_px=row["height_px"],
        intrinsics=Intrinsics(*lens) if lens[0] is not None else None,
        image_path=row["image_path"],
        is_localized=bool(row["is_localized"]) and row["stale_m2"] <= MAX_STALE_M**2,
        stale_m=math.sqrt(row["stale_m2"]),
    )


def pose_row(pose: Pose) -> tuple[float, ...]:
    return (*pose.position_m, *pose.quat_xyzw)


def pose_from(row: sqlite3.Row, prefix: str = "") -> Pose:
    x, y, z, qx, qy, qz, qw = (row[prefix + name] for name in _POSE)
    return Pose((x, y, z), (qx, qy, qz, qw))


def view_row(object_key: int, view: ObjectView) -> tuple[object, ...]:
    box = view.box
    return (
        *(object_key, view.keyframe_id, box.x0_px, box.y0_px, box.x1_px, box.y1_px),
        *(view.confidence, *(view.point_map_m or (None, None, None))),
    )


def view_from(row: sqlite3.Row) -> ObjectView:
    return ObjectView(
        keyframe_id=row["keyframe_id"],
        box=Box(row["x0_px"], row["y0_px"], row["x1_px"], row["y1_px"]),
        confidence=row["confidence"],
        point_map_m=(
            (row["point_x"], row["point_y"], row["point_z"]) if row["point_x"] is not None else None
        ),
    )


def state_row(object_key: int, chunk_id: int, said: ObjectDescriptor) -> tuple[object, ...]:
    return (
        *(object_key, chunk_id, said.type, said.description),
        *(json.dumps(dict(said.attributes)), json.dumps(said.affordances)),
    )


def state_from(row: sqlite3.Row) -> ObjectDescriptor:
    """What one chunk said of an object, without its id and views."""
    return ObjectDescriptor(
        object_id="",
        type=row["type"],
        description=row["description"],
        attributes=json.loads(row["attributes"]),
        affordances=tuple(json.loads(row["affordances"])),
    )


def view_embedding_row(object_key: int, view: ObjectView, model_id: str) -> tuple[object, ...]:
    dimension = len(view.embedding) // ITEM_BYTES
    return (object_key, view.keyframe_id, model_id, dimension, view.embedding)


def position_row(position: PointEstimate | None) -> tuple[object, ...]:
    if position is None:
        return (None, None, None, None)
    return (*position.point_m, json.dumps(position.covariance_m2))


def position_fields(position: PointEstimate | None) -> dict[str, list[float]] | None:
    """As JSON holds it."""
    if position is None:
        return None
    return {"point_map_m": list(position.point_m), "covariance_m2": list(position.covariance_m2)}


def position_from_fields(fields: dict[str, list[float]] | None) -> PointEstimate | None:
    """What position_fields made."""
    if fields is None:
        return None
    x, y, z = fields["point_map_m"]
    return PointEstimate((x, y, z), tuple(fields["covariance_m2"]))


def position_from(row: sqlite3.Row) -> PointEstimate | None:
    """None where there is none, or where it is not finite: it was not written by us."""
    if row["x"] is None:
        return None
    point_m, covariance_m2 = (row["x"], row["y"], row["z"]), json.loads(row["covariance_m2"])
    if not all(map(math.isfinite, (*point_m, *covariance_m2))):
        return None
    return PointEstimate(point_m, tuple(covariance_m2))


def observation_row(
    key: int,
    observation: Observation,
    map_key: int,
    layer_key: int,
    episode_key: int | None,
    text_key: int | None,
) -> tuple[object, ...]:
    return (
        *(key, observation.stamp_ns, map_key, layer_key, episode_key, text_key),
        *map(float, (*observation.map_from_base.position_m, *observation.map_from_base.quat_xyzw)),
        *(float(observation.confidence), observation.source, observation.observation_id or None),
    )


def observation_from(row: sqlite3.Row) -> Observation:
    """From a row of OBSERVATION_QUERY; an archived one has an empty text."""
    return Observation(
        stamp_ns=row["stamp_ns"],
        map_id=row["map_id"],
        map_frame=row["map_frame"],
        layer=row["layer"],
        text=row["text"] or "",
        map_from_base=pose_from(row),
        confidence=row["confidence"],
        source=row["source"],
        observation_id=row["public_id"] or observation_id(row["observation_key"]),
    )


def observation_id(key: int) -> str:
    """The public id of an observation that was given none."""
    return f"observation_{key}"


def gist_from(row: sqlite3.Row) -> Gist:
    """From a row of gist with its text and map, without the ids of what it summarises."""
    return Gist(
        text=row["text"],
        map_id=row["map_id"],
        map_frame=row["map_frame"],
        center_map_m=(row["x"], row["y"], row["z"]),
        radius_m=row["radius_m"],
        start_ns=row["start_ns"],
        end_ns=row["end_ns"],
        episode_id=episode_id(row["episode_key"]) if row["episode_key"] is not None else "",
        source=row["source"],
    )


def gist_id(key: int) -> str:
    """The public id of a gist."""
    return f"gist_{key}"


def entity_id(key: int) -> str:
    """The public id of an entity."""
    return f"entity_{key}"


def history_id(key: int) -> str:
    """The public id of a node of the history tree."""
    return f"history_{key}"


def episode_from(row: sqlite3.Row) -> Episode:
    return Episode(
        episode_id=episode_id(row["episode_key"]),
        parent_id=episode_id(row["parent_key"]) if row["parent_key"] is not None else "",
        name=row["name"],
        status=EpisodeStatus(row["status"]),
        start_ns=row["start_ns"],
        end_ns=row["end_ns"],
        origin=EpisodeOrigin(row["origin"]),
    )


def episode_id(key: int) -> str:
    """The public id of an episode row."""
    return f"episode_{key}"
