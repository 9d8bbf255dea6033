"""The graph of a memory in tables, kept level with it change by change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from memory_nodes.records import Keyframe, ObjectDescriptor, Relation
from memory_nodes.store.graph_changes import GraphChanges, RelationKey


class GraphTables:
    """Objects that have not expired, the relations between them, and all keyframes.

    What hangs on it is made anew only where something has changed. Not safe in threads.
    """

    def __init__(self) -> None:
        self._clear()

    @property
    def objects(self) -> tuple[ObjectDescriptor, ...]:
        """Ascending by time of creation."""
        return tuple(self._objects[key] for key in sorted(self._objects))

    def ids_of(self, object_keys: Iterable[int]) -> list[str]:
        """Of those of the objects that are known."""
        return [self._objects[key].object_id for key in object_keys if key in self._objects]

    def known(self, relations: Mapping[RelationKey, Relation]) -> list[Relation]:
        """Those of the relations that were taken."""
        return [relation for key, relation in relations.items() if key in self._relations]

    def take(self, changes: GraphChanges) -> None:
        """Takes the changes over."""
        if changes.is_whole:
            self._clear()
        for key in (*changes.gone_keys, *changes.objects):
            self._remove(key)
        self.keyframes.update({item.keyframe_id: item for item in changes.keyframes})
        for key, item in changes.objects.items():
            self._objects[key] = item
            for view in item.views:
                self._shown[view.keyframe_id].add(key)
                self._stale_keyframes.add(view.keyframe_id)
        for relation_key, relation in changes.relations.items():
            self._add_relation(relation_key, relation)
        self._refresh()

    def _clear(self) -> None:
        self.keyframes: dict[int, Keyframe] = {}
        self.objects_by_keyframe: dict[int, tuple[ObjectDescriptor, ...]] = {}
        self.relations_by_subject: dict[str, tuple[Relation, ...]] = {}
        self._objects: dict[int, ObjectDescriptor] = {}
        self._shown: defaultdict[int, set[int]] = defaultdict(set)
        self._relations: dict[RelationKey, Relation] = {}
        self._relations_at: defaultdict[int, set[RelationKey]] = defaultdict(set)
        self._stale_keyframes: set[int] = set()
        self._stale_subjects: set[int] = set()

    def _add_relation(self, key: RelationKey, relation: Relation) -> None:
        subject, _, other = key
        if subject in self._objects and other in self._objects:
            self._relations[key] = relation
            self._stale_subjects.add(subject)
            for end in (subject, other):
                self._relations_at[end].add(key)

    def _remove(self, object_key: int) -> None:
        """With its relations; nothing where it is not known."""
        item = self._objects.pop(object_key, None)
        if item is None:
            return
        for view in item.views:
            self._shown[view.keyframe_id].discard(object_key)
            self._stale_keyframes.add(view.keyframe_id)
        self.relations_by_subject.pop(item.object_id, None)
        for key in self._relations_at.pop(object_key, ()):
            del self._relations[key]
            for end in {key[0], key[2]} - {object_key}:
                self._relations_at[end].discard(key)
            self._stale_subjects.add(key[0])

    def _refresh(self) -> None:
        for keyframe_id in self._stale_keyframes:
            shown = sorted(self._shown[keyframe_id])
            self.objects_by_keyframe[keyframe_id] = tuple(self._objects[key] for key in shown)
            if not shown:
                del self.objects_by_keyframe[keyframe_id]
        for subject in self._stale_subjects & self._objects.keys():
            object_id = self._objects[subject].object_id
            of_it = sorted(key for key in self._relations_at[subject] if key[0] == subject)
            self.relations_by_subject[object_id] = tuple(self._relations[key] for key in of_it)
            if not of_it:
                del self.relations_by_subject[object_id]
        self._stale_keyframes.clear()
        self._stale_subjects.clear()
