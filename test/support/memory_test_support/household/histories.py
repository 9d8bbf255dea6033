"""Episodes over days, as observations that are fed to the memory."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_nodes.dates import Dates
from memory_nodes.geometry import Pose
from memory_nodes.records import NS_PER_S, Observation
from memory_nodes.store.writer import Writer
from memory_test_support.household.tasks import Step, Task, random_task

TIME_ZONE = "Europe/Berlin"
DATES = Dates(TIME_ZONE)
FIRST_DAY = datetime(2026, 9, 7)
FIRST_HOUR, LAST_HOUR = 7, 21
SKIPPED_DAYS = 0.3
_ROOMS = ("kitchen", "living room", "dining room", "bedroom", "bathroom", "office", "hall")


@dataclass(frozen=True)
class PastEpisode:
    """What really happened."""

    task: Task
    start_ns: int
    end_ns: int
    observations: tuple[Observation, ...]

    @property
    def span_ns(self) -> tuple[int, int]:
        return self.start_ns, self.end_ns

    @property
    def objects(self) -> frozenset[str]:
        return frozenset(name for step in self.task.steps for name in step.objects)


def random_history(count: int, seed: int, per_day: tuple[int, int] = (1, 5)) -> list[PastEpisode]:
    """So many episodes in order, never two at a time."""
    rng = random.Random(seed)
    episodes: list[PastEpisode] = []
    day = FIRST_DAY
    while len(episodes) < count:
        if episodes and rng.random() < SKIPPED_DAYS:
            day += timedelta(days=1)
        wanted = min(rng.randint(*per_day), count - len(episodes))
        slots = sorted(rng.sample(range(FIRST_HOUR * 2, LAST_HOUR * 2), wanted))
        midnight_ns = DATES.start_ns(day.date())
        for half_hour in slots:
            start_s = half_hour * 1800 + rng.randint(0, 300)
            episodes.append(episode_of(random_task(rng), midnight_ns + start_s * NS_PER_S, rng))
        day += timedelta(days=1)
    return episodes


def remember(writer: Writer, episode: PastEpisode) -> str:
    """Feeds one episode as a robot does; gives its id."""
    episode_id = writer.start_episode(episode.task.name, "", episode.start_ns)
    futures = [writer.submit(each) for each in episode.observations]
    writer.flush()
    for future in futures:
        future.result()
    writer.end_episode(episode_id, episode.end_ns)
    return episode_id


def episode_of(task: Task, start_ns: int, rng: random.Random) -> PastEpisode:
    """Each step takes 10 to 50 s: 2 to 13 minutes in all."""
    stamp_ns = start_ns
    said = [
        _observation(stamp_ns, "goal", task.name, "hall"),
        _observation(stamp_ns, "speech", task.command, "hall"),
    ]
    for step in task.steps:
        stamp_ns += 2 * NS_PER_S
        said += _observations(step, stamp_ns)
        stamp_ns += rng.randint(8, 48) * NS_PER_S
    said.append(_observation(stamp_ns, "goal", f"{task.name}: succeeded", task.steps[-1].room))
    return PastEpisode(task, start_ns, stamp_ns + NS_PER_S, tuple(said))


def _observations(step: Step, stamp_ns: int) -> list[Observation]:
    return [
        _observation(stamp_ns, "place", step.room, step.room),
        _observation(stamp_ns, "action", step.action, step.room),
        _observation(stamp_ns + NS_PER_S, "detections", ", ".join(step.objects), step.room),
    ]


def _observation(stamp_ns: int, layer: str, text: str, room: str) -> Observation:
    pose = Pose.planar(5.0 * _ROOMS.index(room), 0.0, 0.0)
    return Observation(stamp_ns, "home", "map", layer, text, pose)
