"""A goal begins when it is executed, and ends once."""

from __future__ import annotations

from types import SimpleNamespace

from memory_nodes.episodic.goals import LOST, GoalChange, GoalWatch

ACCEPTED, EXECUTING, CANCELING, SUCCEEDED, CANCELED, ABORTED = range(1, 7)
"""action_msgs/GoalStatus."""


def changes(*lists: dict[int, int]) -> list[GoalChange]:
    """Of status lists, each given as codes by the number of the goal."""
    watch = GoalWatch()
    found: list[GoalChange] = []
    for codes in lists:
        found += watch.changes(
            SimpleNamespace(
                goal_info=SimpleNamespace(goal_id=SimpleNamespace(uuid=[number] * 16)), status=code
            )
            for number, code in codes.items()
        )
    return found


def _id(number: int) -> str:
    return f"{number:02x}" * 16


def test_goal_begins_once_and_ends_once() -> None:
    lists = [{1: code} for code in (ACCEPTED, EXECUTING, EXECUTING, CANCELING, CANCELED, CANCELED)]
    assert changes(*lists) == [GoalChange(_id(1)), GoalChange(_id(1), "canceled")]


def test_goal_that_another_replaces_ends_before_it_begins() -> None:
    assert changes({1: EXECUTING}, {1: ABORTED, 2: EXECUTING}, {1: ABORTED, 2: SUCCEEDED}) == [
        GoalChange(_id(1)),
        GoalChange(_id(1), "aborted"),
        GoalChange(_id(2)),
        GoalChange(_id(2), "succeeded"),
    ]


def test_goal_that_had_ended_before_is_no_news() -> None:
    assert changes({1: SUCCEEDED}, {1: SUCCEEDED}) == []


def test_goal_that_the_server_forgets_is_lost() -> None:
    assert changes({1: EXECUTING}, {}) == [GoalChange(_id(1)), GoalChange(_id(1), LOST)]
