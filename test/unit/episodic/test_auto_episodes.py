"""What happens to the robot, as a table of events, and the episodes that come of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.episodic.auto_episodes import AutoEpisodes, AutoEpisodesConfig
from memory_nodes.episodic.goals import GONE
from memory_nodes.errors import InputError
from memory_nodes.geometry import Pose
from memory_nodes.records import NS_PER_S, EpisodeOrigin, EpisodeStatus, Keyframe
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_nodes.suite import SuiteConfig
from memory_test_support.records import keyframe, observation

IDLE_S = 600.0
REQUEST, SESSION, GOAL = EpisodeOrigin.REQUEST, EpisodeOrigin.SESSION, EpisodeOrigin.GOAL


class Life:
    """A robot that things happen to; times are seconds, places metres along x."""

    def __init__(self, memory_dir: Path, **config: Any) -> None:
        self.writer = Writer(memory_dir)
        self.past = Past(memory_dir)
        self.episodes = AutoEpisodes(
            self.writer, AutoEpisodesConfig(idle_s=IDLE_S, **config), SuiteConfig(time_zone="UTC")
        )

    def at(self, stamp_s: float, x_m: float) -> None:
        self.episodes.at(_ns(stamp_s), _pose(x_m))

    def saw(self, stamp_s: float, x_m: float, session_id: str = "a") -> None:
        self.episodes.saw([_keyframe(stamp_s, x_m, session_id)])

    def goal(self, stamp_s: float, goal_id: str = "g") -> None:
        self.episodes.goal_begins("navigate_to_pose", goal_id, _ns(stamp_s))

    def said(self, stamp_s: float, text: str) -> None:
        self.episodes.goal_said(text, _ns(stamp_s))

    def ended(
        self, stamp_s: float, outcome: str, x_m: float | None = 0.0, goal_id: str = "g"
    ) -> None:
        where = None if x_m is None else _pose(x_m)
        self.episodes.goal_ends(goal_id, outcome, _ns(stamp_s), where)

    def start(self, stamp_s: float, name: str) -> str:
        return self.episodes.start(name, "", _ns(stamp_s))

    def end(self, stamp_s: float, episode_id: str = "") -> None:
        self.episodes.end(episode_id, _ns(stamp_s))

    def jumps_back(self) -> None:
        self.episodes.clock_jumped()

    def stops(self) -> None:
        self.episodes.close()

    def told(self) -> list[tuple[Any, ...]]:
        """Origin, name, seconds, and the number of the parent, from 1."""
        return [
            (
                item.origin,
                item.name,
                item.start_ns / NS_PER_S,
                None if item.end_ns is None else item.end_ns / NS_PER_S,
                int(item.parent_id.removeprefix("episode_") or 0),
            )
            for item in self.past.episodes()
        ]

    def observed(self) -> list[tuple[str, str, str]]:
        """Layer, text and episode."""
        return [
            (item.observation.layer, item.observation.text, item.episode_id)
            for item in self.past.observations_after(0, 100)
        ]

    def close(self) -> None:
        self.past.close()
        self.writer.close()


def _ns(stamp_s: float) -> int:
    return round(stamp_s * NS_PER_S)


def _pose(x_m: float) -> Pose:
    return Pose.planar(x_m, 0.0, 0.0)


def _keyframe(stamp_s: float, x_m: float, session_id: str) -> Keyframe:
    return replace(keyframe(1, stamp_s=stamp_s, base=_pose(x_m)), session_id=session_id)


@pytest.fixture
def life(tmp_path: Path) -> Iterator[Life]:
    made = Life(tmp_path)
    yield made
    made.close()


def session(start_s: float, end_s: float | None) -> tuple[Any, ...]:
    """Simulated time, which is told from its start."""
    minutes, seconds = divmod(int(start_s), 60)
    return SESSION, f"session 0:{minutes:02d}:{seconds:02d} after the start", start_s, end_s, 0


TABLE: dict[str, tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]] = {
    "nothing has happened": ([("at", 0, 0.0), ("at", 5, 0.1)], []),
    "the first keyframe begins a session": ([("saw", 3, 0.0)], [session(3, None)]),
    "motion begins a session": (
        [("at", 0, 0.0), ("at", 4, 0.2), ("at", 5, 0.3)],
        [session(5, None)],
    ),
    "keyframes of the session that motion has begun change nothing": (
        [("at", 0, 0.0), ("at", 5, 1.0), ("saw", 3, 0.9), ("saw", 6, 1.2), ("saw", 7, 2.0)],
        [session(5, None)],
    ),
    "another session id ends the one before": (
        [("saw", 1, 0.0), ("saw", 9, 3.0), ("saw", 500, 3.0, "b"), ("saw", 501, 4.0, "b")],
        [session(1, 9), session(500, None)],
    ),
    "a long rest ends the session and motion begins another": (
        [
            *(("at", 0, 0.0), ("at", 5, 1.0), ("at", 604, 1.1), ("at", 605, 1.1)),
            *(("at", 700, 1.1), ("at", 800, 2.0)),
        ],
        [session(5, 605), session(800, None)],
    ),
    "a keyframe of a robot that rests begins nothing": (
        [("saw", 0, 0.0), ("saw", 60, 0.0), ("saw", 600, 0.0), ("saw", 660, 0.0)],
        [session(0, 600)],
    ),
    "a keyframe that comes late from before the rest begins nothing": (
        [("at", 0, 0.0), ("at", 5, 1.0), ("at", 605, 1.0), ("saw", 300, 0.5), ("saw", 301, 1.0)],
        [session(5, 605)],
    ),
    "a goal lies within the session that it begins": (
        [("goal", 10), ("ended", 20, "succeeded")],
        [session(10, None), (GOAL, "navigate_to_pose", 10, 20, 1)],
    ),
    "what is said of a goal names it, once and for a while": (
        [
            *(("said", 9, "to the kitchen"), ("goal", 10, "g"), ("ended", 20, "aborted")),
            *(("goal", 21, "h"), ("ended", 22, "lost", 0.0, "h")),
            *(("said", 30, "to the hall"), ("goal", 41, "i"), ("ended", 50, "canceled", None, "i")),
        ],
        [
            session(10, None),
            (GOAL, "to the kitchen", 10, 20, 1),
            (GOAL, "navigate_to_pose", 21, 22, 1),
            (GOAL, "navigate_to_pose", 41, 50, 1),
        ],
    ),
    "a goal of a task lies within it": (
        [("start", 1, "tidy up"), ("goal", 2), ("ended", 3, "succeeded"), ("end", 4)],
        [session(1, None), (REQUEST, "tidy up", 1, 4, 1), (GOAL, "navigate_to_pose", 2, 3, 2)],
    ),
    "a task keeps the session open while the robot rests": (
        [
            *(("at", 0, 0.0), ("at", 1, 1.0), ("start", 2, "wait"), ("at", 2000, 1.0)),
            *(("end", 2100), ("at", 2200, 1.0)),
        ],
        [session(1, 2200), (REQUEST, "wait", 2, 2100, 1)],
    ),
    "a drive that takes long is no rest": (
        [
            *(("at", 0, 0.0), ("goal", 1), ("at", 590, 1.0), ("at", 1180, 2.0)),
            *(("ended", 1500, "aborted"), ("at", 2000, 2.0), ("at", 2100, 2.0)),
        ],
        [session(1, 2100), (GOAL, "navigate_to_pose", 1, 1500, 1)],
    ),
    "a goal that nothing is heard of while the robot rests is given up": (
        [("at", 0, 0.0), ("at", 1, 1.0), ("goal", 9), ("at", 608, 1.0), ("at", 609, 1.0)],
        [session(1, 609), (GOAL, "navigate_to_pose", 9, 609, 1)],
    ),
    "time that jumps back ends all that began by itself": (
        [("saw", 100, 0.0), ("goal", 110), ("at", 120, 3.0), ("jumps_back",), ("saw", 1, 0.0, "b")],
        [session(100, 120), (GOAL, "navigate_to_pose", 110, 120, 1), session(1, None)],
    ),
    "a keyframe that comes late from before time jumped back begins nothing": (
        [("saw", 100, 0.0), ("jumps_back",), ("saw", 130, 1.0), ("saw", 1, 0.0, "b")],
        [session(100, 100), session(1, None)],
    ),
    "a task keeps the session open though its id changes": (
        [("saw", 1, 0.0), ("start", 2, "tidy up"), ("saw", 500, 0.0, "b"), ("end", 600)],
        [session(1, None), (REQUEST, "tidy up", 2, 600, 1)],
    ),
    "a goal ends with the task around it": (
        [("start", 1, "tidy up"), ("goal", 2), ("end", 3), ("ended", 4, "succeeded"), ("goal", 5)],
        [
            *(session(1, None), (REQUEST, "tidy up", 1, 3, 1)),
            *((GOAL, "navigate_to_pose", 2, 3, 2), (GOAL, "navigate_to_pose", 5, None, 1)),
        ],
    ),
    "the end of the node ends all that began by itself": (
        [("saw", 100, 0.0), ("at", 120, 3.0), ("stops",)],
        [session(100, 120)],
    ),
    "the end of a session that is asked for is one": (
        [("saw", 1, 0.0), ("end", 5, "episode_1"), ("at", 6, 0.0), ("at", 7, 1.0)],
        [session(1, 5), session(7, None)],
    ),
}


@pytest.mark.parametrize("case", TABLE)
def test_episodes_of_a_life(life: Life, case: str) -> None:
    events, expected = TABLE[case]
    for name, *arguments in events:
        getattr(life, name)(*arguments)
    assert life.told() == expected


def test_outcome_of_a_goal_is_observed_within_its_episode_where_the_robot_is(life: Life) -> None:
    life.said(9, "to the kitchen")
    life.goal(10)
    life.ended(20, "succeeded", 4.0)
    assert life.observed() == [("goal", "to the kitchen: succeeded", "episode_2")]
    found = life.past.observations_after(0, 1)[0].observation
    assert (found.stamp_ns, found.map_from_base) == (_ns(20), _pose(4.0))


def test_outcome_without_a_place_is_not_observed_and_the_episode_ends(life: Life) -> None:
    life.goal(10)
    life.ended(20, "succeeded", None)
    assert (life.observed(), life.told()[1][3]) == ([], 20)


def test_goal_that_is_given_up_or_lost_is_interrupted_and_says_why(life: Life) -> None:
    life.at(0, 0.0)
    life.goal(1, "g")
    life.at(700, 0.0)
    life.goal(701, "h")
    life.ended(702, GONE, goal_id="h")
    life.ended(703, "succeeded", goal_id="g")  # it was only slow
    assert life.observed() == [
        ("goal", "navigate_to_pose: lost, no word of it and no motion", "episode_2"),
        ("goal", "navigate_to_pose: lost, its server is gone", "episode_4"),
        ("goal", "navigate_to_pose: succeeded", "episode_3"),
    ]
    statuses = [episode.status for episode in life.past.episodes()]
    assert (statuses[1], statuses[3]) == (EpisodeStatus.INTERRUPTED,) * 2


def test_task_without_an_id_ends_before_the_session_does(life: Life) -> None:
    life.start(1, "outer")
    life.start(2, "inner")
    life.end(3)
    life.end(4)
    with pytest.raises(InputError, match="no episode is active"):
        life.end(5)
    assert [(name, end_s) for _, name, _, end_s, _ in life.told()[1:]] == [
        ("outer", 4),
        ("inner", 3),
    ]


def test_crash_ends_a_session_at_the_last_known_time_and_the_next_follows(tmp_path: Path) -> None:
    before = Life(tmp_path)
    before.saw(100, 0.0)
    before.writer.add(observation("still here", stamp_s=130.0))
    before.close()
    after = Life(tmp_path)
    after.saw(400, 1.0)
    assert after.told() == [session(100, 130), session(400, None)]
    assert after.past.episodes()[0].status == EpisodeStatus.INTERRUPTED
    with after.writer.database.reading() as connection:
        edges = connection.execute("SELECT from_key, to_key FROM edge WHERE kind = 'FOLLOWS'")
        assert [tuple(row) for row in edges] == [(2, 1)]
    after.close()


def test_session_is_named_by_date_where_time_is_that_of_the_calendar(life: Life) -> None:
    """1,796,133,900 s is 1 December 2026, 14:05 UTC, by `date -u -d @1796133900`."""
    life.saw(1_796_133_900, 0.0)
    assert life.told()[0][1] == "session Tue 1 Dec 2026 14:05"


def test_without_automatic_episodes_only_what_is_asked_for_is_one(tmp_path: Path) -> None:
    life = Life(tmp_path, auto_episodes=False)
    life.at(0, 0.0)
    life.at(1, 5.0)
    life.saw(2, 6.0)
    life.start(3, "tidy up")
    assert life.told() == [(REQUEST, "tidy up", 3, None, 0)]
    life.close()


def test_pose_that_is_none_moves_nothing(life: Life) -> None:
    life.at(0, 0.0)
    life.episodes.at(_ns(1), Pose((9.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)))
    assert life.told() == []
