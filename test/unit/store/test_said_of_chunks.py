"""What a chunk was put into is stored with it, and belongs where its stamps fall."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.errors import InputError
from memory_nodes.records import ChunkGraph, Observation
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import graph, keyframe, observation


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def past(tmp_path: Path) -> Iterator[Past]:
    opened = Past(tmp_path)
    yield opened
    opened.close()


def _chunk(chunk_id: int = 1) -> ChunkGraph:
    return graph(chunk_id, [keyframe(chunk_id)])


def _said(text: str, stamp_s: float, observation_id: str = "chunk_1.place") -> Observation:
    return observation(text, stamp_s=stamp_s, layer="place", observation_id=observation_id)


def _stored(past: Past) -> list[tuple[str, str]]:
    """Id and episode."""
    found = past.observations_after(0, 100)
    return [(item.observation.observation_id, item.episode_id) for item in found]


def test_chunk_that_comes_twice_is_told_once(writer: Writer, past: Past) -> None:
    assert writer.commit_chunk(_chunk(), [_said("kitchen", 1)])
    assert not writer.commit_chunk(_chunk(), [_said("kitchen", 1)])
    assert _stored(past) == [("chunk_1.place", "")]


def test_chunk_that_cannot_be_told_is_not_stored_at_all(writer: Writer, past: Past) -> None:
    with pytest.raises(InputError, match="needs a text"):
        writer.commit_chunk(_chunk(), [_said("kitchen", 1), _said(" ", 1, "chunk_1.other")])
    counts = writer.counts()
    assert (counts.keyframes, counts.observations) == (0, 0)


def test_id_that_another_has_taken_does_not_cost_the_chunk(writer: Writer, past: Past) -> None:
    writer.add(_said("hall", 9))
    assert writer.commit_chunk(_chunk(), [_said("kitchen", 1), _said("stove", 1, "chunk_1.other")])
    assert [item for item, _ in _stored(past)] == ["chunk_1.place", "chunk_1.other"]


def test_late_observation_belongs_to_the_innermost_episode_of_its_stamp(
    writer: Writer, past: Past
) -> None:
    """The session is from 10 s on, the goal from 20 s to 30 s; all is told at 100 s."""
    session = writer.start_episode("session", "", 10 * 10**9)
    goal = writer.start_episode("goal", session, 20 * 10**9)
    writer.end_episode(goal, 30 * 10**9)
    times = {9: "", 10: session, 20: goal, 30: goal, 31: session}
    said = [_said("kitchen", stamp_s, f"at_{stamp_s}") for stamp_s in times]
    writer.commit_chunk(_chunk(), said)
    assert _stored(past) == [(f"at_{stamp_s}", episode) for stamp_s, episode in times.items()]


def test_episode_that_something_comes_into_late_is_to_be_consolidated_again(
    writer: Writer, past: Past
) -> None:
    episode = writer.start_episode("drive", "", 0)
    writer.end_episode(episode, 30 * 10**9)
    writer.finish_episode(episode)
    assert past.episodes_to_consolidate(10) == []
    writer.commit_chunk(_chunk(), [_said("kitchen", 12)])
    assert [item.episode_id for item in past.episodes_to_consolidate(10)] == [episode]
