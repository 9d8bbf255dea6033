"""The explorer finds what a question asks for by reading alone, and by the searches of the tree."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise

import pytest

from benchmark.history.explorer import Exploration, Explorer
from benchmark.history.lengths import tell_all
from memory_nodes.episodic.history.tree import HistoryTree
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.household.histories import DATES, PastEpisode, random_history
from memory_test_support.household.questions import random_questions

EPISODES = random_history(12, seed=1)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HistoryTree]:
    memory_dir = tmp_path_factory.mktemp("history")
    writer, past = Writer(memory_dir), Past(memory_dir)
    asyncio.run(tell_all(writer, past, EPISODES, None))
    yield HistoryTree(past, DATES)
    past.close()
    writer.close()


def _explored(
    tree: HistoryTree, question: str, episode: PastEpisode | None, *, can_search: bool
) -> Exploration:
    root = tree.root()
    assert root is not None
    named_ns = None if episode is None else episode.span_ns
    return Explorer(tree, can_search=can_search).explore(root, question, named_ns)


@pytest.mark.parametrize("can_search", [True, False])
def test_an_episode_is_found_by_its_time_and_the_rest_hidden(
    tree: HistoryTree, can_search: bool
) -> None:
    for episode in EPISODES:
        seen = _explored(tree, "What did you do then?", episode, can_search=can_search)
        assert [goal.start_ns for goal in seen.found] == [episode.start_ns]
        visible = list(seen.view.visible())
        assert visible[0] == seen.view.root
        assert visible[-1] == seen.found[0]
        assert [node.unit for node in visible].count("goal") == 1


@pytest.mark.parametrize("can_search", [True, False])
def test_the_episodes_beside_one_are_found(tree: HistoryTree, can_search: bool) -> None:
    for before, after in pairwise(EPISODES):
        question = "What did you do right after the task that began then?"
        seen = _explored(tree, question, before, can_search=can_search)
        assert [goal.start_ns for goal in seen.found] == [after.start_ns]
        question = "What did you do right before the task that began then?"
        seen = _explored(tree, question, after, can_search=can_search)
        assert [goal.start_ns for goal in seen.found] == [before.start_ns]


def test_every_task_of_a_name_is_found_by_search(tree: HistoryTree) -> None:
    for name in {episode.task.name for episode in EPISODES}:
        seen = _explored(tree, f"When did you {name}?", None, can_search=True)
        wanted = {each.start_ns for each in EPISODES if each.task.name == name}
        assert wanted <= {goal.start_ns for goal in seen.found}


def test_each_step_costs_what_is_in_sight(tree: HistoryTree) -> None:
    root = tree.root()
    assert root is not None
    seen = _explored(tree, "When?", None, can_search=True)  # no word to search for: nothing found
    assert (seen.steps, seen.found) == (2, [])
    shown = f"{tree.line(root)}\nWhen?"
    assert seen.prompt_tokens == 2 * -(-len(shown) // 4)


def test_histories_are_those_of_a_household() -> None:
    episodes = random_history(100, seed=5)
    days = [DATES.date_of(episode.start_ns) for episode in episodes]
    hours = [DATES.local(episode.start_ns).hour for episode in episodes]
    assert len(episodes) == 100
    assert all(a.end_ns < b.start_ns for a, b in pairwise(episodes))
    assert max(days.count(day) for day in days) <= 5
    assert 25 <= (days[-1] - days[0]).days <= 70
    assert min(hours) >= 7
    assert max(hours) <= 21
    assert random_history(100, seed=5) == episodes


def test_questions_know_their_truth() -> None:
    questions = random_questions(EPISODES, 12, seed=2)
    spans = {episode.span_ns for episode in EPISODES}
    assert len(questions) == 12
    assert all(question.spans_ns and set(question.spans_ns) <= spans for question in questions)
    first = next(each for each in questions if each.text.startswith("What did you do on"))
    assert first.named_ns == first.spans_ns[0]
