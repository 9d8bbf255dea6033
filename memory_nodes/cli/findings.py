"""Objects and keyframes as rows for people and as data for programs."""

from __future__ import annotations

from typing import Any

from memory_nodes.cli.command import Table
from memory_nodes.dates import Dates
from memory_nodes.drawing.object_texts import place_text, what_text
from memory_nodes.records import Keyframe, ObjectDescriptor, RetrievedKeyframe
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text


def object_table(
    found: list[tuple[ObjectDescriptor, Keyframe]], dates: Dates, now_ns: int
) -> Table:
    """Each object with a keyframe that shows it."""
    return Table(
        ("object", "what", "where", "map", "last seen", "image"),
        tuple(
            (
                item.object_id,
                what_text(item),
                place_text(item.position),
                shown.map_id,
                f"{dates.moment(item.last_seen_ns)} ({age_text(item.last_seen_ns, now_ns)})",
                shown.image_path or "kept no longer",
            )
            for item, shown in found
        ),
    )


def object_data(item: ObjectDescriptor, snapshot: Snapshot) -> dict[str, Any]:
    position = item.position
    return {
        "object_id": item.object_id,
        "name": item.name,
        "type": item.type,
        "description": item.description,
        "attributes": dict(item.attributes),
        "status": item.status.name.lower(),
        "map_id": snapshot.keyframes[item.views[-1].keyframe_id].map_id,
        "position_m": None if position is None else position.point_m,
        "covariance_m2": None if position is None else position.covariance_m2,
        "first_seen_ns": item.first_seen_ns,
        "last_seen_ns": item.last_seen_ns,
        "view_count": item.view_count,
    }


def keyframe_data(hit: RetrievedKeyframe) -> dict[str, Any]:
    keyframe = hit.keyframe
    return {
        "keyframe_id": keyframe.keyframe_id,
        "stamp_ns": keyframe.stamp_ns,
        "map_id": keyframe.map_id,
        "position_m": keyframe.map_from_base.position_m,
        "yaw_rad": keyframe.map_from_base.yaw_rad,
        "image_path": keyframe.image_path,
        "score": hit.score,
        "object_ids": hit.object_ids,
    }
