"""The part of a memory that a request is about, by time and by place."""

from __future__ import annotations

from typing import Any, TypedDict

from memory_nodes.geometry import Vector3
from memory_nodes.ros.conversions import time_from_msg


class Bounds(TypedDict):
    """As the fields of Filter and Forget; None = no bound."""

    since_ns: int | None
    until_ns: int | None
    map_id: str
    center_map_m: Vector3 | None
    radius_m: float


def bounds_of(request: Any) -> Bounds:
    """Of a request with since, until, map_id, center and radius; both times 0 mean any time."""
    since_ns, until_ns = time_from_msg(request.since), time_from_msg(request.until)
    is_bounded = since_ns != 0 or until_ns != 0
    center = request.center
    return Bounds(
        since_ns=since_ns if is_bounded else None,
        until_ns=until_ns if until_ns != 0 else None,
        map_id=request.map_id,
        center_map_m=(center.x, center.y, center.z) if request.radius > 0.0 else None,
        radius_m=request.radius,
    )
