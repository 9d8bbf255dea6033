"""Chunk graphs as JSON, for what waits on disk between two nodes."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from typing import Any

from memory_nodes.geometry import Intrinsics, PointEstimate, Pose
from memory_nodes.records import (
    Box,
    Chunk,
    ChunkGraph,
    ClearLook,
    DepthGrid,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
    ObjectView,
    Relation,
)


def keyframe_to_json(keyframe: Keyframe) -> str:
    return json.dumps(asdict(keyframe))


def keyframe_from_json(text: str) -> Keyframe:
    return _keyframe(json.loads(text))


def graph_to_json(graph: ChunkGraph) -> str:
    return json.dumps(asdict(graph), default=_bytes_as_text)


def graph_from_json(text: str) -> ChunkGraph:
    fields = json.loads(text)
    chunk = fields["chunk"]
    return ChunkGraph(
        chunk=Chunk(chunk["chunk_id"], tuple(map(_keyframe, chunk["keyframes"]))),
        objects=tuple(map(_object, fields["objects"])),
        relations=tuple(
            Relation(**{**relation, "keyframe_ids": tuple(relation["keyframe_ids"])})
            for relation in fields["relations"]
        ),
        resolved=fields["resolved"],
        prompt_version=fields["prompt_version"],
        model=fields["model"],
        problems=tuple(fields["problems"]),
        # spools of before have none of these
        embedding_model=fields.get("embedding_model", ""),
        clear_looks=tuple(ClearLook(**look) for look in fields.get("clear_looks", ())),
        scene=fields.get("scene", ""),
        place=fields.get("place", ""),
    )


def _bytes_as_text(value: object) -> str:
    """What JSON has no form for: the bytes of a vector, in base64."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _keyframe(fields: dict[str, Any]) -> Keyframe:
    lens = fields["intrinsics"]
    poses = {name: _pose(fields[name]) for name in ("map_from_base", "map_from_camera")}
    grid = fields.get("depth_grid")
    return Keyframe(
        **{
            **fields,
            **poses,
            "intrinsics": lens and Intrinsics(**lens),
            "depth_grid": grid and DepthGrid(**{**grid, "depths_mm": tuple(grid["depths_mm"])}),
        }
    )


def _pose(fields: dict[str, Any]) -> Pose:
    x, y, z = fields["position_m"]
    qx, qy, qz, qw = fields["quat_xyzw"]
    return Pose((x, y, z), (qx, qy, qz, qw))


def _object(fields: dict[str, Any]) -> ObjectDescriptor:
    position = fields["position"]
    return ObjectDescriptor(
        **{
            **fields,
            "affordances": tuple(fields["affordances"]),
            "views": tuple(map(_view, fields["views"])),
            "position": position
            and PointEstimate(tuple(position["point_m"]), tuple(position["covariance_m2"])),
            "status": ObjectStatus(fields["status"]),
            "wordings": tuple(fields["wordings"]),
            "aliases": tuple(fields.get("aliases", ())),
        }
    )


def _view(fields: dict[str, Any]) -> ObjectView:
    point = fields["point_map_m"]
    return ObjectView(
        **{
            **fields,
            "box": Box(**fields["box"]),
            "point_map_m": point and tuple(point),
            "embedding": base64.b64decode(fields.get("embedding", "")),
        }
    )
