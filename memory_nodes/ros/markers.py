"""The graph as RViz markers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from geometry_msgs.msg import Point, PoseStamped
from nav_msgs.msg import Path
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from memory_nodes.geometry import Pose, Vector3
from memory_nodes.records import Keyframe, ObjectDescriptor, ObjectStatus
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.ros.conversions import pose_stamped, pose_to_msg

OBJECT_DIAMETER_M = 0.12
LABEL_HEIGHT_M = 0.1
LINE_WIDTH_M = 0.01
NEAR_RELATION_M = 1.5
MAX_OBJECTS = 500

_PRESENT = ColorRGBA(r=0.1, g=0.5, b=0.9, a=0.9)
_PROVISIONAL = ColorRGBA(r=0.9, g=0.6, b=0.1, a=0.9)
_GONE = ColorRGBA(r=0.5, g=0.5, b=0.5, a=0.4)
_TEXT = ColorRGBA(r=0.1, g=0.1, b=0.1, a=1.0)
_LINE = ColorRGBA(r=0.4, g=0.4, b=0.4, a=0.6)
_COLORS = {
    ObjectStatus.PRESENT: _PRESENT,
    ObjectStatus.PROVISIONAL: _PROVISIONAL,
    ObjectStatus.MOVED: _PRESENT,
    ObjectStatus.MISSING: _GONE,
    ObjectStatus.EXPIRED: _GONE,
}


class MarkerScene:
    """Keeps the ids of markers stable, and deletes only what has gone."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._shown: set[tuple[str, int]] = set()

    def update(self, snapshot: Snapshot, map_id: str, map_frame: str) -> MarkerArray:
        """Objects, their names and near relations of one map, the newest objects first."""
        placed = _placed(snapshot, map_id)
        markers = [
            marker
            for descriptor in placed.values()
            for marker in self._of_object(descriptor, map_frame)
        ]
        markers.append(_relations(snapshot, placed, map_frame))
        now = {(marker.ns, marker.id) for marker in markers}
        gone = [
            Marker(ns=ns, id=number, action=Marker.DELETE)
            for ns, number in sorted(self._shown - now)
        ]
        for marker in gone:
            marker.header.frame_id = map_frame
        self._shown = now
        return MarkerArray(markers=gone + markers)

    def _of_object(self, descriptor: ObjectDescriptor, map_frame: str) -> tuple[Marker, Marker]:
        assert descriptor.position is not None
        number = self._numbers.setdefault(descriptor.object_id, len(self._numbers))
        place = descriptor.position.point_m
        body = _marker("objects", number, map_frame, Marker.SPHERE, place)
        body.scale.x = body.scale.y = body.scale.z = OBJECT_DIAMETER_M
        body.color = _COLORS[descriptor.status]
        above = (place[0], place[1], place[2] + OBJECT_DIAMETER_M)
        label = _marker("labels", number, map_frame, Marker.TEXT_VIEW_FACING, above)
        label.text = descriptor.name or descriptor.type
        label.scale.z = LABEL_HEIGHT_M
        label.color = _TEXT
        return body, label


def trail(keyframes: Mapping[int, Keyframe], map_id: str, map_frame: str) -> Path:
    """Where the base was at each keyframe of a map."""
    path = Path()
    path.header.frame_id = map_frame
    path.poses = [
        _on_trail(keyframe) for keyframe in keyframes.values() if keyframe.map_id == map_id
    ]
    return path


def _on_trail(keyframe: Keyframe) -> PoseStamped:
    return pose_stamped(keyframe.map_from_base, keyframe.stamp_ns, keyframe.map_frame)


def _placed(snapshot: Snapshot, map_id: str) -> dict[str, ObjectDescriptor]:
    """The objects of a map with a position, the newest, at most MAX_OBJECTS."""
    here = [
        descriptor
        for descriptor in snapshot.objects
        if descriptor.position is not None
        and snapshot.keyframes[descriptor.views[-1].keyframe_id].map_id == map_id
    ]
    here.sort(key=lambda item: -item.last_seen_ns)
    return {descriptor.object_id: descriptor for descriptor in here[:MAX_OBJECTS]}


def _relations(
    snapshot: Snapshot, placed: Mapping[str, ObjectDescriptor], map_frame: str
) -> Marker:
    """All near relations as one list of lines."""
    lines = _marker("relations", 0, map_frame, Marker.LINE_LIST, (0.0, 0.0, 0.0))
    lines.scale.x = LINE_WIDTH_M
    lines.color = _LINE
    for relation in snapshot.relations:
        ends = placed.get(relation.subject_id), placed.get(relation.object_id)
        places = [end.position.point_m for end in ends if end is not None and end.position]
        if len(places) == 2 and math.dist(*places) <= NEAR_RELATION_M:
            lines.points.extend(Point(x=x, y=y, z=z) for x, y, z in places)
    return lines


def _marker(ns: str, number: int, frame_id: str, kind: int, place_m: Vector3) -> Marker:
    marker = Marker(ns=ns, id=number, type=kind, action=Marker.ADD)
    marker.header.frame_id = frame_id
    marker.pose = pose_to_msg(Pose(place_m, (0.0, 0.0, 0.0, 1.0)))
    return marker
