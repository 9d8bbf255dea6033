"""What a real robot saw in an office is told right, before and after its texts are dropped."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator

import pytest

from memory_nodes.answering.recall import Recall
from memory_nodes.episodic.consolidator import IDLE_S, ConsolidationConfig, Consolidator
from memory_nodes.records import NS_PER_S
from memory_nodes.store.past import Past
from memory_nodes.store.sightings import Sightings
from memory_nodes.store.writer import Writer
from memory_test_support import go2_office

GOAL = 0.95
STAGES = ("ingested", "consolidated", "archived")
YEAR_NS = 365 * 86_400 * NS_PER_S


@pytest.fixture(scope="module", params=STAGES)
def recall(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Recall]:
    """The memory of the run: just observed, with its gists and entities, or with these alone."""
    memory_dir = tmp_path_factory.mktemp(request.param)
    writer, past = Writer(memory_dir), Past(memory_dir)
    _observe(writer)
    if request.param != "ingested":
        now_ns = go2_office.DURATION_NS + (YEAR_NS if request.param == "archived" else 0)
        asyncio.run(_consolidate(Consolidator(writer, past, None, None, _CONFIG), now_ns))
    is_archived = {item.observation.text == "" for item in past.observations_after(0, 1000)}
    assert is_archived == {request.param == "archived"}
    sightings = Sightings(memory_dir)
    yield Recall(sightings)
    for opened in (sightings, past, writer):
        opened.close()


_CONFIG = ConsolidationConfig(archive_after_s=86_400.0)


def _observe(writer: Writer) -> None:
    episode_id = writer.start_episode("a walk through the office", "", 0)
    for observation in go2_office.observations():
        writer.submit(observation)
    writer.end_episode(episode_id, go2_office.DURATION_NS)


async def _consolidate(consolidator: Consolidator, now_ns: int) -> None:
    while await consolidator.step(now_ns) != IDLE_S:
        pass


def test_questions_are_answered_from_what_was_seen(
    recall: Recall, request: pytest.FixtureRequest
) -> None:
    right: dict[str, list[bool]] = defaultdict(list)
    wrong = []
    for question in go2_office.questions():
        given = go2_office.answer(recall, question["question"])
        is_right = go2_office.is_right(question, given)
        right[question["kind"]].append(is_right)
        if not is_right:
            wrong.append(f"{question['id']} {question['question']}: {given}")
    for kind, judged in sorted(right.items()):
        print(f"{request.node.callspec.id}: {kind} {sum(judged)} of {len(judged)}")
    everything = [is_right for judged in right.values() for is_right in judged]
    assert sum(everything) / len(everything) >= GOAL, wrong
