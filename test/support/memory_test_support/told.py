"""Histories told to the end, and trees that can be compared."""

from __future__ import annotations

import asyncio
from typing import Any

from memory_nodes.dates import Dates
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.teller import HistoryTeller
from memory_nodes.episodic.history.tops import TOP_UNITS
from memory_nodes.models.ports import ChatModel
from memory_nodes.records import NS_PER_S, HistoryNode, HistoryUnit, Observation
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import observation

BERLIN = Dates("Europe/Berlin")
CONFIG = HistoryConfig()
DAY_S = 86_400
MAX_STEPS = 100_000


def teller_of(
    writer: Writer,
    past: Past,
    model: ChatModel | None = None,
    config: HistoryConfig = CONFIG,
    dates: Dates = BERLIN,
) -> HistoryTeller:
    return HistoryTeller(writer, past, model, config, dates)


def tell(teller: HistoryTeller, now_ns: int) -> None:
    """Until nothing is left to tell at that time."""
    asyncio.run(_tell(teller, now_ns))


async def _tell(teller: HistoryTeller, now_ns: int) -> None:
    for _ in range(MAX_STEPS):
        if await teller.step(now_ns) > 0.0:
            return
    raise AssertionError("the teller found no end")


def outline(past: Past) -> list[dict[str, Any]]:
    """The whole tree without ids; the root, then what is below none, by time."""
    roots = past.parentless([HistoryUnit.ROOT])
    tops = past.parentless([*TOP_UNITS, HistoryUnit.GROUP, *_LOW])
    return [_outline(past, node) for node in (*roots, *tops)]


_LOW = (HistoryUnit.GOAL, HistoryUnit.EVENT)


def _outline(past: Past, node: HistoryNode) -> dict[str, Any]:
    return {
        "unit": node.unit.value,
        "level": node.level,
        "span_ns": (node.start_ns, node.end_ns),
        "text": node.text,
        "evidence": node.evidence,
        "is_open": node.is_open,
        "below": [_outline(past, child) for child in past.children(node.node_id)],
    }


def shape(past: Past) -> list[Any]:
    """Units alone: [['day', [['goal', [['event', []]]]]]]; without the root."""
    return [_shape(node) for node in outline(past) if node["unit"] != "root"]


def _shape(node: dict[str, Any]) -> list[Any]:
    return [node["unit"], [_shape(child) for child in node["below"]]]


def at(second: float, layer: str, text: str) -> Observation:
    return observation(text, stamp_s=second, layer=layer)


def ns(second: float) -> int:
    return round(second * NS_PER_S)
