"""What people said and what was written down of scenes, in the house of two days."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest

from memory_nodes.answering.answerer import Answerer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.extractive import NOT_SEEN
from memory_nodes.dates import Dates
from memory_nodes.records import Answer
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import observation
from memory_test_support.told_house import NOW_NS, TIME_ZONE, stamp_ns, write_told_house

HEARD = 'heard Tue 2 Dec 2025 10:58, 2 minutes ago, when I was at (4.0, 0.0) m on map map: "Anna '
AskIt: TypeAlias = Callable[[str], Answer]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskIt]:
    """Two minutes after Anna asked for a screwdriver; it is 11:00 in Berlin."""
    memory_dir = tmp_path_factory.mktemp("told_house")
    write_told_house(memory_dir)
    _hear(memory_dir, "Anna asked for a screwdriver")
    with (
        closing(Reader(memory_dir)) as reader,
        closing(Past(memory_dir)) as past,
        closing(Search(memory_dir)) as search,
    ):
        snapshots, dates = SnapshotCache(reader), Dates(TIME_ZONE)
        answerer = Answerer(None, snapshots, AnswererConfig(), dates, past=past, search=search)
        yield lambda question: asyncio.run(answerer.answer(question, NOW_NS))


def _hear(memory_dir: Path, text: str) -> None:
    with closing(Writer(memory_dir)) as writer:
        heard = observation(text, layer="speech", observation_id="anna", at_map_m=(4.0, 0.0, 0.0))
        writer.add(replace(heard, stamp_ns=stamp_ns(2, 9, 58)))


@pytest.mark.parametrize(
    "question",
    [
        "Who asked for a screwdriver?",
        "What did Anna ask for?",
        "Did Anna say anything about a screwdriver?",
        "When did Anna ask for a screwdriver?",
    ],
)
def test_what_was_heard_is_quoted_with_time_and_place(ask: AskIt, question: str) -> None:
    answer = ask(question)
    assert (answer.found, answer.text) == (True, f'I {HEARD}asked for a screwdriver".')
    assert answer.evidence == ("anna on layer speech",)
    assert (answer.keyframes, answer.objects) == ((), ())


@pytest.mark.parametrize("question", ["Where is the screwdriver?", "the screwdriver"])
def test_what_was_only_spoken_of_is_not_seen_and_no_goal(ask: AskIt, question: str) -> None:
    answer = ask(question)
    assert (answer.found, answer.keyframes, answer.confidence) == (False, (), 0.0)
    assert answer.text == f'I have not seen that, but I {HEARD}asked for a screwdriver".'


@pytest.mark.parametrize(
    "question",
    [
        "Where is the fire extinguisher?",
        "Is there a fire extinguisher in the kitchen?",
        "When did you see the fire extinguisher?",
    ],
)
def test_thing_in_the_description_of_a_scene_was_noted_there(ask: AskIt, question: str) -> None:
    answer = ask(question)
    assert (answer.found, answer.text) == (
        True,
        "I noted Mon 1 Dec 2025 15:30, 19 hours ago, when I was at (0.0, 0.0) m on map map: "
        '"a kitchen with a fire extinguisher".',
    )


@pytest.mark.parametrize(
    "question",
    [
        # that is what a poster says
        "Where are the stairs?",
        # some of the words alone are not enough
        "Where is the fire alarm?",
        "What did Bernd ask for?",
        "Did Anna ask for a hammer?",
        # a question is no answer to itself
        "Where is my passport?",
        # nothing is named
        "What do you know about me?",
    ],
)
def test_words_that_were_not_all_said_are_no_answer(ask: AskIt, question: str) -> None:
    answer = ask(question)
    assert (answer.found, answer.text) == (False, NOT_SEEN)


def test_question_that_was_heard_is_quoted_to_another_one(ask: AskIt) -> None:
    assert '"where is my passport"' in ask("Did anyone ask about my passport?").text


def test_summary_tells_what_its_texts_do_no_longer(tmp_path: Path) -> None:
    """Of an archived observation there is a gist."""
    write_told_house(tmp_path)
    with closing(Writer(tmp_path)) as writer:
        writer.archive(stamp_ns(1, 15), only_consolidated=True)
    with (
        closing(Reader(tmp_path)) as reader,
        closing(Past(tmp_path)) as past,
        closing(Search(tmp_path)) as search,
    ):
        snapshots, dates = SnapshotCache(reader), Dates(TIME_ZONE)
        answerer = Answerer(None, snapshots, AnswererConfig(), dates, past=past, search=search)
        answer = asyncio.run(answerer.answer("What had a fire extinguisher?", NOW_NS))
    assert answer.found
    assert answer.text.endswith(': "Described: a kitchen with a fire extinguisher.".')
