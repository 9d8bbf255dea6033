"""By rule, the texts keep what people ask for."""

from __future__ import annotations

from memory_nodes.episodic.history import rules
from memory_nodes.episodic.history.facts import Section
from memory_nodes.records import Episode, EpisodeStatus, HistoryNode, HistoryUnit
from memory_test_support.told import BERLIN, ns

NOON_S = 1_788_775_200
"""Mon 7 Sep 2026, 12:00 in Berlin."""


def _node(unit: HistoryUnit, text: str, second: int = NOON_S) -> HistoryNode:
    return HistoryNode(unit, 2, ns(second), ns(second), text)


def _episode(name: str, status: EpisodeStatus = EpisodeStatus.COMPLETED) -> Episode:
    return Episode("episode_1", "", name, status, 0, 1)


def _goal_text(episode: Episode | None, *texts: str) -> str:
    events = [_node(HistoryUnit.EVENT, text) for text in texts]
    return rules.text_of(rules.goal_facts(episode, events), HistoryUnit.GOAL)


def test_a_goal_tells_its_task_its_steps_and_what_was_seen() -> None:
    text = _goal_text(
        _episode("make tea"),
        "Tasks: make tea. Did: walk. Said: tea please. At: hall.",
        "Did: fill the kettle. At: kitchen. Saw: kettle, cup.",
        "Did: fill the kettle. At: kitchen. Saw: kettle.",
        "Tasks: make tea succeeded. Did: walk. At: hall.",
    )
    assert text == (
        "Tasks: make tea. Did: walk x2, fill the kettle. Said: tea please. At: hall, kitchen. "
        "Saw: kettle, cup."
    )


def test_a_task_that_went_wrong_says_how() -> None:
    assert _goal_text(_episode("make tea"), "Tasks: make tea aborted.") == (
        "Tasks: make tea (aborted)."
    )
    interrupted = _episode("make tea", EpisodeStatus.INTERRUPTED)
    assert _goal_text(interrupted, "Did: walk.") == "Tasks: make tea (interrupted). Did: walk."


def test_outside_of_episodes_what_the_goal_layer_says_is_the_task() -> None:
    assert _goal_text(None, "Tasks: drive to the dock.") == "Tasks: drive to the dock."
    assert _goal_text(None, "Noted: a dim room.") == "Noted: a dim room."


def test_a_day_tells_its_tasks_with_their_times() -> None:
    goals = [
        _node(HistoryUnit.GOAL, "Tasks: make tea. Did: walk. Saw: cup."),
        _node(HistoryUnit.GOAL, "Tasks: tidy (aborted).", NOON_S + 3600),
        _node(HistoryUnit.GOAL, "Tasks: make tea.", NOON_S + 7200),
    ]
    text = rules.text_of(rules.unit_facts(goals, BERLIN), HistoryUnit.DAY)
    assert text == "Tasks: make tea x2 (12:00, 14:00), tidy (13:00 aborted). Saw: cup."


def test_a_week_tells_its_tasks_with_their_number() -> None:
    days = [
        _node(HistoryUnit.DAY, "Tasks: make tea x2 (12:00, 14:00), tidy (13:00)."),
        _node(HistoryUnit.DAY, "It was fine.\nTasks: make tea (09:00)."),
    ]
    text = rules.text_of(rules.unit_facts(days, BERLIN), HistoryUnit.WEEK)
    assert text == "Tasks: make tea x3, tidy."


def test_a_stretch_without_tasks_tells_where_it_was() -> None:
    facts = rules.unit_facts([_node(HistoryUnit.GOAL, "At: hall. Saw: coat.")], BERLIN)
    assert rules.text_of(facts, HistoryUnit.DAY) == "At: hall. Saw: coat."
    assert facts[Section.TASKS] == {}


def test_nodes_of_one_part_of_the_day_are_grouped_by_place() -> None:
    nodes = [_node(HistoryUnit.GOAL, f"At: {place}.") for place in ("hall", "hall", "attic")]
    assert [len(group) for group in rules.groups(nodes, BERLIN)] == [2, 1]


def test_shares_are_even_and_few() -> None:
    nodes = [_node(HistoryUnit.GOAL, "At: hall.")] * 10
    assert [len(share) for share in rules.shares(nodes, 4)] == [3, 4, 3]
