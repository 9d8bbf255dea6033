"""Known objects that were taken for new ones without the model, and that it shows to be others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from memory_nodes.association.known_objects import Known
from memory_nodes.association.matching import is_sure
from memory_nodes.association.meaning import Alike
from memory_nodes.association.places import NEAR_M
from memory_nodes.records import ObjectDescriptor, ObjectStatus
from memory_nodes.store.moves import is_elsewhere

SAME_PLACE_SIGMAS = 2.0


def joins(
    local: Sequence[ObjectDescriptor],
    map_id: str,
    shortlists: Mapping[str, Sequence[Known]],
    found: Mapping[str, str],
    by_model: Mapping[str, str],
    same_known: Set[frozenset[str]],
    meant: Alike,
) -> tuple[tuple[str, str], ...]:
    """PROVISIONAL objects, each with the one that it is: both surely are what the chunk shows.

    They have one place, and the chunk shows the provisional one as no other object. What may be
    two known ones stays.

    Args:
        map_id, shortlists, meant: as for ``match``.
        found: the known id of each local object that has one.
        by_model: those of them that the model has said.
        same_known: pairs of known ids that the model said of one local object.
    """
    known = {item.item.object_id: item for items in shortlists.values() for item in items}
    shown = set(found.values())
    known_of: dict[str, set[str]] = defaultdict(set)
    for seen in local:
        one = known.get(by_model.get(seen.object_id, ""))
        if one is None or _is_open(one) or not is_sure(seen, map_id, one, True, meant):
            continue
        for other in shortlists[seen.object_id]:
            ids = frozenset((one.item.object_id, other.item.object_id))
            if (
                _is_open(other)
                and other.item.object_id not in shown
                and _are_in_one_place(one, other)
                and is_sure(seen, map_id, other, ids in same_known, meant)
            ):
                known_of[other.item.object_id].add(one.item.object_id)
    return tuple(
        (double, one_id) for double, ids in known_of.items() if len(ids) == 1 for one_id in ids
    )


def _is_open(known: Known) -> bool:
    return known.item.status == ObjectStatus.PROVISIONAL


def _are_in_one_place(one: Known, other: Known) -> bool:
    here, there = one.item.position, other.item.position
    if here is None or there is None or one.item.map_id != other.item.map_id:
        return False
    return not is_elsewhere(here, there, NEAR_M, SAME_PLACE_SIGMAS)
