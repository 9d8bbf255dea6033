"""Things that were found, as JSON and as a line for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memory_nodes.answering.tools.reply import Findings, Item
from memory_nodes.answering.tools.tool import Call
from memory_nodes.episodic.chunk_observations import keyframe_of
from memory_nodes.geometry import Vector3
from memory_nodes.graph.phrases import quoted
from memory_nodes.records import ItemKind, ObjectDescriptor
from memory_nodes.retrieval.ranking import best_views
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.hits import Hit
from memory_nodes.words import age_text

MAX_TEXT_CHARS = 600
"""Of one hit; a longer text ends in dots."""
MAX_KEYFRAMES = 3
"""Of one object, those that show it best."""
MAX_RELATIONS = 5
"""Of one object, the newest."""


def hit_item(hit: Hit, call: Call, measured: Mapping[str, float] | None = None) -> Item:
    """What a search found; ``measured``: what it says in place of the score."""
    measures = {"score": hit.score} if measured is None else measured
    if hit.kind == ItemKind.OBSERVATION:
        when = moment(call, "at", hit.end_ns)
    else:
        ends = ("start", "end") if hit.kind == ItemKind.GIST else ("first_seen", "last_seen")
        when = moment(call, ends[0], hit.start_ns) | moment(call, ends[1], hit.end_ns)
    fields = {
        "id": hit.item_id,
        "kind": hit.kind.name.lower(),
        **{name: round(value, 4) for name, value in measures.items()},
        "text": short(hit.text),
        **when,
        **position(hit.position_map_m, hit.map_id),
    }
    if hit.kind in (ItemKind.OBSERVATION, ItemKind.ENTITY):
        fields["position_of"] = "robot"
    if hit.radius_m > 0.0:
        fields["radius_m"] = round(hit.radius_m, 2)
    if hit.layer:
        fields |= {"layer": hit.layer, "confidence": round(hit.confidence, 3)}
    if hit.episode_id:
        fields["episode_id"] = hit.episode_id
    keyframe_id = keyframe_of(hit.item_id) if hit.kind == ItemKind.OBSERVATION else None
    if keyframe_id is not None:
        fields["keyframe_ids"] = [keyframe_id]
    return Item(
        fields,
        line(call, hit.item_id, hit.text, hit.end_ns, hit.position_map_m),
        object_ids=(hit.item_id,) if hit.kind == ItemKind.OBJECT else (),
        keyframe_ids=() if keyframe_id is None else (keyframe_id,),
    )


def object_item(
    item: ObjectDescriptor,
    snapshot: Snapshot,
    call: Call,
    measured: Mapping[str, float],
) -> Item:
    """An object of the graph, with its newest relations and the keyframes that show it best."""
    shown_by = [hit.keyframe for hit in best_views(item, snapshot)[:MAX_KEYFRAMES]]
    keyframe_ids = tuple(keyframe.keyframe_id for keyframe in shown_by)
    newest = snapshot.keyframes[item.views[-1].keyframe_id]
    point_m = None if item.position is None else item.position.point_m
    text = ", ".join(filter(None, (item.name, item.type, item.description)))
    fields = {
        "id": item.object_id,
        "kind": "object",
        **{name: round(value, 4) for name, value in measured.items()},
        "text": short(text),
        **_attributes(item),
        **_relations(item, snapshot),
        "status": item.status.name.lower(),
        **moment(call, "first_seen", item.first_seen_ns),
        **moment(call, "last_seen", item.last_seen_ns),
        **position(point_m, newest.map_id),
        "keyframe_ids": list(keyframe_ids),
    }
    told = line(call, item.object_id, text, item.last_seen_ns, point_m)
    return Item(fields, told, (item.object_id,), keyframe_ids)


def _relations(item: ObjectDescriptor, snapshot: Snapshot) -> dict[str, Any]:
    """'on desk_1' and the like, as far as it holds still."""
    known = snapshot.relations_by_subject.get(item.object_id, ())
    newest = list(filter(snapshot.holds, known))[-MAX_RELATIONS:]
    told = [f"{short(relation.predicate)} {relation.object_id}" for relation in newest]
    return {"relations": told} if told else {}


def _attributes(item: ObjectDescriptor) -> dict[str, Any]:
    named = {name: short(value) for name, value in item.attributes.items() if value}
    return {"attributes": named} if named else {}


def moment(call: Call, name: str, stamp_ns: int) -> dict[str, Any]:
    """A stamp in the robot's time zone, and as it is."""
    return {name: call.sources.dates.iso(stamp_ns), f"{name}_ns": stamp_ns}


def position(point_map_m: Vector3 | None, map_id: str) -> Mapping[str, Any]:
    """A point of the map frame, m; nothing where none is known."""
    if point_map_m is None:
        return {}
    return {"position_map_m": [round(value_m, 2) for value_m in point_map_m], "map_id": map_id}


def short(text: str) -> str:
    return text if len(text) <= MAX_TEXT_CHARS else f"{text[: MAX_TEXT_CHARS - 3]}..."


def line(
    call: Call, item_id: str, text: str, stamp_ns: int, point_map_m: Vector3 | None = None
) -> str:
    """One line, which no text can break."""
    where = "" if point_map_m is None else f", at ({point_map_m[0]:.1f}, {point_map_m[1]:.1f}) m"
    when = age_text(stamp_ns, call.now_ns)
    return f"{item_id}: {quoted(short(text))}, {when}{where}"


def found(items: Sequence[Item], problems: Sequence[str] = ()) -> Findings:
    """Hits, best first, under a sentence that counts them."""
    count = len(items)
    text = "Nothing was found." if not count else f"{count} hit{'s' if count > 1 else ''}:"
    return Findings(text, tuple(items), problems=tuple(problems))
