"""What the associating model is told, and how much."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from memory_nodes.association.prompt import association_prompt
from memory_nodes.records import NS_PER_S, ChunkGraph, ObjectDescriptor, Relation
from memory_test_support.records import descriptor, graph, keyframe, point, view


def _body(
    seen: ChunkGraph, known: list[ObjectDescriptor], relations: tuple[Relation, ...] = ()
) -> dict[str, Any]:
    frames = {number: keyframe(number) for number in range(1, 10)}
    body: dict[str, Any] = json.loads(association_prompt(seen, known, relations, frames).text)
    return body


def _seen(*objects: ObjectDescriptor) -> ChunkGraph:
    return graph(2, [keyframe(2, stamp_s=200.0), keyframe(3, stamp_s=240.0)], objects)


@pytest.mark.parametrize(
    ("last_seen_s", "told"),
    [(60, "3 minutes ago"), (239, "1 seconds ago"), (300, "0 seconds ago")],
)
def test_recency_is_from_the_last_sighting_to_the_end_of_the_chunk(
    last_seen_s: int, told: str
) -> None:
    known = replace(descriptor("mug_7"), last_seen_ns=last_seen_s * NS_PER_S)
    assert _body(_seen(), [known])["known"][0]["last_seen"] == told


def test_place_is_told_by_the_distance_to_the_nearest_objects_of_the_chunk() -> None:
    local = [
        descriptor(f"mug_{number}", position=point(x_m, 0.0))
        for number, x_m in enumerate((9.0, 1.0, 3.0, 2.0), start=1)
    ]
    known = descriptor("mug_7", position=point(0.0, 0.0))
    (entry,) = _body(_seen(*local), [known])["known"]
    assert entry["distance_m"] == {"mug_2": 1.0, "mug_4": 2.0, "mug_3": 3.0}


def test_rough_or_unknown_place_has_no_distance() -> None:
    sure, rough = point(0.0, 0.0), point(0.0, 0.0, sigma_m=1.5)
    for here, there in ((sure, rough), (rough, sure), (None, sure), (sure, None)):
        seen = _seen(descriptor("mug_1", position=here))
        (entry,) = _body(seen, [descriptor("mug_7", position=there)])["known"]
        assert "distance_m" not in entry


def test_relations_are_bounded() -> None:
    relations = tuple(Relation("mug_7", "near", f"box_{number}", (1,)) for number in range(50))
    (entry,) = _body(_seen(), [descriptor("mug_7", view(1))], relations)["known"]
    assert entry["relations"] == [f"near box_{number}" for number in range(6)]


def test_words_of_an_entry_are_bounded() -> None:
    wordy = replace(
        descriptor("mug_7"),
        type="mug " * 1000,
        description="red and " * 1000,
        attributes={f"color {number}": "red " * 1000 for number in range(100)},
    )
    (entry,) = _body(_seen(), [wordy])["known"]
    assert len(json.dumps(entry)) < 1000


def test_schema_wants_one_answer_for_each_object_and_knows_no_other_ids() -> None:
    seen, frames = _seen(descriptor("mug_1"), descriptor("lamp_1")), {1: keyframe(1)}
    schema = association_prompt(seen, [descriptor("mug_7")], (), frames).reply_schema
    mapping = schema["properties"]["mapping"]
    assert mapping["required"] == ["mug_1", "lamp_1"]
    assert not mapping["additionalProperties"]
    assert set(map(str, mapping["properties"].values())) == {"{'$ref': '#/$defs/answer'}"}
    known_id, new = schema["$defs"]["answer"]["anyOf"]
    assert known_id["enum"] == ["mug_7"]
    assert new == {"type": "null"}
