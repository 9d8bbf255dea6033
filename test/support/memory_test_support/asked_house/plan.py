"""A house of spots: a piece of furniture with things on it, and the keyframes that show it."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_nodes.geometry import Pose
from memory_nodes.records import Box, Keyframe, ObjectDescriptor, ObjectView, Relation
from memory_test_support.asked_house.kinds import COLORS, FURNITURE, THINGS, Kind
from memory_test_support.records import keyframe

WIDTH_PX, HEIGHT_PX = 640, 480
THINGS_PER_SPOT = 9
KINDS_PER_HOUSE = 42
"""The others are absent: questions about them have no answer."""
_SEEN_SHARE = 0.85
_SPOT_SPACING_M = 3.0
_STEP_S = 2.0


@dataclass(frozen=True)
class Spot:
    """The first object is the furniture, the others stand on it from left to right."""

    object_ids: tuple[str, ...]
    keyframe_ids: tuple[int, ...]


@dataclass(frozen=True)
class AskedHouse:
    """What a memory would hold of a house, without error, and what is true of it."""

    objects: tuple[ObjectDescriptor, ...]
    relations: tuple[Relation, ...]
    keyframes: tuple[Keyframe, ...]
    spots: tuple[Spot, ...]
    kind_of: dict[str, Kind]
    absent: tuple[Kind, ...]


def build(seed: int, objects: int, keyframes: int, *, has_distractors: bool) -> AskedHouse:
    """A house with about so many objects and exactly so many keyframes.

    With distractors each thing may have a twin of its kind in another colour beside it; without,
    a spot has each kind once.
    """
    chance = random.Random(seed)
    kinds = chance.sample(THINGS, KINDS_PER_HOUSE)
    count = max(1, round(objects / (THINGS_PER_SPOT + 1)))
    counters: dict[str, int] = {}
    spots: list[Spot] = []
    made: list[ObjectDescriptor] = []
    kind_of: dict[str, Kind] = {}
    for number in range(count):
        furniture = FURNITURE[number % len(FURNITURE)]
        placed = [furniture, *_things(chance, kinds, has_distractors)]
        items = [_object(chance, kind, counters) for kind in placed]
        kind_of.update(zip((item.object_id for item in items), placed, strict=True))
        made += items
        shown = range(1 + number * keyframes // count, 1 + (number + 1) * keyframes // count)
        spots.append(Spot(tuple(item.object_id for item in items), tuple(shown)))
    walk = tuple(_keyframe(key, spots) for key in range(1, keyframes + 1))
    views = _views(chance, spots)
    seen = tuple(_seen(item, views[item.object_id], walk) for item in made)
    absent = tuple(kind for kind in THINGS if kind not in kinds)
    return AskedHouse(seen, tuple(_relations(spots, views)), walk, tuple(spots), kind_of, absent)


def _things(chance: random.Random, kinds: Sequence[Kind], has_distractors: bool) -> list[Kind]:
    if not has_distractors:
        return chance.sample(kinds, THINGS_PER_SPOT)
    singles = chance.sample(kinds, THINGS_PER_SPOT - THINGS_PER_SPOT // 3)
    return singles + singles[: THINGS_PER_SPOT // 3]


def _object(chance: random.Random, kind: Kind, counters: dict[str, int]) -> ObjectDescriptor:
    name = kind.name.replace(" ", "_")
    counters[name] = counters.get(name, 0) + 1
    color = chance.choice(COLORS)
    return ObjectDescriptor(
        object_id=f"{name}_{counters[name]}",
        type=kind.name,
        description=f"a {color} {kind.name} {kind.detail}",
        attributes={"color": color, "material": kind.material},
        affordances=(kind.affordance,) if kind.affordance else (),
    )


def _keyframe(keyframe_id: int, spots: Sequence[Spot]) -> Keyframe:
    """Before the spot that it shows."""
    spot = next(i for i, spot in enumerate(spots) if keyframe_id in spot.keyframe_ids)
    return keyframe(
        keyframe_id,
        stamp_s=_STEP_S * keyframe_id,
        base=Pose.planar(_SPOT_SPACING_M * spot, 0.2 * (keyframe_id % 5), 0.0),
        size_px=(WIDTH_PX, HEIGHT_PX),
    )


def _views(chance: random.Random, spots: Sequence[Spot]) -> dict[str, list[ObjectView]]:
    """Each keyframe shows most of its spot, near or far, and the edge of the next one."""
    views: dict[str, list[ObjectView]] = {key: [] for spot in spots for key in spot.object_ids}
    for number, spot in enumerate(spots):
        beside = spots[number + 1].object_ids[:3] if number + 1 < len(spots) else ()
        for keyframe_id in spot.keyframe_ids:
            scale = chance.uniform(0.4, 1.2)
            for place, object_id in enumerate(spot.object_ids):
                if place == 0 or chance.random() < _SEEN_SHARE:
                    view = ObjectView(keyframe_id, _box(chance, place, scale))
                    views[object_id].append(view)
            for object_id in beside:
                views[object_id].append(ObjectView(keyframe_id, _sliver(chance)))
        for object_id in spot.object_ids:
            if not any(view.keyframe_id in spot.keyframe_ids for view in views[object_id]):
                place = spot.object_ids.index(object_id)
                view = ObjectView(spot.keyframe_ids[0], _box(chance, place, 1.0))
                views[object_id].append(view)
    return {key: sorted(found, key=lambda view: view.keyframe_id) for key, found in views.items()}


def _box(chance: random.Random, place: int, scale: float) -> Box:
    """Furniture fills the lower part, things stand side by side above it."""
    if place == 0:
        half_px = 280.0 * min(1.0, scale)
        return Box(320.0 - half_px, 260.0, 320.0 + half_px, 260.0 + 180.0 * min(1.0, scale))
    side_px = chance.uniform(40.0, 64.0) * scale
    x_px = 40.0 + 60.0 * (place - 1)
    return Box(x_px, 250.0 - side_px, x_px + side_px, 250.0)


def _sliver(chance: random.Random) -> Box:
    """At the edge of the picture."""
    height_px = chance.uniform(10.0, 40.0)
    return Box(WIDTH_PX - 8.0, 240.0 - height_px, float(WIDTH_PX), 240.0)


def _seen(
    item: ObjectDescriptor, views: Sequence[ObjectView], walk: Sequence[Keyframe]
) -> ObjectDescriptor:
    stamps_ns = [walk[view.keyframe_id - 1].stamp_ns for view in views]
    return replace(
        item,
        views=tuple(views),
        first_seen_ns=stamps_ns[0],
        last_seen_ns=stamps_ns[-1],
        view_count=len(views),
    )


def _relations(spots: Sequence[Spot], views: dict[str, list[ObjectView]]) -> list[Relation]:
    """Things are on their furniture, and each is next to the one on its right."""
    found = []
    for spot in spots:
        furniture, *things = spot.object_ids
        pairs = [(thing, "on", furniture) for thing in things]
        pairs += [(left, "next to", right) for left, right in itertools.pairwise(things)]
        for subject, predicate, other in pairs:
            shown = _keyframes_of(views[subject]) & _keyframes_of(views[other])
            if shown:
                found.append(Relation(subject, predicate, other, tuple(sorted(shown))))
    return found


def _keyframes_of(views: Sequence[ObjectView]) -> set[int]:
    return {view.keyframe_id for view in views}
