"""What a detector reports of a chunk: with gaps, loose boxes, and new words each time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from memory_nodes.geometry import Vector3
from memory_nodes.perception.positions import locate
from memory_nodes.records import Box, Chunk, ChunkGraph, Keyframe, ObjectDescriptor, ObjectView
from memory_test_support.house.camera import Sight, lens_of
from memory_test_support.house.options import HouseOptions
from memory_test_support.house.plan import Thing
from memory_test_support.model_server.chance import draw, pick

NO_DETECTIONS = "empty_reply: the reply has no text"
DEPTH_NOISE = 0.01
"""Largest error of a measured depth, as a share of it."""


@dataclass(frozen=True)
class DetectedChunk:
    """An unresolved graph, and which thing each of its boxes shows."""

    graph: ChunkGraph
    thing_of: Mapping[tuple[int, Box], str]
    """By keyframe id and reported box."""

    @property
    def resolved(self) -> ChunkGraph:
        """The graph as a faultless associator would resolve it: under the names of the things."""
        objects = tuple(
            replace(item, object_id=self.thing_of[(item.views[0].keyframe_id, item.views[0].box)])
            for item in self.graph.objects
        )
        return replace(self.graph, objects=objects, resolved=True)


def detect(
    chunk: Chunk, sights: Mapping[int, Sequence[Sight]], options: HouseOptions
) -> DetectedChunk:
    """One object for each thing that is seen, whatever it is taken for; ids local to the chunk.

    Args:
        sights: by keyframe id.
    """
    views: dict[str, list[ObjectView]] = {}
    things: dict[str, Thing] = {}
    thing_of: dict[tuple[int, Box], str] = {}
    for keyframe in chunk.keyframes:
        for sight in sights[keyframe.keyframe_id]:
            name = sight.thing.thing_id
            if draw(options.seed, keyframe.keyframe_id, name, "miss") < options.miss_rate:
                continue
            view = _view(sight, keyframe, options)
            views.setdefault(name, []).append(view)
            things[name] = sight.thing
            thing_of[(keyframe.keyframe_id, view.box)] = name
    objects = _described(chunk, things, views, options)
    return DetectedChunk(ChunkGraph(chunk, objects, (), model="stand-in:house"), thing_of)


def down(chunk: Chunk) -> DetectedChunk:
    """What is kept of a chunk of which the detector made nothing."""
    return DetectedChunk(ChunkGraph(chunk, (), (), problems=(NO_DETECTIONS,)), {})


def _view(sight: Sight, keyframe: Keyframe, options: HouseOptions) -> ObjectView:
    box = _loosened(sight, keyframe, options)
    point = _surface_point(sight, box, keyframe, options) if options.with_depth else None
    return ObjectView(keyframe.keyframe_id, box, point_map_m=point)


def _loosened(sight: Sight, keyframe: Keyframe, options: HouseOptions) -> Box:
    """The box with each edge shifted on its own, within the picture."""
    box = sight.box
    key = (options.seed, keyframe.keyframe_id, sight.thing.thing_id, "edge")
    extents_px = (box.width_px, box.height_px)
    limits_px = (keyframe.width_px, keyframe.height_px)
    edges = []
    for edge, value in enumerate((box.x0_px, box.y0_px, box.x1_px, box.y1_px)):
        shift = 2.0 * draw(*key, edge) - 1.0
        value += shift * options.box_jitter * extents_px[edge % 2]
        edges.append(min(max(value, 0.0), float(limits_px[edge % 2])))
    return Box(*edges)


def _surface_point(sight: Sight, box: Box, keyframe: Keyframe, options: HouseOptions) -> Vector3:
    """The middle of the box at the depth of the thing's front, a little off."""
    error = 2.0 * draw(options.seed, keyframe.keyframe_id, sight.thing.thing_id, "depth") - 1.0
    depth_m = sight.depth_m * (1.0 + DEPTH_NOISE * error)
    point_camera_m = lens_of(keyframe).ray(*box.centre_px) * depth_m
    x_m, y_m, z_m = map(float, keyframe.map_from_camera.apply(point_camera_m[None])[0])
    return (x_m, y_m, z_m)


def _described(
    chunk: Chunk,
    things: Mapping[str, Thing],
    views: Mapping[str, Sequence[ObjectView]],
    options: HouseOptions,
) -> tuple[ObjectDescriptor, ...]:
    """Numbered from 1 for each spoken type, in order of first appearance."""
    keyframes = {keyframe.keyframe_id: keyframe for keyframe in chunk.keyframes}
    numbers: Counter[str] = Counter()
    objects = []
    for name, seen in views.items():
        kind, key = things[name].kind, (options.seed, chunk.chunk_id, name)
        spoken = pick(kind.types, *key, "type")
        description = pick(kind.descriptions, *key, "description").format(things[name].color)
        stem = re.sub(r"\W+", "_", spoken)
        numbers[stem] += 1
        stamps_ns = [keyframes[view.keyframe_id].stamp_ns for view in seen]
        objects.append(
            ObjectDescriptor(
                object_id=f"{stem}_{numbers[stem]}",
                type=spoken,
                description=description,
                attributes={"color": things[name].color, "material": kind.material},
                views=tuple(seen),
                position=locate(seen, keyframes),
                first_seen_ns=min(stamps_ns),
                last_seen_ns=max(stamps_ns),
                view_count=len(seen),
            )
        )
    return tuple(objects)
