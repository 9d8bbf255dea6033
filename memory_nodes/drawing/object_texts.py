"""What an object is, and where, in the words of tables."""

from __future__ import annotations

from memory_nodes.geometry import PointEstimate
from memory_nodes.records import ObjectDescriptor, ObjectStatus


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
