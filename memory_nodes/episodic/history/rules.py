"""Texts and groups by rule, for where there is no language model, and what it may not lose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, pairwise

from memory_nodes.dates import Dates
from memory_nodes.episodic.history.event import NOTHING
from memory_nodes.episodic.history.facts import Facts, Mention, Section, clean, read
from memory_nodes.records import Episode, EpisodeStatus, HistoryNode, HistoryUnit

Limits = Mapping[Section, int]
_GOAL: Limits = {
    Section.TASKS: 120,
    Section.STEPS: 160,
    Section.SAID: 100,
    Section.NOTES: 60,
    Section.PLACES: 40,
    Section.OBJECTS: 120,
}
_DAY: Limits = {Section.TASKS: 320, Section.OBJECTS: 40}
_ABOVE: Limits = {Section.TASKS: 160}
_IDLE: Limits = {Section.NOTES: 60, Section.PLACES: 60, Section.OBJECTS: 80}
"""Where there was no task."""
LIMITS: Mapping[HistoryUnit, Limits] = {
    HistoryUnit.GOAL: _GOAL,
    HistoryUnit.GROUP: _DAY,
    HistoryUnit.DAY: _DAY,
    HistoryUnit.WEEK: _ABOVE,
    HistoryUnit.MONTH: _ABOVE,
    HistoryUnit.YEAR: _ABOVE,
    HistoryUnit.ROOT: _ABOVE,
}
"""Characters of each list. Steps and words are told by the goals, and not again above them."""
_AS_MEANT = frozenset("succeeded success done completed complete finished ok".split())
_KEPT = (Section.TASKS, Section.PLACES, Section.OBJECTS)


def goal_facts(episode: Episode | None, children: Sequence[HistoryNode]) -> Facts:
    """What the events of a goal and the goals in it tell, with how it came out.

    The goal layer may say its name again with a result: 'make coffee: succeeded'.
    """
    below = [read(child.text) for child in children]
    facts = Facts()
    name = clean(episode.name) if episode is not None else ""
    if episode is not None and name:
        said = [each for node in below for each in node[Section.TASKS] if _is_result(name, each)]
        result = said[-1][len(name) :].strip(" -=") if said else ""
        if result.casefold() in _AS_MEANT:
            result = ""
        if episode.status is EpisodeStatus.INTERRUPTED:
            result = "interrupted"
        facts.add(Section.TASKS, name, Mention(1, (result,) if result else ()))
    last_step = ""
    for node in below:
        for section in Section:
            for each in node[section]:
                is_own = section is Section.TASKS and (each == name or _is_result(name, each))
                goes_on = section is Section.STEPS and each == last_step
                if not is_own and not goes_on:
                    facts.add(section, each)
        last_step = next(iter([*node[Section.STEPS]][-1:]), last_step)
    return facts


def unit_facts(children: Sequence[HistoryNode], dates: Dates) -> Facts:
    """What nodes tell together: how often, and within a day at what time."""
    facts = Facts()
    for child in children:
        for section in (Section.TASKS, Section.NOTES, Section.PLACES, Section.OBJECTS):
            for name, mention in read(child.text)[section].items():
                if section is Section.TASKS:
                    facts.add(section, name, _timed(mention, child, dates))
                else:
                    facts.add(section, name)
    return facts


def text_of(facts: Facts, unit: HistoryUnit) -> str:
    limits = LIMITS[unit]
    if unit is not HistoryUnit.GOAL and not facts[Section.TASKS]:
        limits = _IDLE
    return facts.text(limits) or NOTHING


def tail(facts: Facts, unit: HistoryUnit) -> str:
    """What stands below a model's summary: what it may have left out, and people ask for."""
    limits = {section: LIMITS[unit].get(section, 0) for section in _KEPT}
    return facts.text(limits)


def groups(nodes: Sequence[HistoryNode], dates: Dates) -> list[Sequence[HistoryNode]]:
    """Consecutive nodes of one part of the day, and within it of one place."""
    parts = _runs(nodes, lambda node: dates.part_of_day(node.start_ns))
    if len(parts) > 1:
        return parts
    return _runs(nodes, lambda node: next(iter(read(node.text)[Section.PLACES]), ""))


def shares(nodes: Sequence[HistoryNode], size: int) -> list[Sequence[HistoryNode]]:
    """Consecutive nodes in as few even shares as there may be, of at most so many."""
    count = -(-len(nodes) // size)
    edges = [round(len(nodes) * number / count) for number in range(count + 1)]
    return [nodes[begin:end] for begin, end in pairwise(edges)]


def _runs(
    nodes: Sequence[HistoryNode], label: Callable[[HistoryNode], str]
) -> list[Sequence[HistoryNode]]:
    return [list(run) for _, run in groupby(nodes, label)]


def _is_result(name: str, said: str) -> bool:
    return bool(name) and said.casefold().startswith(f"{name.casefold()} ")


def _timed(mention: Mention, child: HistoryNode, dates: Dates) -> Mention:
    """A goal's task gets its time of day; above days, the count alone tells."""
    if child.unit is HistoryUnit.GOAL:
        return Mention(mention.count, (" ".join((dates.clock(child.start_ns), *mention.whens)),))
    return mention if child.unit is HistoryUnit.GROUP else Mention(mention.count)
