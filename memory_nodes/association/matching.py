"""Identity by looks and places together, and by what the model says of it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from memory_nodes.association.known_objects import Known
from memory_nodes.association.looks import is_other_kind, looks_of, looks_score
from memory_nodes.association.meaning import Alike
from memory_nodes.association.places import (
    ROOM_M3,
    TWIN_PROBABILITY,
    common_shift_m,
    move_probability,
    or_where_seen,
    same_place,
    twin_place,
)
from memory_nodes.geometry import Array, PointEstimate
from memory_nodes.records import ObjectDescriptor, ObjectStatus
from memory_nodes.store.moves import Elsewhere

CLAIM = 3.0
"""How much the word of the model weighs, in nats: less than looks and place together."""
SURE_LEAD = 3.0
"""Pairs that are likelier than a new object by so much tell how far all places are shifted."""
TOLD_APART = 2.0
"""By so much more two of a chunk are one where the model does not say so: the detector took them
for two."""
MIN_SURE_PAIRS = 3
SHIFT_SIGMA_M = 0.3
IMPOSSIBLE = -1e6


@dataclass(frozen=True)
class _Pairs:
    """Objects of a chunk, each with the known ones that it may be; N pairs of L and K objects."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    looks: Array
    """Their scores, shape (N,)."""
    claims: Array
    """What the word of the model adds to each, shape (N,)."""
    gaps_m: Array
    """From the known place to the seen one, shape (N, 3); NaN where there is none on this map."""
    covariances_m2: Array
    """Of both places together, shape (N, 3, 3)."""
    move_probabilities: Array
    seen_gaps_m: Array
    """As ``gaps_m``, from where the newest views show the known one, if not in its place."""
    seen_covariances_m2: Array
    seen_move_probabilities: Array
    """That it was moved before those views."""

    def scores(self, shift_m: Array) -> Array:
        """Log likelihood of each pair if all places are shifted so, shape (N,)."""
        gaps_m = self.gaps_m - shift_m
        places = same_place(gaps_m, self.covariances_m2, self.move_probabilities)
        places = or_where_seen(
            *(places, self.seen_gaps_m - shift_m, self.seen_covariances_m2),
            self.seen_move_probabilities,
        )
        scores: Array = self.looks + self.claims + places
        return scores

    def new_scores(self, shift_m: Array, count: int) -> Array:
        """Log likelihood of each of the L objects if it is new, shape (L,).

        It is anything anywhere, or one of a set: it looks like a known one and stands beside it.
        So near a known object, looks alone do not tell.
        """
        twins = np.full(count, -np.inf)
        places = twin_place(self.gaps_m - shift_m, self.covariances_m2)
        np.maximum.at(twins, self.rows, self.looks + places)
        scores: Array = np.logaddexp(
            math.log((1.0 - TWIN_PROBABILITY) / ROOM_M3), math.log(TWIN_PROBABILITY) + twins
        )
        return scores


def match(
    local: Sequence[ObjectDescriptor],
    map_id: str,
    shortlists: Mapping[str, Sequence[Known]],
    claims: Mapping[str, str | None] | None = None,
    meant: Alike | None = None,
) -> dict[str, str]:
    """The known object that each local one is; those left out are new.

    What words tell to be of another kind is not it, however near. One to one, so that all together
    are likeliest; only two that share no keyframe may be one known object, where that is sure.
    Pairs that are sure tell a shift that all positions of the chunk share, and with it each of
    several twins from the others.

    Args:
        map_id: of the positions of the local ones.
        shortlists: the known objects that each local one may be, by local id.
        claims: what the model says, by local id: a known id of any shortlist, None for a new one.
        meant: known ones that mean the same; their types may be synonyms.
    """
    claims = claims if claims is not None else {}
    meant = meant if meant is not None else {}
    known = {item.item.object_id: item for items in shortlists.values() for item in items}
    names = list(known)
    pairs = _pairs(local, map_id, shortlists, known, claims, meant)
    if pairs is None:
        return {}
    says_new = np.array([claims.get(seen.object_id, "") is None for seen in local])
    chosen, leads = _assigned(pairs, np.zeros(3), says_new)
    sure = chosen[(leads[chosen] >= SURE_LEAD) & np.isfinite(pairs.gaps_m[chosen, 0])]
    if len(sure) >= MIN_SURE_PAIRS:
        shift_m = common_shift_m(pairs.gaps_m[sure], pairs.covariances_m2[sure], SHIFT_SIGMA_M)
        chosen, leads = _assigned(pairs, shift_m, says_new)
    found = _with_shared(pairs, chosen, leads, [frames_of(seen) for seen in local])
    return {local[row].object_id: names[column] for row, column in found.items()}


def is_sure(
    seen: ObjectDescriptor, map_id: str, known: Known, is_claimed: bool, meant: Alike
) -> bool:
    """Whether an object of a chunk is a known one, though it may be taken for another one, too.

    Args:
        map_id, meant: as for ``match``.
        is_claimed: whether the model says so.
    """
    name = known.item.object_id
    claims = {seen.object_id: name} if is_claimed else {}
    shortlists = {seen.object_id: [known]}
    pairs = _pairs([seen], map_id, shortlists, {name: known}, claims, meant)
    if pairs is None:
        return False
    lead = pairs.scores(np.zeros(3)) - pairs.new_scores(np.zeros(3), 1)
    return bool(lead[0] >= _needed_leads(pairs)[0])


def frames_of(seen: ObjectDescriptor) -> set[int]:
    """The keyframes that show an object: two that share one are two objects."""
    return {view.keyframe_id for view in seen.views}


def _pairs(
    local: Sequence[ObjectDescriptor],
    map_id: str,
    shortlists: Mapping[str, Sequence[Known]],
    known: Mapping[str, Known],
    claims: Mapping[str, str | None],
    meant: Alike,
) -> _Pairs | None:
    """None where there is no pair."""
    column_of = {name: column for column, name in enumerate(known)}
    found = []
    for row, seen in enumerate(local):
        looks = looks_of(seen)
        claimed = claims.get(seen.object_id)
        own = {item.item.object_id: item for item in shortlists.get(seen.object_id, ())}
        if claimed is not None and claimed in known:
            own[claimed] = known[claimed]
        for name, other in own.items():
            claim = CLAIM if name == claimed else 0.0
            is_here = other.item.map_id == map_id
            place = _gap(seen, other.item.position if is_here else None)
            cosine = meant.get(seen.object_id, {}).get(name, 0.0)
            if is_other_kind(looks, other.looks, cosine):
                continue
            score = looks_score(looks, other.looks, cosine)
            moved = _move_probability(seen, other)
            newest = _gap_elsewhere(seen, other.elsewhere if is_here else None)
            found.append((row, column_of[name], score, claim, *place, moved, *newest))
    if not found:
        return None
    return _Pairs(*map(np.array, zip(*found, strict=True)))


def _gap(seen: ObjectDescriptor, there: PointEstimate | None) -> tuple[Array, Array]:
    """Shape (3,), and the covariance of both places, shape (3, 3); NaN where one is not known."""
    here = seen.position
    if here is None or there is None:
        return np.full(3, np.nan), np.full((3, 3), np.nan)
    covariance_m2 = np.reshape(np.add(here.covariance_m2, there.covariance_m2), (3, 3))
    return np.subtract(here.point_m, there.point_m), covariance_m2


def _gap_elsewhere(
    seen: ObjectDescriptor, elsewhere: Elsewhere | None
) -> tuple[Array, Array, float]:
    """As ``_gap``, and how likely the known one was moved there."""
    if elsewhere is None:
        return *_gap(seen, None), 0.0
    moved = move_probability(elsewhere.after_ns, was_absent=False)
    return *_gap(seen, elsewhere.position), moved


def _move_probability(seen: ObjectDescriptor, known: Known) -> float:
    item = known.item
    was_absent = item.clear_looks > 0 or item.status == ObjectStatus.MISSING
    return move_probability(seen.first_seen_ns - item.last_seen_ns, was_absent)


def _assigned(
    pairs: _Pairs, shift_m: Array, says_new: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], Array]:
    """The pairs of the likeliest assignment, in which each local object may also be new.

    Shape (M,); with how much likelier every pair is than a new object, shape (N,).
    """
    count, width = len(says_new), int(pairs.columns.max()) + 1
    scores = pairs.scores(shift_m)
    new = pairs.new_scores(shift_m, count) + CLAIM * says_new
    table = np.full((count, width + count), IMPOSSIBLE)
    table[pairs.rows, pairs.columns] = scores
    table[np.arange(count), width + np.arange(count)] = new
    rows, columns = linear_sum_assignment(table, maximize=True)
    index_of = {key: n for n, key in enumerate(zip(pairs.rows, pairs.columns, strict=True))}
    found = [index_of[key] for key in zip(rows, columns, strict=True) if key in index_of]
    chosen = np.array(found, np.intp)
    return chosen, scores - new[pairs.rows]


def _with_shared(
    pairs: _Pairs, chosen: NDArray[np.intp], leads: Array, frames: Sequence[set[int]]
) -> dict[int, int]:
    """The column of each row; a column of several where the detector took one object for two.

    They are in no keyframe together, and it is sure, although the detector tells them apart.
    """
    column_of = {int(pairs.rows[n]): int(pairs.columns[n]) for n in chosen}
    lead_of = {int(pairs.rows[n]): float(leads[n]) for n in chosen}
    needed = _needed_leads(pairs)
    for n in np.argsort(-leads):
        row, column = int(pairs.rows[n]), int(pairs.columns[n])
        others = [other for other, taken in column_of.items() if taken == column and other != row]
        is_sure = leads[n] - lead_of.get(row, 0.0) >= needed[n]
        if others and is_sure and not any(frames[row] & frames[other] for other in others):
            column_of[row], lead_of[row] = column, float(leads[n])
    return column_of


def _needed_leads(pairs: _Pairs) -> Array:
    """From which on each pair is sure although it was told apart, shape (N,)."""
    needed: Array = np.where(pairs.claims > 0.0, SURE_LEAD, SURE_LEAD + TOLD_APART)
    return needed
