"""A goal begins when it is executed, and ends once."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from memory_nodes.episodic.goals import GONE, LOST, GoalChange, GoalWatch

ACCEPTED, EXECUTING, CANCELING, SUCCEEDED, CANCELED, ABORTED = range(1, 7)
"""action_msgs/GoalStatus."""
DEAD, OTHER, NOBODY = frozenset({b"dead"}), frozenset({b"other"}), frozenset[bytes]()


def changes(*lists: dict[int, int]) -> list[GoalChange]:
    """Of status lists, each given as codes by the number of the goal."""
    watch = GoalWatch(silence_s=120.0)
    found: list[GoalChange] = []
    for codes in lists:
        found += watch.changes(statuses(codes), DEAD)
    return found


def statuses(codes: dict[int, int]) -> list[SimpleNamespace]:
    return [
        SimpleNamespace(
            goal_info=SimpleNamespace(goal_id=SimpleNamespace(uuid=[number] * 16)), status=code
        )
        for number, code in codes.items()
    ]


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


@pytest.mark.parametrize("now", [NOBODY, OTHER], ids=["no server", "another server"])
def test_goal_whose_server_is_gone_for_long_is_lost_once(now: frozenset[bytes]) -> None:
    watch = GoalWatch(silence_s=120.0)
    list(watch.changes(statuses({1: EXECUTING}), DEAD))
    looks = [(DEAD, 0.0), (now, 10.0), (now, 129.0), (now, 130.0), (now, 131.0)]
    lost = [watch.gone(servers, now_s) for servers, now_s in looks]
    assert lost == [[], [], [], [GoalChange(_id(1), GONE)], []]


def test_goal_of_a_silent_server_that_is_there_goes_on() -> None:
    watch = GoalWatch(silence_s=120.0)
    list(watch.changes(statuses({1: EXECUTING}), DEAD))
    looks = [(DEAD, 0.0), (NOBODY, 10.0), (DEAD | OTHER, 100.0), (NOBODY, 140.0), (DEAD, 9000.0)]
    assert not any(watch.gone(servers, now_s) for servers, now_s in looks)


def test_server_that_is_known_only_after_its_message_is_not_gone() -> None:
    watch = GoalWatch(silence_s=120.0)
    list(watch.changes(statuses({1: EXECUTING}), NOBODY))
    assert not any(watch.gone(OTHER, now_s) for now_s in (1.0, 9999.0))
