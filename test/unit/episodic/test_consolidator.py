"""Observations get their gists once their episode has ended, or once they are old."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.episodic.consolidator import (
    CONCATENATION,
    IDLE_S,
    RETRY_S,
    ConsolidationConfig,
    Consolidator,
)
from memory_nodes.errors import InputError, ModelRejected
from memory_nodes.models.ports import ChatModel
from memory_nodes.records import NS_PER_S
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.recorded_models import RecordedChat, Silence
from memory_test_support.records import graph, keyframe, observation

HOUR_S = 3600.0
GIST = json.dumps(
    {"gist": "A chair in the kitchen.", "entities": [{"name": "lamp", "observations": [2]}]}
)


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


def _consolidator(
    writer: Writer, past: Past, model: ChatModel | None = None, **parameters: float
) -> Consolidator:
    config = ConsolidationConfig(**parameters)  # type: ignore[arg-type]
    return Consolidator(writer, past, model, None, config, timeout_s=0.05)


def _run(consolidator: Consolidator, now_s: float) -> float:
    """Until there is nothing to do now; gives how long to wait."""
    for _ in range(200):
        wait_s = asyncio.run(consolidator.step(round(now_s * NS_PER_S)))
        if wait_s > 0.0:
            return wait_s
    raise AssertionError("the consolidator found no end")


def _see(writer: Writer, *moments: float, text: str = "chair, table", x_m: float = 0.0) -> None:
    for time_s in moments:
        writer.add(observation(text, stamp_s=time_s, at_map_m=(x_m, 0.0, 0.0), layer="detections"))


def _episode(writer: Writer, *moments: float, parent_id: str = "") -> str:
    episode_id = writer.start_episode("a task", parent_id, round(moments[0] * NS_PER_S))
    _see(writer, *moments)
    writer.end_episode(episode_id, round(moments[-1] * NS_PER_S))
    return episode_id


def _gists(writer: Writer) -> list[tuple[str, int, str, int | None]]:
    """Text, observations, source and key of the episode of each gist."""
    with writer.database.reading() as connection:
        rows = connection.execute(
            "SELECT text, observation_count, source, episode_key FROM gist JOIN text"
            " USING (text_key) ORDER BY gist_key"
        )
        return [tuple(row) for row in rows]


def _texts(past: Past) -> list[str]:
    return [item.observation.text for item in past.observations_after(0, 1000)]


def test_episode_gets_its_gists_when_it_has_ended_and_not_before(
    writer: Writer, past: Past
) -> None:
    consolidator = _consolidator(writer, past)
    episode_id = writer.start_episode("a task", "", 0)
    _see(writer, 1.0, 2.0, 4000.0)
    assert _run(consolidator, 1e6) == IDLE_S
    assert _gists(writer) == []
    writer.end_episode(episode_id, 5000 * NS_PER_S)
    assert _run(consolidator, 5000.0) == IDLE_S
    assert _gists(writer) == [
        (
            "0:00:01 to 0:00:02 after the start. Seen: chair (2 times), table (2 times).",
            2,
            CONCATENATION,
            1,
        ),
        ("1:06:40 after the start. Seen: chair, table.", 1, CONCATENATION, 1),
    ]
    assert {entity.name: entity.observation_count for entity in past.entities()} == {
        "chair": 3,
        "table": 3,
    }


def test_episodes_within_one_have_their_own_gists_and_come_first(
    writer: Writer, past: Past
) -> None:
    outer = writer.start_episode("tidy up", "", 0)
    _see(writer, 1.0)
    _episode(writer, 10.0, 20.0, parent_id=outer)
    _see(writer, 30.0)
    writer.end_episode(outer, 40 * NS_PER_S)
    _run(_consolidator(writer, past), 50.0)
    assert [(count, episode) for _, count, _, episode in _gists(writer)] == [(2, 2), (2, 1)]


def test_what_comes_late_into_an_episode_while_it_is_consolidated_gets_its_gist(
    writer: Writer, past: Past
) -> None:
    """A chunk of the episode is told after its observations were read."""
    episode_id = _episode(writer, 0, 10)
    consolidator = _consolidator(writer, past)
    asyncio.run(consolidator.step(0))
    late = observation("lamp", stamp_s=5.0, layer="detections", observation_id="late")
    writer.commit_chunk(graph(1, [keyframe(5)]), [late])
    _run(consolidator, 20)
    assert all(item.has_gist for item in past.observations_in(episode_id))
    assert [item.observation.observation_id for item in past.observations_in(episode_id)] == [
        *("observation_1", "late", "observation_2")
    ]
    assert past.episodes_to_consolidate(1) == []


def test_episode_whose_texts_are_gone_is_done_with(writer: Writer, past: Past) -> None:
    _episode(writer, 0, 10)
    writer.archive(20 * NS_PER_S)
    _run(_consolidator(writer, past), 20)
    assert past.episodes_to_consolidate(1) == []


def test_free_observations_get_gists_once_they_are_old(writer: Writer, past: Past) -> None:
    consolidator = _consolidator(writer, past, consolidate_after_s=HOUR_S)
    _see(writer, 10.0, 20.0, 30.0)
    _run(consolidator, HOUR_S)
    assert _gists(writer) == []
    _run(consolidator, 2 * HOUR_S)
    assert [(count, episode) for _, count, _, episode in _gists(writer)] == [(3, None)]


def test_stamp_ahead_of_the_clock_holds_up_nothing_and_waits_for_its_time(
    writer: Writer, past: Past
) -> None:
    """Its clock was wrong, or simulated time began anew after it."""
    _see(writer, 90_000.0, 90_001.0, 90_002.0, text="early bird")
    _see(writer, 1.0, 2.0, 3.0, 9000.0)
    consolidator = _consolidator(writer, past, archive_after_s=10_000.0)
    _run(consolidator, 7000.0)
    assert [count for _, count, _, _ in _gists(writer)] == [3]
    assert consolidator.problem is not None and "(3)" in consolidator.problem
    _run(consolidator, 80_000.0)
    assert _texts(past) == ["early bird"] * 3 + [""] * 4
    _run(_consolidator(writer, past, archive_after_s=4000.0), 93_000.0)  # still too young
    assert len(_gists(writer)) == 1
    late = _consolidator(writer, past, archive_after_s=4000.0)
    _run(late, 99_000.0)
    assert [(count, text.count("early bird")) for text, count, _, _ in _gists(writer)] == [
        (3, 0),
        (3, 1),
    ]
    assert (_texts(past), late.problem) == ([""] * 7, None)


def test_clock_that_went_back_holds_up_nothing_that_came_since(writer: Writer, past: Past) -> None:
    """As long as the first run lasts some of it is always just too young."""
    _see(writer, *(600.0 * number for number in range(200)))
    _see(writer, 0.5, 1.5, 2.5, text="second run")
    _run(_consolidator(writer, past), 9000.0)
    told = sum(count for text, count, _, _ in _gists(writer) if "second run" in text)
    assert told == 3


def test_noise_has_no_gist_and_is_archived_too(writer: Writer, past: Past) -> None:
    _see(writer, 10.0, 20.0, 30.0)
    _see(writer, 40.0, x_m=30.0, text="lonely lamp")
    consolidator = _consolidator(writer, past, archive_after_s=10 * HOUR_S)
    _run(consolidator, 3 * HOUR_S)
    assert [count for _, count, _, _ in _gists(writer)] == [3]
    assert _texts(past).count("") == 0
    _run(consolidator, 11 * HOUR_S)
    assert _texts(past) == [""] * 4


def test_young_and_active_ones_are_not_archived(writer: Writer, past: Past) -> None:
    _episode(writer, 1.0, 2.0)
    writer.start_episode("goes on", "", 3 * NS_PER_S)
    _see(writer, 4.0)
    consolidator = _consolidator(writer, past, archive_after_s=100.0)
    _run(consolidator, 101.5)
    assert _texts(past) == ["", "chair, table", "chair, table"]
    _run(consolidator, 1e5)
    assert _texts(past) == ["", "", "chair, table"]


def test_model_writes_the_gist_and_names_what_prose_speaks_of(writer: Writer, past: Past) -> None:
    episode_id = writer.start_episode("a task", "", 0)
    _see(writer, 1.0)
    writer.add(observation("A lamp on a desk.", stamp_s=1.0, layer="description"))
    writer.end_episode(episode_id, 2 * NS_PER_S)
    model = RecordedChat(GIST)
    consolidator = _consolidator(writer, past, model)
    _run(consolidator, 2.0)
    assert _gists(writer) == [
        ("0:00:01 after the start. A chair in the kitchen. Seen: table.", 2, "recorded", 1)
    ]
    assert {entity.name for entity in past.entities()} == {"chair", "table", "lamp"}
    assert len(model.prompts) == 1
    assert consolidator.problem is None


@pytest.mark.parametrize(
    "turn",
    [Silence.HANG, ModelRejected("too long"), "no gist at all", '{"gist": "Sunny weather."}', ""],
)
def test_without_a_usable_reply_the_gist_is_a_concatenation(
    writer: Writer, past: Past, turn: str | Silence | ModelRejected
) -> None:
    _episode(writer, 1.0, 2.0)
    consolidator = _consolidator(writer, past, RecordedChat(turn))
    _run(consolidator, 2.0)
    ((text, count, source, _),) = _gists(writer)
    assert text.endswith("Seen: chair (2 times), table (2 times).")
    assert (count, source) == (2, CONCATENATION)
    assert "without the model" in str(consolidator.problem)


def test_model_that_does_not_answer_is_waited_for_once_an_episode(
    writer: Writer, past: Past
) -> None:
    _episode(writer, 0.0, 4000.0, 8000.0)
    model = RecordedChat(Silence.HANG, GIST)
    consolidator = _consolidator(writer, past, model)
    _run(consolidator, 8000.0)
    assert len(model.prompts) == 1
    assert [source for _, _, source, _ in _gists(writer)] == [CONCATENATION] * 3
    _episode(writer, 9000.0)
    _run(consolidator, 9000.0)
    assert _gists(writer)[-1][2] == "recorded"
    assert consolidator.problem is None


def test_another_process_goes_on_where_one_was_ended(writer: Writer, past: Past) -> None:
    _episode(writer, 0.0, 4000.0, 8000.0)
    first = _consolidator(writer, past)
    assert asyncio.run(first.step(8000 * NS_PER_S)) == 0.0
    assert len(_gists(writer)) == 1
    _run(_consolidator(writer, past), 8000.0)
    assert [count for _, count, _, _ in _gists(writer)] == [1, 1, 1]


def test_what_is_forgotten_meanwhile_is_looked_at_anew(writer: Writer, past: Past) -> None:
    _episode(writer, 0.0, 4000.0, 4001.0)
    consolidator = _consolidator(writer, past)
    asyncio.run(consolidator.step(5000 * NS_PER_S))
    forgotten = past.observations_after(0, 10)[1].observation.observation_id
    writer.forget(Forget(ids=(forgotten,)))
    assert _run(consolidator, 5000.0) == RETRY_S
    assert "wait for their gists" in str(consolidator.problem)
    assert _run(consolidator, 5000.0) == IDLE_S
    assert [count for _, count, _, _ in _gists(writer)] == [1, 1]
    assert consolidator.problem is None


def test_consolidate_now_takes_one_episode_or_all_that_waits(writer: Writer, past: Past) -> None:
    consolidator = _consolidator(writer, past)
    _episode(writer, 0.0)
    second = _episode(writer, 10.0, 4000.0)
    _see(writer, 4001.0, 4002.0, 4003.0)
    now_ns = 5000 * NS_PER_S
    assert asyncio.run(consolidator.consolidate_now(second, now_ns)) == 2
    assert asyncio.run(consolidator.consolidate_now("", now_ns)) == 2
    assert asyncio.run(consolidator.consolidate_now("", now_ns)) == 0
    assert asyncio.run(consolidator.consolidate_now(second, now_ns)) == 0
    assert [count for _, count, _, _ in _gists(writer)] == [1, 1, 1, 3]


def test_consolidate_now_refuses_an_active_or_unknown_episode(writer: Writer, past: Past) -> None:
    consolidator = _consolidator(writer, past)
    active = writer.start_episode("a task", "", 0)
    for episode_id in (active, "episode_7", "nonsense"):
        with pytest.raises(InputError):
            asyncio.run(consolidator.consolidate_now(episode_id, 0))


def test_images_are_kept_for_their_own_time_and_for_ever_with_0(writer: Writer, past: Past) -> None:
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2), keyframe(3)]))
    _run(_consolidator(writer, past), 1e9)
    reader = Reader(writer.database.memory_dir)
    assert [bool(item.image_path) for item in reader.keyframes()] == [True, True, True]
    _run(_consolidator(writer, past, image_retention_s=10.0), 12.5)
    assert [bool(item.image_path) for item in reader.keyframes()] == [False, False, True]
    reader.close()
