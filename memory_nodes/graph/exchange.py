"""Scene graphs as node-link JSON and as GraphML, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree

import networkx as nx

from memory_nodes.errors import InputError
from memory_nodes.graph.attributes import Attributes, Moment
from memory_nodes.graph.phrases import escaped, unescaped
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.records import AttributeValue, ObjectStatus

_FAULTS = (
    *(ValueError, TypeError, KeyError, IndexError, AttributeError),
    *(OverflowError, RecursionError),
)
"""What reading raises where the text holds something else than it should."""


def to_node_link(scene: SceneGraph) -> str:
    """JSON in the node-link form of networkx and D3, with the edges in ``links``."""
    graph = scene.graph
    return json.dumps(
        {
            "directed": True,
            "multigraph": True,
            "graph": {"keyframes": _plain_moments(graph)},
            "nodes": [{**_plain(data), "id": key} for key, data in graph.nodes(data=True)],
            "links": [
                {**_plain(data), "source": source, "target": target, "key": data["predicate"]}
                for source, target, data in graph.edges(data=True)
            ],
        },
        allow_nan=False,
    )


def from_node_link(text: str) -> SceneGraph:
    """The graph that ``to_node_link`` was given. Raises InputError for any other text."""
    try:
        written = json.loads(text)
        return _scene(
            written["graph"]["keyframes"],
            {node["id"]: node for node in written["nodes"]},
            [(link["source"], link["target"], link) for link in written["links"]],
        )
    except _FAULTS as error:
        raise _unreadable("node-link", error) from error


def to_graphml(scene: SceneGraph) -> str:
    """GraphML, in which texts are escaped, and lists and mappings are JSON."""
    graph = scene.graph
    flat = nx.MultiDiGraph(keyframes=_flat_value(_plain_moments(graph)))
    for object_id, attributes in graph.nodes(data=True):
        flat.add_node(escaped(object_id), **_flat(attributes))
    for number, (source, target, attributes) in enumerate(graph.edges(data=True)):
        # The key becomes the id of the edge in the file, which must be one for each.
        flat.add_edge(escaped(source), escaped(target), key=number, **_flat(attributes))
    return "\n".join(nx.generate_graphml(flat))


def from_graphml(text: str) -> SceneGraph:
    """The graph that ``to_graphml`` was given. Raises InputError for any other text."""
    try:
        flat = nx.parse_graphml(text, edge_key_type=str, force_multigraph=True)
        return _scene(
            json.loads(unescaped(flat.graph["keyframes"])),
            {unescaped(key): _unflat(data, _OBJECT) for key, data in flat.nodes(data=True)},
            [
                (unescaped(source), unescaped(target), _unflat(data, _RELATION))
                for source, target, data in flat.edges(data=True)
            ],
        )
    except (ElementTree.ParseError, nx.NetworkXError, *_FAULTS) as error:
        raise _unreadable("GraphML", error) from error


def _of(kind: type, value: Any) -> Any:
    """The value; TypeError where it is of another kind."""
    if type(value) is not kind:
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def _text(value: Any) -> str:
    return str(_of(str, value))


def _whole(value: Any) -> int:
    return int(_of(int, value))


def _numbers(count: int) -> Callable[[Any], tuple[float, ...] | None]:
    def read(value: Any) -> tuple[float, ...] | None:
        if value is None:
            return None
        numbers = tuple(map(float, _of(list, value)))
        if len(numbers) != count or not all(map(math.isfinite, numbers)):
            raise ValueError(f"{value!r} is not {count} finite numbers")
        return numbers

    return read


def _keyframe_ids(value: Any) -> tuple[int, ...]:
    return tuple(map(_whole, _of(list, value)))


def _histories(value: Any) -> dict[str, tuple[AttributeValue, ...]]:
    """Empty where a file was written before there were any."""
    if value is None:
        return {}
    return {
        _text(key): tuple(map(_attribute_value, _of(list, of_it))) for key, of_it in value.items()
    }


def _attribute_value(written: Any) -> AttributeValue:
    value, since_ns = _of(list, written)
    return AttributeValue(_text(value), None if since_ns is None else _whole(since_ns))


_SEEN: Mapping[str, Callable[[Any], Any]] = {
    "first_seen_ns": _whole,
    "last_seen_ns": _whole,
    "keyframe_ids": _keyframe_ids,
}
_OBJECT: Mapping[str, Callable[[Any], Any]] = {
    "name": _text,
    "type": _text,
    "description": _text,
    "attributes": lambda value: {_text(key): _text(text) for key, text in value.items()},
    "attribute_history": _histories,
    "affordances": lambda value: tuple(map(_text, _of(list, value))),
    "status": lambda value: ObjectStatus[value.upper()],
    "position_map_m": _numbers(3),
    "covariance_m2": _numbers(9),
    "map_id": _text,
    "map_frame": _text,
    "view_count": _whole,
    **_SEEN,
}
_RELATION: Mapping[str, Callable[[Any], Any]] = {"predicate": _text, **_SEEN}
_TEXTS = ("name", "type", "description", "status", "map_id", "map_frame", "predicate")


def _scene(
    moments: list[Any],
    nodes: Mapping[str, Mapping[str, Any]],
    links: list[tuple[str, str, Mapping[str, Any]]],
) -> SceneGraph:
    """Raises KeyError, TypeError or ValueError where something is missing or of another kind."""
    known = {
        _whole(key): Moment(_whole(stamp_ns), _text(map_id), _text(map_frame))
        for key, stamp_ns, map_id, map_frame in moments
    }
    objects = {_text(key): _read(node, _OBJECT) for key, node in nodes.items()}
    relations = {
        (source, target, link["predicate"]): _read(link, _RELATION)
        for source, target, link in links
    }
    for source, target, _ in relations:
        if source not in objects or target not in objects:
            raise ValueError(f"no object is at one end of {source!r} - {target!r}")
    for attributes in (*objects.values(), *relations.values()):
        if not known.keys() >= set(attributes["keyframe_ids"]):
            raise ValueError(f"keyframes {attributes['keyframe_ids']} are not all listed")
    return SceneGraph.of_parts(known, objects.items(), relations.items())


def _read(written: Mapping[str, Any], fields: Mapping[str, Callable[[Any], Any]]) -> Attributes:
    return {field: read(written.get(field)) for field, read in fields.items()}


def _plain(attributes: Attributes) -> dict[str, Any]:
    """As JSON has it: the status by its name."""
    if "status" not in attributes:
        return attributes
    return {**attributes, "status": attributes["status"].name.lower()}


def _plain_moments(graph: nx.MultiDiGraph) -> list[tuple[Any, ...]]:
    return [(keyframe_id, *moment) for keyframe_id, moment in graph.graph["keyframes"].items()]


def _flat(attributes: Attributes) -> dict[str, Any]:
    """Numbers and texts; what is None is left out."""
    plain = _plain(attributes).items()
    return {field: _flat_value(value) for field, value in plain if value is not None}


def _flat_value(value: Any) -> str | int:
    if isinstance(value, int):
        return value
    return escaped(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _unflat(data: Mapping[str, Any], fields: Mapping[str, object]) -> dict[str, Any]:
    """What ``_flat`` was given; an empty text comes back from a file as none at all."""
    found: dict[str, Any] = {}
    for field in fields:
        value = data.get(field, "" if field in _TEXTS else None)
        if isinstance(value, str):
            value = unescaped(value)
            found[field] = value if field in _TEXTS else json.loads(value)
        else:
            found[field] = value
    return found


def _unreadable(form: str, error: Exception) -> InputError:
    return InputError(f"no {form} as it is written here: {error!r}; export the graph again")
