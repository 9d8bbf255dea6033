"""The only writer: what it stores it announces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from robot_memory.msg import ChunkGraph as ChunkGraphMsg
from robot_memory.msg import Episode, Observation, StoreUpdate
from robot_memory.msg import ObjectDescriptor as ObjectDescriptorMsg
from robot_memory.srv import (
    AddObservation,
    EditObject,
    EndEpisode,
    ExportMemory,
    ForgetMemory,
    GetStats,
    StartEpisode,
)

from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.records import NS_PER_S, ChunkGraph
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import graph_to_msg
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_test_support.model_server import ModelServer
from memory_test_support.model_server.embedding import embed
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import descriptor, graph, keyframe, view


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        made.start(EpisodicNode)
        yield made


def chunk(chunk_id: int) -> ChunkGraph:
    return graph(chunk_id, [keyframe(chunk_id)], [descriptor("mug_1", view(chunk_id))])


def test_chunk_is_stored_and_announced(bench: NodeBench) -> None:
    updates = bench.heard(StoreUpdate, endpoints.STORE_UPDATES, endpoints.LATCHED)
    graphs = bench.publisher(ChunkGraphMsg, endpoints.CHUNK_GRAPHS)
    graphs.publish(graph_to_msg(chunk(1)))
    bench.until(lambda: bool(updates) and updates[-1].last_chunk_id == 1, "the announcement")
    stored = Reader(bench.memory_dir).objects()
    assert [item.object_id for item in stored] == ["mug_1"]


def test_chunk_that_comes_twice_is_stored_once_and_announced_again(bench: NodeBench) -> None:
    updates = bench.heard(StoreUpdate, endpoints.STORE_UPDATES, endpoints.LATCHED)
    graphs = bench.publisher(ChunkGraphMsg, endpoints.CHUNK_GRAPHS)
    graphs.publish(graph_to_msg(chunk(1)))
    bench.until(lambda: bool(updates) and updates[-1].last_chunk_id == 1, "the announcement")
    heard = len(updates)
    graphs.publish(graph_to_msg(chunk(1)))
    bench.until(lambda: len(updates) > heard, "the second announcement")
    assert (updates[-1].sequence, updates[-1].views) == (updates[heard - 1].sequence, 1)


def test_late_listener_hears_how_far_the_memory_is(bench: NodeBench) -> None:
    graphs = bench.publisher(ChunkGraphMsg, endpoints.CHUNK_GRAPHS)
    graphs.publish(graph_to_msg(chunk(1)))
    reader = Reader(bench.memory_dir)
    bench.until(lambda: reader.counts().last_chunk_id == 1, "the commit")
    updates = bench.heard(StoreUpdate, endpoints.STORE_UPDATES, endpoints.LATCHED)
    bench.until(lambda: bool(updates) and updates[-1].last_chunk_id == 1, "the latched update")


def test_unresolved_chunk_is_refused_and_the_next_is_stored(bench: NodeBench) -> None:
    updates = bench.heard(StoreUpdate, endpoints.STORE_UPDATES, endpoints.LATCHED)
    graphs = bench.publisher(ChunkGraphMsg, endpoints.CHUNK_GRAPHS)
    graphs.publish(graph_to_msg(replace(chunk(1), resolved=False)))
    graphs.publish(graph_to_msg(chunk(1)))
    bench.until(lambda: bool(updates) and updates[-1].last_chunk_id == 1, "the good chunk")


def test_observation_is_durable_when_acknowledged(bench: NodeBench) -> None:
    observation = Observation(layer="speech", text="Good morning", map_id="map", confidence=1.0)
    observation.pose.pose.orientation.w = 1.0
    response = bench.call(
        AddObservation, endpoints.OBSERVE, AddObservation.Request(observation=observation)
    )
    assert (response.success, response.durable) == (True, True)
    assert Reader(bench.memory_dir).counts().observations == 1


def test_look_that_comes_with_an_observation_goes_into_the_object(bench: NodeBench) -> None:
    graphs = bench.publisher(ChunkGraphMsg, endpoints.CHUNK_GRAPHS)
    graphs.publish(graph_to_msg(chunk(1)))
    reader = Reader(bench.memory_dir)
    bench.until(lambda: reader.counts().last_chunk_id == 1, "the commit")
    (seen,) = reader.objects()
    observation = Observation(layer="action", text="went to the mug: it is where I remember it")
    observation.map_id = observation.header.frame_id = "map"
    observation.header.stamp.sec = 100
    observation.pose.pose.orientation.w = 1.0
    look = {"object_id": seen.object_id, "keyframe_id": 1, "is_there": True}
    request = AddObservation.Request(observation=observation, **look)
    for _ in range(2):  # what is told again changes nothing
        assert bench.call(AddObservation, endpoints.OBSERVE, request).success
    assert reader.objects()[0].last_seen_ns == 100 * NS_PER_S


def test_observation_without_a_pose_is_refused_with_a_reason(bench: NodeBench) -> None:
    observation = Observation(layer="speech", text="Good morning")
    observation.pose.pose.orientation.w = 0.0
    response = bench.call(
        AddObservation, endpoints.OBSERVE, AddObservation.Request(observation=observation)
    )
    assert not response.success
    assert "quaternion" in response.message


def test_episodes_nest_and_the_innermost_ends_first(bench: NodeBench) -> None:
    def start(name: str, parent_id: str = "") -> str:
        request = StartEpisode.Request(name=name, parent_id=parent_id)
        return str(bench.call(StartEpisode, endpoints.START_EPISODE, request).episode_id)

    outer = start("patrol")
    start("look at the kitchen", outer)
    ended = bench.call(EndEpisode, endpoints.END_EPISODE, EndEpisode.Request()).episode
    assert (ended.name, ended.parent_id) == ("look at the kitchen", outer)
    ended = bench.call(EndEpisode, endpoints.END_EPISODE, EndEpisode.Request()).episode
    assert (ended.name, ended.status) == ("patrol", Episode.COMPLETED)
    response = bench.call(EndEpisode, endpoints.END_EPISODE, EndEpisode.Request())
    assert not response.success


def test_stats_tell_size_and_span(bench: NodeBench) -> None:
    graphs = bench.publisher(ChunkGraphMsg, endpoints.CHUNK_GRAPHS)
    reader = Reader(bench.memory_dir)
    for chunk_id in (1, 2):
        graphs.publish(graph_to_msg(chunk(chunk_id)))
    bench.until(lambda: reader.counts().last_chunk_id == 2, "the commits")
    stats = bench.call(GetStats, endpoints.STATS, GetStats.Request())
    assert (stats.counts.keyframes, stats.counts.objects) == (2, 1)
    assert (stats.first_stamp.sec, stats.last_stamp.sec) == (1, 2)
    assert stats.map_ids == ["map"]
    assert stats.disk_bytes > 0


def test_observations_of_a_topic_are_stored_in_groups_and_announced(bench: NodeBench) -> None:
    updates = bench.heard(StoreUpdate, endpoints.STORE_UPDATES, endpoints.LATCHED)
    observations = bench.publisher(Observation, endpoints.OBSERVATIONS, endpoints.STREAM)
    for number in range(500):
        observations.publish(_observation(f"chair number {number}"))
    bench.until(lambda: bool(updates) and updates[-1].observations == 500, "all observations")
    assert len(updates) < 500


def test_texts_get_vectors_from_the_model_server(
    ros_domain: int, tmp_path: Path, server: ModelServer
) -> None:
    parameters = {"text_embedder": "openai", "embedding_model": "any", "base_url": server.base_url}
    with NodeBench(ros_domain, tmp_path) as bench:
        bench.start(EpisodicNode, **parameters)
        observations = bench.publisher(Observation, endpoints.OBSERVATIONS, endpoints.STREAM)
        for text in ("a red mug", "a blue chair"):
            observations.publish(_observation(text))
        search = Search(bench.memory_dir)
        bench.until(lambda: _nearest(search, "blue chair") == ["a blue chair"], "the vectors")
        search.close()


def _nearest(search: Search, text: str) -> list[str]:
    return [hit.text for hit in search.semantic(np.array(embed(text)), 1).hits]


def _observation(text: str) -> Observation:
    observation = Observation(layer="description", text=text, map_id="map", confidence=1.0)
    observation.pose.pose.orientation.w = 1.0
    return observation


def test_forgetting_is_rehearsed_first_and_then_done(bench: NodeBench) -> None:
    for text in ("my secret", "a red mug"):
        request = AddObservation.Request(observation=_observation(text))
        assert bench.call(AddObservation, endpoints.OBSERVE, request).success
    rehearsal = bench.call(
        ForgetMemory, endpoints.FORGET, ForgetMemory.Request(text="secret", dry_run=True)
    )
    assert (rehearsal.success, rehearsal.observations) == (True, 1)
    assert Reader(bench.memory_dir).counts().observations == 2
    done = bench.call(ForgetMemory, endpoints.FORGET, ForgetMemory.Request(text="secret"))
    assert (done.success, done.message, done.observations) == (True, "", 1)
    assert Reader(bench.memory_dir).counts().observations == 1


def test_forgetting_everything_by_mistake_is_refused(bench: NodeBench) -> None:
    response = bench.call(ForgetMemory, endpoints.FORGET, ForgetMemory.Request())
    assert not response.success
    assert "nothing is given" in response.message


def test_export_lies_within_the_memory_directory(bench: NodeBench) -> None:
    request = AddObservation.Request(observation=_observation("a red mug"))
    assert bench.call(AddObservation, endpoints.OBSERVE, request).success
    request = ExportMemory.Request(name="monday", format="jsonl")
    response = bench.call(ExportMemory, endpoints.EXPORT_MEMORY, request)
    assert (response.success, response.path) == (True, "exports/monday")
    assert "a red mug" in (bench.memory_dir / response.path / "observations.jsonl").read_text()
    outside = ExportMemory.Request(name="../monday", format="jsonl")
    assert not bench.call(ExportMemory, endpoints.EXPORT_MEMORY, outside).success


def _edit(bench: NodeBench, operation: int, *object_ids: str, **given: object) -> Any:
    request = EditObject.Request(operation=operation, object_ids=list(object_ids), **given)
    return bench.call(EditObject, endpoints.EDIT_OBJECT, request)


@pytest.fixture
def mugs(bench: NodeBench) -> NodeBench:
    """It knows mug_1 (keyframes 1 and 2) and mug_2 (keyframe 2)."""
    graphs = bench.publisher(ChunkGraphMsg, endpoints.CHUNK_GRAPHS)
    graphs.publish(graph_to_msg(chunk(1)))
    both = [descriptor("mug_1", view(2)), descriptor("mug_2", view(2))]
    graphs.publish(graph_to_msg(graph(2, [keyframe(2)], both)))
    reader = Reader(bench.memory_dir)
    bench.until(lambda: reader.counts().last_chunk_id == 2, "the commits")
    reader.close()
    return bench


def test_edit_is_announced_and_answers_with_the_object_as_it_is_now(mugs: NodeBench) -> None:
    updates = mugs.heard(StoreUpdate, endpoints.STORE_UPDATES, endpoints.LATCHED)
    mugs.until(lambda: bool(updates), "the latched update")
    before = updates[-1].sequence
    response = _edit(mugs, EditObject.Request.RENAME, "mug_1", text="my mug")
    assert (response.success, response.message) == (True, "")
    assert [(item.object_id, item.name) for item in response.objects] == [("mug_1", "my mug")]
    mugs.until(lambda: updates[-1].sequence > before, "the announcement")


def test_merge_and_split_are_undone_by_their_ids(mugs: NodeBench) -> None:
    request = EditObject.Request
    merged = _edit(mugs, request.MERGE, "mug_1", "mug_2")
    assert [(item.object_id, item.view_count) for item in merged.objects] == [("mug_1", 2)]
    assert _edit(mugs, request.UNDO, event_id=merged.event_id).success
    split = _edit(mugs, request.SPLIT, "mug_1", keyframe_ids=[2])
    assert [item.object_id for item in split.objects] == ["mug_1", "mug_3"]
    undone = _edit(mugs, request.UNDO, event_id=split.event_id)
    assert [(item.object_id, item.view_count) for item in undone.objects] == [("mug_1", 2)]
    again = _edit(mugs, request.UNDO, event_id=split.event_id)
    assert (again.success, "undone already" in again.message) == (False, True)


def test_objects_are_pinned_and_marked(mugs: NodeBench) -> None:
    request = EditObject.Request
    reader = Reader(mugs.memory_dir)
    for operation, is_pinned in ((request.PIN, True), (request.UNPIN, False)):
        assert _edit(mugs, operation, "mug_1").success
        assert reader.objects(["mug_1"])[0].is_pinned == is_pinned
    for operation, status in (
        (request.MARK_MISSING, ObjectDescriptorMsg.MISSING),
        (request.MARK_PRESENT, ObjectDescriptorMsg.PRESENT),
    ):
        assert [item.status for item in _edit(mugs, operation, "mug_2").objects] == [status]
    reader.close()


def test_edit_that_cannot_be_is_refused_with_a_reason(mugs: NodeBench) -> None:
    request = EditObject.Request
    for response, reason in (
        (_edit(mugs, request.RENAME, "mug_9", text="my mug"), "no object 'mug_9'"),
        (_edit(mugs, request.RENAME, text="my mug"), "0 object_ids"),
        (_edit(mugs, request.PIN, "mug_1", "mug_2"), "2 object_ids"),
        (_edit(mugs, request.MERGE, "mug_1", "mug_1"), "given twice"),
        (_edit(mugs, request.SPLIT, "mug_1", keyframe_ids=[1, 2]), "leave it one"),
        (_edit(mugs, 99, "mug_1"), "operation 99 is unknown"),
    ):
        assert (response.success, reason in response.message) == (False, True), response.message
