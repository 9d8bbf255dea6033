"""The objects, entities and gists of a memory for programs that draw maps."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from memory_nodes.store.exchange import export_lines, export_objects
from memory_nodes.store.exchange.export_objects import Line

COORDINATES = (
    "metres in the map frame named by map_id and map_frame of each feature: x, y, z, not WGS84 "
    "longitude and latitude"
)


def write_geojson(connection: sqlite3.Connection, path: Path) -> None:
    """Objects, entities, and gists with their radius, as points on maps; one feature a line.

    What has no position has no geometry (RFC 7946, section 3.2).
    """
    head = {"type": "FeatureCollection", "coordinate_system": COORDINATES}
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps(head)[:-1] + ', "features": [')
        separator = "\n"
        for feature in _features(connection):
            file.write(separator + export_lines.encoded(feature))
            separator = ",\n"
        file.write("\n]}\n")


def _features(connection: sqlite3.Connection) -> Iterator[Line]:
    for item in export_objects.objects(connection):
        point = item["position"] and item["position"]["point_map_m"]
        properties = {"kind": "object", "object_id": item["object_id"], **_described(item)}
        yield _feature(item["object_id"], point, properties)
    for entity in export_lines.entities(connection):
        point = entity.pop("position_map_m")
        yield _feature(entity["entity_id"], point, {"kind": "entity", **entity})
    for gist in export_lines.gists(connection):
        point = gist.pop("center_map_m")
        yield _feature(gist["gist_id"], point, {"kind": "gist", **gist})


def _feature(feature_id: str, point_map_m: list[float] | None, properties: Line) -> Line:
    return {
        "type": "Feature",
        "id": feature_id,
        "geometry": point_map_m and {"type": "Point", "coordinates": point_map_m},
        "properties": properties,
    }


def _described(item: Line) -> Line:
    """What is known of an object now: its newest state."""
    newest = item["states"][-1] if item["states"] else {}
    names = ("status", "first_seen_ns", "last_seen_ns", "view_count", "map_id", "map_frame")
    return {
        "type": newest.get("type", ""),
        "description": newest.get("description", ""),
        "attributes": newest.get("attributes", {}),
        "affordances": newest.get("affordances", []),
        **{name: item[name] for name in names},
        "covariance_m2": item["position"] and item["position"]["covariance_m2"],
    }
