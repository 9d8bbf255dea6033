"""Whether every kind of search finds what a look at each item of a memory finds."""

from __future__ import annotations

import pytest

from memory_nodes.records import NS_PER_S
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit
from memory_nodes.store.search import Search
from memory_test_support.mixed_memory import DIMENSION, MixedMemory
from memory_test_support.vectors import clustered

QUERIES = clustered(4, DIMENSION, seed=99)
FILTERS = (
    *(Filter(), Filter(since_ns=0), Filter(map_id="shed"), Filter(layers=("speech",))),
    *(Filter(episode_id="episode_1"), Filter(object_types=("mug",))),
    Filter(center_map_m=(1.0, 0.0, 0.0), radius_m=3.0, ignore_height=True),
)
HERE = (0.0, 0.0, 0.0)


def expect_agreement(memory: MixedMemory, search: Search) -> None:
    """Every search gives what a look at each item gives."""
    for wanted in FILTERS:
        fitting = [item for item in memory.items if item.fits(wanted)]
        assert search.count(wanted) == len(fitting)
        query = QUERIES[len(fitting) % len(QUERIES)]
        for per_text in (1, None):
            found = search.semantic(query, 15, wanted, per_text=per_text).hits
            expected = memory.by_meaning(query.astype(float), 15, wanted, per_text)
            assert [hit.item_id for hit in found] == expected
        said = {hit.item_id for hit in search.words("parcel color", 500, wanted).hits}
        assert said == {item.item_id for item in fitting}
        newest = sorted(fitting, key=lambda item: (-item.end_ns, -item.key, -item.kind))
        times = search.between(0, 2**62, 500, wanted).hits
        assert [hit.item_id for hit in times] == [item.item_id for item in newest]
        away_m = sorted(item.distance_m(HERE, wanted.ignore_height) for item in fitting)
        places = search.near(HERE, 4.0, 500, wanted).hits
        assert [-hit.score for hit in places] == pytest.approx([m for m in away_m if m <= 4.0])


def answers(search: Search) -> list[tuple[Hit, ...]]:
    """Of every kind of search."""
    return [
        found.hits
        for wanted in FILTERS
        for query in QUERIES
        for found in (
            search.semantic(query, 12, wanted),
            search.words("parcel color", 12, wanted),
            search.hybrid("mug of parcel 3", query, 12, wanted),
            search.near(HERE, 3.0, 12, wanted),
            search.between(0, 30 * NS_PER_S, 12, wanted),
        )
    ]
