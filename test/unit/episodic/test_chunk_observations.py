"""A chunk in words: the scene, the place and what each keyframe shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_nodes.episodic.chunk_observations import (
    MAX_TEXT_CHARS,
    ChunkObservationsConfig,
    chunk_observations,
    is_of_chunk,
    keyframe_of,
    phrase_of,
)
from memory_nodes.records import ChunkGraph, Observation
from memory_nodes.store.observations import LAYERS, check
from memory_test_support.records import descriptor, graph, keyframe, view


def _graph() -> ChunkGraph:
    """Keyframe 4 shows nothing, 2 and 3 the same."""
    frames = [keyframe(number) for number in range(1, 6)]
    mug = descriptor("mug_1", view(1), replace(view(2), confidence=0.5), view(3), color="red")
    desk = descriptor("desk_1", view(2), view(3), view(5))
    return replace(graph(12, frames, [mug, desk]), scene="A tidy office.", place="office")


def _said(found: ChunkGraph, *, write_detections: bool = True) -> list[Observation]:
    return chunk_observations(found, ChunkObservationsConfig(write_detections))


def test_scene_and_place_are_observed_where_the_middle_keyframe_is() -> None:
    description, place = _said(_graph(), write_detections=False)
    middle = keyframe(3)
    assert (description.layer, description.text) == ("description", "A tidy office.")
    assert (place.layer, place.text) == ("place", "office")
    assert (description.observation_id, place.observation_id) == (
        "chunk_12.description",
        "chunk_12.place",
    )
    for item in (description, place):
        assert (item.stamp_ns, item.map_from_base) == (middle.stamp_ns, middle.map_from_base)
        assert (item.map_id, item.map_frame, item.source) == ("map", "map", "recorded")


def test_objects_are_told_whenever_another_set_of_them_shows() -> None:
    detections = _said(_graph())[2:]
    assert [(item.observation_id, item.text, item.confidence) for item in detections] == [
        ("chunk_12.detections.1", "red mug", 1.0),
        ("chunk_12.detections.2", "red mug, desk", 0.75),
        ("chunk_12.detections.5", "desk", 1.0),
    ]
    shown = [keyframe(1), keyframe(2), keyframe(5)]
    assert [item.stamp_ns for item in detections] == [item.stamp_ns for item in shown]
    assert [item.map_from_base for item in detections] == [item.map_from_base for item in shown]


def test_set_that_shows_again_after_nothing_did_is_told_again() -> None:
    mug = descriptor("mug_1", view(1), view(3))
    texts = [item.text for item in _said(graph(1, [keyframe(n) for n in (1, 2, 3)], [mug]))]
    assert texts == ["mug", "mug"]


def test_things_of_one_name_are_counted() -> None:
    chairs = [descriptor(f"chair_{number}", view(1)) for number in (1, 2, 3)]
    assert [item.text for item in _said(graph(1, [keyframe(1)], chairs))] == ["chair (3)"]


@pytest.mark.parametrize(
    ("kind", "color", "phrase"),
    [
        ("mug", "red", "red mug"),
        ("mug", "", "mug"),
        ("red mug", "Red", "red mug"),
        ("picture", "red, blue, green", "picture"),
        ("cup, broken", "white", "white cup broken"),
    ],
)
def test_object_is_called_what_people_would_ask_for(kind: str, color: str, phrase: str) -> None:
    assert phrase_of(replace(descriptor("mug_1", color=color), type=kind)) == phrase


def test_keyframe_whose_place_is_not_sure_tells_nothing() -> None:
    found = _graph()
    unsure = [replace(item, is_localized=False) for item in found.chunk.keyframes]
    nowhere = replace(found, chunk=replace(found.chunk, keyframes=tuple(unsure)))
    assert _said(nowhere) == []
    last_only = replace(found.chunk, keyframes=(*unsure[:-1], found.chunk.keyframes[-1]))
    texts = [item.text for item in _said(replace(found, chunk=last_only))]
    assert texts == ["A tidy office.", "office", "desk"]


def test_all_that_is_told_can_be_written_down_however_much_it_is() -> None:
    things = [descriptor(f"{number} {'long ' * 30}thing_1", view(1)) for number in range(200)]
    found = replace(graph(2**63 - 1, [keyframe(1)], things), scene="x" * 10**6)
    said = _said(found)
    for item in said:
        check(item, LAYERS)
        assert len(item.text) <= MAX_TEXT_CHARS
    assert [item.layer for item in said] == ["description", "detections"]


def test_same_chunk_is_told_the_same_each_time() -> None:
    assert _said(_graph()) == _said(_graph())


def test_observation_of_a_chunk_is_known_by_its_id_and_one_of_detections_by_its_keyframe() -> None:
    assert keyframe_of("chunk_3.detections.17") == 17
    assert is_of_chunk("chunk_3.detections.17")
    for observation_id in ("chunk_3.description", "chunk_3.place"):
        assert keyframe_of(observation_id) is None
        assert is_of_chunk(observation_id)
    for other in ("observation_17", "camera:17", "chunk_3.detections.x"):
        assert keyframe_of(other) is None
        assert not is_of_chunk(other)
