"""Chunks come late: what they show was recorded before corrections that are applied by now."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from memory_nodes.geometry import PointEstimate, Pose, Vector3
from memory_nodes.mapping.movement import Movement
from memory_nodes.mapping.rigid_fit import as_pose
from memory_nodes.records import ChunkGraph, Keyframe, ObjectDescriptor, Observation
from memory_nodes.store import map_corrections, maps
from memory_nodes.store.placed import Placed


@dataclass(frozen=True)
class Level:
    """A chunk as it is on the map of now."""

    graph: ChunkGraph
    said: Sequence[Observation]
    anchors: Sequence[tuple[int, int, int | None]] = ()
    """Of each keyframe that was corrected: the correction, its id and its vertex."""


@dataclass
class _Missed:
    """Corrections that are read once for all keyframes."""

    connection: sqlite3.Connection
    movements: dict[int, Movement] = field(default_factory=dict)

    def movement(self, key: int) -> Movement:
        if key not in self.movements:
            self.movements[key] = map_corrections.movement_of(self.connection, key)
        return self.movements[key]


def level(connection: sqlite3.Connection, graph: ChunkGraph, said: Sequence[Observation]) -> Level:
    """Corrects the poses of a chunk, and of the observations made of it, as far as they need it."""
    missed = _Missed(connection)
    anchors: list[tuple[int, int, int | None]] = []
    keyframes: dict[int, Keyframe] = {}
    motions: dict[int, Pose] = {}
    for keyframe in graph.chunk.keyframes:
        keyframes[keyframe.keyframe_id], motion = _level(missed, keyframe, anchors)
        motions[keyframe.keyframe_id] = motion
    if not anchors:
        return Level(graph, said)
    by_stamp = {item.stamp_ns: motions[item.keyframe_id] for item in graph.chunk.keyframes}
    return Level(
        replace(
            graph,
            chunk=replace(graph.chunk, keyframes=tuple(keyframes.values())),
            objects=tuple(_moved(item, motions) for item in graph.objects),
        ),
        [
            replace(item, map_from_base=by_stamp[item.stamp_ns] @ item.map_from_base)
            if item.stamp_ns in by_stamp
            else item
            for item in said
        ],
        anchors,
    )


def note(connection: sqlite3.Connection, levelled: Level) -> None:
    """Writes down what was corrected on the way, once it is stored, so that an undo finds it."""
    stamps_ns = {item.keyframe_id: item.stamp_ns for item in levelled.graph.chunk.keyframes}
    said = json.dumps([item.observation_id for item in levelled.said])
    for correction_key, keyframe_id, vertex in levelled.anchors:
        map_corrections.insert_anchors(
            connection, correction_key, Placed.KEYFRAME, [(keyframe_id, vertex)]
        )
        if vertex is not None:
            connection.execute(
                "INSERT INTO map_anchor SELECT ?, ?, observation_key, ? FROM observation"
                " WHERE public_id IN (SELECT value FROM json_each(?)) AND stamp_ns = ?",
                (
                    *(correction_key, int(Placed.OBSERVATION), vertex),
                    *(said, stamps_ns[keyframe_id]),
                ),
            )


def _level(
    missed: _Missed, keyframe: Keyframe, anchors: list[tuple[int, int, int | None]]
) -> tuple[Keyframe, Pose]:
    """The keyframe on the map of now, and the motion that took it there."""
    map_key = maps.known_key(missed.connection, keyframe.map_id, keyframe.map_frame)
    motion, stale_m = Pose.identity(), [keyframe.stale_m]
    if map_key is None:
        return keyframe, motion
    for key, by_m in map_corrections.later_than(missed.connection, map_key, keyframe.stamp_ns):
        vertex = None
        if by_m is not None:
            stale_m.append(by_m)
        else:
            movement = missed.movement(key)
            if not len(movement.vertices):
                continue  # it is too old for anyone to know
            place_m = np.array([(motion @ keyframe.map_from_base).position_m[:2]])
            row = movement.anchors(place_m, np.array([keyframe.stamp_ns], np.int64))[0]
            motion = as_pose(movement.motions[row]) @ motion
            vertex = int(movement.vertices.ids[row])
        anchors.append((key, keyframe.keyframe_id, vertex))
    return (
        replace(
            keyframe,
            map_from_base=motion @ keyframe.map_from_base,
            map_from_camera=motion @ keyframe.map_from_camera,
            stale_m=math.hypot(*stale_m),
        ),
        motion,
    )


def _moved(item: ObjectDescriptor, motions: dict[int, Pose]) -> ObjectDescriptor:
    """An object of a chunk, where its newest view takes it, with the points that were measured."""
    position, motion = item.position, motions[item.views[-1].keyframe_id]
    if position is not None:
        turn = motion.rotation.as_matrix()
        covariance_m2 = turn @ np.reshape(position.covariance_m2, (3, 3)) @ turn.T
        position = PointEstimate(
            _moved_point(position.point_m, motion), tuple(covariance_m2.ravel().tolist())
        )
    views = tuple(
        replace(view, point_map_m=_moved_point(view.point_map_m, motions[view.keyframe_id]))
        if view.point_map_m is not None
        else view
        for view in item.views
    )
    return replace(item, position=position, views=views)


def _moved_point(point_m: Vector3, motion: Pose) -> Vector3:
    x_m, y_m, z_m = map(float, motion.apply(np.array([point_m]))[0])
    return (x_m, y_m, z_m)
