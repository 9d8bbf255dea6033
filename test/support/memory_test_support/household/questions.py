"""Questions about a history, with the episodes that they ask for."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memory_test_support.household.histories import DATES, PastEpisode

Span = tuple[int, int]


@dataclass(frozen=True)
class Question:
    """What a person asks."""

    text: str
    spans_ns: tuple[Span, ...]
    """The truth: when the episodes were that are asked for."""
    named_ns: Span | None = None
    """The time that the text names, as who reads it understands it."""


def random_questions(episodes: Sequence[PastEpisode], count: int, seed: int) -> list[Question]:
    """Of each kind in turn. Source: H-EMV, section IV-A (question types)."""
    rng = random.Random(seed)
    kinds: list[Callable[[Sequence[PastEpisode], random.Random], Question | None]] = [
        *(_at_time, _of_day, _of_task, _of_object, _after_task, _before_time)
    ]
    questions: list[Question] = []
    number = 0
    while len(questions) < count:
        question = kinds[number % len(kinds)](episodes, rng)
        number += 1
        if question is not None:
            questions.append(question)
    return questions


def _at_time(episodes: Sequence[PastEpisode], rng: random.Random) -> Question:
    episode = rng.choice(episodes)
    when = DATES.moment(episode.start_ns)
    return Question(f"What did you do on {when}?", (episode.span_ns,), episode.span_ns)


def _of_day(episodes: Sequence[PastEpisode], rng: random.Random) -> Question:
    day = DATES.date_of(rng.choice(episodes).start_ns)
    found = [each for each in episodes if DATES.date_of(each.start_ns) == day]
    ago = (DATES.date_of(episodes[-1].start_ns) - day).days
    named = found[0].start_ns, found[-1].end_ns
    text = f"List what you did {ago} days ago, on {DATES.day(named[0])}."
    return Question(text, tuple(each.span_ns for each in found), named)


def _of_task(episodes: Sequence[PastEpisode], rng: random.Random) -> Question:
    name = rng.choice(episodes).task.name
    found = [each for each in episodes if each.task.name == name]
    return Question(f"When did you {name}?", tuple(each.span_ns for each in found))


def _of_object(episodes: Sequence[PastEpisode], rng: random.Random) -> Question | None:
    """Of one that shows in three episodes at most."""
    counts = Counter(name for each in episodes for name in each.objects)
    rare = sorted(name for name, count in counts.items() if count <= 3)
    if not rare:
        return None
    name = rng.choice(rare)
    found = [each for each in episodes if name in each.objects]
    text = f"During which task did you see the {name}?"
    return Question(text, tuple(each.span_ns for each in found))


def _after_task(episodes: Sequence[PastEpisode], rng: random.Random) -> Question | None:
    """After a task that was done once."""
    counts = Counter(each.task.name for each in episodes)
    unique = [n for n, each in enumerate(episodes[:-1]) if counts[each.task.name] == 1]
    if not unique:
        return None
    number = rng.choice(unique)
    text = f"What did you do right after the task: {episodes[number].task.name}?"
    return Question(text, (episodes[number + 1].span_ns,))


def _before_time(episodes: Sequence[PastEpisode], rng: random.Random) -> Question:
    number = rng.randrange(1, len(episodes))
    named = episodes[number].span_ns
    text = f"What did you do right before the task that began on {DATES.moment(named[0])}?"
    return Question(text, (episodes[number - 1].span_ns,), named)
