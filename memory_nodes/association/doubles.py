"""Known objects that were taken for new ones without the model, and that it shows to be others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

from memory_nodes.association.known_objects import Known, Newest
from memory_nodes.association.looks import is_other_kind, looks_of
from memory_nodes.association.matching import is_sure
from memory_nodes.association.meaning import Alike
from memory_nodes.association.places import NEAR_M
from memory_nodes.geometry import PointEstimate
from memory_nodes.records import Keyframe, ObjectDescriptor, ObjectStatus
from memory_nodes.store.moves import contradicts, is_elsewhere

SAME_PLACE_SIGMAS = 2.0


def joins(
    local: Sequence[ObjectDescriptor],
    map_id: str,
    shortlists: Mapping[str, Sequence[Known]],
    found: Mapping[str, str],
    by_model: Mapping[str, str],
    same_known: Set[frozenset[str]],
    meant: Alike,
    newest: Newest,
) -> tuple[tuple[str, str], ...]:
    """PROVISIONAL objects, each with the one that it is.

    Both surely are what the chunk shows; or, whatever they look like, they would be two of a kind
    in one spot. They have one place, and the chunk shows the provisional one as no other object.
    What may be two known ones stays.

    Args:
        map_id, shortlists, meant: as for ``match``.
        found: the known id of each local object that has one.
        by_model: those of them that the model has said.
        same_known: pairs of known ids that the model said of one local object.
        newest: of all known ones of the shortlists.
    """
    known = {item.item.object_id: item for items in shortlists.values() for item in items}
    shown = set(found.values())
    known_of: dict[str, set[str]] = defaultdict(set)
    for seen in local:
        one = known.get(by_model.get(seen.object_id, ""))
        if one is None or _is_open(one):
            continue
        for other in shortlists[seen.object_id]:
            name = other.item.object_id
            if not _is_open(other) or name in shown or not _are_in_one_place(one, other):
                continue
            is_said = frozenset((one.item.object_id, name)) in same_known
            is_here = one.item.map_id == map_id
            if (is_here and _are_in_one_spot(seen, one, other, meant, newest)) or (
                is_sure(seen, map_id, one, True, meant)
                and is_sure(seen, map_id, other, is_said, meant)
            ):
                known_of[name].add(one.item.object_id)
    return tuple(
        (double, one_id) for double, ids in known_of.items() if len(ids) == 1 for one_id in ids
    )


def _is_open(known: Known) -> bool:
    return known.item.status == ObjectStatus.PROVISIONAL


def _are_in_one_place(one: Known, other: Known) -> bool:
    return one.item.map_id == other.item.map_id and _is_one_place(
        one.item.position, other.item.position
    )


def _is_one_place(here: PointEstimate | None, there: PointEstimate | None) -> bool:
    if here is None or there is None:
        return False
    return not is_elsewhere(here, there, NEAR_M, SAME_PLACE_SIGMAS)


def _are_in_one_spot(
    seen: ObjectDescriptor, one: Known, other: Known, meant: Alike, newest: Newest
) -> bool:
    """Whether a known one left no room for another of its kind: it stood there before, and does.

    The newest box of each holds the middle of the other, however well that is known, and neither
    was looked for there in vain since.
    """
    first, second = (newest[item.item.object_id] for item in (one, other))
    cosine = meant.get(seen.object_id, {}).get(other.item.object_id, 0.0)
    return (
        first[0].first_seen_ns < second[0].first_seen_ns
        and not one.item.clear_looks
        and not other.item.clear_looks
        and _is_one_place(seen.position, one.item.position)
        and _is_one_place(seen.position, other.item.position)
        and _holds(first, other.item.position)
        and _holds(second, one.item.position)
        and not is_other_kind(looks_of(seen), other.looks, cosine)
    )


def _holds(newest: tuple[ObjectDescriptor, Keyframe], place: PointEstimate | None) -> bool:
    if place is None or place.is_rough:
        return False
    item, keyframe = newest
    middle = PointEstimate(place.point_m, (0.0,) * 9)
    return not contradicts(item.views[-1], {keyframe.keyframe_id: keyframe}, middle)
