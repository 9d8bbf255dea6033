"""The memory of the recorded tour, made without ROS, and what its views truly show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmark.identity.resolver import Resolver
from benchmark.identity.scores import TrueOfView
from memory_nodes.geometry import Intrinsics, Pose, Vector3
from memory_nodes.models.ports import ChatModel
from memory_nodes.perception.detector import ChunkDetector, DetectorConfig
from memory_nodes.perception.images import depth_from_png, from_compressed
from memory_nodes.perception.posed_image import PosedImage
from memory_nodes.perception.recorder import Recorder, RecorderConfig
from memory_nodes.perception.spool import Spool
from memory_nodes.records import ChunkGraph, Keyframe, ObjectDescriptor
from memory_test_support.model_server.association import SMALLEST_IOU, overlap
from memory_test_support.tour import Tour, TourFrame, Truth

CALL_TIMEOUT_S = 30.0
EVERY_IMAGE = RecorderConfig(
    min_interval_s=0.0, min_translation_m=0.0, min_rotation_rad=0.0, sharpness_window_s=0.0
)


async def detected(tour: Tour, model: ChatModel, memory_dir: Path) -> list[ChunkGraph]:
    """Records every frame and detects what it shows; graphs with ids local to each chunk."""
    spool = Spool(memory_dir)
    recorder = Recorder(memory_dir, "tour", spool, EVERY_IMAGE)
    config = DetectorConfig()
    detector = ChunkDetector(model, memory_dir, config, CALL_TIMEOUT_S)
    for frame in tour.frames:
        recorder.record(_posed(frame, tour))
    while spool.open_keyframe_ids():
        spool.close_chunk(config.chunk_size)
    graphs = []
    while (chunk := spool.next_undetected()) is not None:
        graphs.append(await detector.detect(chunk, spool.depth_pngs(chunk)))
        spool.remove_stored(chunk.chunk_id)
    spool.close()
    return graphs


async def resolved(
    graphs: Iterable[ChunkGraph],
    model: ChatModel | None,
    memory_dir: Path,
    call_timeout_s: float = CALL_TIMEOUT_S,
) -> Resolver:
    """Stores the graphs under identities by the model, or by words and places without one."""
    with Resolver(memory_dir, model, call_timeout_s) as resolver:
        for graph in graphs:
            await resolver.take(graph)
    return resolver


def instances_of_views(
    objects: Sequence[ObjectDescriptor], keyframes: Iterable[Keyframe], tour: Tour, truth: Truth
) -> TrueOfView:
    """The annotated instance under each view, by the largest overlap of boxes."""
    frame_at = {frame.stamp_ns: frame.index for frame in tour.frames}
    frame_of = {item.keyframe_id: frame_at[item.stamp_ns] for item in keyframes}
    found = {}
    for item in objects:
        for view in item.views:
            box = (view.box.x0_px, view.box.y0_px, view.box.x1_px, view.box.y1_px)
            annotated = truth.views[frame_of[view.keyframe_id]]
            overlaps = {seen.instance_id: overlap(box, seen.box_px) for seen in annotated}
            best = max(overlaps, key=overlaps.__getitem__, default=None)
            if best is not None and overlaps[best] > SMALLEST_IOU:
                found[(item.object_id, view.keyframe_id)] = best
    return found


def true_centres(truth: Truth) -> dict[str, Vector3]:
    """The annotated centre of each instance, metres."""
    return {name: instance.position_m for name, instance in truth.instances.items()}


def _posed(frame: TourFrame, tour: Tour) -> PosedImage:
    encoded = frame.image_path.read_bytes()
    lens = tour.intrinsics
    camera, base = frame.world_from_optical, frame.world_from_base
    return PosedImage(
        stamp_ns=frame.stamp_ns,
        image=from_compressed(encoded),
        encoded=encoded,
        map_frame="map",
        map_from_base=Pose(base.position_m, base.quaternion_xyzw),
        map_from_camera=Pose(camera.position_m, camera.quaternion_xyzw),
        intrinsics=Intrinsics(lens.fx_px, lens.fy_px, lens.cx_px, lens.cy_px),
        depth_m=depth_from_png(frame.depth_path.read_bytes()),
    )
