"""A stretch of time is told by few nodes that fit it."""

from __future__ import annotations

import pytest

from memory_nodes.episodic.history.summary import MAX_NODES, Summary, summary
from memory_nodes.errors import InputError
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.told import BERLIN, DAY_S, at, ns, tell, teller_of

MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""
EVER = (0, 2**62)


@pytest.fixture(autouse=True)
def _history(writer: Writer, past: Past) -> None:
    """Three tasks a day, of two events each, from Monday to Wednesday of three weeks."""
    for week in range(3):
        for day in range(3):
            for hour in range(3):
                begin_s = MORNING_S + (7 * week + day) * DAY_S + hour * 3600
                episode_id = writer.start_episode(f"task {hour}", "", ns(begin_s))
                writer.add(at(begin_s, "action", "walk"))
                writer.add(at(begin_s + 10, "action", "grasp"))
                writer.end_episode(episode_id, ns(begin_s + 20))
    tell(teller_of(writer, past), ns(MORNING_S + 30 * DAY_S))


def _units(told: Summary) -> list[str]:
    return [node.unit for node in told.nodes]


def test_the_whole_history_is_told_by_its_days(past: Past) -> None:
    assert _units(summary(past, *EVER, 0, BERLIN)) == ["day"] * 9


def test_a_day_is_told_by_its_goals(past: Past) -> None:
    told = summary(past, ns(MORNING_S - 3600), ns(MORNING_S + 12 * 3600), 0, BERLIN)
    assert _units(told) == ["goal"] * 3
    assert told.text.splitlines()[0] == ("Mon 7 Sep 2026 08:00: Tasks: task 0. Did: walk, grasp.")


def test_what_is_only_partly_in_that_time_is_told_apart(past: Past) -> None:
    since_ns, until_ns = ns(MORNING_S + 3600), ns(MORNING_S + 3 * DAY_S)
    told = summary(past, since_ns, until_ns, 0, BERLIN)
    assert all(since_ns <= node.start_ns <= node.end_ns <= until_ns for node in told.nodes)
    assert len(told.nodes) <= MAX_NODES


def test_a_level_can_be_asked_for(past: Past) -> None:
    assert _units(summary(past, *EVER, 2, BERLIN)) == ["event"] * 54
    assert _units(summary(past, *EVER, 3, BERLIN)) == ["goal"] * 27
    assert _units(summary(past, *EVER, 5, BERLIN)) == ["week"] * 3


def test_a_long_text_ends_with_how_many_are_left_out(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_nodes.episodic.history.summary.MAX_TEXT_CHARS", 500)
    told = summary(past, *EVER, 2, BERLIN)
    lines = told.text.splitlines()
    assert lines[-1] == f"({54 - len(lines) + 1} more)"
    assert 400 < len(told.text) <= 500
    assert len(told.nodes) == 54


def test_of_a_time_without_anything_it_says_so(past: Past) -> None:
    told = summary(past, 0, ns(60), 0, BERLIN)
    assert told.nodes == ()
    assert told.text == "Nothing is remembered of 0:00:00 to 0:01:00 after the start."


@pytest.mark.parametrize(("since_ns", "until_ns", "level"), [(2, 1, 0), (0, 1, 1), (0, 1, 256)])
def test_what_makes_no_sense_is_an_input_error(
    past: Past, since_ns: int, until_ns: int, level: int
) -> None:
    with pytest.raises(InputError):
        summary(past, since_ns, until_ns, level, BERLIN)
