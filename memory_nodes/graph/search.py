"""What is reached over the relations of a scene graph. Object ids must be in the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import networkx as nx

from memory_nodes.graph.phrases import read_from
from memory_nodes.perception.predicates import implying, predicate_of
from memory_nodes.records import Relation

Edge: TypeAlias = tuple[str, str, str]
"""Subject, object and predicate, as networkx orders them: the predicate is the key."""


@dataclass(frozen=True)
class Step:
    """One relation of a path, in words both ways: mug_1 on desk_1, desk_1 under mug_1."""

    relation: Relation
    forward: str
    backward: str


def distances(
    graph: nx.MultiDiGraph, object_id: str, predicate: str | None, hops: int
) -> dict[str, int]:
    """Objects within so many relations, either way, and how many it takes; nearest first."""
    found = {object_id: 0}
    for known, reached in _breadth_first(graph, object_id, predicate, hops):
        found[reached] = found[known] + 1
    del found[object_id]
    return found


def shortest_path(graph: nx.MultiDiGraph, from_id: str, to_id: str) -> tuple[Step, ...] | None:
    """The fewest relations between two objects, the newest of several; None: there are none."""
    came_from = {from_id: from_id}
    for known, reached in _breadth_first(graph, from_id):
        if to_id in came_from:
            break
        came_from[reached] = known
    if to_id not in came_from:
        return None
    ids = [to_id]
    while ids[-1] != from_id:
        ids.append(came_from[ids[-1]])
    ids.reverse()
    return tuple(_step(graph, *ends) for ends in pairwise(ids))


def related(graph: nx.MultiDiGraph, predicate: str, object_id: str) -> dict[str, Relation]:
    """The objects of which the predicate is said, and the newest relation that says it."""
    same, turned = implying(predicate_of(predicate))
    edges = [
        *(edge for edge in graph.in_edges(object_id, keys=True) if edge[2] in same),
        *(edge for edge in graph.out_edges(object_id, keys=True) if edge[2] in turned),
    ]
    found: dict[str, Relation] = {}
    for edge in _newest_first(graph, edges):
        other = edge[0] if edge[1] == object_id else edge[1]
        found.setdefault(other, relation_of(graph, edge))
    found.pop(object_id, None)
    return found


def edges_at(graph: nx.MultiDiGraph, object_id: str) -> list[Edge]:
    """Each edge that starts or ends there, once."""
    both = (graph.out_edges(object_id, keys=True), graph.in_edges(object_id, keys=True))
    return list(dict.fromkeys(edge for edges in both for edge in edges))


def _breadth_first(
    graph: nx.MultiDiGraph, start: str, predicate: str | None = None, hops: float = math.inf
) -> Iterator[tuple[str, str]]:
    """Each object that is reached, after the one from which it is; the nearest first."""
    adjacent = _adjacent(graph, None if predicate is None else predicate_of(predicate))
    reached, ring = {start}, [start]
    while ring and hops > 0:
        outer = []
        for known in ring:
            for other in adjacent(known):
                if other not in reached:
                    reached.add(other)
                    outer.append(other)
                    yield known, other
        ring, hops = outer, hops - 1


def _adjacent(graph: nx.MultiDiGraph, predicate: str | None) -> Callable[[str], Iterator[str]]:
    """The objects at the other ends of all relations, or of those that say the predicate."""
    accepted = None if predicate is None else frozenset.union(*implying(predicate))

    def adjacent(object_id: str) -> Iterator[str]:
        for others in (graph.succ[object_id], graph.pred[object_id]):
            for other, predicates in others.items():
                if accepted is None or not accepted.isdisjoint(predicates):
                    yield other

    return adjacent


def _step(graph: nx.MultiDiGraph, from_id: str, to_id: str) -> Step:
    edges = [
        (*ends, predicate)
        for ends in ((from_id, to_id), (to_id, from_id))
        for predicate in graph.get_edge_data(*ends, default=())
    ]
    relation = relation_of(graph, _newest_first(graph, edges)[0])
    return Step(relation, read_from(from_id, relation), read_from(to_id, relation))


def _newest_first(graph: nx.MultiDiGraph, edges: Iterable[Edge]) -> list[Edge]:
    """By the stamp at which each was seen last, then by how often, then by name."""

    def age(edge: Edge) -> tuple[int, int, Edge]:
        attributes = graph.edges[edge]
        return -attributes["last_seen_ns"], -len(attributes["keyframe_ids"]), edge

    return sorted(edges, key=age)


def relation_of(graph: nx.MultiDiGraph, edge: Edge) -> Relation:
    """The record of an edge."""
    subject_id, object_id, predicate = edge
    return Relation(subject_id, predicate, object_id, graph.edges[edge]["keyframe_ids"])
