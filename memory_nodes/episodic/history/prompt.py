"""The prompts that ask to group and to summarise nodes of the history."""

from __future__ import annotations

from collections.abc import Sequence

from memory_nodes.dates import Dates
from memory_nodes.episodic.history.facts import Facts, Section
from memory_nodes.episodic.history.wording import when
from memory_nodes.models.ports import Prompt
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.reply_schema import array_of, closed_object
from memory_nodes.records import HistoryNode, HistoryUnit
from memory_nodes.words import shortened

GROUP_VERSION = "group_v1"
SUMMARISE_VERSION = "summarise_v1"
GOAL_VERSION = "goal_v1"
GROUP_TASK = "history_groups"
SUMMARISE_TASK = "history_summary"
GOAL_TASK = "history_goal"
MAX_LINES = 60
_GOAL = {
    Section.TASKS: 200,
    Section.STEPS: 800,
    Section.SAID: 400,
    Section.NOTES: 200,
    Section.PLACES: 100,
    Section.OBJECTS: 200,
}
MAX_LINE_CHARS = 400
MAX_GROUP_LINE_CHARS = 160
"""Enough to tell what belongs together."""
GROUP_TOKENS = 2048
SUMMARY_TOKENS = 400
EVENT_TOKENS = 40
MAX_EVENTS = 20
"""That a goal's call tells too: a longer list is seldom answered in full."""


def group_prompt(
    nodes: Sequence[HistoryNode], dates: Dates, errors: Sequence[str] = (), refused: str = ""
) -> Prompt:
    """Asks for ranges of nodes that belong together, with a summary each.

    After a reply that could not be used: with that reply and what is wrong with it.

    Source: H-EMV, section III-A (L4+).
    """
    lines = _lines(nodes, dates, MAX_GROUP_LINE_CHARS)
    text = f"{_day(nodes, dates)}:\n\n"
    text += "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
    text += f"\n\nGroup the numbers 1 to {len(nodes)}: the last group ends with {len(nodes)}."
    if errors:
        problems = "\n".join(f"- {error}" for error in errors)
        text += (
            f"\n\nYour last reply was:\n{refused}\n\nIt cannot be used:\n{problems}"
            "\n\nWrite the whole JSON again, without these errors."
        )
    group = closed_object(
        first={"type": "integer"}, last={"type": "integer"}, summary={"type": "string"}
    )
    return Prompt(
        task=GROUP_TASK,
        system=prompt_text(__package__, GROUP_VERSION),
        text=text,
        reply_schema=closed_object(groups=array_of(group)),
        max_tokens=GROUP_TOKENS,
    )


def goal_prompt(facts: Facts, events: Sequence[HistoryNode], dates: Dates) -> Prompt:
    """Asks for a summary of one goal, whose lists by rule say all that is to be told, and for
    a sentence on each of its events.
    """
    if not 0 < len(events) <= MAX_EVENTS:
        return _summary_prompt("One task:", [facts.text(_GOAL)])
    lines = enumerate(_lines(events, dates, MAX_GROUP_LINE_CHARS), 1)
    numbered = "\n".join(f"{number}. {line}" for number, line in lines)
    return Prompt(
        task=GOAL_TASK,
        system=prompt_text(__package__, GOAL_VERSION),
        text=f"One task:\n\n- {facts.text(_GOAL)}\n\nIts {len(events)} events:\n\n{numbered}",
        reply_schema=closed_object(summary={"type": "string"}, events=array_of({"type": "string"})),
        max_tokens=SUMMARY_TOKENS + EVENT_TOKENS * len(events),
    )


def summary_prompt(nodes: Sequence[HistoryNode], unit: HistoryUnit, dates: Dates) -> Prompt:
    """Asks for one summary of all nodes, which are a day, a week, ... together."""
    return _summary_prompt(f"One {unit.value}, {_day(nodes, dates)}:", _lines(nodes, dates))


def _summary_prompt(title: str, lines: Sequence[str]) -> Prompt:
    return Prompt(
        task=SUMMARISE_TASK,
        system=prompt_text(__package__, SUMMARISE_VERSION),
        text=f"{title}\n\n" + "\n".join(f"- {line}" for line in lines),
        reply_schema=closed_object(summary={"type": "string"}),
        max_tokens=SUMMARY_TOKENS,
    )


def _day(nodes: Sequence[HistoryNode], dates: Dates) -> str:
    return dates.day(nodes[0].start_ns)


def _lines(
    nodes: Sequence[HistoryNode], dates: Dates, max_chars: int = MAX_LINE_CHARS
) -> list[str]:
    return [
        f"[{when(node.unit.value, node.start_ns, node.end_ns, dates)}] "
        + shortened(node.text, max_chars)
        for node in nodes
    ]
