"""What is near, and what was when: by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.errors import InputError
from memory_nodes.store.filters import Filter
from memory_nodes.store.search import Found, Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import gist, observation

HERE = (0.0, 0.0, 0.0)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def search(tmp_path: Path, writer: Writer) -> Iterator[Search]:
    opened = Search(tmp_path)
    yield opened
    opened.close()


def _texts(found: Found) -> list[str]:
    return [hit.text for hit in found.hits]


def test_height_counts_unless_it_is_ignored(writer: Writer, search: Search) -> None:
    writer.add(observation("upstairs", at_map_m=(0.0, 3.0, 4.0)))
    above, flat = search.near(HERE, 5.0), search.near(HERE, 3.0, wanted=Filter(ignore_height=True))
    assert [(hit.text, hit.score) for hit in above.hits] == [("upstairs", -5.0)]
    assert [(hit.text, hit.score) for hit in flat.hits] == [("upstairs", -3.0)]
    assert search.near(HERE, 4.9).hits == ()


def test_each_map_has_places_of_its_own_and_no_map_means_all(
    writer: Writer, search: Search
) -> None:
    writer.add(observation("at home", at_map_m=(2.0, 0.0, 0.0), map_id="home"))
    writer.add(observation("in the shed", at_map_m=(1.0, 0.0, 0.0), map_id="shed"))
    assert _texts(search.near(HERE, 3.0)) == ["in the shed", "at home"]
    assert _texts(search.near(HERE, 3.0, wanted=Filter(map_id="home"))) == ["at home"]
    assert _texts(search.near(HERE, 3.0, wanted=Filter(map_id="moon"))) == []


def test_gist_is_near_where_its_surroundings_reach(writer: Writer, search: Search) -> None:
    writer.add_gist(gist("wide", center_map_m=(5.0, 0.0, 0.0), radius_m=4.0))
    writer.add_gist(gist("around", center_map_m=(1.0, 0.0, 0.0), radius_m=2.0))
    writer.add(observation("point", at_map_m=(0.5, 0.0, 0.0)))
    for wanted in (Filter(), Filter(since_ns=0)):
        found = search.near(HERE, 1.0, wanted=wanted)
        assert [(hit.text, hit.score) for hit in found.hits] == [
            *(("around", 0.0), ("point", -0.5), ("wide", -1.0)),
        ]


def test_place_of_the_filter_must_hold_beside_the_place_asked_for(
    writer: Writer, search: Search
) -> None:
    for x_m in (1.0, 2.0, 3.0):
        writer.add(observation(f"{x_m:.0f} m", at_map_m=(x_m, 0.0, 0.0)))
    within = Filter(center_map_m=(4.0, 0.0, 0.0), radius_m=2.0)
    found = search.near(HERE, 2.5, wanted=within)
    assert (_texts(found), found.plan.candidates) == (["2 m"], 1)


@pytest.mark.parametrize(
    ("center_m", "radius_m"),
    [((math.nan, 0.0, 0.0), 1.0), ((0.0, math.inf, 0.0), 1.0), (HERE, -1.0), (HERE, math.nan)],
)
def test_place_that_cannot_be_used_is_refused(
    search: Search, center_m: tuple[float, float, float], radius_m: float
) -> None:
    with pytest.raises(InputError, match="give finite"):
        search.near(center_m, radius_m)


@pytest.mark.parametrize("wanted", [Filter(), Filter(map_id="map")], ids=["index", "columns"])
def test_both_ends_of_a_time_belong_to_it_and_0_is_a_time(
    writer: Writer, search: Search, wanted: Filter
) -> None:
    for stamp_ns in (0, 5, 3):
        writer.add(observation(f"at {stamp_ns}", stamp_ns=stamp_ns))
    writer.add_gist(gist("3 to 4", start_ns=3, end_ns=4))
    assert _texts(search.between(0, 5, wanted=wanted)) == ["at 5", "3 to 4", "at 3", "at 0"]
    assert _texts(search.between(0, 0, wanted=wanted)) == ["at 0"]
    assert _texts(search.between(4, 4, wanted=wanted)) == ["3 to 4"]
    assert _texts(search.between(1, 2, wanted=wanted)) == []
    assert _texts(search.between(5, 0, wanted=wanted)) == []
    assert _texts(search.between(0, 5, 2, wanted)) == ["at 5", "3 to 4"]


@pytest.mark.parametrize("wanted", [Filter(), Filter(map_id="map")], ids=["index", "columns"])
def test_of_one_stamp_the_last_written_is_the_newest(
    writer: Writer, search: Search, wanted: Filter
) -> None:
    for number in range(5):
        writer.add(observation(f"{number}"))
    assert _texts(search.between(0, 0, 3, wanted)) == ["4", "3", "2"]


def test_time_asked_for_and_time_of_the_filter_must_both_hold(
    writer: Writer, search: Search
) -> None:
    for stamp_ns in range(6):
        writer.add(observation(f"{stamp_ns}", stamp_ns=stamp_ns))
    assert _texts(search.between(1, 4, wanted=Filter(since_ns=3))) == ["4", "3"]
    assert _texts(search.between(1, 4, wanted=Filter(until_ns=0))) == []
    assert _texts(search.between(3, 9, wanted=Filter(since_ns=0, until_ns=4))) == ["4", "3"]
