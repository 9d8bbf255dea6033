"""Records to messages and back."""

from __future__ import annotations

import math
from dataclasses import asdict

from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import KeyValue
from geometry_msgs.msg import Point, PoseStamped, PoseWithCovariance, Transform
from geometry_msgs.msg import Pose as PoseMsg
from robot_memory import msg
from sensor_msgs.msg import RegionOfInterest
from std_msgs.msg import Header

from memory_nodes.geometry import Intrinsics, PointEstimate, Pose
from memory_nodes.navigation.candidates import Sight, choose
from memory_nodes.navigation.safety import Rules
from memory_nodes.records import (
    NS_PER_S,
    Answer,
    Box,
    Chunk,
    ChunkGraph,
    ClearLook,
    Counts,
    DepthGrid,
    Episode,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
    ObjectView,
    Observation,
    Relation,
    RetrievedKeyframe,
)


def time_to_msg(stamp_ns: int) -> Time:
    seconds, nanoseconds = divmod(stamp_ns, NS_PER_S)
    return Time(sec=seconds, nanosec=nanoseconds)


def time_from_msg(stamp: Time) -> int:
    return int(stamp.sec) * NS_PER_S + int(stamp.nanosec)


def duration_to_msg(duration_ns: int) -> Duration:
    seconds, nanoseconds = divmod(duration_ns, NS_PER_S)
    return Duration(sec=seconds, nanosec=nanoseconds)


def header(stamp_ns: int, frame_id: str) -> Header:
    return Header(stamp=time_to_msg(stamp_ns), frame_id=frame_id)


def pose_to_msg(pose: Pose) -> PoseMsg:
    made = PoseMsg()
    made.position.x, made.position.y, made.position.z = pose.position_m
    turn = made.orientation
    turn.x, turn.y, turn.z, turn.w = pose.quat_xyzw
    return made


def pose_from_msg(message: PoseMsg) -> Pose:
    place, turn = message.position, message.orientation
    return Pose((place.x, place.y, place.z), (turn.x, turn.y, turn.z, turn.w))


def pose_from_transform(message: Transform) -> Pose:
    place, turn = message.translation, message.rotation
    return Pose((place.x, place.y, place.z), (turn.x, turn.y, turn.z, turn.w))


def pose_stamped(pose: Pose, stamp_ns: int, frame_id: str) -> PoseStamped:
    return PoseStamped(header=header(stamp_ns, frame_id), pose=pose_to_msg(pose))


def keyframe_to_msg(keyframe: Keyframe) -> msg.Keyframe:
    lens, grid = keyframe.intrinsics, keyframe.depth_grid
    base_pose = PoseWithCovariance(pose=pose_to_msg(keyframe.map_from_base))
    for axis in (0, 1):
        base_pose.covariance[7 * axis] = keyframe.stale_m**2
    return msg.Keyframe(
        header=header(keyframe.stamp_ns, keyframe.map_frame),
        keyframe_id=keyframe.keyframe_id,
        map_id=keyframe.map_id,
        session_id=keyframe.session_id,
        base_pose=base_pose,
        camera_pose=pose_to_msg(keyframe.map_from_camera),
        width=keyframe.width_px,
        height=keyframe.height_px,
        intrinsics=[lens.fx_px, lens.fy_px, lens.cx_px, lens.cy_px] if lens else [0.0] * 4,
        unlocalized=not keyframe.is_localized,
        depth_grid_columns=grid.columns if grid is not None else 0,
        depth_grid=list(grid.depths_mm) if grid is not None else [],
        image_uri=keyframe.image_path,
    )


def keyframe_from_msg(message: msg.Keyframe) -> Keyframe:
    lens = [float(value) for value in message.intrinsics]
    return Keyframe(
        keyframe_id=message.keyframe_id,
        stamp_ns=time_from_msg(message.header.stamp),
        map_id=message.map_id,
        session_id=message.session_id,
        map_frame=message.header.frame_id,
        map_from_base=pose_from_msg(message.base_pose.pose),
        map_from_camera=pose_from_msg(message.camera_pose),
        width_px=message.width,
        height_px=message.height,
        intrinsics=Intrinsics(*lens) if any(lens) else None,
        image_path=message.image_uri,
        is_localized=not message.unlocalized,
        stale_m=math.sqrt(max(0.0, message.base_pose.covariance[0])),
        depth_grid=_depth_grid(message),
    )


def _depth_grid(message: msg.Keyframe) -> DepthGrid | None:
    columns, depths_mm = int(message.depth_grid_columns), tuple(map(int, message.depth_grid))
    if columns == 0 or len(depths_mm) % columns:
        return None
    return DepthGrid(columns, len(depths_mm) // columns, depths_mm)


def view_to_msg(view: ObjectView) -> msg.ObjectView:
    box = view.box
    x0, y0 = round(box.x0_px), round(box.y0_px)
    made = msg.ObjectView(
        keyframe_id=view.keyframe_id,
        box=RegionOfInterest(
            x_offset=x0, y_offset=y0, width=round(box.x1_px) - x0, height=round(box.y1_px) - y0
        ),
        confidence=view.confidence,
        has_point=view.point_map_m is not None,
        embedding=view.embedding,
    )
    if view.point_map_m is not None:
        x, y, z = view.point_map_m
        made.point = Point(x=x, y=y, z=z)
    return made


def view_from_msg(message: msg.ObjectView) -> ObjectView:
    box, point = message.box, message.point
    x0, y0 = float(box.x_offset), float(box.y_offset)
    return ObjectView(
        keyframe_id=message.keyframe_id,
        box=Box(x0, y0, x0 + box.width, y0 + box.height),
        confidence=message.confidence,
        point_map_m=(point.x, point.y, point.z) if message.has_point else None,
        embedding=bytes(message.embedding),
    )


def position_to_msg(position: PointEstimate) -> PoseWithCovariance:
    made = PoseWithCovariance(pose=pose_to_msg(Pose(position.point_m, (0.0, 0.0, 0.0, 1.0))))
    for row in range(3):
        for column in range(3):
            made.covariance[6 * row + column] = position.covariance_m2[3 * row + column]
    return made


def position_from_msg(message: PoseWithCovariance) -> PointEstimate:
    place = message.pose.position
    covariance = [float(message.covariance[6 * row + col]) for row in range(3) for col in range(3)]
    return PointEstimate((place.x, place.y, place.z), tuple(covariance))


def object_to_msg(descriptor: ObjectDescriptor) -> msg.ObjectDescriptor:
    made = msg.ObjectDescriptor(
        object_id=descriptor.object_id,
        name=descriptor.name,
        type=descriptor.type,
        description=descriptor.description,
        attributes=[KeyValue(key=k, value=v) for k, v in descriptor.attributes.items()],
        affordances=list(descriptor.affordances),
        views=[view_to_msg(view) for view in descriptor.views],
        has_position=descriptor.position is not None,
        first_seen=time_to_msg(descriptor.first_seen_ns),
        last_seen=time_to_msg(descriptor.last_seen_ns),
        view_count=descriptor.view_count,
        status=int(descriptor.status),
    )
    if descriptor.position is not None:
        made.position = position_to_msg(descriptor.position)
        made.position_is_rough = descriptor.position.is_rough
    return made


def object_from_msg(message: msg.ObjectDescriptor) -> ObjectDescriptor:
    return ObjectDescriptor(
        object_id=message.object_id,
        type=message.type,
        description=message.description,
        attributes={item.key: item.value for item in message.attributes},
        affordances=tuple(message.affordances),
        views=tuple(map(view_from_msg, message.views)),
        position=position_from_msg(message.position) if message.has_position else None,
        first_seen_ns=time_from_msg(message.first_seen),
        last_seen_ns=time_from_msg(message.last_seen),
        view_count=message.view_count,
        status=ObjectStatus(message.status),
        name=message.name,
    )


def graph_to_msg(graph: ChunkGraph) -> msg.ChunkGraph:
    last = graph.chunk.keyframes[-1]
    return msg.ChunkGraph(
        header=header(last.stamp_ns, last.map_frame),
        chunk_id=graph.chunk.chunk_id,
        keyframes=[keyframe_to_msg(keyframe) for keyframe in graph.chunk.keyframes],
        objects=[object_to_msg(descriptor) for descriptor in graph.objects],
        relations=[
            msg.SpatialRelation(
                subject_id=relation.subject_id,
                predicate=relation.predicate,
                object_id=relation.object_id,
                keyframe_ids=list(relation.keyframe_ids),
            )
            for relation in graph.relations
        ],
        resolved=graph.resolved,
        prompt_version=graph.prompt_version,
        model=graph.model,
        problems=list(graph.problems),
        embedding_model=graph.embedding_model,
        clear_looks=[
            msg.ClearLook(object_id=look.object_id, keyframe_id=look.keyframe_id)
            for look in graph.clear_looks
        ],
        new_ids=list(graph.new_ids or ()),
        join_from=[double_id for double_id, _ in graph.joins],
        join_into=[known_id for _, known_id in graph.joins],
        scene=graph.scene,
        place=graph.place,
    )


def graph_from_msg(message: msg.ChunkGraph) -> ChunkGraph:
    return ChunkGraph(
        chunk=Chunk(message.chunk_id, tuple(map(keyframe_from_msg, message.keyframes))),
        objects=tuple(map(object_from_msg, message.objects)),
        relations=tuple(
            Relation(item.subject_id, item.predicate, item.object_id, tuple(item.keyframe_ids))
            for item in message.relations
        ),
        resolved=message.resolved,
        prompt_version=message.prompt_version,
        model=message.model,
        problems=tuple(message.problems),
        embedding_model=message.embedding_model,
        clear_looks=tuple(
            ClearLook(look.object_id, look.keyframe_id) for look in message.clear_looks
        ),
        new_ids=tuple(message.new_ids) if message.resolved else None,
        joins=tuple(zip(message.join_from, message.join_into, strict=False)),
        scene=message.scene,
        place=message.place,
    )


def observation_from_msg(message: msg.Observation) -> Observation:
    return Observation(
        stamp_ns=time_from_msg(message.header.stamp),
        map_id=message.map_id,
        map_frame=message.header.frame_id,
        layer=message.layer,
        text=message.text,
        map_from_base=pose_from_msg(message.pose.pose),
        confidence=message.confidence,
        source=message.source,
    )


def episode_to_msg(episode: Episode) -> msg.Episode:
    made = msg.Episode(
        episode_id=episode.episode_id,
        parent_id=episode.parent_id,
        name=episode.name,
        status=int(episode.status),
        start=time_to_msg(episode.start_ns),
    )
    if episode.end_ns is not None:
        made.end = time_to_msg(episode.end_ns)
    return made


def retrieved_to_msg(hit: RetrievedKeyframe) -> msg.RetrievedKeyframe:
    return msg.RetrievedKeyframe(
        keyframe=keyframe_to_msg(hit.keyframe),
        score=hit.score,
        object_ids=list(hit.object_ids),
        views=[view_to_msg(view) for view in hit.views],
        why=hit.why,
    )


def retrieved_from_msg(message: msg.RetrievedKeyframe) -> RetrievedKeyframe:
    return RetrievedKeyframe(
        keyframe=keyframe_from_msg(message.keyframe),
        score=message.score,
        object_ids=tuple(message.object_ids),
        views=tuple(map(view_from_msg, message.views)),
        why=message.why,
    )


def answer_to_msg(answer: Answer, map_id: str) -> msg.MemoryAnswer:
    """With a goal only where one may be driven to: on this map, at a valid pose."""
    sights = (Sight(hit.keyframe) for hit in answer.keyframes)
    choice = choose(sights, Rules(map_id), answer.stamp_ns)
    best = choice.candidates[0] if choice.candidates else None
    frame = answer.keyframes[0].keyframe.map_frame if answer.keyframes else ""
    made = msg.MemoryAnswer(
        header=header(answer.stamp_ns, frame),
        question=answer.question,
        text=answer.text,
        confidence=answer.confidence,
        found=answer.found,
        degraded=answer.degraded,
        problems=list(answer.problems),
        keyframes=[retrieved_to_msg(hit) for hit in answer.keyframes],
        objects=[object_to_msg(descriptor) for descriptor in answer.objects],
        has_goal=best is not None,
        evidence=list(answer.evidence),
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        latency=duration_to_msg(answer.latency_ns),
    )
    if best is not None:
        made.goal = pose_stamped(best.map_from_goal, answer.stamp_ns, best.keyframe.map_frame)
    return made


def counts_to_msg(counts: Counts) -> msg.StoreUpdate:
    return msg.StoreUpdate(**asdict(counts))
