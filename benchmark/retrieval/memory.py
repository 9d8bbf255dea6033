"""A memory that is asked: its graph, its questions, and which keyframes answer them."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmark.identity.scores import TrueOfView
from benchmark.tour_memory import detected, instances_of_views, resolved
from memory_nodes.errors import InputError
from memory_nodes.geometry import Pose
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.models.ports import ChatModel
from memory_nodes.records import Box, Keyframe, ObjectDescriptor, ObjectView, Relation
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.reader import Reader
from memory_test_support.asked_house import ask, build
from memory_test_support.model_server import ModelServer
from memory_test_support.tour import (
    Question,
    Tour,
    TourFrame,
    load_tour,
    load_truth,
    read_questions,
    tour_directory,
)

HOUSES = 8
OBJECTS = 300
KEYFRAMES = (62, 70, 78, 84, 88, 94, 102, 110)
"""Of the houses; a median of 86, as VL-KnG, section 7 has it."""
QUESTIONS_PER_TYPE = 6
_SPLIT_ATTRIBUTES = ("color", "material", "size", "state")


@dataclass(frozen=True)
class AskedMemory:
    """``ground_truth_frames`` of the questions are ids of keyframes."""

    name: str
    snapshot: Snapshot
    questions: tuple[Question, ...]
    instance_of: dict[str, str]
    """What each object truly is, for vectors that stand for pictures."""


def true_tour(questions_file: Path | None) -> AskedMemory:
    """The tour as its annotation has it, without error; no room names, since no detector says any.

    Raises InputError for a file that is not of the form of the tour's questions.
    """
    tour = load_tour()
    keyframes = {frame.index: _keyframe(frame, tour) for frame in tour.frames}
    snapshot = Snapshot(tuple(_instances(keyframes)), tuple(_relations()), keyframes)
    key_of = {frame.index: frame.index for frame in tour.frames}
    ids = {item.object_id: item.object_id for item in snapshot.objects}
    return AskedMemory("tour", snapshot, _tour_questions(questions_file, key_of), ids)


def built_tour(questions_file: Path | None, resolver: str) -> AskedMemory:
    """The tour as the suite remembers it, with the errors of the stand-in model.

    Args:
        resolver: "model" for identities by the stand-in, else by words and places alone.
    """
    tour, truth = load_tour(), load_truth()
    with ModelServer() as server, tempfile.TemporaryDirectory() as directory:
        endpoint = EndpointConfig(base_url=server.base_url, model="stand-in")
        model = chat_for(endpoint)
        assert model is not None
        snapshot = asyncio.run(_remembered(tour, model, resolver == "model", Path(directory)))
    index_at = {frame.stamp_ns: frame.index for frame in tour.frames}
    key_of = {index_at[item.stamp_ns]: key for key, item in snapshot.keyframes.items()}
    of_view: TrueOfView = instances_of_views(
        snapshot.objects, snapshot.keyframes.values(), tour, truth
    )
    instance_of = {object_id: instance for (object_id, _), instance in of_view.items()}
    questions = _tour_questions(questions_file, key_of)
    return AskedMemory(f"tour_{resolver}", snapshot, questions, instance_of)


def houses() -> list[AskedMemory]:
    """Synthetic houses without error; every second one has distractors."""
    return [_house(number) for number in range(HOUSES)]


def _house(number: int) -> AskedMemory:
    house = build(number, OBJECTS, KEYFRAMES[number], has_distractors=number % 2 == 1)
    keyframes = {item.keyframe_id: item for item in house.keyframes}
    return AskedMemory(
        f"house_{number}",
        Snapshot(house.objects, house.relations, keyframes),
        tuple(ask(house, number, QUESTIONS_PER_TYPE)),
        {item.object_id: item.object_id for item in house.objects},
    )


async def _remembered(
    tour: Tour, model: ChatModel, resolves_by_model: bool, memory_dir: Path
) -> Snapshot:
    graphs = await detected(tour, model, memory_dir)
    await resolved(graphs, model if resolves_by_model else None, memory_dir)
    reader = Reader(memory_dir)
    try:
        return SnapshotCache(reader).current()
    finally:
        reader.close()


def _tour_questions(path: Path | None, key_of: dict[int, int]) -> tuple[Question, ...]:
    """Of a file, or the public ones; their frames become keyframes."""
    try:
        asked = load_truth().questions.values() if path is None else read_questions(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: no questions in the form of the tour's truth/questions.json ({error!r})"
        ) from error
    return tuple(
        replace(item, ground_truth_frames=tuple(key_of[f] for f in item.ground_truth_frames))
        for item in asked
    )


def _instances(keyframes: dict[int, Keyframe]) -> list[ObjectDescriptor]:
    views: dict[str, list[ObjectView]] = defaultdict(list)
    for index, seen in enumerate(load_truth().views):
        for view in seen:
            views[view.instance_id].append(ObjectView(index, Box(*view.box_px)))
    text = (tour_directory() / "truth" / "instances.json").read_text(encoding="utf-8")
    return [_instance(entry, views[entry["id"]], keyframes) for entry in json.loads(text)]


def _instance(
    entry: dict[str, Any], views: Sequence[ObjectView], keyframes: dict[int, Keyframe]
) -> ObjectDescriptor:
    attributes = entry["attributes"]
    return ObjectDescriptor(
        object_id=entry["id"],
        type=entry["type"].replace("_", " "),
        description=entry["description"],
        attributes={name: attributes[name] for name in _SPLIT_ATTRIBUTES},
        affordances=tuple(attributes["affordances"]),
        views=tuple(views),
        first_seen_ns=keyframes[views[0].keyframe_id].stamp_ns,
        last_seen_ns=keyframes[views[-1].keyframe_id].stamp_ns,
        view_count=len(views),
    )


def _relations() -> list[Relation]:
    return [
        Relation(item.subject_id, item.predicate, item.object_id, item.frames)
        for item in load_truth().relations
    ]


def _keyframe(frame: TourFrame, tour: Tour) -> Keyframe:
    camera, base, lens = frame.world_from_optical, frame.world_from_base, tour.intrinsics
    return Keyframe(
        keyframe_id=frame.index,
        stamp_ns=frame.stamp_ns,
        map_id="map",
        session_id="tour",
        map_frame="map",
        map_from_base=Pose(base.position_m, base.quaternion_xyzw),
        map_from_camera=Pose(camera.position_m, camera.quaternion_xyzw),
        width_px=lens.width_px,
        height_px=lens.height_px,
        intrinsics=None,
        image_path=frame.image_path.name,
    )
