"""The knowledge graph as a graph: objects are nodes, relations are edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import networkx as nx

from memory_nodes.errors import InputError
from memory_nodes.graph import search
from memory_nodes.graph.attributes import (
    Attributes,
    Moment,
    check,
    moments_of,
    object_attributes,
    relation_attributes,
)
from memory_nodes.graph.search import Edge, Step
from memory_nodes.records import Keyframe, ObjectDescriptor, Relation


class SceneGraph:
    """A cache of the memory, or of a part of it. Source: VL-KnG, sections 5 and 6.3.

    Nodes are object ids with name (that a person gave), type, description, attributes,
    attribute_history (of those that have changed, the AttributeValues), affordances, status,
    position_map_m (3), covariance_m2 (9, row-major 3x3), map_id, map_frame, first_seen_ns,
    last_seen_ns, view_count and keyframe_ids. Edges have predicate (their key), keyframe_ids,
    first_seen_ns and last_seen_ns. The graph attribute ``keyframes`` has the Moment
    of each keyframe by id.

    Not safe in threads. Naming an object or a keyframe that is not there raises InputError.
    """

    def __init__(
        self,
        objects: Iterable[ObjectDescriptor] = (),
        relations: Iterable[Relation] = (),
        keyframes: Iterable[Keyframe] = (),
    ) -> None:
        self._graph = nx.MultiDiGraph(keyframes={})
        # Dicts as sets that keep their order, so that the same input gives the same output.
        self._objects_in: dict[int, dict[str, None]] = {}
        self._relations_in: dict[int, dict[Edge, None]] = {}
        self.update(objects, relations, keyframes)

    @classmethod
    def of_parts(
        cls,
        moments: dict[int, Moment],
        nodes: Iterable[tuple[str, Attributes]],
        edges: Iterable[tuple[Edge, Attributes]],
    ) -> SceneGraph:
        """A graph of attributes that belong together: they are taken as they are."""
        made = cls()
        made._graph.graph["keyframes"] = moments
        for object_id, attributes in nodes:
            made._put_object(object_id, attributes)
        for edge, attributes in edges:
            made._put_relation(edge, attributes)
        return made

    @property
    def graph(self) -> nx.MultiDiGraph:
        """Read-only view for the algorithms of networkx; it follows each update."""
        return self._graph.copy(as_view=True)

    @property
    def keyframes(self) -> Mapping[int, Moment]:
        """When and on which map each was taken, by id."""
        return self._moments

    def relations(self) -> list[Relation]:
        """All of them, in the order of the graph."""
        return [search.relation_of(self._graph, edge) for edge in self._graph.edges(keys=True)]

    def __len__(self) -> int:
        """The number of objects."""
        return len(self._graph)

    def __contains__(self, object_id: object) -> bool:
        return object_id in self._graph

    def __eq__(self, other: object) -> bool:
        """The same objects, relations and keyframes with the same attributes."""
        if not isinstance(other, SceneGraph):
            return NotImplemented
        return bool(nx.utils.graphs_equal(self._graph, other._graph))

    __hash__ = None  # type: ignore[assignment]

    def update(
        self,
        objects: Iterable[ObjectDescriptor] = (),
        relations: Iterable[Relation] = (),
        keyframes: Iterable[Keyframe] = (),
    ) -> None:
        """Takes over what is new or has changed.

        Objects are as the memory knows them, with all their views, and replace what was known;
        relations may be whole or only what is new of them, keyframes only the new ones. Nothing
        changes where one of them raises InputError.
        """
        objects, relations = tuple(objects), tuple(relations)
        moments = {**self._moments, **moments_of(keyframes)}
        check(objects, relations, self._graph, moments)
        self._graph.graph["keyframes"] = moments
        for descriptor in objects:
            self._put_object(descriptor.object_id, object_attributes(descriptor, moments))
        for relation in relations:
            edge = (relation.subject_id, relation.object_id, relation.predicate)
            known = self._graph.get_edge_data(*edge)
            self._put_relation(edge, relation_attributes(relation, known, moments))

    def remove(self, object_ids: Iterable[str]) -> None:
        """Forgets objects and their relations; ids that are not there may be named."""
        for object_id in object_ids:
            if object_id in self._graph:
                for edge in search.edges_at(self._graph, object_id):
                    for keyframe_id in self._graph.edges[edge]["keyframe_ids"]:
                        del self._relations_in[keyframe_id][edge]
                self._take_from_keyframes(object_id)
                self._graph.remove_node(object_id)

    def neighbours(
        self, object_id: str, predicate: str | None = None, hops: int = 1
    ) -> dict[str, int]:
        """Objects within so many relations, either way, and how many it takes; nearest first.

        With a predicate only over relations that say it of one of their ends.
        """
        self._require(object_id)
        if hops < 1:
            raise InputError(f"{hops} hops lead nowhere: ask for 1 or more")
        return search.distances(self._graph, object_id, predicate, hops)

    def path(self, from_id: str, to_id: str) -> tuple[Step, ...] | None:
        """The fewest relations that lead from one object to another; None: nothing connects them.

        Of several relations between two objects it takes the one that was seen last.
        """
        self._require(from_id, to_id)
        return search.shortest_path(self._graph, from_id, to_id)

    def related(self, predicate: str, object_id: str) -> dict[str, Relation]:
        """What is on, in, under ... an object, and the relation that shows it; newest first.

        "mug_1 on desk_1" and "desk_1 supports mug_1" both say what is on desk_1.
        """
        self._require(object_id)
        return search.related(self._graph, predicate, object_id)

    def co_occurrence(self, object_id: str) -> dict[str, int]:
        """Objects that show in the same keyframes, and in how many of them; most first."""
        self._require(object_id)
        shown = (self._objects_in[key] for key in self._graph.nodes[object_id]["keyframe_ids"])
        counts = Counter(other for objects in shown for other in objects)
        del counts[object_id]
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def keyframe_subgraph(self, keyframe_id: int) -> SceneGraph:
        """All objects and relations that a keyframe shows. Source: VL-KnG, section 6.3."""
        if keyframe_id not in self._moments:
            raise InputError(
                f"keyframe {keyframe_id} is none of the {len(self._moments)} in the graph:"
                " update it first"
            )
        edges = self._relations_in.get(keyframe_id, {})
        # A relation may name an object that has no box in this keyframe.
        ends = (end for edge in edges for end in edge[:2])
        return self._part((*self._objects_in.get(keyframe_id, {}), *ends), edges)

    def subgraph(self, object_ids: Iterable[str]) -> SceneGraph:
        """These objects in this order, and all relations between them."""
        wanted = dict.fromkeys(object_ids)
        self._require(*wanted)
        leaving = self._graph.out_edges(wanted, keys=True)
        return self._part(wanted, [edge for edge in leaving if edge[1] in wanted])

    @property
    def _moments(self) -> dict[int, Moment]:
        moments: dict[int, Moment] = self._graph.graph["keyframes"]
        return moments

    def _require(self, *object_ids: str) -> None:
        for object_id in object_ids:
            if object_id not in self._graph:
                raise InputError(
                    f"object {object_id!r} is none of the {len(self)} in the graph: update it first"
                )

    def _put_object(self, object_id: str, attributes: Attributes) -> None:
        if object_id in self._graph:
            self._take_from_keyframes(object_id)
        self._graph.add_node(object_id, **attributes)
        for keyframe_id in attributes["keyframe_ids"]:
            self._objects_in.setdefault(keyframe_id, {})[object_id] = None

    def _put_relation(self, edge: Edge, attributes: Attributes) -> None:
        self._graph.add_edge(*edge, **attributes)
        for keyframe_id in attributes["keyframe_ids"]:
            self._relations_in.setdefault(keyframe_id, {})[edge] = None

    def _take_from_keyframes(self, object_id: str) -> None:
        for keyframe_id in self._graph.nodes[object_id]["keyframe_ids"]:
            del self._objects_in[keyframe_id][object_id]

    def _part(self, object_ids: Iterable[str], edges: Iterable[Edge]) -> SceneGraph:
        """A copy of some nodes and edges, with the keyframes that these name."""
        nodes = {object_id: self._graph.nodes[object_id] for object_id in object_ids}
        kept = {edge: self._graph.edges[edge] for edge in edges}
        shown = {
            keyframe_id
            for attributes in (*nodes.values(), *kept.values())
            for keyframe_id in attributes["keyframe_ids"]
        }
        moments = {keyframe_id: self._moments[keyframe_id] for keyframe_id in sorted(shown)}
        return self.of_parts(moments, nodes.items(), kept.items())
