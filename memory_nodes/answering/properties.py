"""What things are like, how many there are and whether, as a sentence out of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from memory_nodes.answering.extractive import (
    bare_name,
    kind,
    last_seen,
    listed,
    name,
    place,
    sentence,
)
from memory_nodes.answering.locating import called
from memory_nodes.answering.property_question import Asking, PropertyQuestion
from memory_nodes.graph.phrases import earlier_values
from memory_nodes.records import ObjectDescriptor, ObjectStatus, ObjectView, RetrievedKeyframe
from memory_nodes.retrieval.ranking import retrieved
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.words import age_text, shortened, stems

MAX_VALUES = 5
"""Of other things of the same name."""
MAX_DESCRIPTION_CHARS = 300
GONE = (ObjectStatus.MISSING, ObjectStatus.EXPIRED)
_SPOKEN = {"color": "colour"}
_VERBS = {"material": "made of"}

PlaceAt: TypeAlias = Callable[[int], str]
"""What the place was called where the robot was at a stamp; empty where nobody said so."""


@dataclass(frozen=True)
class Extract:
    """A sentence, and the objects that it is about, the one meant most first."""

    text: str
    objects: tuple[ObjectDescriptor, ...]
    keyframes: tuple[RetrievedKeyframe, ...] = ()
    """That show just this; empty: those that were found for the question."""


@dataclass(frozen=True)
class _Meant:
    """The things that a question may mean, the best first."""

    things: Sequence[ObjectDescriptor]
    there: Sequence[ObjectDescriptor]
    """Those of them that are where the question says; all where it says nothing."""
    is_place_known: bool


def property_answer(
    asked: PropertyQuestion,
    snapshot: Snapshot,
    scores: Mapping[str, float],
    now_ns: int,
    place_at: PlaceAt | None = None,
) -> Extract | None:
    """None where it asks whether there is a thing, and none has this name.

    Else things of the type that fits best are meant by a name that none has: couches by sofas.

    Args:
        scores: of objects, by how well they fit the question; not empty.
        place_at: without it only what things stand beside tells where they are.
    """
    things = called(asked.thing, asked.phrase, snapshot)
    if not things:
        best = snapshot.objects_by_id[max(scores, key=scores.__getitem__)]
        things = [item for item in snapshot.objects if item.type == best.type]
        if asked.asks == Asking.PRESENCE:
            return None
    ranked = sorted(things, key=lambda item: (-scores.get(item.object_id, 0.0), -item.last_seen_ns))
    meant = _placed(asked, ranked, snapshot, place_at)
    if asked.asks == Asking.COUNT:
        return _counted(asked, meant, snapshot, now_ns)
    if asked.asks == Asking.PRESENCE:
        return _present(asked, meant, snapshot, now_ns)
    if asked.asks == Asking.DESCRIPTION:
        return _described(meant, snapshot, now_ns)
    if asked.asks == Asking.EARLIER_PLACE:
        return _earlier_place(meant, snapshot, now_ns, place_at)
    return _attribute(asked, meant, snapshot, now_ns)


def _placed(
    asked: PropertyQuestion,
    things: Sequence[ObjectDescriptor],
    snapshot: Snapshot,
    place_at: PlaceAt | None,
) -> _Meant:
    """By what they stand beside, by their own words, and by the name of the place."""
    if not asked.anchor:
        return _Meant(things, things, True)
    anchors = {item.object_id for item in called(asked.anchor, asked.anchor, snapshot)}
    beside = _beside(asked, anchors, snapshot)
    words_of_place = set(stems(asked.anchor))
    places: dict[int, str] = {}
    if place_at is not None:
        places = {stamp_ns: place_at(stamp_ns) for stamp_ns in {t.last_seen_ns for t in things}}
    there = [
        item
        for item in things
        if item.object_id in beside
        or words_of_place <= set(stems(f"{item.name} {item.description}"))
        or words_of_place <= set(stems(places.get(item.last_seen_ns, "")))
    ]
    return _Meant(things, there, bool(anchors) or any(places.values()))


def _beside(asked: PropertyQuestion, anchors: set[str], snapshot: Snapshot) -> set[str]:
    """What stands to one of the anchors as asked."""
    found = set()
    for item in snapshot.relations:
        if item.object_id in anchors and item.predicate in asked.forward:
            found.add(item.subject_id)
        if item.subject_id in anchors and item.predicate in asked.backward:
            found.add(item.object_id)
    return found


def _counted(asked: PropertyQuestion, meant: _Meant, snapshot: Snapshot, now_ns: int) -> Extract:
    """'I know of 2 chairs in the lounge.' What is missing or has changed counts no longer."""
    known = [item for item in meant.things if _is_so(item, asked.thing)]
    there = [item for item in meant.there if _is_so(item, asked.thing)]
    where = f" {asked.where}" if asked.where else ""
    if there:
        text = f"I know of {number(there)}{where}."
        return Extract(text, tuple(there))
    if known and meant.is_place_known:
        return Extract(f"I know of {number(known)}, but of none {asked.where}.", tuple(known))
    if known:
        text = f"I know of {number(known)}; how many are {asked.where} I cannot tell."
        return Extract(text, tuple(known))
    best = meant.things[0]
    return Extract(f"None any more: {last_seen(best, snapshot, now_ns)}.", (best,))


def _is_so(item: ObjectDescriptor, thing: str) -> bool:
    return item.status not in GONE and not _outdated(item, thing)


def _outdated(item: ObjectDescriptor, thing: str) -> str:
    """The attribute by which it was called so once, and no longer; empty where there is none."""
    said = f"{item.name} {item.type} {item.description}"
    for attribute, values in item.attribute_history.items():
        now = stems(f"{said} {item.attributes.get(attribute, '')}")
        earlier = stems(" ".join(value.value for value in values))
        if set(stems(thing)) & set(earlier) - set(now):
            return attribute
    return ""


def number(things: Sequence[ObjectDescriptor]) -> str:
    """'1 chair', '2 chairs', by the type of the first."""
    called_so = kind(things[0])
    is_plain = len(things) == 1 or called_so.endswith("s")
    return f"{len(things)} {called_so}{'' if is_plain else 's'}"


def _present(asked: PropertyQuestion, meant: _Meant, snapshot: Snapshot, now_ns: int) -> Extract:
    """'Yes: the fridge was last seen next to the sink, 3 minutes ago.'"""
    things = meant.there or meant.things
    best = next((item for item in things if _is_so(item, asked.thing)), things[0])
    seen = last_seen(best, snapshot, now_ns)
    if not meant.there:
        if meant.is_place_known:
            return Extract(f"I have not seen that {asked.where}: {seen}.", (best,))
        return Extract(sentence(f"{seen}; whether {asked.where} I cannot tell"), (best,))
    if changed := _outdated(best, asked.thing):
        was = _earlier(best, changed, _SPOKEN.get(changed, changed), now_ns)
        return Extract(f"Not any more: {was}; {seen}.", (best,))
    if best.status in GONE:
        return Extract(f"Not any more: {seen}, and is missing since.", (best,))
    return Extract(f"Yes: {seen}.", (best,))


def _described(meant: _Meant, snapshot: Snapshot, now_ns: int) -> Extract:
    """Its description, and the attributes that this does not say."""
    best = (meant.there or meant.things)[0]
    told = _description(best)
    said = set(stems(told))
    others = [
        f"its {_SPOKEN.get(attribute, attribute)} is {value}"
        for attribute, value in best.attributes.items()
        if value and not said.issuperset(stems(value))
    ]
    if not told and not others:
        seen = last_seen(best, snapshot, now_ns)
        return Extract(f"I do not know what {bare_name(best)} looks like: {seen}.", (best,))
    looks = [f"{bare_name(best)} looks like this: {told}"] if told else []
    if not told:
        others[0] = f"of {bare_name(best)} I know that {others[0]}"
    return Extract(sentence("; ".join([*looks, *others])), (best,))


def _earlier_place(
    meant: _Meant, snapshot: Snapshot, now_ns: int, place_at: PlaceAt | None
) -> Extract:
    """'Before it was moved, the mug was last seen on the desk, 2 days ago.'"""
    moved = [item for item in meant.there or meant.things if _earlier_views(item)]
    if not moved:
        best = (meant.there or meant.things)[0]
        seen = last_seen(best, snapshot, now_ns)
        return Extract(f"I know of no earlier place of {bare_name(best)}: {seen}.", (best,))
    best = moved[0]
    keyframe = snapshot.keyframes[_earlier_views(best)[-1].keyframe_id]
    known = snapshot.relations_by_subject.get(best.object_id, ())
    where = place((item for item in known if max(item.keyframe_ids) < best.placed_since), snapshot)
    text = f"Before it was moved, {name(best)} was last seen {where}"
    text += age_text(keyframe.stamp_ns, now_ns)
    if not where:
        x_m, y_m, _ = keyframe.map_from_base.position_m
        room = "" if place_at is None else place_at(keyframe.stamp_ns)
        text += f", when I was {f'in the {room}' if room else f'at ({x_m:.1f}, {y_m:.1f}) m'}"
    return Extract(f"{text}.", (best,), (retrieved(keyframe, 1.0, [best]),))


def _earlier_views(item: ObjectDescriptor) -> list[ObjectView]:
    """Those from before it was moved last."""
    return [view for view in item.views if view.keyframe_id < item.placed_since]


def _attribute(asked: PropertyQuestion, meant: _Meant, snapshot: Snapshot, now_ns: int) -> Extract:
    """'The sofa is beige.'"""
    ranked = meant.there or meant.things
    attribute = asked.attribute
    best = ranked[0]
    spoken = _SPOKEN.get(attribute, attribute)
    if asked.is_earlier:
        return Extract(sentence(_earlier(best, attribute, spoken, now_ns)), (best,))
    value = best.attributes.get(attribute, "")
    values = dict.fromkeys(item.attributes.get(attribute, "") for item in ranked)
    others = [other for other in values if other not in ("", value)][:MAX_VALUES]
    more = f"; of others that I know it is {listed(others)}" if others else ""
    if value:
        return Extract(sentence(f"{_is(best, attribute, value)}{more}"), (best,))
    told = _description(best)
    described = f"; it looks like this: {told}" if told else ""
    seen = last_seen(best, snapshot, now_ns)
    text = f"I do not know the {spoken} of {bare_name(best)}{described}; {seen}{more}"
    return Extract(sentence(text), (best,))


def _earlier(item: ObjectDescriptor, attribute: str, spoken: str, now_ns: int) -> str:
    """'the door was green until 2 days ago; now it is white'"""
    changes = earlier_values(item.attribute_history, now_ns)
    earlier = [(value, until) for changed, value, until in changes if changed == attribute]
    value = item.attributes.get(attribute, "")
    if not earlier:
        now = f": {_is(item, attribute, value)}" if value else ""
        return f"I know of no other {spoken} of {bare_name(item)}{now}"
    was = " and ".join(f"{_is(item, attribute, old, 'was')}{until}" for old, until in earlier[:2])
    return f"{was}; now it is {value}" if value else was


def _is(item: ObjectDescriptor, attribute: str, value: str, verb: str = "is") -> str:
    made = f"{_VERBS[attribute]} " if attribute in _VERBS else ""
    return f"{bare_name(item)} {verb} {made}{value}"


def _description(item: ObjectDescriptor) -> str:
    return shortened(item.description, MAX_DESCRIPTION_CHARS).rstrip(" .")
