"""Time may begin again or be set back: what happens then is told like all else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.records import HistoryUnit
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.recorded_models import RecordedChat
from memory_test_support.records import descriptor, graph, keyframe, view
from memory_test_support.told import DAY_S, at, ns, outline, shape, tell, teller_of

MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""
GOAL: list[object] = ["goal", [["event", []], ["event", []]]]


def _simulated_run(writer: Writer, name: str) -> None:
    """From 10 to 40 s of a clock that began at 0."""
    episode_id = writer.start_episode(name, "", ns(10))
    writer.add(at(10, "action", f"{name}: start"))
    writer.add(at(30, "action", f"{name}: end"))
    writer.end_episode(episode_id, ns(40))


def _goals(past: Past) -> list[str]:
    return [node.text for node in past.history_between(0, 2**62, [HistoryUnit.GOAL])]


@pytest.mark.parametrize("told_at_s", [(), (45,), (600,)])
def test_a_second_simulated_run_is_told_like_the_first(
    writer: Writer, past: Past, told_at_s: tuple[int, ...]
) -> None:
    """Also where the end of the first was not told when the second began."""
    _simulated_run(writer, "find mug")
    for stamp_s in told_at_s:
        tell(teller_of(writer, past), ns(stamp_s))
    _simulated_run(writer, "make tea")
    teller = teller_of(writer, past)
    tell(teller, ns(20))
    tell(teller, ns(600))
    assert shape(past) == [["day", [GOAL, GOAL]]]
    assert [text.partition(".")[0] for text in _goals(past)] == [
        "Tasks: find mug",
        "Tasks: make tea",
    ]


def test_what_is_told_after_a_set_back_is_the_same_after_restarts(tmp_path: Path) -> None:
    trees = []
    for is_restarted in (False, True):
        memory_dir = tmp_path / str(is_restarted)
        writer, past = Writer(memory_dir), Past(memory_dir)
        teller = teller_of(writer, past)
        for begin_s in (MORNING_S, MORNING_S - 3600):
            for number in range(12):
                second = begin_s + 40 * number
                writer.add(at(second, ("action", "speech")[number % 2], f"thing {number}"))
                if is_restarted:
                    teller = teller_of(writer, past)
                tell(teller, ns(second + 1))
        tell(teller, ns(MORNING_S + DAY_S))
        trees.append(outline(past))
        past.close()
        writer.close()
    assert trees[0] == trees[1]
    day = trees[0][1]
    assert [len(goal["below"]) for goal in day["below"]] == [12, 12]


def test_a_clock_that_is_set_back_begins_one_stretch(writer: Writer, past: Past) -> None:
    model = RecordedChat('{"summary": "Words were said."}')
    teller = teller_of(writer, past, model)
    for begin_s in (MORNING_S, MORNING_S - DAY_S):
        for number in range(15):
            second = begin_s + 60 * number
            writer.add(at(second, "speech", f"word {number}"))
            tell(teller, ns(second))
    tell(teller, ns(MORNING_S - DAY_S + 7200))
    sunday, monday = shape(past)
    assert (len(sunday[1]), len(monday[1])) == (1, 1)
    assert len(sunday[1][0][1]) == 15
    assert len(model.prompts) == 2


def test_an_episode_within_a_time_that_was_told_before_is_a_goal_of_its_own(
    writer: Writer, past: Past
) -> None:
    for second in range(0, 7200, 600):
        writer.add(at(MORNING_S + second, "text", f"note {second}"))
    teller = teller_of(writer, past)
    tell(teller, ns(MORNING_S + 7300))
    episode_id = writer.start_episode("make tea", "", ns(MORNING_S + 60))
    for second in (60, 80):
        writer.add(at(MORNING_S + second, "action", f"step {second}"))
        tell(teller, ns(MORNING_S + second))
    writer.end_episode(episode_id, ns(MORNING_S + 100))
    tell(teller, ns(MORNING_S + 200))
    assert "Tasks: make tea. Did: step 60, step 80." in _goals(past)


def test_chunks_of_a_second_run_begin_a_stretch_of_their_own(writer: Writer, past: Past) -> None:
    teller = teller_of(writer, past)
    for chunk_id, (second, name) in enumerate(
        [(10, "mug_1"), (500, "mug_1"), (20, "bed_1"), (510, "bed_1")], 1
    ):
        frame = replace(keyframe(chunk_id, stamp_s=second), session_id=f"run of {name}")
        writer.commit_chunk(graph(chunk_id, [frame], [descriptor(name, view(chunk_id))]))
        tell(teller, ns(second + 100))
    tell(teller, ns(5000))
    assert _goals(past) == ["Saw: mug.", "Saw: bed."]


def test_one_observation_with_an_old_stamp_is_no_new_time(writer: Writer, past: Past) -> None:
    for second in (0, 600, 300, 900, 1200):
        writer.add(at(MORNING_S + second, "speech", f"word {second}"))
    tell(teller_of(writer, past), ns(MORNING_S + 7200))
    assert len(_goals(past)) == 1


def test_a_day_is_told_again_where_the_clock_was_set_back_into_it(
    writer: Writer, past: Past
) -> None:
    teller = teller_of(writer, past)
    for begin_s, name in ((0, "one"), (DAY_S, "two"), (3600, "three")):
        episode_id = writer.start_episode(name, "", ns(MORNING_S + begin_s))
        for second in (0, 20):
            writer.add(at(MORNING_S + begin_s + second, "action", f"{name} {second}"))
        writer.end_episode(episode_id, ns(MORNING_S + begin_s + 40))
        tell(teller, ns(MORNING_S + begin_s + 200))
    tell(teller, ns(MORNING_S + 2 * DAY_S))
    days = past.history_between(0, 2**62, [HistoryUnit.DAY])
    assert [day.text for day in days] == [
        "Tasks: one (08:00), three (09:00).",
        "Tasks: two (08:00).",
    ]
    assert not any(day.is_open for day in days)
