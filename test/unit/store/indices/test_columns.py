"""A filter over columns finds what a look at every row would find."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_nodes.store.indices.columns import DTYPES, Columns, Condition
from memory_nodes.store.indices.items import Items
from memory_nodes.store.indices.places import MAX_COORDINATE_M

Row = dict[str, float]
KEYS = ("map_key", "layer_key", "episode_key", "type_key")

# Few values, so that rows meet conditions, and exact ones, so that distances have no rounding.
few = st.integers(0, 2)
coordinate_m = st.sampled_from([-2.0, -0.5, 0.0, 0.5, 1.0, math.nan])
length_m = st.sampled_from([0.0, 0.5, 1.0, 2.5])
place = st.tuples(*3 * [st.sampled_from([-2.0, 0.0, 0.5])])
wanted = st.none() | st.lists(few, max_size=2).map(tuple)
bound_ns = st.none() | st.integers(0, 6)
row = st.fixed_dictionaries(
    {
        **dict.fromkeys(KEYS, few),
        **{"start_ns": st.integers(0, 5), "text_key": few, "radius_m": length_m},
        **dict.fromkeys(("x", "y", "z"), coordinate_m),
        "end_ns": st.integers(0, 5),
    }
).map(lambda made: {**made, "end_ns": max(made["start_ns"], made["end_ns"])})
condition = st.builds(
    Condition,
    since_ns=bound_ns,
    until_ns=bound_ns,
    map_keys=wanted,
    layer_keys=wanted,
    episode_keys=wanted,
    type_keys=wanted,
    center_map_m=st.none() | place,
    radius_m=length_m,
    ignore_height=st.booleans(),
)
step = st.one_of(
    st.tuples(st.just("append"), st.lists(row, max_size=4)),
    st.tuples(st.just("put"), st.dictionaries(st.integers(1, 12), row, max_size=4)),
    st.tuples(st.just("remove"), st.lists(st.integers(1, 14), max_size=4)),
)


def _columns_of(rows: Mapping[int, Row]) -> dict[str, NDArray[Any]]:
    """Columns of rows by key, ascending."""
    keys = sorted(rows)
    return {
        name: np.array(keys if name == "key" else [rows[key][name] for key in keys], dtype)
        for name, dtype in DTYPES.items()
    }


class _AllRows:
    """The second method: a dict of rows, each asked by itself."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.known: set[int] = {0}
        """Keys that were ever given: a new one is above them."""

    def change(self, kind: str, value: Any) -> tuple[str, Any]:
        """Takes a step over; gives what the columns are to be called with."""
        if kind == "remove":
            for key in value:
                self.rows.pop(key, None)
            return kind, np.array(value, np.int64)
        last = max(self.known)
        if kind == "append":
            value = {last + 1 + 2 * place: row for place, row in enumerate(value)}
        else:
            value = {key if key in self.known else last + key: row for key, row in value.items()}
        self.rows.update(value)
        self.known.update(value)
        return kind, _columns_of(value)

    def keys(self, holds: Callable[[Row], bool]) -> list[int]:
        return sorted(key for key, row in self.rows.items() if holds(row))


def _distance_m(row: Row, center_m: Sequence[float], ignore_height: bool) -> float:
    axes = 2 if ignore_height else 3
    point_m = (row["x"], row["y"], row["z"])
    surface_m = math.dist(point_m[:axes], center_m[:axes]) - row["radius_m"]
    return surface_m if math.isnan(surface_m) else max(0.0, surface_m)


def _holds(asked: Condition, row: Row) -> bool:
    listed = (asked.map_keys, asked.layer_keys, asked.episode_keys, asked.type_keys)
    return (
        all(keys is None or row[name] in keys for name, keys in zip(KEYS, listed, strict=True))
        and (asked.since_ns is None or row["end_ns"] >= asked.since_ns)
        and (asked.until_ns is None or row["start_ns"] <= asked.until_ns)
        and (
            asked.center_map_m is None
            or _distance_m(row, asked.center_map_m, asked.ignore_height) <= asked.radius_m
        )
    )


@settings(max_examples=150, deadline=None)
@given(steps=st.lists(step, max_size=8), asked=st.lists(condition, min_size=1, max_size=4))
def test_every_condition_selects_what_a_walk_through_all_rows_selects(
    steps: list[tuple[str, Any]], asked: list[Condition]
) -> None:
    columns, all_rows = Columns(), _AllRows()
    for kind, value in steps:
        name, argument = all_rows.change(kind, value)
        getattr(columns, name)(argument)
    assert len(columns) == len(all_rows.rows)
    assert columns["key"][columns.living()].tolist() == sorted(all_rows.rows)
    for each in asked:
        found = columns["key"][columns.select(each)].tolist()
        assert found == all_rows.keys(lambda row, each=each: _holds(each, row))  # type: ignore[misc]


@settings(max_examples=100, deadline=None)
@given(steps=st.lists(step, max_size=8), center_m=place, radius_m=length_m, flat=st.booleans())
def test_trees_know_the_same_places_as_the_columns(
    steps: list[tuple[str, Any]],
    center_m: tuple[float, float, float],
    radius_m: float,
    flat: bool,
) -> None:
    items, all_rows = Items(), _AllRows()
    for kind, value in steps:
        name, argument = all_rows.change(kind, value)
        getattr(items, name)(argument)
    for map_key in range(3):
        ids, _ = items.places.within(map_key, center_m, radius_m, ignore_height=flat)
        expected = all_rows.keys(
            lambda row, on=map_key: (  # type: ignore[misc]
                row["map_key"] == on
                and not any(math.isnan(row[axis]) for axis in "xyz")
                and _distance_m(row, center_m, flat) <= radius_m
            )
        )
        assert sorted(ids.tolist()) == expected


def test_row_is_found_by_its_key_while_it_lives() -> None:
    columns = Columns()
    columns.append({"key": np.array([2, 5, 9])})
    columns.remove(np.array([5, 7, 5]))
    assert columns.rows_of(np.array([9, 5, 2, 1, 10])).tolist() == [2, 0]
    assert (len(columns), columns.last_key) == (2, 9)


def test_many_rows_in_small_parts_keep_their_numbers() -> None:
    columns = Columns()
    for first in range(1, 5001, 7):
        keys = np.arange(first, min(first + 7, 5001))
        columns.append({"key": keys, "start_ns": 3 * keys})
    assert np.array_equal(columns["key"], np.arange(1, 5001))
    assert np.array_equal(columns["start_ns"], 3 * np.arange(1, 5001))


def test_key_that_comes_back_lives_again() -> None:
    """The highest key of an object is given again when that object is deleted."""
    items, row = Items(), {**dict.fromkeys(DTYPES, 0.0), "map_key": 1.0}
    items.put(_columns_of({3: row}))
    items.remove(np.array([3]))
    assert (len(items), 3 in items.places) == (0, False)
    items.put(_columns_of({3: {**row, "x": 4.0}}))
    assert (len(items), items.columns["x"].tolist()) == (1, [4.0])
    assert items.places.within(1, (4.0, 0.0, 0.0), 0.0)[0].tolist() == [3]


def test_place_that_cannot_be_meant_costs_no_other_its_place() -> None:
    items, row = Items(), {**dict.fromkeys(DTYPES, 0.0), "map_key": 1.0}
    items.append(_columns_of({1: {**row, "y": 2 * MAX_COORDINATE_M}, 2: row}))
    for key in range(3, 8):
        items.append(_columns_of({key: {**row, "z": math.inf if key % 2 else 0.0}}))
    assert items.places.within(1, (0.0, 0.0, 0.0), 1.0)[0].tolist() == [2, 4, 6]
    assert len(items) == 7
