"""Episodes that begin and end by themselves: sessions, and the goals within them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory_nodes.dates import Dates
from memory_nodes.episodic.goals import LOST, UNTOLD
from memory_nodes.errors import InputError
from memory_nodes.geometry import Pose
from memory_nodes.parameters import parameter
from memory_nodes.records import NS_PER_S, Episode, EpisodeOrigin, Keyframe, Observation
from memory_nodes.store.writer import Writer
from memory_nodes.suite import SuiteConfig

GOAL_LAYER = "goal"
GOAL_TEXT_S = 10.0
"""What was said of a goal names the next one for so long."""
MAX_NAME_CHARS = 200
MOVED_M, TURNED_RAD = 0.25, 0.26
"""Less is the unrest of a localization while the robot stands still."""


@dataclass(frozen=True)
class AutoEpisodesConfig:
    """When episodes begin and end without being told to."""

    auto_episodes: bool = parameter(
        True, "sessions and goals are episodes; false: only those of start_episode are"
    )
    idle_s: float = parameter(
        600.0,
        "standing still for so long ends the episode of a session; motion begins another",
        unit="s",
        low=1.0,
    )
    goal_actions: tuple[str, ...] = parameter(
        ("/navigate_to_pose",), "actions whose goals are episodes; [''] for none"
    )
    goal_silence_s: float = parameter(
        120.0,
        "wall time after which the goals of an action server that is gone are lost",
        unit="s",
        low=0.0,
    )


@dataclass(frozen=True)
class _Goal:
    episode_id: str
    name: str
    start_ns: int


class AutoEpisodes:
    """Keeps the episodes of a running robot. To be called from one thread.

    A session's episode begins with its first keyframe, with motion, or with what happens in it;
    goals and what was started by request lie within it.
    """

    def __init__(self, writer: Writer, config: AutoEpisodesConfig, suite: SuiteConfig) -> None:
        self._writer = writer
        self._config = config
        self._suite = suite
        self._dates = Dates(suite.time_zone)
        self._session = ""
        self._parents: dict[str, str] = {}
        """Of the episodes that are open beside that of the session, in the order of their start."""
        self._goals: dict[str, _Goal]
        """Whose outcome nobody has told; their episodes may have ended."""
        self._goal_text: tuple[str, int] | None = None
        self._session_id: str | None
        self._session_before: str | None = None
        """Of the time before it jumped back: what comes late of it is of no session now."""
        self._since_ns: int
        """When the session began, or the last one ended."""
        self._newest_ns: int
        self._moved_ns: int
        self._rests_at: Pose | None
        self._forget_time()

    def change_map(self, map_id: str) -> None:
        """What happens from now on happens on this map."""
        self._suite = replace(self._suite, map_id=map_id)

    # what happens

    def saw(self, keyframes: Iterable[Keyframe]) -> None:
        """Keyframes come late, and in order; another session is another episode."""
        if self._config.auto_episodes:
            for keyframe in keyframes:
                self._saw(keyframe)

    def at(self, stamp_ns: int, map_from_base: Pose) -> None:
        """The robot was here. Motion begins a session, a long rest ends it."""
        is_late = stamp_ns < self._newest_ns
        if is_late or not map_from_base.is_valid or not self._config.auto_episodes:
            return
        self._newest_ns = stamp_ns
        if self._rests_at is None or self._has_left(map_from_base):
            is_first = self._rests_at is None
            self._rests_at, self._moved_ns = map_from_base, stamp_ns
            if not is_first:
                self._session_at(stamp_ns)
        else:
            self._give_up_goals(stamp_ns, map_from_base)
            if self._is_idle(stamp_ns):
                self._end(self._session, stamp_ns)

    def goal_said(self, text: str, stamp_ns: int) -> None:
        """What the goal that comes next is about."""
        self._goal_text = (text[:MAX_NAME_CHARS], stamp_ns)

    def goal_begins(self, action: str, goal_id: str, stamp_ns: int) -> None:
        """The robot sets about a goal of an action."""
        parent_id = self._innermost_request() or self._session_at(stamp_ns)
        name = self._name_of_goal(stamp_ns) or action
        episode_id = self._writer.start_episode(name, parent_id, stamp_ns, EpisodeOrigin.GOAL)
        self._parents[episode_id] = parent_id
        self._goals[goal_id] = _Goal(episode_id, name, stamp_ns)

    def goal_ends(self, goal_id: str, outcome: str, stamp_ns: int, where: Pose | None) -> None:
        """A goal has ended, at a place if that is known: then it is observed too."""
        goal = self._goals.pop(goal_id, None)
        if goal is None:
            return  # it began before time jumped back
        if where is not None:
            self._writer.add(self._outcome(f"{goal.name}: {outcome}", stamp_ns, where))
        if goal.episode_id in self._parents:  # it has not ended with the episode around it
            is_told = outcome not in UNTOLD
            self._end(goal.episode_id, stamp_ns, is_completed=is_told)
            self._moved_ns = max(self._moved_ns, stamp_ns)

    def clock_jumped(self) -> None:
        """Time has jumped back: what was open belongs to the time before."""
        self.close()
        self._session_before = self._session_id
        self._forget_time()

    def close(self) -> None:
        """Ends the session and what is open in it, at the newest stamp that is known."""
        if self._session:
            self._end(self._session, max(self._newest_ns, self._since_ns))

    # what is asked for

    def start(self, name: str, parent_id: str, stamp_ns: int) -> str:
        """Starts an episode, without a parent within the session, and gives its id."""
        parent_id = parent_id if parent_id else self._session_at(stamp_ns)
        episode_id = self._writer.start_episode(name, parent_id, stamp_ns)
        self._parents[episode_id] = parent_id
        return episode_id

    def end(self, episode_id: str, stamp_ns: int) -> Episode:
        """Ends an episode, without an id the last that was started by request.

        Raises InputError when there is no such active episode.
        """
        ended_id = episode_id or self._innermost_request()
        if not ended_id:
            raise InputError("no episode is active: start one first")
        return self._end(ended_id, stamp_ns)

    def _innermost_request(self) -> str:
        of_goals = {goal.episode_id for goal in self._goals.values()}
        return next((item for item in reversed(self._parents) if item not in of_goals), "")

    def _end(self, episode_id: str, stamp_ns: int, *, is_completed: bool = True) -> Episode:
        """Ends an episode and those within it."""
        episode = self._writer.end_episode(episode_id, stamp_ns, is_completed=is_completed)
        ended = {episode_id}
        for inner_id, parent_id in self._parents.items():
            if parent_id in ended:
                ended.add(inner_id)
        self._parents = {key: value for key, value in self._parents.items() if key not in ended}
        if self._session in ended:
            self._session, self._since_ns = "", stamp_ns
        return episode

    # sessions

    def _saw(self, keyframe: Keyframe) -> None:
        stamp_ns, session_id = keyframe.stamp_ns, keyframe.session_id
        if stamp_ns < self._since_ns or session_id == self._session_before:
            return  # told late, of a session before this one
        is_other = self._session_id is not None and session_id != self._session_id
        if is_other and self._session and not self._parents:
            newest_ns = max(self._newest_ns, self._since_ns)
            self._end(self._session, min(stamp_ns, newest_ns))
        if session_id != self._session_id:
            self._session_at(stamp_ns)
        self._session_id = session_id
        self.at(stamp_ns, keyframe.map_from_base)

    def _session_at(self, stamp_ns: int) -> str:
        """The episode of the session, which begins if there is none."""
        if not self._session and self._config.auto_episodes:
            name = f"session {self._dates.moment(stamp_ns)}"
            self._session = self._writer.start_episode(name, "", stamp_ns, EpisodeOrigin.SESSION)
            self._since_ns = stamp_ns
            self._moved_ns = max(self._moved_ns, stamp_ns)
        return self._session

    def _give_up_goals(self, stamp_ns: int, where: Pose) -> None:
        """A goal that nothing is heard of while the robot rests would never end."""
        for goal in self._goals.values():
            rest_ns = stamp_ns - max(self._moved_ns, goal.start_ns)
            if goal.episode_id in self._parents and rest_ns >= self._config.idle_s * NS_PER_S:
                text = f"{goal.name}: {LOST}, no word of it and no motion"
                self._writer.add(self._outcome(text, stamp_ns, where))
                self._end(goal.episode_id, stamp_ns, is_completed=False)

    def _is_idle(self, stamp_ns: int) -> bool:
        """Something that goes on within the session keeps it open."""
        is_still = stamp_ns - self._moved_ns >= self._config.idle_s * NS_PER_S
        return is_still and self._session != "" and not self._parents

    def _has_left(self, map_from_base: Pose) -> bool:
        assert self._rests_at is not None
        return (
            map_from_base.distance_m(self._rests_at) >= MOVED_M
            or map_from_base.angle_rad(self._rests_at) >= TURNED_RAD
        )

    def _forget_time(self) -> None:
        self._session_id = self._rests_at = None
        self._since_ns = self._newest_ns = self._moved_ns = -1
        self._goals = {}

    # goals

    def _name_of_goal(self, stamp_ns: int) -> str:
        """What was said shortly before names one goal."""
        if self._goal_text is None:
            return ""
        (text, said_ns), self._goal_text = self._goal_text, None
        return text if 0 <= stamp_ns - said_ns <= GOAL_TEXT_S * NS_PER_S else ""

    def _outcome(self, text: str, stamp_ns: int, where: Pose) -> Observation:
        return Observation(
            stamp_ns=stamp_ns,
            map_id=self._suite.map_id,
            map_frame=self._suite.map_frame,
            layer=GOAL_LAYER,
            text=text,
            map_from_base=where,
            source="auto_episodes",
        )
