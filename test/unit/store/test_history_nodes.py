"""Nodes of the history tree are written all or none, and found by time, unit and words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.errors import InputError
from memory_nodes.records import HistoryNode, HistoryUnit
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import keyframe, observation

DAY, GOAL, EVENT = HistoryUnit.DAY, HistoryUnit.GOAL, HistoryUnit.EVENT


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def past(tmp_path: Path, writer: Writer) -> Iterator[Past]:
    opened = Past(tmp_path)
    yield opened
    opened.close()


def _node(
    unit: HistoryUnit, start_ns: int, end_ns: int, parent_id: str = "", *below: str
) -> HistoryNode:
    level = {DAY: 4, GOAL: 3, EVENT: 2}[unit]
    text = f"{unit.value} from {start_ns}"
    return HistoryNode(
        unit, level, start_ns, end_ns, text, parent_id=parent_id, child_ids=tuple(below)
    )


def test_nodes_of_one_commit_name_each_other_by_number(writer: Writer, past: Past) -> None:
    nodes = [_node(DAY, 0, 9), _node(GOAL, 0, 4, "@0"), _node(EVENT, 0, 4, "@1")]
    day, goal, event = writer.put_history(nodes)
    assert [node.parent_id for node in past.history([day, goal, event])] == ["", day, goal]
    (other,) = writer.put_history([_node(DAY, 10, 19, "", goal)])
    assert past.history([goal])[0].parent_id == other
    ids = writer.put_history([_node(GOAL, 20, 29), _node(DAY, 20, 29, "", "@0")])
    assert past.history(ids)[0].parent_id == ids[1]


def test_a_number_that_has_not_come_yet_is_unknown(writer: Writer, past: Past) -> None:
    with pytest.raises(InputError, match="no history node '@1'"):
        writer.put_history([_node(GOAL, 0, 4, "@1"), _node(DAY, 0, 9)])
    assert past.parentless([DAY, GOAL]) == []


def test_the_events_that_were_told_last_come_first(writer: Writer, past: Past) -> None:
    # the clock may be set back
    writer.put_history([_node(EVENT, start_ns, start_ns) for start_ns in (5, 7, 6)])
    assert [event.start_ns for event in past.last_events(2)] == [6, 7]


def test_the_nodes_beside_a_time_are_those_next_to_it(writer: Writer, past: Past) -> None:
    writer.put_history([_node(GOAL, start, start + 5) for start in (0, 10, 20, 30)])
    before, after = past.history_beside(20, 25, GOAL)
    assert before is not None
    assert after is not None
    assert (before.start_ns, after.start_ns) == (10, 30)
    assert past.history_beside(0, 35, GOAL) == (None, None)


def test_texts_are_found_by_parts_of_words_in_any_case(writer: Writer, past: Past) -> None:
    goal, *_ = writer.put_history([_node(GOAL, 3, 5), _node(GOAL, 8, 9), _node(EVENT, 3, 4, "@0")])
    found = past.history_texts(0, 5, GOAL, ["goal"])
    assert found == [(goal, "", "goal from 3")]
    assert past.history_texts(0, 9, EVENT, ["nothing", "VENT"])[0][1] == goal
    assert past.history_texts(0, 9, GOAL, []) == []


def test_observations_are_found_by_time_and_by_id(writer: Writer, past: Past) -> None:
    ids = [writer.add(observation(f"note {at}", stamp_ns=at)) for at in (5, 1, 9)]
    between = past.observations_between(1, 5, 10)
    assert [seen.observation.text for seen in between] == ["note 1", "note 5"]
    assert len(past.observations_between(0, 9, 1)) == 1
    named = past.observations([ids[2], "nobody", ids[0]])
    assert [seen.key for seen in named] == [1, 3]


def test_episodes_are_found_by_a_time_that_they_overlap(writer: Writer, past: Past) -> None:
    first = writer.start_episode("one", "", 10)
    writer.end_episode(first, 20)
    second = writer.start_episode("two", "", 30)
    assert [each.episode_id for each in past.episodes_between(20, 29)] == [first]
    assert [each.episode_id for each in past.episodes_between(21, 99)] == [second]
    assert past.episodes_between(0, 9) == []


def test_an_unknown_keyframe_is_none(past: Past) -> None:
    assert past.keyframe(keyframe(1).keyframe_id) is None
