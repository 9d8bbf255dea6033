"""Answers about what happened and how the robot is, from what was observed and is told of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from memory_nodes.answering.asked import Asked
from memory_nodes.answering.naming import phrases
from memory_nodes.dates import Dates
from memory_nodes.episodic.history.summary import summary
from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.records import NS_PER_S, Observation
from memory_nodes.store.observations import is_interoceptive
from memory_nodes.store.past import Past
from memory_nodes.times import EVER_NS, read_time
from memory_nodes.words import age_text, stem, stems, words

MAX_EVENTS = 5
"""Of which one answer tells."""
MAX_EVENT_CHARS = 300
LEAST_SHARE = 0.5
"""Of the words of an event that must be told of it."""
OBSERVED_IN_SPAN = 2000
PLACE_LAYER = "place"
PLACE_HOLDS_NS = 600 * NS_PER_S
"""So long the robot counts as being where it was last said to be."""
_OF_TODAY = re.compile(r"\b(?:your|the) (?:day|shift)\b")


@dataclass(frozen=True)
class Told:
    """Text for a person, and the lines it rests on; no lines: nothing is remembered."""

    text: str
    lines: tuple[str, ...] = ()


class HistoryAnswers:
    """All of it without a model. Raises StoreMissing while there is no memory."""

    def __init__(self, past: Past, dates: Dates) -> None:
        self._past = past
        self._dates = dates

    def happened(self, asked: Asked) -> Told:
        """What happened in the time that was asked for; without one, in all that is known."""
        asked = self._with_day(asked)
        since_ns, until_ns = _bounds(asked)
        found = summary(self._past, since_ns, max(since_ns, until_ns), 0, self._dates)
        if not found.nodes:
            return Told(f"I remember nothing of what happened{asked.when}.")
        return Told(found.text, tuple(found.text.splitlines()))

    def event(self, asked: Asked) -> Told:
        """When something happened that the question names by its words."""
        tree = HistoryTree(self._past, self._dates)
        root = tree.root()
        sought = " ".join(phrases(asked.sought))
        if root is None or not sought:
            return Told("")
        since_ns, until_ns = _bounds(asked)
        found = [
            branch
            for branch in tree.search(root.node_id, sought)
            if branch.start_ns <= until_ns
            and branch.end_ns >= since_ns
            and self._tells(tree, branch, sought)
        ]
        newest = sorted(found, key=lambda branch: -branch.end_ns)[:MAX_EVENTS]
        lines = tuple(self._line(branch) for branch in newest)
        return Told(f"That was {lines[0]}" if lines else "", lines)

    def body(self, asked: Asked) -> Told:
        """The newest that each layer about the robot itself says, up to the time asked for."""
        newest = self._newest_of_body(asked)
        if not newest:
            return Told(f"I know nothing of how I am{asked.when}.")
        now_ns = asked.now_ns
        said = [f"{item.text.rstrip('. ')}, {age_text(item.stamp_ns, now_ns)}" for item in newest]
        return Told(
            " ".join(f"{text[:1].upper()}{text[1:]}." for text in said),
            tuple(f"{item.layer}: {text}" for item, text in zip(newest, said, strict=True)),
        )

    def place_at(self, stamp_ns: int) -> str:
        """Where the robot was said to be then; empty where nobody said so."""
        seen = self._past.observations_between(
            stamp_ns - PLACE_HOLDS_NS, stamp_ns, OBSERVED_IN_SPAN
        )
        places = [item.observation.text for item in seen if item.observation.layer == PLACE_LAYER]
        return " ".join(places[-1].split()) if places else ""

    def _with_day(self, asked: Asked) -> Asked:
        """'How was your day?' asks for today."""
        if asked.span is not None or not _OF_TODAY.search(" ".join(words(asked.question))):
            return asked
        return replace(asked, span=read_time("today", asked.now_ns, self._dates))

    def _newest_of_body(self, asked: Asked) -> list[Observation]:
        """Newest first."""
        if asked.span is None:
            layers = filter(is_interoceptive, self._past.layers())
            found = [last.observation for layer in layers if (last := self._past.last_of(layer))]
        else:
            seen = self._past.observations_between(*_bounds(asked), OBSERVED_IN_SPAN)
            said = (item.observation for item in seen if is_interoceptive(item.observation.layer))
            found = list({item.layer: item for item in said}.values())
        asked_for = [item for item in found if item.layer in words(asked.question)]
        known = [item for item in (asked_for or found) if item.text]
        return sorted(known, key=lambda item: -item.stamp_ns)

    def _tells(self, tree: HistoryTree, branch: Branch, sought: str) -> bool:
        """Whether enough of the words are in what is told of it: one alone may be of anything."""
        below = tree.children(branch.node_id)
        told = set(stems(" ".join((branch.text, *(each.text for each in below)))))
        wanted = set(map(stem, words(sought)))
        return len(wanted & told) >= LEAST_SHARE * len(wanted)

    def _line(self, branch: Branch) -> str:
        text = " ".join(branch.text.split())
        cut = text if len(text) <= MAX_EVENT_CHARS else f"{text[:MAX_EVENT_CHARS]}..."
        return f"{self._dates.span(branch.start_ns, branch.end_ns)}: {cut}"


def _bounds(asked: Asked) -> tuple[int, int]:
    since_ns, until_ns = asked.wanted.since_ns, asked.wanted.until_ns
    if asked.span is not None:
        since_ns = asked.span.since_ns if since_ns is None else max(since_ns, asked.span.since_ns)
        until_ns = asked.span.until_ns if until_ns is None else min(until_ns, asked.span.until_ns)
    return (
        EVER_NS if since_ns is None else since_ns,
        asked.now_ns if until_ns is None else min(until_ns, asked.now_ns),
    )
