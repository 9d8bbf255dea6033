"""The whole path on the tour, without ROS: how good are the identities and the answers?

Detections come from the stand-in model server, with its noise; identities are resolved once by
that server and once by words and places alone; questions are ranked from either memory.
"""

from __future__ import annotations

import asyncio
import math
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from memory_nodes.association.associator import Associator, AssociatorConfig
from memory_nodes.geometry import Intrinsics, Pose
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.perception.detector import ChunkDetector, DetectorConfig
from memory_nodes.perception.images import depth_from_png, from_compressed
from memory_nodes.perception.posed_image import PosedImage
from memory_nodes.perception.recorder import Recorder, RecorderConfig
from memory_nodes.perception.spool import Spool
from memory_nodes.records import ObjectDescriptor
from memory_nodes.retrieval.ranking import rank
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.model_server import ModelServer
from memory_test_support.tour import Tour, TourFrame, Truth, load_tour, load_truth

CALL_TIMEOUT_S = 30.0
MAX_KEYFRAMES = 5
EVERY_IMAGE = RecorderConfig(
    min_interval_s=0.0, min_translation_m=0.0, min_rotation_rad=0.0, sharpness_window_s=0.0
)


def run() -> dict[str, Any]:
    """Figures by resolver."""
    tour, truth = load_tour(), load_truth()
    figures = {}
    with ModelServer() as server:
        endpoint = EndpointConfig(base_url=server.base_url, model="stand-in")
        for name in ("model", "deterministic"):
            with tempfile.TemporaryDirectory() as directory:
                started_s = time.monotonic()
                snapshot = asyncio.run(_remember(tour, endpoint, name, Path(directory)))
                figures[name] = {
                    "build_s": round(time.monotonic() - started_s, 2),
                    **_identity(snapshot, tour, truth),
                    "questions": _retrieval(snapshot, tour, truth, paraphrased=False),
                    "paraphrases": _retrieval(snapshot, tour, truth, paraphrased=True),
                }
    return figures


async def _remember(
    tour: Tour, endpoint: EndpointConfig, resolver: str, memory_dir: Path
) -> Snapshot:
    """Records, detects, associates and stores the whole tour."""
    model = chat_for(endpoint)
    assert model is not None
    spool, writer, reader = Spool(memory_dir), Writer(memory_dir), Reader(memory_dir)
    recorder = Recorder(memory_dir, "tour", spool, EVERY_IMAGE)
    config = DetectorConfig()
    detector = ChunkDetector(model, memory_dir, config, CALL_TIMEOUT_S)
    associator = Associator(
        model if resolver == "model" else None, reader, AssociatorConfig(), CALL_TIMEOUT_S
    )
    for frame in tour.frames:
        recorder.record(_posed(frame, tour))
    while spool.open_keyframe_ids():
        spool.close_chunk(config.chunk_size)
    while (chunk := spool.next_undetected()) is not None:
        graph = await detector.detect(chunk, spool.depth_pngs(chunk))
        writer.commit_chunk(await associator.resolve(graph))
        spool.remove_stored(chunk.chunk_id)
    snapshot = SnapshotCache(reader).current()
    for opened in (reader, writer, spool):
        opened.close()
    return snapshot


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


def _identity(snapshot: Snapshot, tour: Tour, truth: Truth) -> dict[str, float]:
    """Pairs of views that are rightly, wrongly or not at all in one identity."""
    true_of_view = _true_of_views(snapshot, tour, truth)
    found_pairs, true_pairs = _pairs(true_of_view, by=0), _pairs(true_of_view, by=1)
    right = len(found_pairs & true_pairs)
    precision, recall = right / len(found_pairs), right / len(true_pairs)
    fragments = {(true_id, key[0]) for key, true_id in true_of_view.items()}
    merged = Counter(object_id for _, object_id in fragments)
    errors_m = [
        math.dist(item.position.point_m, _centre(truth, true_id))
        for item in snapshot.objects
        if item.position is not None and (true_id := _main_identity(item, true_of_view)) is not None
    ]
    return {
        "objects": len(snapshot.objects),
        "instances_true": len(set(true_of_view.values())),
        "identity_f1": round(2 * precision * recall / (precision + recall), 3),
        "fragmentation": round(len(fragments) / len(set(true_of_view.values())), 3),
        "false_merges": sum(1 for count in merged.values() if count > 1),
        "median_position_error_m": round(statistics.median(errors_m), 3),
    }


ViewKey = tuple[str, int]


def _true_of_views(snapshot: Snapshot, tour: Tour, truth: Truth) -> dict[ViewKey, str]:
    """The annotated instance under each view, by the largest overlap of boxes."""
    frame_of = {frame.stamp_ns: frame.index for frame in tour.frames}
    found = {}
    for item in snapshot.objects:
        for view in item.views:
            frame = frame_of[snapshot.keyframes[view.keyframe_id].stamp_ns]
            box = (view.box.x0_px, view.box.y0_px, view.box.x1_px, view.box.y1_px)
            overlaps = {seen.instance_id: _iou(box, seen.box_px) for seen in truth.views[frame]}
            best = max(overlaps, key=overlaps.__getitem__, default=None)
            if best is not None and overlaps[best] > 0.3:
                found[(item.object_id, view.keyframe_id)] = best
    return found


def _iou(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return width * height / (sum(areas) - width * height)


def _pairs(true_of_view: Mapping[ViewKey, str], by: int) -> set[frozenset[ViewKey]]:
    """Pairs of views of one found object (by = 0) or of one true instance (by = 1)."""
    groups: dict[str, list[ViewKey]] = {}
    for key, true_id in true_of_view.items():
        groups.setdefault((key[0], true_id)[by], []).append(key)
    return {frozenset(pair) for group in groups.values() for pair in combinations(group, 2)}


def _main_identity(item: ObjectDescriptor, true_of_view: Mapping[ViewKey, str]) -> str | None:
    votes = Counter(
        true_of_view[key]
        for view in item.views
        if (key := (item.object_id, view.keyframe_id)) in true_of_view
    )
    return votes.most_common(1)[0][0] if votes else None


def _centre(truth: Truth, instance_id: str) -> tuple[float, float, float]:
    return truth.instances[instance_id].position_m


def _retrieval(
    snapshot: Snapshot, tour: Tour, truth: Truth, *, paraphrased: bool
) -> dict[str, float]:
    frame_of = {frame.stamp_ns: frame.index for frame in tour.frames}
    ranks: list[int | None] = []
    times_ms = []
    for question in truth.questions.values():
        if not question.answerable:
            continue
        started_ns = time.perf_counter_ns()
        text = question.paraphrase if paraphrased else question.text
        hits = rank(text, snapshot, MAX_KEYFRAMES).keyframes
        times_ms.append((time.perf_counter_ns() - started_ns) / 1e6)
        frames = [frame_of[hit.keyframe.stamp_ns] for hit in hits]
        right = [frame in question.ground_truth_frames for frame in frames]
        ranks.append(right.index(True) + 1 if True in right else None)
    count = len(ranks)
    return {
        "retr_at_1": round(sum(rank == 1 for rank in ranks) / count, 3),
        "mrr_at_5": round(sum(1.0 / rank for rank in ranks if rank) / count, 3),
        "ms_p50": round(statistics.median(times_ms), 2),
    }
