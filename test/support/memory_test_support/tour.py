"""The recorded walking tour and its hand annotation, as plain records."""

from __future__ import annotations

import csv
import functools
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from memory_test_support.poses import Pose, floor_projection, make_pose

SOURCE_STEP_NS = 200_000_000  # the tour's README: stamp = source index * 0.2 s


@dataclass(frozen=True)
class Intrinsics:
    """A pinhole camera without distortion, pixels."""

    width_px: int
    height_px: int
    fx_px: float
    fy_px: float
    cx_px: float
    cy_px: float


@dataclass(frozen=True)
class TourFrame:
    """One picture of the walk; world is z-up with the floor at z = 0, metres."""

    index: int
    image_path: Path
    depth_path: Path
    stamp_ns: int
    world_from_optical: Pose

    @property
    def world_from_base(self) -> Pose:
        """The base under the camera: the camera projected on the floor."""
        return floor_projection(self.world_from_optical)


@dataclass(frozen=True)
class View:
    """Where an instance shows in a frame: box x0, y0, x1, y1 in pixels of the tour's images."""

    instance_id: str
    box_px: tuple[float, float, float, float]
    visible: str


@dataclass(frozen=True)
class Instance:
    """One physical object; position of its centre in the world, metres."""

    instance_id: str
    kind: str
    description: str
    place: str
    salience: str
    affordances: tuple[str, ...]
    position_m: tuple[float, float, float]
    position_uncertainty_m: float


@dataclass(frozen=True)
class Relation:
    """A spatial relation between two instances and the frames in which both show."""

    subject_id: str
    predicate: str
    object_id: str
    frames: tuple[int, ...]


@dataclass(frozen=True)
class Look:
    """How a model might word things that look alike: (type, description) variants, no places."""

    members: tuple[str, ...]
    variants: tuple[tuple[str, str], ...]
    colors: tuple[str, ...]
    materials: tuple[str, ...]
    size: str
    states: tuple[str, ...]


@dataclass(frozen=True)
class Question:
    """A public question; ground_truth_frames are the frames that answer it."""

    question_id: str
    kind: str
    text: str
    paraphrase: str
    answer: str
    answer_keywords: tuple[str, ...]
    target_ids: tuple[str, ...]
    ground_truth_frames: tuple[int, ...]
    answerable: bool


@dataclass(frozen=True)
class Tour:
    """The walk: frames in order of their stamps."""

    frames: tuple[TourFrame, ...]
    intrinsics: Intrinsics


@dataclass(frozen=True)
class Truth:
    """The hand annotation of the walk; views are indexed by frame."""

    instances: dict[str, Instance]
    views: tuple[tuple[View, ...], ...]
    relations: tuple[Relation, ...]
    questions: dict[str, Question]
    looks: tuple[Look, ...]


def tour_directory() -> Path:
    """The tour of the source tree, else the installed one.

    Raises: FileNotFoundError when neither is there.
    """
    source = Path(__file__).resolve().parents[2] / "data" / "tour"
    if source.is_dir():
        return source
    # An install prefix, searched by hand so that no ROS is needed to look.
    for prefix in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep):
        installed = Path(prefix) / "share" / "robot_memory" / "test_data" / "tour"
        if prefix and installed.is_dir():
            return installed
    raise FileNotFoundError(f"no tour at {source} nor under a prefix of AMENT_PREFIX_PATH")


@functools.cache
def load_tour() -> Tour:
    """All frames with poses and intrinsics; the images stay on disk."""
    directory = tour_directory()
    with (directory / "poses.csv").open(newline="", encoding="utf-8") as rows:
        frames = tuple(
            _frame(directory, index, row) for index, row in enumerate(csv.DictReader(rows))
        )
    data = json.loads((directory / "intrinsics.json").read_text(encoding="utf-8"))
    size = (int(data["width"]), int(data["height"]))
    return Tour(frames, Intrinsics(*size, data["fx"], data["fy"], data["cx"], data["cy"]))


def _frame(directory: Path, index: int, row: dict[str, str]) -> TourFrame:
    stem = Path(row["file"]).stem
    position = np.array([float(row[name]) for name in ("x", "y", "z")])
    quaternion = np.array([float(row[name]) for name in ("qx", "qy", "qz", "qw")])
    return TourFrame(
        index=index,
        image_path=directory / "rgb" / row["file"],
        depth_path=directory / "depth" / f"{stem}.png",
        stamp_ns=int(row["src_index"]) * SOURCE_STEP_NS,
        world_from_optical=make_pose(position, quaternion),
    )


@functools.cache
def load_truth() -> Truth:
    """Instances, boxes, relations, questions and wordings of the annotation."""
    directory = tour_directory() / "truth"

    def read(name: str) -> Any:
        return json.loads((directory / name).read_text(encoding="utf-8"))

    instances = [_instance(entry) for entry in read("instances.json")]
    questions = read_questions(directory / "questions.json")
    return Truth(
        instances={instance.instance_id: instance for instance in instances},
        views=tuple(
            tuple(_view(entry) for entry in frame["objects"])
            for frame in sorted(read("views.json")["frames"], key=lambda frame: frame["frame"])
        ),
        relations=tuple(
            Relation(entry["subject"], entry["predicate"], entry["object"], tuple(entry["frames"]))
            for entry in read("relations.json")
        ),
        questions={question.question_id: question for question in questions},
        looks=tuple(_look(entry) for entry in read("looks.json")),
    )


def read_questions(path: Path) -> list[Question]:
    """The questions of a file in the form of the annotation's."""
    return [_question(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def _instance(entry: dict[str, Any]) -> Instance:
    position = entry["position"]
    return Instance(
        instance_id=entry["id"],
        kind=entry["type"],
        description=entry["description"],
        place=entry["place"],
        salience=entry["salience"],
        affordances=tuple(entry["attributes"]["affordances"]),
        position_m=(position["x"], position["y"], position["z"]),
        position_uncertainty_m=entry["position_uncertainty_m"],
    )


def _view(entry: dict[str, Any]) -> View:
    x0, y0, x1, y1 = (float(value) for value in entry["bbox"])
    return View(entry["id"], (x0, y0, x1, y1), entry["visible_fraction"])


def _question(entry: dict[str, Any]) -> Question:
    return Question(
        question_id=entry["id"],
        kind=entry["type"],
        text=entry["question"],
        paraphrase=entry["paraphrase"],
        answer=entry["answer"],
        answer_keywords=tuple(entry["answer_keywords"]),
        target_ids=tuple(entry["target_ids"]),
        ground_truth_frames=tuple(entry["ground_truth_frames"]),
        answerable=entry["answerable"],
    )


def _look(entry: dict[str, Any]) -> Look:
    return Look(
        members=tuple(entry["members"]),
        variants=tuple((kind, description) for kind, description in entry["variants"]),
        colors=tuple(entry["color"]),
        materials=tuple(entry["material"]),
        size=entry["size"],
        states=tuple(entry["state"]),
    )
