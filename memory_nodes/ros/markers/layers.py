"""The layers of the scene, each a namespace of markers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from geometry_msgs.msg import PoseStamped
from visualization_msgs.msg import Marker

from memory_nodes.drawing.ellipsoid import ellipsoid_of
from memory_nodes.drawing.object_groups import group_of
from memory_nodes.drawing.scene import SceneConfig, is_dimmed, near_relations, shown_objects
from memory_nodes.geometry import PointEstimate, Pose, Vector3
from memory_nodes.records import Gist, Keyframe, ObjectDescriptor, ObjectStatus
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.ros.conversions import pose_from_msg
from memory_nodes.ros.markers import shapes
from memory_nodes.ros.markers.board import Drawn
from memory_nodes.suite import SuiteConfig

OBJECT_M, HIT_M = 0.12, 0.3
LABEL_M, NOTE_M = 0.1, 0.12
LINE_WIDTH_M = 0.01
DISC_HEIGHT_M, LEAST_DISC_M = 0.02, 0.2
ARROW_M, GOAL_ARROW_M, ARROW_WIDTH_M = 0.4, 0.8, 0.06
MAX_LABEL_CHARS = 40
MAX_NOTE_LINES, MAX_NOTE_CHARS = 14, 80

FULL, PROVISIONAL, DIM, BODY_OF_DOUBT = 0.9, 0.6, 0.25, 0.15
_TEXT, _LINE, _DISC, _HIT, _GOAL = "#1a1a1a", "#666666", "#2a9d8f", "#e6007e", "#e6007e"


@dataclass(frozen=True)
class Note:
    """A text at a place."""

    text: str
    place_map_m: Vector3


@dataclass(frozen=True)
class Highlights:
    """What is of interest now."""

    hit_ids: tuple[str, ...] = ()
    """Objects of the last answer."""
    hit_keyframes: tuple[Keyframe, ...] = ()
    goal: PoseStamped | None = None
    note: Note | None = None


@dataclass(frozen=True)
class Scene:
    """What is to be seen, and the objects in it."""

    objects: Mapping[str, ObjectDescriptor]
    drawn: tuple[Drawn, ...]


def scene(
    snapshot: Snapshot,
    gists: Mapping[str, Gist],
    highlights: Highlights,
    suite: SuiteConfig,
    config: SceneConfig,
    now_ns: int,
) -> Scene:
    """All layers of one map; what is too much of it is left out, but for what was asked for."""
    frame = suite.map_frame
    known = (snapshot.objects_by_id.get(key) for key in highlights.hit_ids)
    hit_ids = [item.object_id for item in known if item is not None]
    objects = shown_objects(snapshot, suite.map_id, config.max_objects, hit_ids)
    drawn: list[Drawn] = []
    for key, item in objects.items():
        is_dim = is_dimmed(item, now_ns, config.stale_after_s)
        drawn += _object(item, frame, is_dim, key in hit_ids)
    ends = list(near_relations(snapshot, objects, config.max_relation_m, hit_ids))
    if ends:
        painted = shapes.color(_LINE, PROVISIONAL)
        drawn.append(Drawn("", shapes.lines("relations", frame, ends, LINE_WIDTH_M, painted)))
    for key, gist in gists.items():
        drawn += _gist(key, gist, frame)
    drawn += _hits([objects[key] for key in hit_ids if key in objects], frame)
    drawn += _hit_keyframes(highlights, suite)
    drawn += _goal(highlights.goal)
    drawn += _note(highlights.note, frame)
    return Scene(objects, tuple(drawn))


def object_name(descriptor: ObjectDescriptor) -> str:
    """As a person calls it."""
    return descriptor.name or descriptor.type


def _object(item: ObjectDescriptor, frame: str, dimmed: bool, is_hit: bool) -> Iterator[Drawn]:
    assert item.position is not None
    x_m, y_m, z_m = item.position.point_m
    at = Pose((x_m, y_m, z_m), shapes.UPRIGHT)
    sure = PROVISIONAL if item.status is ObjectStatus.PROVISIONAL else FULL
    painted = shapes.color(group_of(item).color, DIM if dimmed else sure)
    yield Drawn(
        item.object_id,
        shapes.solid("objects", Marker.SPHERE, frame, at, (OBJECT_M,) * 3, painted),
    )
    above, ink = (x_m, y_m, z_m + OBJECT_M), shapes.color(_TEXT, DIM if dimmed else 1.0)
    name = _short(object_name(item))
    yield Drawn(item.object_id, shapes.label("labels", frame, above, name, LABEL_M, ink))
    # Not of a rough place, unless it was asked for: it would hide half a room.
    if is_hit or not item.position.is_rough:
        yield from _uncertainty(item.object_id, item.position, frame, group_of(item).color)


def _uncertainty(key: str, position: PointEstimate, frame: str, rgb: str) -> Iterator[Drawn]:
    body = ellipsoid_of(position)
    if body is not None:
        pose, size_m = body.map_from_ellipsoid, body.diameters_m
        painted = shapes.color(rgb, BODY_OF_DOUBT)
        yield Drawn(key, shapes.solid("uncertainty", Marker.SPHERE, frame, pose, size_m, painted))


def _gist(key: str, gist: Gist, frame: str) -> Iterator[Drawn]:
    """A disc on the ground it is about; of one place a small one."""
    width_m = max(2.0 * gist.radius_m, LEAST_DISC_M)
    at = Pose(gist.center_map_m, shapes.UPRIGHT)
    size_m, painted = (width_m, width_m, DISC_HEIGHT_M), shapes.color(_DISC, DIM)
    yield Drawn(key, shapes.solid("gists", Marker.CYLINDER, frame, at, size_m, painted))
    ink = shapes.color(_DISC, 1.0)
    text = _short(gist.text)
    yield Drawn(key, shapes.label("gist_labels", frame, gist.center_map_m, text, LABEL_M, ink))


def _hits(hits: list[ObjectDescriptor], frame: str) -> Iterator[Drawn]:
    for item in hits:
        assert item.position is not None
        at, painted = Pose(item.position.point_m, shapes.UPRIGHT), shapes.color(_HIT, PROVISIONAL)
        yield Drawn(
            item.object_id,
            shapes.solid("hits", Marker.SPHERE, frame, at, (HIT_M,) * 3, painted),
        )


def _hit_keyframes(highlights: Highlights, suite: SuiteConfig) -> Iterator[Drawn]:
    """Where the pictures of the answer were taken."""
    size_m = (ARROW_M, ARROW_WIDTH_M, ARROW_WIDTH_M)
    painted = shapes.color(_HIT, PROVISIONAL)
    for item in highlights.hit_keyframes:
        if item.map_id == suite.map_id and item.map_from_base.is_valid:
            pose, frame = item.map_from_base, item.map_frame
            yield Drawn(
                str(item.keyframe_id),
                shapes.solid("hit_keyframes", Marker.ARROW, frame, pose, size_m, painted),
            )


def _goal(goal: PoseStamped | None) -> Iterator[Drawn]:
    if goal is not None:
        size_m = (GOAL_ARROW_M, ARROW_WIDTH_M, ARROW_WIDTH_M)
        pose, frame = pose_from_msg(goal.pose), goal.header.frame_id
        painted = shapes.color(_GOAL, 1.0)
        yield Drawn("", shapes.solid("goal", Marker.ARROW, frame, pose, size_m, painted))


def _note(note: Note | None, frame: str) -> Iterator[Drawn]:
    if note is not None and note.text:
        lines = [_short(line, MAX_NOTE_CHARS) for line in note.text.splitlines()]
        text = "\n".join(lines[:MAX_NOTE_LINES])
        ink = shapes.color(_GOAL, 1.0)
        yield Drawn("", shapes.label("notes", frame, note.place_map_m, text, NOTE_M, ink))


def _short(text: str, limit: int = MAX_LABEL_CHARS) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 3]}..."
