"""The objects of a memory for programs that draw graphs and maps."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

from memory_nodes.store.exchange import export_lines, export_objects
from memory_nodes.store.exchange.export_objects import Line

COORDINATES = (
    "metres in the map frame named by map_id and map_frame of each feature: x, y, z, not WGS84 "
    "longitude and latitude"
)
# What XML 1.0 has no way to write.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_graphml(connection: sqlite3.Connection, path: Path) -> None:
    """Objects as nodes; relations as edges, with the ids of the keyframes that show them."""
    graph = nx.MultiDiGraph()
    for item in export_objects.objects(connection):
        graph.add_node(_xml(item["object_id"]), **_known(_attributes(item)))
    for relation in export_lines.relations(connection):
        graph.add_edge(
            _xml(relation["subject_id"]),
            _xml(relation["object_id"]),
            predicate=_xml(relation["predicate"]),
            keyframe_ids=" ".join(map(str, relation["keyframe_ids"])),
        )
    nx.write_graphml(graph, path, encoding="utf-8")


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


def _attributes(item: Line) -> Line:
    """The same, flat: GraphML knows numbers and texts only."""
    described = _described(item)
    position = item["position"]
    x_m, y_m, z_m = position["point_map_m"] if position else (None, None, None)
    said = {f"attribute_{name}": text for name, text in described.pop("attributes").items()}
    affordances = ", ".join(described.pop("affordances"))
    del described["covariance_m2"]
    return {**described, "affordances": affordances, **said, "x_m": x_m, "y_m": y_m, "z_m": z_m}


def _known(attributes: Line) -> Line:
    return {
        _xml(name): _xml(value) if isinstance(value, str) else value
        for name, value in attributes.items()
        if value is not None
    }


def _xml(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
