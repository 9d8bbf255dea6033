"""Observations that are committed in groups, and readers that may only ever see whole ones."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from memory_nodes.geometry import Array, Pose, Vector3
from memory_nodes.records import Gist, ItemKind, Observation
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Found, Search
from memory_nodes.store.writer import Writer, WriterConfig

SIZE = 5
MODEL = EmbeddingModel("grouped", 16)
CONFIG = WriterConfig(batch_size=SIZE, batch_delay_s=60.0)
"""A commit is due when a whole group waits, and not before."""
OBSERVATIONS = Filter(kinds=(ItemKind.OBSERVATION,))
GISTS = Filter(kinds=(ItemKind.GIST,))


def add_group(writer: Writer, group: int) -> None:
    """Five observations in one commit, then their gist in another."""
    futures = [writer.submit(_observation(group, i), _vector(group)) for i in range(SIZE)]
    ids = tuple(future.result() for future in futures)
    writer.add_gist(
        Gist(
            text=f"room{group} has five lamps",
            map_id="map",
            map_frame="map",
            center_map_m=_place_map_m(group),
            radius_m=1.0,
            start_ns=_stamp_ns(group),
            end_ns=_stamp_ns(group) + SIZE - 1,
            observation_ids=ids,
        )
    )


@dataclass
class Seen:
    """What a reader has seen of a memory; it only ever grows."""

    rounds: int = 0
    sequence: int = 0
    groups: int = 0
    gists: int = 0


def read_until(memory_dir: Path, search: Search, stop: threading.Event, seed: int) -> Seen:
    """Asks on and on, once more after ``stop``; raises AssertionError for half a group."""
    moments, seen = random.Random(seed), Seen()
    reader = Reader(memory_dir)
    is_last = False
    while not is_last:
        is_last = stop.is_set()
        _note_counts(search, reader, seen)
        _check_newest(search, seen.groups)
        if seen.groups:
            _check_group(search, moments.randrange(seen.groups), {SIZE})
        _check_group(search, seen.groups + moments.randrange(3), {0, SIZE})
        seen.rounds += 1
    reader.close()
    return seen


def _note_counts(search: Search, reader: Reader, seen: Seen) -> None:
    counts = reader.counts()
    groups, rest = divmod(counts.observations, SIZE)
    assert rest == 0, f"{counts.observations} observations are not whole groups"
    # a commit has either one group or one gist
    assert 0 <= groups - counts.gists <= 1
    assert counts.sequence >= seen.sequence
    # gists first: what the next search sees may only be newer
    gists, observations = search.count(GISTS), search.count(OBSERVATIONS)
    assert observations % SIZE == 0
    assert gists * SIZE <= observations
    assert gists >= counts.gists
    assert observations >= counts.observations
    assert observations // SIZE >= seen.groups
    seen.sequence, seen.gists, seen.groups = counts.sequence, gists, observations // SIZE


def _check_newest(search: Search, groups: int) -> None:
    """The newest observations are one whole group; a gist comes with all that it summarises."""
    if not groups:
        return
    both = search.between(0, 2**62, 2 * (SIZE + 1)).hits
    for gist in both[: SIZE + 1]:
        if gist.kind == ItemKind.GIST:
            groups_found = [_group_of(hit) for hit in both]
            assert groups_found.count(_group_of(gist)) == SIZE + 1
    newest = search.between(0, 2**62, SIZE, OBSERVATIONS).hits
    stamps_ns = [hit.start_ns for hit in newest]
    group = _group_of(newest[0])
    assert group >= groups - 1
    assert stamps_ns == [_stamp_ns(group) + i for i in reversed(range(SIZE))]


def _check_group(search: Search, group: int, sizes: set[int]) -> None:
    """Each way finds the group as a whole; where there is a gist, there is the group."""
    place, stamp_ns = _place_map_m(group), _stamp_ns(group)
    around = replace(OBSERVATIONS, center_map_m=place, radius_m=1.5)
    has_gist = bool(_of(search.words(f"room{group}", 20, GISTS)))
    ways = {
        "words": search.words(f"lamp{group}", 20, OBSERVATIONS),
        "place": search.near(place, 1.5, 20, OBSERVATIONS),
        "all words": search.words(f"lamp{group}", 20),
        "time": search.between(stamp_ns, stamp_ns + SIZE, 20, OBSERVATIONS),
        "vector": search.semantic(_vector(group), 20, around),
    }
    for way, found in ways.items():
        hits = _of(found)
        expected = {SIZE} if has_gist else sizes
        assert len(hits) in expected, f"{len(hits)} of group {group} are found by {way}"
        assert set(map(_group_of, hits)) <= {group}
        sizes = {SIZE} if hits else sizes  # what was there once does not go


def _group_of(hit: Hit) -> int:
    return hit.start_ns // _stamp_ns(1)


def _of(found: Found) -> tuple[Hit, ...]:
    assert len({hit.item_id for hit in found.hits}) == len(found.hits)
    return found.hits


def _observation(group: int, number: int) -> Observation:
    x_m, y_m, z_m = _place_map_m(group)
    return Observation(
        stamp_ns=_stamp_ns(group) + number,
        map_id="map",
        map_frame="map",
        layer="description",
        text=f"lamp{group} with number {number}",
        map_from_base=Pose((x_m + 0.25 * number, y_m, z_m), (0.0, 0.0, 0.0, 1.0)),
    )


def _stamp_ns(group: int) -> int:
    return group * 1_000_000


def _place_map_m(group: int) -> Vector3:
    return (4.0 * (group % 50), 4.0 * (group // 50), 0.0)


def _vector(group: int) -> Array:
    numbers = np.random.default_rng(group).normal(size=MODEL.dimension)
    unit: Array = numbers / np.linalg.norm(numbers)
    return unit
