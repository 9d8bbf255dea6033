"""What was written down becomes gists and history beside everything else, and by service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from robot_memory.msg import Observation
from robot_memory.srv import (
    AddObservation,
    Consolidate,
    EndEpisode,
    StartEpisode,
    SummarizeHistory,
)

from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import time_to_msg
from memory_nodes.store.reader import Reader
from memory_test_support.node_bench import NodeBench

TASK = "water the plants"


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    """Without a model, with history told at once."""
    with NodeBench(ros_domain, tmp_path) as made:
        made.start(EpisodicNode, base_url="", history_settle_s=0.0, consolidate_after_s=1e6)
        made.start(QueryNode, base_url="")
        yield made


def _see(bench: NodeBench, text: str, layer: str = "detections") -> int:
    """Stores an observation; gives its stamp, ns."""
    now = bench.user.get_clock().now()
    observation = Observation(layer=layer, text=text, map_id="map", confidence=1.0)
    observation.header.stamp = now.to_msg()
    observation.header.frame_id = "map"
    observation.pose.pose.orientation.w = 1.0
    request = AddObservation.Request(observation=observation)
    assert bench.call(AddObservation, endpoints.OBSERVE, request).success
    return int(now.nanoseconds)


def _live_through_an_episode(bench: NodeBench) -> str:
    request = StartEpisode.Request(name=TASK)
    episode_id = str(bench.call(StartEpisode, endpoints.START_EPISODE, request).episode_id)
    _see(bench, "fern, watering can")
    bench.call(EndEpisode, endpoints.END_EPISODE, EndEpisode.Request(episode_id=episode_id))
    return episode_id


def test_episode_that_has_ended_gets_its_gist_and_its_entities(bench: NodeBench) -> None:
    _live_through_an_episode(bench)
    reader = Reader(bench.memory_dir)
    bench.until(lambda: reader.counts().entities == 2, "the entities of the gist")
    assert reader.counts().gists == 1


def test_what_is_young_and_in_no_episode_is_consolidated_when_asked(bench: NodeBench) -> None:
    for _ in range(5):
        _see(bench, "a cordless drill", "text")
    assert Reader(bench.memory_dir).counts().gists == 0
    response = bench.call(Consolidate, endpoints.CONSOLIDATE, Consolidate.Request())
    assert (response.success, response.gists) == (True, 1)
    again = bench.call(Consolidate, endpoints.CONSOLIDATE, Consolidate.Request())
    assert (again.success, again.gists) == (True, 0)


def test_episode_that_nobody_knows_is_refused_with_a_reason(bench: NodeBench) -> None:
    request = Consolidate.Request(episode_id="episode_99")
    response = bench.call(Consolidate, endpoints.CONSOLIDATE, request)
    assert not response.success
    assert "episode_99" in response.message


def test_history_is_told_and_summarised_by_service(bench: NodeBench) -> None:
    _live_through_an_episode(bench)
    request = SummarizeHistory.Request(level=3)  # until now

    def told() -> str:
        return str(bench.call(SummarizeHistory, endpoints.SUMMARIZE, request).text)

    bench.until(lambda: TASK in told(), "the history of the episode")
    response = bench.call(SummarizeHistory, endpoints.SUMMARIZE, request)
    assert response.success
    assert len(response.node_ids) == len(response.node_texts) > 0
    assert any(TASK in text for text in response.node_texts)


def test_time_that_ends_before_it_begins_is_refused(bench: NodeBench) -> None:
    _see(bench, "a mug", "text")
    request = SummarizeHistory.Request(since=time_to_msg(2), until=time_to_msg(1))
    response = bench.call(SummarizeHistory, endpoints.SUMMARIZE, request)
    assert not response.success
    assert "since <= until" in response.message
