"""Which part of a memory a question is about."""

from __future__ import annotations

import math
from dataclasses import dataclass

from memory_nodes.errors import InputError
from memory_nodes.geometry import Vector3
from memory_nodes.records import ItemKind, Keyframe, ObjectDescriptor
from memory_nodes.store.checks import check_unicode


@dataclass(frozen=True)
class Filter:
    """All of it must hold; None and empty = no bound."""

    since_ns: int | None = None
    until_ns: int | None = None
    """Both inclusive. What lasts longer (an object, an entity, a gist) need only overlap."""
    map_id: str = ""
    center_map_m: Vector3 | None = None
    radius_m: float = 0.0
    ignore_height: bool = False
    """The radius is that of an upright cylinder instead of a ball."""
    layers: tuple[str, ...] = ()
    """Only observations have a layer."""
    episode_id: str = ""
    """It and the episodes within it."""
    kinds: tuple[ItemKind, ...] = ()
    object_types: tuple[str, ...] = ()
    """Only objects have a type."""

    def __post_init__(self) -> None:
        for name in (self.map_id, self.episode_id, *self.layers, *self.object_types):
            check_unicode("filter", name)
        place_m = (*(self.center_map_m or ()), self.radius_m)
        if not all(map(math.isfinite, place_m)) or self.radius_m < 0.0:
            raise InputError(
                f"a filter around {self.center_map_m} with radius {self.radius_m} m: give finite "
                "numbers, and a radius of 0 or more"
            )
        if self.center_map_m is None and self.radius_m > 0.0:
            raise InputError(f"a radius of {self.radius_m} m around nothing: give center_map_m too")

    def accepts(self, keyframe: Keyframe) -> bool:
        """By the stamp and the map of a keyframe; places are those of objects."""
        return (
            (self.since_ns is None or keyframe.stamp_ns >= self.since_ns)
            and (self.until_ns is None or keyframe.stamp_ns <= self.until_ns)
            and (not self.map_id or keyframe.map_id == self.map_id)
        )

    def accepts_place(self, descriptor: ObjectDescriptor) -> bool:
        if self.center_map_m is None:
            return True
        position = descriptor.position
        return position is not None and self.accepts_point(position.point_m)

    def accepts_point(self, point_map_m: Vector3) -> bool:
        if self.center_map_m is None:
            return True
        axes = 2 if self.ignore_height else 3
        return math.dist(point_map_m[:axes], self.center_map_m[:axes]) <= self.radius_m
