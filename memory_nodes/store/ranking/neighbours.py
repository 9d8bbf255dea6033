"""Items near a place, and items of a time."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import dataclass, replace

import numpy as np

from memory_nodes.errors import InputError
from memory_nodes.geometry import Vector3
from memory_nodes.records import ItemKind
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Scored
from memory_nodes.store.indices.catalogue import KINDS, Catalogue, map_keys
from memory_nodes.store.indices.columns import Rows
from memory_nodes.store.observations import MAX_STAMP_NS
from memory_nodes.store.ranking.planner import Plan
from memory_nodes.store.ranking.selection import select
from memory_nodes.store.rows import NOT_EXPIRED

_TIMES = {
    ItemKind.OBSERVATION: ("observation", "stamp_ns", "stamp_ns", "text_key IS NOT NULL"),
    ItemKind.OBJECT: ("object", "first_seen_ns", "last_seen_ns", NOT_EXPIRED),
    ItemKind.GIST: ("gist", "start_ns", "end_ns", "TRUE"),
    ItemKind.ENTITY: ("entity", "first_seen_ns", "last_seen_ns", "TRUE"),
}
"""Table, columns of the beginning and of the end, and what may be found."""


@dataclass(frozen=True)
class Span:
    """A time, both ends included, and from which of its ends the items are taken."""

    since_ns: int
    until_ns: int
    oldest_first: bool = False


@dataclass(frozen=True)
class Place:
    """A ball in the map frame, or with ``ignore_height`` an upright cylinder.

    An infinite radius is the whole map. Raises InputError where the centre is not finite, or the
    radius below 0.
    """

    center_map_m: Vector3
    radius_m: float
    ignore_height: bool = False

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, self.center_map_m)) or not self.radius_m >= 0.0:
            raise InputError(
                f"the place {self.center_map_m} with radius {self.radius_m} m: give finite "
                "numbers, and a radius of 0 or more"
            )


def near(
    catalogue: Catalogue, connection: sqlite3.Connection, place: Place, k: int, wanted: Filter
) -> tuple[list[Scored], Plan]:
    """The k items nearest to a place within its radius, that a filter leaves."""
    if wanted == Filter(map_id=wanted.map_id, ignore_height=wanted.ignore_height):
        maps = map_keys(connection, wanted.map_id)
        found = _nearest(catalogue, maps, place, k)
        return found, Plan("places", "no other filter: the R-trees stop at k", len(found), 0)
    limited = wanted
    if math.isfinite(place.radius_m):
        limited = replace(wanted, center_map_m=place.center_map_m, radius_m=place.radius_m)
    selected = select(catalogue, catalogue.condition(connection, limited), limited)
    found, candidates = [], 0
    for kind, rows in selected.rows.items():
        if wanted.center_map_m is not None:  # a place of its own that the filter asks for
            columns = catalogue.items[kind].columns
            away_m = columns.distances_m(rows, wanted.center_map_m, wanted.ignore_height)
            rows = rows[away_m <= wanted.radius_m]
        candidates += len(rows)
        found += _by_distance(catalogue, kind, rows, place, k)
    plan = Plan("places", "filtered within the radius", candidates, 0)
    return sorted(found, key=_nearest_first)[:k], plan


def between(
    catalogue: Catalogue, connection: sqlite3.Connection, span: Span, k: int, wanted: Filter
) -> tuple[list[Scored], Plan]:
    """The k newest items of a time, or the k oldest, that a filter leaves."""
    dated: list[tuple[int, int, ItemKind]] = []
    span = replace(span, since_ns=max(span.since_ns, 0), until_ns=min(span.until_ns, MAX_STAMP_NS))
    if wanted == Filter():
        for kind in KINDS:
            rows = connection.execute(_in_time(kind, span), (span.since_ns, span.until_ns, k))
            dated.extend((stamp_ns, key, kind) for key, stamp_ns in rows)
        plan = Plan("times", "no other filter: the index on stamps stops at k", len(dated), 0)
    else:
        limited = _within(wanted, span.since_ns, span.until_ns)
        selected = select(catalogue, catalogue.condition(connection, limited), limited)
        column = "start_ns" if span.oldest_first else "end_ns"
        for kind, found in selected.rows.items():
            columns = catalogue.items[kind].columns
            by_time = found[np.lexsort((columns["key"][found], columns[column][found]))]
            first = by_time[:k] if span.oldest_first else by_time[-k:]
            stamps, keys = columns[column][first].tolist(), columns["key"][first].tolist()
            dated.extend((stamp, key, kind) for stamp, key in zip(stamps, keys, strict=True))
        plan = Plan("times", "filtered by columns", len(selected), 0)
    dated.sort(reverse=not span.oldest_first)
    return [(kind, key, 0.0) for _, key, kind in dated[:k]], plan


def _in_time(kind: ItemKind, span: Span) -> str:
    """A query with the ends of a time and a number of rows to fill in."""
    table, start, end, condition = _TIMES[kind]
    stamp, way = (start, "ASC") if span.oldest_first else (end, "DESC")
    return (
        f"SELECT {table}_key, {stamp} FROM {table}"
        f" WHERE {end} >= ? AND {start} <= ? AND {condition}"
        f" ORDER BY {stamp} {way}, {table}_key {way} LIMIT ?"
    )


def _within(wanted: Filter, since_ns: int, until_ns: int) -> Filter:
    """A filter that is limited to a time as well."""
    later_ns = since_ns if wanted.since_ns is None else max(since_ns, wanted.since_ns)
    earlier_ns = until_ns if wanted.until_ns is None else min(until_ns, wanted.until_ns)
    return replace(wanted, since_ns=later_ns, until_ns=earlier_ns)


def _nearest(catalogue: Catalogue, maps: tuple[int, ...], place: Place, k: int) -> list[Scored]:
    found: list[Scored] = []
    for kind in KINDS:
        for map_key in maps:
            ids, distances_m = catalogue.items[kind].places.within(
                map_key, place.center_map_m, place.radius_m, k, place.ignore_height
            )
            found += [
                (kind, key, -distance_m)
                for key, distance_m in zip(ids.tolist(), distances_m.tolist(), strict=True)
            ]
    return sorted(found, key=_nearest_first)[:k]


def _nearest_first(item: Scored) -> tuple[float, ItemKind, int]:
    kind, key, score = item
    return -score, kind, key


def _by_distance(
    catalogue: Catalogue, kind: ItemKind, rows: Rows, place: Place, k: int
) -> list[Scored]:
    columns = catalogue.items[kind].columns
    distances_m = columns.distances_m(rows, place.center_map_m, place.ignore_height)
    rows, distances_m = rows[~np.isnan(distances_m)], distances_m[~np.isnan(distances_m)]
    nearest = np.argsort(distances_m, kind="stable")[:k]
    keys = columns["key"][rows[nearest]].tolist()
    return [
        (kind, key, -distance_m)
        for key, distance_m in zip(keys, distances_m[nearest].tolist(), strict=True)
    ]
