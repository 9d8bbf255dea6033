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
_DAY: Limits = {Section.TASKS: 240, Section.NOTES: 40, Section.PLACES: 60, Section.OBJECTS: 80}
_WEEK: Limits = {Section.TASKS: 280, Section.OBJECTS: 80}
_ROOT: Limits = {Section.TASKS: 320, Section.OBJECTS: 80}
LIMITS: Mapping[HistoryUnit, Limits] = {
    HistoryUnit.GOAL: _GOAL,
    HistoryUnit.GROUP: _DAY,
    HistoryUnit.DAY: _DAY,
    HistoryUnit.WEEK: _WEEK,
    HistoryUnit.MONTH: _WEEK,
    HistoryUnit.YEAR: _ROOT,
    HistoryUnit.ROOT: _ROOT,
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
    """What nodes tell together: how often, and when it was where that is seldom."""
    facts = Facts()
    for child in children:
        for section in (Section.TASKS, Section.NOTES, Section.PLACES, Section.OBJECTS):
            for name, mention in read(child.text)[section].items():
                if section is Section.TASKS:
                    facts.add(section, name, _dated(mention, child, dates))
                else:
                    facts.add(section, name)
    return facts


def text_of(facts: Facts, unit: HistoryUnit) -> str:
    return facts.text(LIMITS[unit]) or NOTHING


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


def halves(nodes: Sequence[HistoryNode], size: int) -> list[Sequence[HistoryNode]]:
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


def _dated(mention: Mention, child: HistoryNode, dates: Dates) -> Mention:
    """A goal's task gets its time, a day's its date; of a year only the count is kept."""
    if child.unit is HistoryUnit.GOAL:
        return Mention(mention.count, (" ".join((dates.clock(child.start_ns), *mention.whens)),))
    if child.unit is HistoryUnit.DAY:
        return Mention(mention.count, (short_day(child.start_ns, dates),))
    if child.unit is HistoryUnit.YEAR:
        return Mention(mention.count)
    # Of what has become too often to be dated, no date comes back.
    return mention


def short_day(stamp_ns: int, dates: Dates) -> str:
    """'Tue 1 Dec': the year stands above."""
    words = dates.day(stamp_ns).split()
    return " ".join(words[:3])
