"""A snapshot that follows the memory is what a fresh read of it gives, whatever happens."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memory_nodes.errors import InputError
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.records import ClearLook, ObjectDescriptor, ObjectStatus, Relation
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.editing.edits import Edit, Mark, Merge, Pin, Rename, Split, Undo
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.graph_changes import GraphChanges
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.full_memory import observation
from memory_test_support.records import descriptor, graph, keyframe, view

SEEDS, STEPS = 6, 60
SURE, UNSURE = 0.9, 0.2


class Life:
    """A memory to which anything may happen; what is refused has not happened."""

    def __init__(self, memory_dir: Path, dice: random.Random) -> None:
        self.writer, self.reader = Writer(memory_dir), Reader(memory_dir)
        self.dice = dice
        self.happened: set[str] = set()
        self._chunk_id, self._edits = 0, list[str]()

    def close(self) -> None:
        self.reader.close()
        self.writer.close()

    def step(self) -> None:
        steps: tuple[Callable[[], None], ...] = (
            *(self._see, self._see, self._see, self._look, self._look, self._edit, self._edit),
            *(self._undo, self._forget_object, self._forget_keyframe, self._observe),
        )
        chosen = self.dice.choice(steps)
        try:
            chosen()
        except (InputError, IndexError):  # refused, or there is nothing to choose from
            return
        self.happened.add(chosen.__name__)

    def _see(self) -> None:
        """Some known things and some new ones in two keyframes, a relation without a box, too."""
        self._chunk_id += 1
        first, last = 2 * self._chunk_id - 1, 2 * self._chunk_id
        known = [item.object_id for item in self.reader.objects()]
        names = self.dice.sample(known, min(len(known), 2))
        names += [f"thing_{100 * self._chunk_id + number}" for number in range(2)]
        objects = [self._seen(name, first, last) for name in names]
        pairs = [self.dice.sample(names, 2) for _ in range(3)]
        relations = [
            Relation(
                *(one, self.dice.choice(("on", "near")), other), (self.dice.choice((first, last)),)
            )
            for one, other in pairs
        ]
        taken = [keyframe(first), keyframe(last)]
        assert self.writer.commit_chunk(graph(self._chunk_id, taken, objects, relations))

    def _seen(self, name: str, *keyframe_ids: int) -> ObjectDescriptor:
        shown = self.dice.sample(keyframe_ids, self.dice.randint(1, len(keyframe_ids)))
        sure = self.dice.choice((SURE, UNSURE))
        views = [replace(view(number), confidence=sure) for number in sorted(shown)]
        return descriptor(name, *views, color=self.dice.choice(("red", "blue")))

    def _look(self) -> None:
        """A clear look at the place of what may never have been."""
        doubtful = [
            item.object_id
            for item in self.reader.objects()
            if [seen.confidence for seen in item.views] == [UNSURE] and not item.is_pinned
        ]
        name = self.dice.choice(doubtful)
        self._chunk_id += 1
        shown_by = keyframe(2 * self._chunk_id)
        looks = (ClearLook(name, shown_by.keyframe_id),)
        empty = graph(self._chunk_id, [shown_by], [])
        assert self.writer.commit_chunk(replace(empty, clear_looks=looks))
        (looked_at,) = self.reader.objects([name])
        if looked_at.status == ObjectStatus.EXPIRED:
            self.happened.add("expired")

    def _edit(self) -> None:
        one, other = (self.dice.choice(self.reader.objects()) for _ in range(2))
        shown = tuple(seen.keyframe_id for seen in one.views)
        edit: Edit = self.dice.choice(
            (
                *(Merge(one.object_id, (other.object_id,)), Split(one.object_id, shown[:1])),
                *(Rename(one.object_id, "mine"), Pin(one.object_id)),
                Mark(one.object_id, ObjectStatus.MISSING),
            )
        )
        self._edits.append(self.writer.edit(edit, 1).event_id)
        self.happened.add(type(edit).__name__)

    def _undo(self) -> None:
        event_id = self._edits.pop()
        self.writer.edit(Undo(event_id), 2)

    def _forget_object(self) -> None:
        self.writer.forget(Forget((self.dice.choice(self.reader.objects()).object_id,)))

    def _forget_keyframe(self) -> None:
        if self.dice.random() < 0.5:  # everything is read anew after it
            raise IndexError
        chosen = self.dice.choice(self.reader.keyframes())
        self.writer.forget(Forget((f"keyframe_{chosen.keyframe_id}",)))

    def _observe(self) -> None:
        self.writer.add(observation(f"number {self.dice.randrange(9)}"))


def _fresh(reader: Reader) -> Snapshot:
    """From everything, as it is on disk."""
    objects, relations, keyframes = reader.graph()
    living = [item for item in objects if item.status != ObjectStatus.EXPIRED]
    ids = {item.object_id for item in living}
    return Snapshot(
        tuple(living),
        tuple(item for item in relations if {item.subject_id, item.object_id} <= ids),
        {item.keyframe_id: item for item in keyframes},
    )


def test_snapshot_and_graph_that_follow_are_those_of_a_fresh_read(tmp_path: Path) -> None:
    happened: set[str] = set()
    for seed in range(SEEDS):
        life = Life(tmp_path / str(seed), random.Random(seed))
        _follow(life)
        life.close()
        happened |= life.happened
    assert happened >= {
        *("_see", "_observe", "_forget_object", "_forget_keyframe", "_undo", "expired"),
        *("Merge", "Split", "Rename", "Pin", "Mark"),
    }


def _follow(life: Life) -> None:
    snapshots = SnapshotCache(life.reader)
    for _ in range(STEPS):
        life.step()
        if life.dice.random() < 0.3:
            continue  # several commits may come between two looks
        fresh = _fresh(life.reader)
        assert snapshots.current() == fresh
        with snapshots.graph() as scene:
            assert scene == SceneGraph(fresh.objects, fresh.relations, fresh.keyframes.values())


class _WatchedReader(Reader):
    """Keeps what it gave."""

    def __init__(self, memory_dir: Path) -> None:
        super().__init__(memory_dir)
        self.given: list[GraphChanges] = []

    def graph_changed_since(self, sequence: int, last_keyframe_id: int) -> GraphChanges:
        self.given.append(super().graph_changed_since(sequence, last_keyframe_id))
        return self.given[-1]


def test_only_what_a_commit_has_changed_is_read(tmp_path: Path) -> None:
    writer, reader = Writer(tmp_path), _WatchedReader(tmp_path)
    snapshots = SnapshotCache(reader)
    names = ("mug_1", "desk_1", "lamp_1")
    things = [descriptor(name, view(1)) for name in names]
    near = [Relation("mug_1", "near", "desk_1", (1,)), Relation("desk_1", "near", "lamp_1", (1,))]
    writer.commit_chunk(graph(1, [keyframe(1)], things, near))
    before = snapshots.current()
    writer.commit_chunk(graph(2, [keyframe(2)], [descriptor("mug_1", view(2))]))
    now = snapshots.current()
    newest = reader.given[-1]
    assert [item.object_id for item in newest.objects.values()] == ["mug_1"]
    assert list(newest.relations.values()) == near[:1]
    assert [item.keyframe_id for item in newest.keyframes] == [2]
    assert now.objects_by_id["lamp_1"] is before.objects_by_id["lamp_1"]
    assert list(before.objects_by_keyframe) == [1]  # what was given stays as it was


def test_commit_that_changes_nothing_of_the_graph_leaves_the_snapshot(tmp_path: Path) -> None:
    writer, snapshots = Writer(tmp_path), SnapshotCache(Reader(tmp_path))
    writer.commit_chunk(graph(1, [keyframe(1)], [descriptor("mug_1", view(1))]))
    before = snapshots.current()
    writer.add(observation("a parcel"))
    assert snapshots.current() is before


def test_keyframe_that_was_forgotten_leaves_no_relation_that_it_alone_showed(
    tmp_path: Path,
) -> None:
    """A relation may be of a keyframe in which neither of its objects has a box."""
    writer, snapshots = Writer(tmp_path), SnapshotCache(Reader(tmp_path))
    things = [descriptor(name, view(1)) for name in ("mug_1", "desk_1")]
    on = Relation("mug_1", "on", "desk_1", (2,))
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2)], things, [on]))
    assert snapshots.current().relations == (on,)
    writer.forget(Forget(("keyframe_2",)))
    assert snapshots.current().relations == ()
    assert list(snapshots.current().keyframes) == [1]


def test_graph_answers_what_is_where_after_each_commit(tmp_path: Path) -> None:
    writer, snapshots = Writer(tmp_path), SnapshotCache(Reader(tmp_path))
    things = [descriptor(name, view(1)) for name in ("mug_1", "desk_1")]
    on = Relation("mug_1", "on", "desk_1", (1,))
    writer.commit_chunk(graph(1, [keyframe(1)], things, [on]))
    with snapshots.graph() as scene:
        assert list(scene.related("on", "desk_1")) == ["mug_1"]
    lamp = [descriptor(name, view(2)) for name in ("lamp_1", "desk_1")]
    writer.commit_chunk(graph(2, [keyframe(2)], lamp, [Relation("lamp_1", "on", "desk_1", (2,))]))
    with snapshots.graph() as scene:
        assert list(scene.related("on", "desk_1")) == ["lamp_1", "mug_1"]
        assert scene.co_occurrence("desk_1") == {"lamp_1": 1, "mug_1": 1}
        assert len(scene.keyframe_subgraph(2)) == 2
