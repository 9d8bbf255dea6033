"""The graph as it was at one commit, kept in memory until the next one."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from memory_nodes.records import (
    Change,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
    ObjectView,
    Relation,
)
from memory_nodes.retrieval.graph_index import GraphIndex
from memory_nodes.store.filters import Filter
from memory_nodes.store.reader import Reader


@dataclass(frozen=True)
class Snapshot:
    """Objects, relations and keyframes that belong together."""

    objects: tuple[ObjectDescriptor, ...]
    relations: tuple[Relation, ...]
    keyframes: Mapping[int, Keyframe]
    objects_by_id: Mapping[str, ObjectDescriptor] = field(init=False, repr=False)
    """Also by the ids of objects that were merged into them."""
    objects_by_keyframe: Mapping[int, tuple[ObjectDescriptor, ...]] = field(init=False, repr=False)
    relations_by_subject: Mapping[str, tuple[Relation, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shown: dict[int, list[ObjectDescriptor]] = defaultdict(list)
        for descriptor in self.objects:
            for view in descriptor.views:
                shown[view.keyframe_id].append(descriptor)
        of_subject: dict[str, list[Relation]] = defaultdict(list)
        for relation in self.relations:
            of_subject[relation.subject_id].append(relation)
        by_id = {descriptor.object_id: descriptor for descriptor in self.objects}
        by_alias = {alias: item for item in self.objects for alias in item.aliases}
        object.__setattr__(self, "objects_by_id", by_alias | by_id)
        object.__setattr__(
            self, "objects_by_keyframe", {key: tuple(items) for key, items in shown.items()}
        )
        object.__setattr__(
            self, "relations_by_subject", {key: tuple(items) for key, items in of_subject.items()}
        )

    @cached_property
    def index(self) -> GraphIndex:
        """Made when the first question needs it."""
        return GraphIndex.of(self.objects, self.relations)

    def filtered(self, wanted: Filter) -> Snapshot:
        """Only the part that a question is about."""
        if wanted == Filter():
            return self
        keyframes = {key: item for key, item in self.keyframes.items() if wanted.accepts(item)}
        objects = tuple(
            _seen_in(descriptor, views, keyframes)
            for descriptor in map(self._placed_on(wanted.map_id), self.objects)
            if wanted.accepts_place(descriptor)
            and (views := tuple(v for v in descriptor.views if v.keyframe_id in keyframes))
        )
        kept = {descriptor.object_id for descriptor in objects}
        relations = tuple(
            replace(relation, keyframe_ids=shown)
            for relation in self.relations
            if {relation.subject_id, relation.object_id} <= kept
            and (shown := tuple(key for key in relation.keyframe_ids if key in keyframes))
        )
        return Snapshot(objects, relations, keyframes)

    def _placed_on(self, map_id: str) -> Callable[[ObjectDescriptor], ObjectDescriptor]:
        """Takes away positions of another map: they are of the map of the newest view."""

        def placed(descriptor: ObjectDescriptor) -> ObjectDescriptor:
            newest = self.keyframes[descriptor.views[-1].keyframe_id]
            return descriptor if newest.map_id == map_id else replace(descriptor, position=None)

        return placed if map_id else lambda descriptor: descriptor


def _seen_in(
    descriptor: ObjectDescriptor, views: tuple[ObjectView, ...], keyframes: Mapping[int, Keyframe]
) -> ObjectDescriptor:
    """The object as if only these views were known."""
    return replace(
        descriptor,
        views=views,
        first_seen_ns=keyframes[views[0].keyframe_id].stamp_ns,
        last_seen_ns=keyframes[views[-1].keyframe_id].stamp_ns,
        view_count=len(views),
    )


class SnapshotCache:
    """The newest snapshot, read again only when the memory has changed. Safe in threads."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._lock = threading.Lock()
        self._sequence = -1
        self._snapshot = Snapshot((), (), {})

    def changes(self, since_ns: int, until_ns: int, map_id: str) -> list[Change]:
        """As Reader.changes."""
        return self._reader.changes(since_ns, until_ns, map_id)

    def current(self) -> Snapshot:
        """Without expired objects. Raises StoreMissing while there is no memory."""
        with self._lock:
            sequence = self._reader.counts().sequence
            if sequence != self._sequence:
                objects, relations, keyframes = self._reader.graph()
                living = [item for item in objects if item.status != ObjectStatus.EXPIRED]
                ids = {item.object_id for item in living}
                self._snapshot = Snapshot(
                    tuple(living),
                    tuple(item for item in relations if {item.subject_id, item.object_id} <= ids),
                    {keyframe.keyframe_id: keyframe for keyframe in keyframes},
                )
                self._sequence = sequence
            return self._snapshot
