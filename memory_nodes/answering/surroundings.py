"""What is known around a place, layer by layer. Source: eMEM, get_current_context."""

from __future__ import annotations

import math
from dataclasses import dataclass

from memory_nodes.episodic.lines import layer_rank
from memory_nodes.errors import InputError
from memory_nodes.geometry import Vector3
from memory_nodes.graph.text import as_text
from memory_nodes.records import ItemKind, ObjectDescriptor
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit
from memory_nodes.store.past import Past
from memory_nodes.store.search import Search
from memory_nodes.times import EVER_NS
from memory_nodes.words import age_text

OBJECTS, GISTS = "objects", "gists"
DEFAULT_RADIUS_M = 3.0
MAX_OBJECTS = 30
MAX_GRAPH_CHARS = 6000
MAX_LINES = 3
"""Of one layer: its newest texts."""
MAX_LINE_CHARS = 300
_LOOKED_THROUGH = 100
"""Newest items of a layer: many may say the same."""


@dataclass(frozen=True)
class Around:
    """A place on a map: all that is at most so far away from it."""

    map_id: str
    center_map_m: Vector3 | None = None
    """None: where the robot was last on this map."""
    radius_m: float = 0.0
    """0 for the default."""


@dataclass(frozen=True)
class LayerText:
    """What one layer says, a line for each thing."""

    layer: str
    text: str


@dataclass(frozen=True)
class Surroundings:
    """What is known around a place."""

    map_id: str
    center_map_m: Vector3
    radius_m: float
    objects: tuple[ObjectDescriptor, ...]
    """Nearest first; of more than ``MAX_OBJECTS`` the nearest."""
    layers: tuple[LayerText, ...]
    """The graph of the objects first, then observations, then gists; what says nothing is left
    out."""

    @property
    def text(self) -> str:
        """All layers, each under its name."""
        return "\n".join(f"[{' '.join(item.layer.split())}]\n{item.text}" for item in self.layers)


def surroundings(
    snapshots: SnapshotCache, past: Past, search: Search, around: Around, now_ns: int
) -> Surroundings:
    """Objects with the relations between them, and the newest that each layer says.

    Only of one map. An object whose place is not known is near nothing.

    Raises InputError where the robot was never on this map, or for a place that is not finite or a
    radius below 0; StoreMissing while there is no memory.
    """
    snapshot = snapshots.current()
    place = _place(around, snapshot)
    assert place.center_map_m is not None
    objects = _objects_in(place, snapshot)
    layers = [LayerText(OBJECTS, _graph_text(objects, snapshots, now_ns))]
    for layer in sorted(past.layers(), key=layer_rank):
        layers.append(LayerText(layer, _said(search, place, ItemKind.OBSERVATION, now_ns, layer)))
    layers.append(LayerText(GISTS, _said(search, place, ItemKind.GIST, now_ns)))
    return Surroundings(
        map_id=place.map_id,
        center_map_m=place.center_map_m,
        radius_m=place.radius_m,
        objects=tuple(objects),
        layers=tuple(item for item in layers if item.text),
    )


def _place(around: Around, snapshot: Snapshot) -> Filter:
    center_map_m = around.center_map_m
    if center_map_m is None:
        newest = snapshot.last_place(around.map_id)
        if newest is None:
            raise InputError(
                f"no keyframe of map {around.map_id!r} tells where the robot is: give a center, or"
                " wait until it has seen something there"
            )
        center_map_m = newest.map_from_base.position_m
    radius_m = DEFAULT_RADIUS_M if around.radius_m == 0.0 else around.radius_m
    return Filter(map_id=around.map_id, center_map_m=center_map_m, radius_m=radius_m)


def _objects_in(place: Filter, snapshot: Snapshot) -> list[ObjectDescriptor]:
    """Nearest first. A position is of the map of the newest view."""
    assert place.center_map_m is not None
    near = [
        (math.dist(item.position.point_m, place.center_map_m), item.object_id, item)
        for item in snapshot.objects
        if item.position is not None
        and place.accepts_place(item)
        and snapshot.keyframes[item.views[-1].keyframe_id].map_id == place.map_id
    ]
    near.sort(key=lambda entry: entry[:2])
    return [item for _, _, item in near[:MAX_OBJECTS]]


def _graph_text(objects: list[ObjectDescriptor], snapshots: SnapshotCache, now_ns: int) -> str:
    """What a commit took meanwhile is left out."""
    with snapshots.graph() as scene:
        known = [item.object_id for item in objects if item.object_id in scene]
        return as_text(scene.subgraph(known), now_ns, MAX_GRAPH_CHARS)


def _said(search: Search, place: Filter, kind: ItemKind, now_ns: int, layer: str = "") -> str:
    """The newest texts, each once, with their ages."""
    wanted = Filter(
        map_id=place.map_id,
        center_map_m=place.center_map_m,
        radius_m=place.radius_m,
        kinds=(kind,),
        layers=(layer,) if layer else (),
    )
    found = search.between(EVER_NS, now_ns, _LOOKED_THROUGH, wanted).hits
    newest: dict[str, Hit] = {}
    for hit in found:
        text = " ".join(hit.text.split())
        if text:
            newest.setdefault(text, hit)
    lines = [f"{age_text(hit.end_ns, now_ns)}: {_short(text)}" for text, hit in newest.items()]
    return "\n".join(lines[:MAX_LINES])


def _short(text: str) -> str:
    return text if len(text) <= MAX_LINE_CHARS else f"{text[: MAX_LINE_CHARS - 3]}..."
