"""What happens becomes events and goals, and these days, weeks, months and years."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from memory_nodes.dates import Dates
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.errors import ModelUnavailable
from memory_nodes.records import EpisodeOrigin, HistoryNode, HistoryUnit
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.recorded_models import RecordedChat
from memory_test_support.records import descriptor, graph, keyframe, view
from memory_test_support.told import DAY_S, at, ns, outline, shape, tell, teller_of

HOUR_S = 3600
MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""
EVENT: list[Any] = ["event", []]


def _episode(writer: Writer, name: str, begin_s: float, *actions: str, parent: str = "") -> str:
    """An action every ten seconds; ends ten seconds after the last."""
    episode_id = writer.start_episode(name, parent, ns(begin_s))
    for number, action in enumerate(actions):
        writer.add(at(begin_s + 10 * number, "action", action))
    writer.end_episode(episode_id, ns(begin_s + 10 * len(actions)))
    return episode_id


def _texts(past: Past, unit: HistoryUnit) -> list[str]:
    return [node.text for node in past.history_between(0, 2**62, [unit])]


def _only(past: Past, unit: HistoryUnit) -> HistoryNode:
    (node,) = past.history_between(0, 2**62, [unit])
    return node


def test_an_episode_is_a_goal_of_its_events(writer: Writer, past: Past) -> None:
    episode_id = _episode(writer, "make tea", MORNING_S, "walk", "fill the kettle")
    tell(teller_of(writer, past), ns(MORNING_S + HOUR_S))
    assert shape(past) == [["day", [["goal", [EVENT, EVENT]]]]]
    assert _texts(past, HistoryUnit.EVENT) == ["Did: walk.", "Did: fill the kettle."]
    goal = _only(past, HistoryUnit.GOAL)
    assert goal.text == "Tasks: make tea. Did: walk, fill the kettle."
    assert goal.evidence == (episode_id,)
    assert (goal.start_ns, goal.end_ns) == (ns(MORNING_S), ns(MORNING_S + 20))
    assert not goal.is_open
    day = _only(past, HistoryUnit.DAY)
    assert (day.text, day.is_open) == ("Tasks: make tea (08:00).", True)


def test_an_event_lasts_until_the_next_of_its_goal(writer: Writer, past: Past) -> None:
    _episode(writer, "make tea", MORNING_S, "walk", "fill the kettle")
    tell(teller_of(writer, past), ns(MORNING_S + HOUR_S))
    first, second = past.history_between(0, 2**62, [HistoryUnit.EVENT])
    assert (first.start_ns, first.end_ns) == (ns(MORNING_S), ns(MORNING_S + 10) - 1)
    assert (second.start_ns, second.end_ns) == (ns(MORNING_S + 10), ns(MORNING_S + 10))


def test_goals_within_goals_are_nested(writer: Writer, past: Past) -> None:
    outer = writer.start_episode("breakfast", "", ns(MORNING_S))
    writer.add(at(MORNING_S, "action", "plan"))
    _episode(writer, "toast", MORNING_S + 10, "slice bread", parent=outer)
    _episode(writer, "coffee", MORNING_S + 40, "fill the mug", parent=outer)
    writer.add(at(MORNING_S + 60, "action", "serve"))
    writer.end_episode(outer, ns(MORNING_S + 70))
    tell(teller_of(writer, past), ns(MORNING_S + HOUR_S))
    inner = ["goal", [EVENT]]
    assert shape(past) == [["day", [["goal", [EVENT, inner, inner, EVENT]]]]]
    levels = [node.level for node in past.history_between(0, 2**62, [HistoryUnit.GOAL])]
    assert levels == [4, 3, 3]
    outermost = past.history_between(0, 2**62, [HistoryUnit.GOAL])[0]
    assert outermost.text.startswith("Tasks: breakfast, toast, coffee. Did: plan, ")


def test_a_session_is_no_goal(writer: Writer, past: Past) -> None:
    session = writer.start_episode("session", "", ns(MORNING_S), EpisodeOrigin.SESSION)
    writer.add(at(MORNING_S, "place", "dock"))
    _episode(writer, "make tea", MORNING_S + 60, "walk", parent=session)
    tell(teller_of(writer, past), ns(MORNING_S + HOUR_S))
    assert shape(past) == [["day", [["goal", [EVENT]], ["goal", [EVENT]]]]]
    assert _texts(past, HistoryUnit.GOAL) == ["At: dock.", "Tasks: make tea. Did: walk. At: dock."]


def test_outside_of_episodes_a_long_pause_parts_two_stretches(writer: Writer, past: Past) -> None:
    for second in (0, 1800, 3601):
        writer.add(at(MORNING_S + second, "place", "hall"))
    tell(teller_of(writer, past), ns(MORNING_S + 2 * HOUR_S))
    goals = past.history_between(0, 2**62, [HistoryUnit.GOAL])
    assert [(goal.start_ns, goal.end_ns) for goal in goals] == [
        (ns(MORNING_S), ns(MORNING_S + 1800)),
        (ns(MORNING_S + 3601), ns(MORNING_S + 3601)),
    ]


def test_another_session_parts_two_stretches(writer: Writer, past: Past) -> None:
    _commit(writer, 1, MORNING_S, "mug_1")
    _commit(writer, 2, MORNING_S + 60, "mug_1", session_id="session_2")
    tell(teller_of(writer, past), ns(MORNING_S + HOUR_S))
    assert shape(past) == [["day", [["goal", [EVENT]], ["goal", [EVENT]]]]]


def test_a_goal_that_goes_on_over_midnight_is_told_for_each_day(writer: Writer, past: Past) -> None:
    midnight_s = MORNING_S + 16 * HOUR_S
    episode_id = writer.start_episode("patrol", "", ns(midnight_s - 60))
    for second in (-60, -30, 30, 60):
        writer.add(at(midnight_s + second, "place", f"room {second}"))
    writer.end_episode(episode_id, ns(midnight_s + 90))
    tell(teller_of(writer, past), ns(midnight_s + HOUR_S))
    goals = past.history_between(0, 2**62, [HistoryUnit.GOAL])
    assert [goal.evidence for goal in goals] == [(episode_id,), (episode_id,)]
    assert goals[0].end_ns == ns(midnight_s) - 1
    assert goals[1].start_ns == ns(midnight_s)
    assert [day.is_open for day in past.parentless([HistoryUnit.DAY])] == [False, True]


def test_days_end_where_the_clock_says_so_when_it_changes(writer: Writer, past: Past) -> None:
    # On 25 October 2026 the clock in Berlin goes back at 3:00: the day has 25 hours.
    midnight_s = datetime(2026, 10, 25, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()
    for hours in (1, 24.5, 25.5):
        _episode(writer, f"task {hours}", midnight_s + hours * HOUR_S, "walk")
    tell(teller_of(writer, past), ns(midnight_s + 26 * HOUR_S))
    assert _texts(past, HistoryUnit.DAY) == [
        "Tasks: task 1 (01:00), task 24.5 (23:30).",
        "Tasks: task 25.5 (00:30).",
    ]


def test_nothing_younger_than_the_settling_time_is_told(writer: Writer, past: Past) -> None:
    _episode(writer, "make tea", MORNING_S, "walk")
    teller = teller_of(writer, past)
    tell(teller, ns(MORNING_S + 59))
    assert outline(past) == []
    tell(teller, ns(MORNING_S + 71))
    assert shape(past) == [["day", [["goal", [EVENT]]]]]


def test_an_episode_that_goes_on_is_open(writer: Writer, past: Past) -> None:
    writer.start_episode("make tea", "", ns(MORNING_S))
    writer.add(at(MORNING_S, "action", "walk"))
    tell(teller_of(writer, past), ns(MORNING_S + 2 * HOUR_S))
    goal, event = (_only(past, unit) for unit in (HistoryUnit.GOAL, HistoryUnit.EVENT))
    assert goal.is_open
    assert event.is_open
    assert goal.text == "Tasks: make tea."


def test_chunks_become_events_by_what_they_show(writer: Writer, past: Past) -> None:
    _commit(writer, 1, MORNING_S, "mug_1", "table_1")
    _commit(writer, 2, MORNING_S + 10, "mug_1", "table_1")
    _commit(writer, 3, MORNING_S + 20, "bed_1", "lamp_1")
    tell(teller_of(writer, past), ns(MORNING_S + HOUR_S))
    events = past.history_between(0, 2**62, [HistoryUnit.EVENT])
    assert [event.evidence for event in events] == [("chunk_1", "chunk_2"), ("chunk_3",)]
    assert [event.text for event in events] == ["Saw: mug, table.", "Saw: bed, lamp."]


def test_units_are_closed_when_they_are_over(writer: Writer, past: Past) -> None:
    teller = teller_of(writer, past)
    # Mon 7, Tue 8, Mon 14 September, Mon 5 October 2026, and Sat 2 January 2027
    for number in (0, 1, 7, 28, 117):
        _episode(writer, f"task {number}", MORNING_S + number * DAY_S, "walk")
        tell(teller, ns(MORNING_S + number * DAY_S + HOUR_S))
    day: list[Any] = ["day", [["goal", [EVENT]]]]
    month = ["month", [["week", [day, day]], day]]
    assert shape(past) == [["year", [month, day]], day]
    assert _texts(past, HistoryUnit.MONTH) == ["Tasks: task 0, task 1, task 7."]
    root = _only(past, HistoryUnit.ROOT)
    assert root.text == "Tasks: task 0, task 1, task 7, task 28, task 117."
    assert root.is_open


def test_a_busy_day_is_grouped(writer: Writer, past: Past) -> None:
    for hour in (0, 1, 2, 7, 8, 9, 11):
        _episode(writer, f"task {hour}", MORNING_S + hour * HOUR_S, "walk")
    tell(teller_of(writer, past), ns(MORNING_S + 2 * DAY_S))
    goal: list[Any] = ["goal", [EVENT]]
    # from 8:00, from 15:00, and at 19:00 alone
    assert shape(past) == [["day", [["group", [goal] * 3], ["group", [goal] * 3], goal]]]
    assert _texts(past, HistoryUnit.GROUP) == [
        "Tasks: task 0 (08:00), task 1 (09:00), task 2 (10:00).",
        "Tasks: task 7 (15:00), task 8 (16:00), task 9 (17:00).",
    ]
    levels = [node["level"] for node in outline(past)]
    assert levels == [6, 5]  # root and day


def test_the_same_tree_comes_day_by_day_and_at_once(tmp_path: Path) -> None:
    trees = []
    for is_at_once in (False, True):
        memory_dir = tmp_path / str(is_at_once)
        writer, past = Writer(memory_dir), Past(memory_dir)
        teller = teller_of(writer, past)
        for day in (0, 1, 2, 7, 8, 30, 31, 70):
            for hour in (0, 1, 4, 9):
                begin_s = MORNING_S + day * DAY_S + hour * HOUR_S
                _episode(writer, f"task {day % 3} {hour}", begin_s, "walk", "grasp", "place")
                writer.add(at(begin_s + 600, "detections", "dock, lamp"))
                if not is_at_once:
                    tell(teller, ns(begin_s + 700))
        tell(teller, ns(MORNING_S + 72 * DAY_S))
        trees.append(outline(past))
        past.close()
        writer.close()
    assert trees[0] == trees[1]


def test_a_restart_at_any_moment_changes_nothing(tmp_path: Path) -> None:
    trees = []
    for is_restarted in (False, True):
        memory_dir = tmp_path / str(is_restarted)
        writer, past = Writer(memory_dir), Past(memory_dir)
        teller = teller_of(writer, past)
        episode_id = writer.start_episode("make tea", "", ns(MORNING_S))
        for number in range(20):
            second = MORNING_S + 7 * number
            layer = ("action", "place", "speech", "text", "detections")[number % 5]
            writer.add(at(second, layer, f"thing {number}"))
            if is_restarted:
                teller = teller_of(writer, past)
            tell(teller, ns(second + 60))
        writer.end_episode(episode_id, ns(MORNING_S + 150))
        tell(teller, ns(MORNING_S + HOUR_S))
        trees.append(outline(past))
        past.close()
        writer.close()
    assert trees[0] == trees[1]


def test_a_late_chunk_goes_into_the_event_that_covers_it(writer: Writer, past: Past) -> None:
    _episode(writer, "make tea", MORNING_S, "walk", "fill the kettle", "pour")
    teller = teller_of(writer, past)
    tell(teller, ns(MORNING_S + 2 * DAY_S))
    before = outline(past)
    _commit(writer, 1, MORNING_S + 15, "kettle_1")
    writer.add(at(MORNING_S + 16, "speech", "careful"))
    tell(teller, ns(MORNING_S + 3 * DAY_S))
    events = past.history_between(0, 2**62, [HistoryUnit.EVENT])
    assert events[1].evidence == ("observation_2", "chunk_1", "observation_4")
    assert [node["text"] for node in before] == [node["text"] for node in outline(past)]
    assert [event.text for event in events] == ["Did: walk.", "Did: fill the kettle.", "Did: pour."]


def test_a_chunk_that_comes_when_its_episode_is_told_is_evidence_of_it(
    writer: Writer, past: Past
) -> None:
    episode_id = writer.start_episode("make tea", "", ns(MORNING_S))
    writer.add(at(MORNING_S + 1, "action", "walk"))
    writer.end_episode(episode_id, ns(MORNING_S + 100))
    teller = teller_of(writer, past)
    tell(teller, ns(MORNING_S + 300))
    _commit(writer, 1, MORNING_S + 50, "kettle_1")  # after all that was observed in it
    tell(teller, ns(MORNING_S + 400))
    assert shape(past) == [["day", [["goal", [EVENT]]]]]
    assert _only(past, HistoryUnit.GOAL).evidence == (episode_id, "chunk_1")


def test_what_comes_late_where_nothing_was_told_becomes_a_goal_of_its_day(
    writer: Writer, past: Past
) -> None:
    for day in (0, 1, 14):
        _episode(writer, f"task {day}", MORNING_S + day * DAY_S, "walk")
    teller = teller_of(writer, past)
    tell(teller, ns(MORNING_S + 15 * DAY_S))
    week = _only(past, HistoryUnit.WEEK)
    late_s = MORNING_S + 2 * HOUR_S
    for second in (0, 5, 70):
        writer.add(at(late_s + second, "speech", f"late {second}"))
    writer.add(at(MORNING_S + 2 * DAY_S, "speech", "late on Wednesday"))
    tell(teller, ns(MORNING_S + 16 * DAY_S))
    goal: list[Any] = ["goal", [EVENT]]
    monday: list[Any] = ["day", [goal, ["goal", [EVENT, EVENT, EVENT]]]]
    assert shape(past) == [["week", [monday, ["day", [goal]], ["day", [goal]]]], ["day", [goal]]]
    (again,) = past.history([week.node_id])
    assert (again.text, again.is_open) == (week.text, False)
    assert again.end_ns == ns(MORNING_S + 2 * DAY_S)
    assert _texts(past, HistoryUnit.DAY)[0] == "Tasks: task 0 (08:00)."


def test_what_has_been_told_costs_no_call_again(writer: Writer, past: Past) -> None:
    model = RecordedChat('{"summary": "It went well."}')
    teller = teller_of(writer, past, model)
    calls = []
    for day in range(21):
        _episode(writer, f"task {day}", MORNING_S + day * DAY_S, "walk")
        tell(teller, ns(MORNING_S + day * DAY_S + HOUR_S))
        calls.append(len(model.prompts))
    # Each day a goal, and the day before; on Mondays a week more.
    each = [b - a for a, b in pairwise(calls)]
    assert each == [3 if day % 7 == 0 else 2 for day in range(1, 21)]
    assert max(len(prompt.text) for prompt in model.prompts) < 1500


def test_the_model_tells_a_goal_and_a_day(writer: Writer, past: Past) -> None:
    model = RecordedChat('{"summary": "Tea was made."}', '{"summary": "A short day."}')
    _episode(writer, "make tea", MORNING_S, "walk")
    tell(teller_of(writer, past, model), ns(MORNING_S + 2 * DAY_S))
    goal, day = (_only(past, unit) for unit in (HistoryUnit.GOAL, HistoryUnit.DAY))
    assert (goal.text, goal.source) == ("Tea was made.\nTasks: make tea.", "recorded")
    assert day.text == "A short day.\nTasks: make tea (08:00)."


def test_the_model_tells_the_events_of_a_goal_that_is_over(writer: Writer, past: Past) -> None:
    model = RecordedChat('{"summary": "Tea was made.", "events": ["I went to and fro."]}')
    _episode(writer, "make tea", MORNING_S, "walk")
    tell(teller_of(writer, past, model), ns(MORNING_S + DAY_S / 2))
    event = _only(past, HistoryUnit.EVENT)
    assert (event.text, event.source) == ("I went to and fro.\nDid: walk.", "recorded")


def test_without_its_model_the_history_is_told_by_rule(writer: Writer, past: Past) -> None:
    teller = teller_of(writer, past, RecordedChat(ModelUnavailable("no route")))
    _episode(writer, "make tea", MORNING_S, "walk")
    tell(teller, ns(MORNING_S + 2 * DAY_S))
    assert _texts(past, HistoryUnit.DAY) == ["Tasks: make tea (08:00)."]
    assert teller.problem == "the history is told by rule: no route"


def test_simulated_time_has_a_history_too(writer: Writer, past: Past) -> None:
    for day in (0, 1):
        _episode(writer, f"task {day}", day * DAY_S, "walk")
    tell(teller_of(writer, past, dates=Dates()), ns(2 * DAY_S))
    assert _texts(past, HistoryUnit.DAY) == [
        "Tasks: task 0 (0:00:00).",
        "Tasks: task 1 (24:00:00).",
    ]


def test_a_stretch_of_many_events_is_cut(writer: Writer, past: Past) -> None:
    for number in range(10):
        writer.add(at(MORNING_S + 10 * number, "speech", f"word {number}"))
    config = HistoryConfig(max_stretch_events=4)
    tell(teller_of(writer, past, config=config), ns(MORNING_S + HOUR_S))
    (day,) = shape(past)
    assert [len(goal[1]) for goal in day[1]] == [4, 4, 2]


def _commit(
    writer: Writer, chunk_id: int, second: float, *objects: str, session_id: str = "session_1"
) -> None:
    """A chunk of one keyframe."""
    frame = replace(keyframe(chunk_id, stamp_s=second), session_id=session_id)
    shown = [descriptor(name, view(chunk_id)) for name in objects]
    writer.commit_chunk(graph(chunk_id, [frame], shown))
