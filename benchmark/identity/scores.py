"""How right identities are, from what each of their views truly shows."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from memory_nodes.geometry import Vector3
from memory_nodes.records import ObjectDescriptor

TrueOfView: TypeAlias = Mapping[tuple[str, int], str]
"""The true thing in each view, by object id and keyframe id; views of nothing true are left out."""


def identity_figures(
    objects: Sequence[ObjectDescriptor], true_of_view: TrueOfView, centres_m: Mapping[str, Vector3]
) -> dict[str, float]:
    """The figures of a memory against the truth.

    Args:
        centres_m: of the things whose positions are judged, in the map frame.
    """
    thing_of = main_things(true_of_view)
    errors_m = [
        math.dist(item.position.point_m, centres_m[thing_of[item.object_id]])
        for item in objects
        if item.position is not None and thing_of.get(item.object_id, "") in centres_m
    ]
    return {
        "instances_true": len(set(true_of_view.values())),
        "instances_found": len(objects),
        "identity_f1": round(identity_f1(true_of_view), 3),
        "fragmentation": round(fragmentation(true_of_view), 3),
        "false_merges": false_merges(true_of_view),
        "median_position_error_m": round(statistics.median(errors_m), 3) if errors_m else math.nan,
    }


def identity_f1(true_of_view: TrueOfView) -> float:
    """Harmonic mean of precision and recall over pairs of views, 0 to 1.

    A pair is found where one identity has both views, and true where one thing is in both.
    Without any pair, found or true, nothing is wrong: 1.
    """
    right = _pairs(Counter((name, thing) for (name, _), thing in true_of_view.items()))
    found = _pairs(Counter(name for name, _ in true_of_view))
    true = _pairs(Counter(true_of_view.values()))
    return 2.0 * right / (found + true) if found + true else 1.0


def fragmentation(true_of_view: TrueOfView) -> float:
    """Identities for each true thing, on average; 1 is right."""
    things = set(true_of_view.values())
    return len(_parts(true_of_view)) / len(things) if things else 1.0


def false_merges(true_of_view: TrueOfView) -> int:
    """Identities with views of several things."""
    things = Counter(name for name, _ in _parts(true_of_view))
    return sum(count > 1 for count in things.values())


def main_things(true_of_view: TrueOfView) -> dict[str, str]:
    """For each identity the thing that most of its views show."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for (name, _), thing in true_of_view.items():
        votes[name][thing] += 1
    return {name: counts.most_common(1)[0][0] for name, counts in votes.items()}


def main_identities(true_of_view: TrueOfView) -> dict[str, str]:
    """For each thing the identity that has most views of it."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for (name, _), thing in true_of_view.items():
        votes[thing][name] += 1
    return {thing: counts.most_common(1)[0][0] for thing, counts in votes.items()}


def _pairs(sizes: Mapping[object, int]) -> int:
    """Pairs within groups of these sizes."""
    return sum(math.comb(size, 2) for size in sizes.values())


def _parts(true_of_view: TrueOfView) -> set[tuple[str, str]]:
    return {(name, thing) for (name, _), thing in true_of_view.items()}
