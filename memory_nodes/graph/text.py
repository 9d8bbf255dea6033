"""A scene graph as text for a prompt."""

from __future__ import annotations

from memory_nodes.errors import InputError
from memory_nodes.geometry import PointEstimate
from memory_nodes.graph.attributes import Attributes
from memory_nodes.graph.phrases import earlier_values, name, quoted, relation_phrase
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.graph.search import edges_at
from memory_nodes.words import age_text

MIN_CHARS = 80
"""Enough for the note of what was left out."""


def as_text(scene: SceneGraph, now_ns: int, max_chars: int) -> str:
    """One line for each object, after it its relations to objects that have a line already.

    In the order of the graph: of a ``subgraph`` that of its ids. A line that does not fit into
    ``max_chars`` is left out as a whole, and counted in a last line. Raises InputError where
    ``max_chars`` cannot hold that note.
    """
    if max_chars < MIN_CHARS:
        raise InputError(f"{max_chars} characters hold no graph: give {MIN_CHARS} or more")
    whole = _fitting(scene, now_ns, max_chars)
    if whole[1:] == (0, 0):
        return "\n".join(whole[0])
    lines, objects, relations = _fitting(scene, now_ns, max_chars - MIN_CHARS)
    return "\n".join((*lines, f"({objects} objects and {relations} relations left out)"))


def object_line(object_id: str, attributes: Attributes, now_ns: int) -> str:
    """What an object is and was, where it is, and when it was seen last."""
    texts = [quoted(attributes["type"])]
    if attributes["name"]:
        texts.append(f"called {quoted(attributes['name'])}")
    if attributes["description"]:
        texts.append(quoted(attributes["description"]))
    texts += [f"{name(key)} {quoted(text)}" for key, text in attributes["attributes"].items()]
    texts += [
        f"{name(key)} was {quoted(text)}{until}"
        for key, text, until in earlier_values(attributes["attribute_history"], now_ns)
    ]
    texts += [f"can {quoted(deed)}" for deed in attributes["affordances"]]
    seen = age_text(attributes["last_seen_ns"], now_ns)
    status = attributes["status"].name.lower()
    parts = (", ".join(texts), _place(attributes), f"last seen {seen}", status)
    return f"{name(object_id)}: {'; '.join(parts)}"


def _fitting(scene: SceneGraph, now_ns: int, max_chars: int) -> tuple[list[str], int, int]:
    """The lines that fit, and how many objects and relations do not."""
    graph = scene.graph
    lines: list[str] = []
    shown: set[str] = set()
    room = max_chars + 1  # the last line needs no end
    for object_id, attributes in graph.nodes(data=True):
        line = object_line(object_id, attributes, now_ns)
        if len(line) >= room:
            continue
        shown.add(object_id)
        candidates = [line]
        for edge in edges_at(graph, object_id):
            if edge[0] in shown and edge[1] in shown:
                seen = age_text(graph.edges[edge]["last_seen_ns"], now_ns)
                candidates.append(f"{relation_phrase(edge[0], edge[2], edge[1])}; last seen {seen}")
        for line in candidates:
            if len(line) < room:
                lines.append(line)
                room -= len(line) + 1
    objects, relations = len(graph) - len(shown), graph.number_of_edges() - len(lines) + len(shown)
    return lines, objects, relations


def _place(attributes: Attributes) -> str:
    """The position, and its standard deviation where least is known."""
    if attributes["position_map_m"] is None:
        return "place unknown"
    position = PointEstimate(attributes["position_map_m"], attributes["covariance_m2"])
    x, y, z = position.point_m
    return (
        f"at {x:.2f} {y:.2f} {z:.2f} m +-{position.sigma_m:.2f} on map {name(attributes['map_id'])}"
    )
