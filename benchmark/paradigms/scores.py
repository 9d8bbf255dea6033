"""Whether the first thing found is right: one rule for all systems, and no model that judges."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from benchmark.paradigms.schedule import Expected, Finding, PointM, Probe
from memory_nodes.episodic.things import is_said_in

REACH_M = 3.0
"""Rooms are 8 m apart, and a robot sees a thing from at most 2.2 m off the middle of its room."""

Judged = tuple[Probe, Finding | None]


def is_right(expected: Expected, found: Finding | None) -> bool:
    """Top-1: what else was found does not count."""
    if expected.is_absent:
        return found is None or not _says_any(found.text, expected.says_not)
    return (
        found is not None
        and all(is_said_in(name, found.text) for name in expected.says)
        and not _says_any(found.text, expected.says_not)
        and (not expected.layers or found.layer in expected.layers)
        and (not expected.near_m or _is_near(found.at_m, expected.near_m))
        and (expected.span_ns is None or _is_within(found.span_ns, expected.span_ns))
    )


def figures(judged: Sequence[Judged]) -> dict[str, Any]:
    """right: share of all probes. by_kind: the same of each kind.

    own_false_alarms: share of things never seen for which something was found all the same; right
    does not count that against a system, since a reader sees that it is something else.
    """
    kinds: dict[str, list[bool]] = defaultdict(list)
    for probe, found in judged:
        kinds[probe.kind].append(is_right(probe.expected, found))
    absent = [found is not None for probe, found in judged if probe.expected.is_absent]
    return {
        "right": share(right for kind in kinds.values() for right in kind),
        "probes": len(judged),
        "by_kind": {kind: share(right) for kind, right in kinds.items()},
        **({"own_false_alarms": share(absent)} if absent else {}),
    }


def share(values: Iterable[bool]) -> float:
    listed = list(values)
    return round(sum(listed) / max(1, len(listed)), 3)


def _says_any(text: str, names: Iterable[str]) -> bool:
    return any(is_said_in(name, text) for name in names)


def _is_near(at_m: PointM | None, places_m: Iterable[PointM]) -> bool:
    return at_m is not None and any(math.dist(at_m, place_m) <= REACH_M for place_m in places_m)


def _is_within(span_ns: tuple[int, int] | None, wanted_ns: tuple[int, int]) -> bool:
    return span_ns is not None and wanted_ns[0] <= span_ns[0] <= span_ns[1] <= wanted_ns[1]
