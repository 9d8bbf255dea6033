"""How a filtered search by meaning is done: exactly where that is cheap, by the graph elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from memory_nodes.parameters import parameter

Method: TypeAlias = Literal["exact", "graph", "words", "fused", "places", "times", "none"]
OVERSAMPLING = 4
"""The graph is asked for so many times the texts that would fill k if the filter were fair."""


@dataclass(frozen=True)
class PlannerConfig:
    """Where exact search ends."""

    exact_texts: int = parameter(
        20_000, "a filter that leaves no more texts is searched exactly", low=0, high=10_000_000
    )
    graph_texts: int = parameter(
        2000, "the graph is asked for no more texts, else the search is exact", low=1, high=100_000
    )


@dataclass(frozen=True)
class Plan:
    """How an answer was found, and why so."""

    method: Method
    why: str
    candidates: int
    """Items that the filter left."""
    texts: int
    """Texts that were compared, or asked of the graph."""


def plan(config: PlannerConfig, k: int, candidates: int, texts: int, all_texts: int) -> Plan:
    """For k items out of those that a filter left, with ``texts`` of all that have a vector."""
    texts = min(texts, all_texts)  # of those that the filter leaves some may have none yet
    if texts <= config.exact_texts:
        return Plan("exact", f"the filter leaves {texts} texts", candidates, texts)
    fair = k * all_texts / texts
    asked = min(all_texts, round(OVERSAMPLING * fair) + k)
    if asked > config.graph_texts:
        return Plan("exact", f"the graph would have to give {asked} texts", candidates, texts)
    share = texts / all_texts
    return Plan("graph", f"the filter leaves {share:.0%} of the texts", candidates, asked)


def after_graph(before: Plan, k: int, filled: int, texts: int) -> Plan:
    """The plan that stands when the graph has given ``filled`` of k items."""
    if filled >= min(k, before.candidates):
        return before
    why = f"the graph filled {filled} of {k}"
    return Plan("exact", why, before.candidates, texts)
