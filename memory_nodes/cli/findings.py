"""Objects and keyframes as rows for people and as data for programs."""

from __future__ import annotations

from typing import Any

from memory_nodes.cli.command import Table
from memory_nodes.dates import Dates
from memory_nodes.geometry import PointEstimate
from memory_nodes.records import Keyframe, ObjectDescriptor, ObjectStatus, RetrievedKeyframe
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


def what_text(item: ObjectDescriptor) -> str:
    """Name, type and description, and what has become of it."""
    said = ", ".join(filter(None, (item.name, item.type, item.description)))
    is_plain = item.status is ObjectStatus.PRESENT
    return said if is_plain else f"{said} [{item.status.name.lower()}]"


def place_text(position: PointEstimate | None) -> str:
    """Metres of the map frame; the uncertainty is one standard deviation where it is largest."""
    if position is None:
        return "not known"
    x_m, y_m, z_m = position.point_m
    return f"({x_m:.2f}, {y_m:.2f}, {z_m:.2f}) ± {position.sigma_m:.2f} m"


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
