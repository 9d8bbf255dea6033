"""Which observations one gist tells of: those of one place and one stretch of time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from memory_nodes.geometry import Array, Vector3
from memory_nodes.parameters import parameter
from memory_nodes.records import NS_PER_S
from memory_nodes.store.past import ObservationInEpisode

MAX_OBSERVATIONS = 120
"""In one piece: more would hold the writer up for too long."""

Piece: TypeAlias = list[ObservationInEpisode]
"""By time; never empty."""


@dataclass(frozen=True)
class PieceConfig:
    """How observations are cut into pieces, each of which gets a gist."""

    gist_gap_s: float = parameter(
        1800.0, "a longer time without observations ends a gist", unit="s", low=1.0, high=1e7
    )
    gist_span_s: float = parameter(
        3600.0, "the longest time that one gist tells of", unit="s", low=1.0, high=1e7
    )
    max_gist_radius_m: float = parameter(
        4.0, "the largest place that one gist tells of", unit="m", low=0.1, high=1000.0
    )
    cluster_radius_m: float = parameter(
        2.0,
        "observations outside of episodes that are so near belong together",
        unit="m",
        low=0.01,
        high=1000.0,
    )
    min_cluster_size: int = parameter(
        3, "so many of them make a place worth a gist; fewer are noise", low=1, high=1000
    )


def pieces_of(observations: Sequence[ObservationInEpisode], config: PieceConfig) -> list[Piece]:
    """The observations cut by map, by time gaps, and by place AND time until each fits a gist.

    Every observation is in exactly one piece. The cut follows from the observations alone, those
    that have a gist included, so cut all of them and then leave these out with ``without_gist``:
    after a crash the pieces are the same again, and whatever was changed meanwhile (a parameter,
    something forgotten), what has a gist gets no other. Source: eMEM, consolidation; there a chunk
    is cut by time gaps alone.
    """
    return [
        piece
        for of_map in _by_map(observations)
        for piece in _cut([of_map], config.gist_gap_s, config)
    ]


def free_pieces_of(
    observations: Sequence[ObservationInEpisode], config: PieceConfig
) -> list[Piece]:
    """Clusters of what was observed outside of episodes, cut as ``pieces_of`` does.

    Near each other is what is within ``cluster_radius_m`` AND ``gist_gap_s``; what has fewer than
    ``min_cluster_size`` near it, itself included, and is near no such one, is noise, and in no
    piece. Source: Ester et al. 1996 (DBSCAN), Birant and Kut 2007 (its form for place and time).
    """
    return [
        piece
        for of_map in _by_map(observations)
        for piece in _cut(_clusters(of_map, config), config.gist_gap_s, config)
    ]


def without_gist(pieces: Sequence[Piece]) -> list[Piece]:
    """The same without observations that have a gist, and without pieces that are told of."""
    left = ([item for item in piece if not item.has_gist] for piece in pieces)
    return [piece for piece in left if piece]


def stretch(
    observations: Sequence[ObservationInEpisode], before_ns: int, limit: int, config: PieceConfig
) -> Sequence[ObservationInEpisode]:
    """The first of free observations, in the order of arrival, that are to be clustered together.

    It ends before the first that comes after a time gap, or in another span of ``gist_span_s``,
    or after ``limit`` of them: so where it began tells where it ends, whatever comes later.
    Empty while more may come into it before its end.
    """
    if not observations:
        return ()
    gap_ns, span_ns = (round(s * NS_PER_S) for s in (config.gist_gap_s, config.gist_span_s))
    stamps_ns = [item.observation.stamp_ns for item in observations[:limit]]
    for number in range(1, len(stamps_ns)):
        before, after = stamps_ns[number - 1], stamps_ns[number]
        if abs(after - before) > gap_ns or after // span_ns != before // span_ns:
            return observations[:number]
    last_ns = stamps_ns[-1]
    ends_ns = min(last_ns + gap_ns, (last_ns // span_ns + 1) * span_ns)
    return observations[:limit] if len(observations) >= limit or ends_ns <= before_ns else ()


def extent(piece: Piece) -> tuple[Vector3, float]:
    """The middle of where a piece was observed, and how far from it that reaches, m."""
    x_m, y_m, z_m = (float(value) for value in _places_m(piece).mean(axis=0))
    return (x_m, y_m, z_m), _radius_m(piece)


def _by_map(observations: Sequence[ObservationInEpisode]) -> Iterator[Piece]:
    where = attrgetter("observation.map_id", "observation.map_frame")
    for _, group in groupby(sorted(observations, key=where), key=where):
        yield sorted(group, key=lambda item: (item.observation.stamp_ns, item.key))


def _cut(waiting: list[Piece], gap_s: float, config: PieceConfig) -> list[Piece]:
    """Pieces that fit, by the time at which they begin."""
    fitting: list[Piece] = []
    waiting = list(waiting)
    while waiting:
        for piece in _between_gaps(waiting.pop(), gap_s):
            halves = _halves(piece, config)
            (waiting if len(halves) > 1 else fitting).extend(halves)
    return sorted(fitting, key=lambda piece: (piece[0].observation.stamp_ns, piece[0].key))


def _between_gaps(piece: Piece, gap_s: float) -> list[Piece]:
    gaps = np.flatnonzero(np.diff(_stamps_ns(piece)) > round(gap_s * NS_PER_S)) + 1
    edges = [0, *gaps.tolist(), len(piece)]
    return [piece[start:end] for start, end in pairwise(edges)]


def _halves(piece: Piece, config: PieceConfig) -> list[Piece]:
    """The piece, if it fits, or two parts of it: by place, then by time."""
    if _radius_m(piece) > config.max_gist_radius_m:
        places_m = _places_m(piece)
        axis = int(np.argmax(np.ptp(places_m, axis=0)))
        return _split(piece, places_m[:, axis])
    stamps_ns = _stamps_ns(piece)
    span_s = float(stamps_ns[-1] - stamps_ns[0]) / NS_PER_S
    if span_s > config.gist_span_s:
        return _split(piece, (stamps_ns - stamps_ns[0]).astype(np.float64))
    if len(piece) > MAX_OBSERVATIONS:
        middle = len(piece) // 2
        return [piece[:middle], piece[middle:]]
    return [piece]


def _split(piece: Piece, values: Array) -> list[Piece]:
    """In two at the widest gap of the values whose middle is in the middle half of their range."""
    ordered = np.unique(values)
    middles = (ordered[1:] + ordered[:-1]) / 2.0
    quarter = (ordered[-1] - ordered[0]) / 4.0
    is_central = (middles >= ordered[0] + quarter) & (middles <= ordered[-1] - quarter)
    at = middles[np.argmax(np.where(is_central, np.diff(ordered), -1.0))]
    return [
        [item for item, value in zip(piece, values, strict=True) if (value > at) == is_above]
        for is_above in (False, True)
    ]


def _clusters(of_map: Piece, config: PieceConfig) -> list[Piece]:
    """Density clusters of one map, without the noise."""
    near = _pairs(of_map, config)
    count = np.bincount(near.ravel(), minlength=len(of_map)) + 1
    is_core = count >= config.min_cluster_size
    both = near[is_core[near].all(axis=1)]
    weights = np.ones(len(both), dtype=np.int8)
    graph = coo_array((weights, (both[:, 0], both[:, 1])), shape=(len(of_map),) * 2)
    labels = connected_components(graph, directed=False)[1]
    labels[~is_core] = -1
    one, other = near[:, 0], near[:, 1]
    for edge, core in ((one, other), (other, one)):
        is_edge = ~is_core[edge] & is_core[core]
        # In reverse, so that of several clusters the one that is met first keeps it.
        edges, cores = edge[is_edge][::-1], core[is_edge][::-1]
        free = labels[edges] == -1
        labels[edges[free]] = labels[cores[free]]
    return [
        [item for item, own in zip(of_map, labels, strict=True) if own == label]
        for label in np.unique(labels[labels >= 0])
    ]


def _pairs(of_map: Piece, config: PieceConfig) -> NDArray[np.int64]:
    """Pairs of numbers of what is near each other in place and time, in order; shape (N, 2)."""
    places_m, stamps_ns = _places_m(of_map), _stamps_ns(of_map)
    times_s = (stamps_ns - stamps_ns[0])[:, None] / NS_PER_S
    scaled = np.hstack((places_m / config.cluster_radius_m, times_s / config.gist_gap_s))
    pairs = cKDTree(scaled).query_pairs(1.0, p=np.inf, output_type="ndarray").astype(np.int64)
    apart_m = np.linalg.norm(places_m[pairs[:, 0]] - places_m[pairs[:, 1]], axis=1)
    near = pairs[apart_m <= config.cluster_radius_m]
    in_order: NDArray[np.int64] = near[np.lexsort((near[:, 1], near[:, 0]))]
    return in_order


def _radius_m(piece: Piece) -> float:
    places_m = _places_m(piece)
    return float(np.linalg.norm(places_m - places_m.mean(axis=0), axis=1).max())


def _places_m(piece: Piece) -> Array:
    """Shape (len(piece), 3)."""
    places_m: Array = np.array([item.observation.map_from_base.position_m for item in piece])
    return places_m


def _stamps_ns(piece: Piece) -> NDArray[np.int64]:
    return np.array([item.observation.stamp_ns for item in piece], dtype=np.int64)
