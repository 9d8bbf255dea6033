"""The model groups and summarises; what it does not do usably is done by rule."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest

from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.facts import Facts, Section
from memory_nodes.episodic.history.narrator import BY_RULE, Group, Narrator, Told
from memory_nodes.errors import ModelUnavailable
from memory_nodes.models.ports import ChatModel
from memory_nodes.records import HistoryNode, HistoryUnit
from memory_test_support.recorded_models import RecordedChat, Silence
from memory_test_support.told import BERLIN, ns

HOUR_S = 3600
MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""


def _goal(hour: int, task: str) -> HistoryNode:
    start_ns = ns(MORNING_S + (hour - 8) * HOUR_S)
    return HistoryNode(
        HistoryUnit.GOAL, 3, start_ns, start_ns, f"Tasks: {task}. Saw: {task} thing."
    )


GOALS = [_goal(8, "make tea"), _goal(9, "water the fern"), _goal(15, "make tea"), _goal(20, "tidy")]


def _narrator(
    model: ChatModel | None, *, timeout_s: float = 5.0, tell_goals_by_model: bool = True
) -> Narrator:
    config = HistoryConfig(max_ungrouped_goals=3, tell_goals_by_model=tell_goals_by_model)
    return Narrator(model, config, BERLIN, timeout_s)


def _groups(narrator: Narrator, nodes: Sequence[HistoryNode] = GOALS) -> list[Group]:
    return asyncio.run(narrator.groups(nodes))


def _summary(narrator: Narrator) -> Told:
    return asyncio.run(narrator.summary(GOALS, HistoryUnit.DAY))


def _reply(*edges: tuple[int, int]) -> str:
    groups = [{"first": a, "last": b, "summary": f"from {a} to {b}"} for a, b in edges]
    return json.dumps({"groups": groups})


def test_below_a_summary_of_the_model_stand_the_facts() -> None:
    told = _summary(_narrator(RecordedChat('{"summary": "A quiet day."}')))
    assert told.source == "recorded"
    assert told.text == (
        "A quiet day.\nTasks: make tea x2 (08:00, 15:00), water the fern (09:00), tidy (20:00)."
        " Saw: water the fern thing, tidy thing."
    )


def test_lists_that_the_model_repeats_are_left_out_of_its_summary() -> None:
    reply = '{"summary": "A quiet day. Tasks: make tea (08:00), ski (09:00). Saw: snow."}'
    told = _summary(_narrator(RecordedChat(reply)))
    assert told.text.startswith("A quiet day.\nTasks: make tea x2")
    assert "ski" not in told.text


def test_the_model_sees_times_and_texts_in_order() -> None:
    model = RecordedChat(_reply((1, 2), (3, 4)))
    _groups(_narrator(model))
    (prompt,) = model.prompts
    lines = prompt.text.splitlines()
    assert lines[0] == "Mon 7 Sep 2026:"
    assert lines[2] == "1. [08:00] Tasks: make tea. Saw: make tea thing."
    assert lines[5].startswith("4. [20:00]")
    assert "Group the numbers 1 to 4: the last group ends with 4." in prompt.text


def test_groups_are_those_of_the_model() -> None:
    groups = _groups(_narrator(RecordedChat(_reply((1, 2), (3, 4)))))
    assert [[*group.nodes] for group in groups] == [GOALS[:2], GOALS[2:]]
    assert groups[0].told.text.startswith("from 1 to 2\nTasks: make tea (08:00), water the fern")


def test_a_wrong_grouping_is_asked_for_again_with_its_errors() -> None:
    wrong = _reply((1, 2), (2, 3))
    model = RecordedChat(wrong, _reply((1, 3), (4, 4)))
    narrator = _narrator(model)
    assert len(_groups(narrator)) == 2
    second = model.prompts[1].text
    assert wrong in second
    assert "- 2 is in two groups: group 2 (2 to 3) overlaps the one before it" in second
    assert "- 4 is in no group: the last one must end with 4" in second
    assert narrator.usage.groupings_by_try == [0, 1, 0]


def test_after_three_wrong_groupings_all_is_one_summary() -> None:
    model = RecordedChat("no", "no", "no", '{"summary": "A day."}')
    narrator = _narrator(model)
    (group,) = _groups(narrator)
    assert len(model.prompts) == 4
    assert [*group.nodes] == GOALS
    assert group.told.text.startswith("A day.\n")
    assert (narrator.usage.groupings_by_try, narrator.usage.groupings_failed) == ([0, 0, 0], 1)


def test_a_grouping_that_reduces_nothing_becomes_one_summary() -> None:
    model = RecordedChat(_reply((1, 1), (2, 2), (3, 3), (4, 4)), '{"summary": "A day."}')
    (group,) = _groups(_narrator(model))
    assert group.told.text.startswith("A day.\n")


def test_without_a_model_parts_of_the_day_are_groups() -> None:
    groups = _groups(_narrator(None))
    assert [[*group.nodes] for group in groups] == [GOALS[:2], GOALS[2:3], GOALS[3:]]
    assert groups[0].told == Told(
        "Tasks: make tea (08:00), water the fern (09:00). "
        "Saw: make tea thing, water the fern thing."
    )
    assert _narrator(None).problem is None


def test_many_nodes_of_one_part_of_the_day_are_shared_evenly() -> None:
    goals = [_goal(8, f"task {number}") for number in range(7)]
    sizes = [len(group.nodes) for group in _groups(_narrator(None), goals)]
    assert sizes == [2, 3, 2]


EVENTS = [
    HistoryNode(HistoryUnit.EVENT, 2, 0, 1, "Did: fill the kettle. At: kitchen.", source=BY_RULE),
    HistoryNode(HistoryUnit.EVENT, 2, 2, 3, "Said: thank you.", source=BY_RULE),
]


def _told_goal(
    model: RecordedChat, events: Sequence[HistoryNode] = EVENTS, *, by_model: bool = True
) -> tuple[Told, list[str]]:
    facts = Facts()
    facts.add(Section.TASKS, "make tea")
    narrator = _narrator(model, tell_goals_by_model=by_model)
    told, told_events = asyncio.run(narrator.goal(facts, events))
    return told, [event.text for event in told_events]


def test_goals_may_be_told_by_rule_alone() -> None:
    model = RecordedChat('{"summary": "Tea was made."}')
    told, events = _told_goal(model, by_model=False)
    assert told == Told("Tasks: make tea.")
    assert events == [event.text for event in EVENTS]
    assert model.prompts == []


def test_one_call_tells_a_goal_and_its_events_above_their_facts() -> None:
    model = RecordedChat('{"summary": "I made tea.", "events": ["I filled it.", "I was thanked."]}')
    told, events = _told_goal(model)
    assert told.text == "I made tea.\nTasks: make tea."
    assert events == [
        "I filled it.\nDid: fill the kettle. At: kitchen.",
        "I was thanked.\nSaid: thank you.",
    ]
    assert len(model.prompts) == 1


@pytest.mark.parametrize(
    "events", ['["I filled it."]', '[1, {"text": "I filled it."}]', '"I filled it."', "[]", "null"]
)
def test_events_that_the_model_does_not_tell_usably_stay_by_rule(events: str) -> None:
    told, texts = _told_goal(RecordedChat(f'{{"summary": "I made tea.", "events": {events}}}'))
    assert told.text == "I made tea.\nTasks: make tea."
    assert texts == [event.text for event in EVENTS]


def test_lists_that_a_model_writes_into_an_event_do_not_become_its_facts() -> None:
    reply = '{"summary": "I made tea.", "events": ["I filled it. Saw: a yacht.", "Tasks: flee."]}'
    _, events = _told_goal(RecordedChat(reply))
    assert events == ["I filled it.\nDid: fill the kettle. At: kitchen.", "Said: thank you."]


def test_a_goal_of_very_many_events_is_told_without_them() -> None:
    model = RecordedChat('{"summary": "I made tea."}')
    told, events = _told_goal(model, EVENTS * 20)
    assert told.text == "I made tea.\nTasks: make tea."
    assert events == [event.text for event in EVENTS * 20]
    assert "fill the kettle" not in model.prompts[0].text


def test_a_model_that_is_down_leaves_the_rule_and_a_problem() -> None:
    narrator = _narrator(RecordedChat(ModelUnavailable("no route")))
    assert _summary(narrator).source == BY_RULE
    assert narrator.problem == "the history is told by rule: no route"
    assert len(_groups(narrator)) == 3


def test_a_model_that_hangs_is_left_at_the_deadline() -> None:
    narrator = _narrator(RecordedChat(Silence.HANG), timeout_s=0.1)
    assert _summary(narrator).source == BY_RULE
    assert narrator.problem is not None


def test_nonsense_instead_of_a_summary_leaves_the_rule_and_a_problem() -> None:
    narrator = _narrator(RecordedChat("I would rather not."))
    assert _summary(narrator).source == BY_RULE
    assert narrator.problem == "the history is told by rule: no summary in 'I would rather not.'"


def test_a_problem_is_over_when_the_model_answers_again() -> None:
    model = RecordedChat(ModelUnavailable("no route"), '{"summary": "A day."}')
    narrator = _narrator(model)
    _summary(narrator)
    _summary(narrator)
    assert narrator.problem is None
