"""The consolidation benchmark walks through a large building and tells what becomes of it."""

from __future__ import annotations

import math
from argparse import Namespace
from itertools import pairwise

from benchmark import consolidation
from memory_test_support import roaming


def test_walk_goes_on_from_place_to_place_and_rests() -> None:
    seen = list(roaming.observations(4000))
    assert seen == list(roaming.observations(4000))
    places_m = [item.map_from_base.position_m for item in seen]
    steps_m = [math.dist(one, other) for one, other in pairwise(places_m)]
    assert max(steps_m) < 3.0
    assert min(min(place_m[:2]) for place_m in places_m) >= 0.0
    assert max(max(place_m[:2]) for place_m in places_m) <= roaming.AREA_M
    stamps_ns = [item.stamp_ns for item in seen]
    assert stamps_ns == sorted(stamps_ns)
    assert {item.layer for item in seen} == {"description", "detections", "place", "battery"}


def test_places_of_a_walk_are_small_and_all_of_it_is_told() -> None:
    for figures in consolidation.run(Namespace(size=1000)).values():
        assert figures["gists"] > 10
        assert 0.0 < figures["median_radius_m"] <= figures["largest_radius_m"] <= 4.0
        assert figures["noise"] == 0
        assert figures["archived"] == 1000
