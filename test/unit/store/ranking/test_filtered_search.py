"""Every search with every filter finds what a look at each item finds, whichever way it goes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_nodes.geometry import Vector3
from memory_nodes.records import NS_PER_S, ItemKind
from memory_nodes.store.filters import Filter
from memory_nodes.store.indices.catalogue import KINDS
from memory_nodes.store.ranking.planner import PlannerConfig
from memory_nodes.store.search import Found, Search, SearchConfig
from memory_nodes.store.writer import Writer
from memory_test_support.mixed_memory import DIMENSION, LAYERS, MAPS, MixedMemory
from memory_test_support.vectors import clustered

COUNT = 140
SPAN_S = 200
EXACT = PlannerConfig()
GRAPH = PlannerConfig(exact_texts=0, graph_texts=100_000)
SMALL_GRAPH = PlannerConfig(exact_texts=0, graph_texts=1)
WAYS = (EXACT, GRAPH, SMALL_GRAPH)
QUERIES = clustered(8, DIMENSION, seed=99)

bound_ns = st.none() | st.integers(0, SPAN_S).map(lambda stamp_s: stamp_s * NS_PER_S)
place = st.tuples(*3 * [st.floats(-5.0, 5.0)])
some_layers = st.lists(st.sampled_from((*LAYERS, "goal", "smell")), max_size=2).map(tuple)
some_kinds = st.lists(st.sampled_from(ItemKind), max_size=2).map(tuple)
some_types = st.lists(st.sampled_from(("mug", "Lamp", "ghost")), max_size=2).map(tuple)
episode = st.sampled_from(("", "", "episode_1", "episode_2", "episode_4", "episode_999", "2"))


def _filter(center_map_m: Vector3 | None, radius_m: float, **others: Any) -> Filter:
    """A radius means something around a centre only."""
    return Filter(
        center_map_m=center_map_m, radius_m=radius_m if center_map_m is not None else 0.0, **others
    )


filters = st.builds(
    _filter,
    since_ns=bound_ns,
    until_ns=bound_ns,
    map_id=st.sampled_from(("", *MAPS, "moon")),
    center_map_m=st.none() | place,
    radius_m=st.floats(0.0, 8.0),
    ignore_height=st.booleans(),
    layers=st.just(()) | some_layers,
    episode_id=episode,
    kinds=st.just(()) | some_kinds,
    object_types=st.just(()) | some_types,
)
fast = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MixedMemory]:
    writer = Writer(tmp_path_factory.mktemp("mixed"))
    made = MixedMemory(writer)
    made.fill(COUNT)
    yield made
    writer.close()


@pytest.fixture(scope="module")
def searches(memory: MixedMemory) -> Iterator[dict[PlannerConfig, Search]]:
    memory_dir: Path = memory.writer.database.memory_dir
    opened = {way: Search(memory_dir, SearchConfig(planner=way)) for way in WAYS}
    yield opened
    for search in opened.values():
        search.close()


def _ids(found: Found) -> list[str]:
    return [hit.item_id for hit in found.hits]


@fast
@given(wanted=filters, k=st.integers(1, 12), asked=st.integers(0, 7))
def test_meaning_is_exact_whichever_way_the_plan_goes(
    memory: MixedMemory,
    searches: dict[PlannerConfig, Search],
    wanted: Filter,
    k: int,
    asked: int,
) -> None:
    query = QUERIES[asked]
    expected = memory.by_meaning(query.astype(float), k, wanted)
    fitting = [item for item in memory.items if item.fits(wanted)]
    for way, search in searches.items():
        found = search.semantic(query, k, wanted)
        assert _ids(found) == expected
        cosines = [float(memory.vectors[hit.text] @ query) for hit in found.hits]
        assert [hit.score for hit in found.hits] == pytest.approx(cosines, abs=1e-5)
        if wanted != Filter():
            assert found.plan.candidates == len(fitting)
            assert way is GRAPH or found.plan.method == "exact"


@pytest.mark.parametrize(
    ("way", "method", "why"),
    [
        (EXACT, "exact", r"the filter leaves \d+ texts"),
        (GRAPH, "graph", r"the filter leaves \d+% of the texts"),
        (SMALL_GRAPH, "exact", r"the graph would have to give \d+ texts"),
    ],
)
def test_plan_says_which_way_was_taken_and_why(
    searches: dict[PlannerConfig, Search], way: PlannerConfig, method: str, why: str
) -> None:
    plan = searches[way].semantic(QUERIES[0], 3, Filter(map_id="home")).plan
    assert plan.method == method
    assert re.fullmatch(why, plan.why)


@fast
@given(wanted=filters, k=st.integers(1, 300))
def test_words_with_a_filter_find_all_that_have_them(
    memory: MixedMemory, searches: dict[PlannerConfig, Search], wanted: Filter, k: int
) -> None:
    fitting = {item.item_id for item in memory.items if item.fits(wanted) and "parcel" in item.text}
    found = _ids(searches[EXACT].words("parcel", k, wanted))
    assert set(found) <= fitting
    assert len(found) == len(set(found)) == min(k, len(fitting))


@fast
@given(
    wanted=filters,
    k=st.integers(1, 30),
    center_m=place,
    radius_m=st.floats(0.0, 8.0),
    is_limited=st.booleans(),
)
def test_near_finds_the_nearest_within_the_radius(
    memory: MixedMemory,
    searches: dict[PlannerConfig, Search],
    wanted: Filter,
    k: int,
    center_m: tuple[float, float, float],
    radius_m: float,
    is_limited: bool,
) -> None:
    if not is_limited:  # the R-trees answer by themselves
        wanted = Filter(map_id=wanted.map_id, ignore_height=wanted.ignore_height)
    away_m = {
        item.item_id: item.distance_m(center_m, wanted.ignore_height)
        for item in memory.items
        if item.fits(wanted)
    }
    within = sorted(far_m for far_m in away_m.values() if far_m <= radius_m)[:k]
    found = searches[EXACT].near(center_m, radius_m, k, wanted)
    assert [-hit.score for hit in found.hits] == pytest.approx(within, abs=1e-9)
    for hit in found.hits:
        assert away_m[hit.item_id] == pytest.approx(-hit.score, abs=1e-9)
    assert len(set(_ids(found))) == len(within)


@fast
@given(wanted=st.just(Filter()) | filters, since_s=st.integers(0, SPAN_S), k=st.integers(1, 30))
def test_between_finds_the_newest_of_the_time(
    memory: MixedMemory,
    searches: dict[PlannerConfig, Search],
    wanted: Filter,
    since_s: int,
    k: int,
) -> None:
    since_ns, until_ns = since_s * NS_PER_S, (since_s + 20) * NS_PER_S
    during = Filter(since_ns=since_ns, until_ns=until_ns)
    items = [item for item in memory.items if item.fits(wanted) and item.fits(during)]
    items.sort(key=lambda item: (item.end_ns, item.key, item.kind), reverse=True)
    found = searches[EXACT].between(since_ns, until_ns, k, wanted)
    assert _ids(found) == [item.item_id for item in items[:k]]


@fast
@given(wanted=filters)
def test_count_is_the_number_of_items_that_a_filter_leaves(
    memory: MixedMemory, searches: dict[PlannerConfig, Search], wanted: Filter
) -> None:
    fitting = sum(item.fits(wanted) for item in memory.items)
    assert searches[EXACT].count(wanted) == fitting


@pytest.mark.parametrize("per_text", [1, 2, None])
def test_no_filter_gives_what_a_filter_that_leaves_all_gives(
    memory: MixedMemory, searches: dict[PlannerConfig, Search], per_text: int | None
) -> None:
    search, everything = searches[EXACT], Filter(since_ns=0)
    for query in QUERIES:
        expected = memory.by_meaning(query.astype(float), 25, everything, per_text)
        for wanted in (Filter(), everything):
            assert _ids(search.semantic(query, 25, wanted, per_text=per_text)) == expected
        assert _ids(search.words("gist parcel", 25, per_text=per_text)) == _ids(
            search.words("gist parcel", 25, everything, per_text=per_text)
        )
    assert search.count() == search.count(everything) == len(memory.items)


def test_items_without_place_time_or_kind_asked_for_are_no_error(
    searches: dict[PlannerConfig, Search],
) -> None:
    nothing = Filter(kinds=(ItemKind.TEXT,))
    search = searches[EXACT]
    assert search.count(nothing) == 0
    for found in (
        search.semantic(QUERIES[0], 5, nothing),
        search.words("parcel", 5, nothing),
        search.hybrid("parcel", QUERIES[0], 5, nothing),
        search.near((0.0, 0.0, 0.0), 100.0, 5, nothing),
        search.between(0, 10**18, 5, nothing),
    ):
        assert found.hits == ()


def test_memory_has_items_of_all_kinds_and_texts_that_many_share(memory: MixedMemory) -> None:
    kinds = [item.kind for item in memory.items]
    assert [kinds.count(kind) for kind in KINDS] == [140, 20, 28, 14]
    assert 2 * len({item.text for item in memory.items}) < len(memory.items)
