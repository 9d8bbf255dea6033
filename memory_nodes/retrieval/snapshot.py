"""The graph as it was at one commit, kept in memory until the next one."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, takewhile

from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.records import (
    AttributeValue,
    Change,
    Keyframe,
    ObjectDescriptor,
    ObjectView,
    Relation,
)
from memory_nodes.retrieval.graph_index import GraphIndex
from memory_nodes.retrieval.graph_tables import GraphTables
from memory_nodes.store.filters import Filter
from memory_nodes.store.graph_changes import GraphChanges
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
        self._set(
            objects_by_id=_by_id(self.objects),
            objects_by_keyframe={key: tuple(items) for key, items in shown.items()},
            relations_by_subject={key: tuple(items) for key, items in of_subject.items()},
        )

    @classmethod
    def of_tables(cls, tables: GraphTables) -> Snapshot:
        """As the tables are now: they may change afterwards."""
        objects, of_subject = tables.objects, tables.relations_by_subject
        told = (of_subject.get(item.object_id, ()) for item in objects)
        made = cls.__new__(cls)
        made._set(
            objects=objects,
            relations=tuple(chain.from_iterable(told)),
            keyframes=tables.keyframes.copy(),
            objects_by_id=_by_id(objects),
            objects_by_keyframe=tables.objects_by_keyframe.copy(),
            relations_by_subject=of_subject.copy(),
        )
        return made

    def _set(self, **fields: object) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @cached_property
    def index(self) -> GraphIndex:
        """Made when the first question needs it."""
        return GraphIndex.of(self.objects, self.relations)

    @property
    def newest(self) -> Keyframe | None:
        """The newest keyframe."""
        return max(self.keyframes.values(), key=lambda item: item.stamp_ns, default=None)

    def last_place(self, map_id: str) -> Keyframe | None:
        """The newest keyframe of a map that tells where the robot was."""
        known = (
            item
            for item in self.keyframes.values()
            if item.map_id == map_id and item.is_localized and item.map_from_base.is_valid
        )
        return max(known, key=lambda item: item.keyframe_id, default=None)

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

    def holds(self, relation: Relation) -> bool:
        """Whether it was seen since the objects at its ends were moved last, if they were."""
        ends = (self.objects_by_id.get(end) for end in (relation.subject_id, relation.object_id))
        since = (
            end.placed_since
            for end in ends
            if end is not None and end.views[-1].keyframe_id >= end.placed_since
        )
        return max(relation.keyframe_ids) >= max(since, default=0)

    def _placed_on(self, map_id: str) -> Callable[[ObjectDescriptor], ObjectDescriptor]:
        """Takes away positions of another map: they are of the map of the newest view."""

        def placed(descriptor: ObjectDescriptor) -> ObjectDescriptor:
            newest = self.keyframes[descriptor.views[-1].keyframe_id]
            return descriptor if newest.map_id == map_id else replace(descriptor, position=None)

        return placed if map_id else lambda descriptor: descriptor


def _by_id(objects: tuple[ObjectDescriptor, ...]) -> dict[str, ObjectDescriptor]:
    by_alias = {alias: item for item in objects for alias in item.aliases}
    return by_alias | {item.object_id: item for item in objects}


def _seen_in(
    descriptor: ObjectDescriptor, views: tuple[ObjectView, ...], keyframes: Mapping[int, Keyframe]
) -> ObjectDescriptor:
    """The object as if only these views were known; it was then as it was said to be."""
    last_seen_ns = keyframes[views[-1].keyframe_id].stamp_ns
    history = {
        name: _until(last_seen_ns, values) for name, values in descriptor.attribute_history.items()
    }
    then = {name: values[-1].value for name, values in history.items()}
    return replace(
        descriptor,
        attributes={**descriptor.attributes, **then},
        attribute_history=history,
        views=views,
        first_seen_ns=keyframes[views[0].keyframe_id].stamp_ns,
        last_seen_ns=last_seen_ns,
        view_count=len(views),
    )


def _until(stamp_ns: int, values: tuple[AttributeValue, ...]) -> tuple[AttributeValue, ...]:
    """The first value and those that followed it up to a stamp."""
    later = takewhile(lambda item: item.since_ns is None or item.since_ns <= stamp_ns, values[1:])
    return (*values[:1], *later)


class SnapshotCache:
    """The newest snapshot: of each commit only what it changed is read. Safe in threads.

    It has no expired objects. All of it raises StoreMissing while there is no memory.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._lock = threading.RLock()
        self._sequence = -1
        self._tables = GraphTables()
        self._snapshot = Snapshot((), (), {})
        self._scene: SceneGraph | None = None

    def changes(self, since_ns: int, until_ns: int, map_id: str) -> list[Change]:
        """As Reader.changes."""
        return self._reader.changes(since_ns, until_ns, map_id)

    def current(self) -> Snapshot:
        """As of the newest commit; the same one until something in it has changed."""
        with self._lock:
            self._follow()
            return self._snapshot

    @contextmanager
    def graph(self, wanted: Filter | None = None) -> Iterator[SceneGraph]:
        """The same as a graph, for neighbours, paths, and all that a keyframe shows.

        It is made when it is asked for first and follows each commit from then on, but not within
        the block, in which other threads wait. It is not to be changed. With a filter it is of
        that part alone, and made anew each time.
        """
        if wanted is not None and wanted != Filter():
            part = self.current().filtered(wanted)
            yield SceneGraph(part.objects, part.relations, part.keyframes.values())
            return
        with self._lock:
            self._follow()
            if self._scene is None:
                now = self._snapshot
                self._scene = SceneGraph(now.objects, now.relations, now.keyframes.values())
            yield self._scene

    def _follow(self) -> None:
        changes = self._changes()
        if not changes.is_empty:
            scene, self._scene = self._scene, None
            left = self._tables.ids_of((*changes.gone_keys, *changes.objects))
            self._tables.take(changes)
            self._snapshot = Snapshot.of_tables(self._tables)
            if scene is not None and not changes.is_whole:
                scene.remove(left)
                relations = self._tables.known(changes.relations)
                scene.update(changes.objects.values(), relations, changes.keyframes)
                self._scene = scene
        self._sequence = changes.sequence

    def _changes(self) -> GraphChanges:
        """Everything where a keyframe was forgotten: that leaves traces in what did not change."""
        known = self._tables.keyframes
        last_keyframe_id = next(reversed(known), -1)
        changes = self._reader.graph_changed_since(self._sequence, last_keyframe_id)
        fresh = sum(item.keyframe_id not in known for item in changes.keyframes)
        is_level = len(known) + fresh == changes.keyframe_count
        if changes.is_whole or changes.sequence == self._sequence or is_level:
            return changes
        return self._reader.graph_changed_since(-1, -1)
