"""A graph that is stored chunk by chunk is the same graph."""

from __future__ import annotations

from pathlib import Path

from benchmark.retrieval.memory import true_tour
from benchmark.stored_graph import store
from memory_nodes.records import Relation
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer


def _views(snapshot: Snapshot) -> dict[str, set[int]]:
    return {item.object_id: {view.keyframe_id for view in item.views} for item in snapshot.objects}


def _shown_together(relation: Relation, views: dict[str, set[int]]) -> set[int]:
    return set(relation.keyframe_ids) & views[relation.subject_id] & views[relation.object_id]


def test_stored_tour_has_its_objects_and_relations(tmp_path: Path) -> None:
    tour = true_tour(None).snapshot
    writer = Writer(tmp_path)
    store(tour, writer)
    writer.close()
    reader = Reader(tmp_path)
    stored = SnapshotCache(reader).current()
    reader.close()
    assert _views(stored) == _views(tour)
    assert stored.keyframes.keys() == tour.keyframes.keys()
    told = {(item.subject_id, item.predicate, item.object_id) for item in stored.relations}
    views = _views(tour)
    assert told >= {
        (item.subject_id, item.predicate, item.object_id)
        for item in tour.relations
        if _shown_together(item, views)
    }
