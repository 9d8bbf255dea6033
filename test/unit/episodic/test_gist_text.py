"""A gist without a model reads well, keeps to its length and names all that was detected."""

from __future__ import annotations

import pytest

from memory_nodes.dates import Dates
from memory_nodes.episodic.gist_text import concatenated, heading, with_all_things
from memory_nodes.episodic.lines import Line, lines_of
from memory_nodes.records import NS_PER_S
from memory_nodes.store.past import ObservationInEpisode
from memory_test_support.records import observation

HEAD = "Tue 1 Dec 2026 14:05. "


def _lines(*said: tuple[str, str]) -> list[Line]:
    """Of (layer, text), a second apart."""
    return lines_of(
        [
            ObservationInEpisode(key, observation(text, stamp_s=key, layer=layer), "", False)
            for key, (layer, text) in enumerate(said)
        ]
    )


def test_heading_is_a_date_in_the_time_zone_of_the_robot() -> None:
    start_ns = 1_796_130_300 * NS_PER_S  # 2026-12-01 14:05 in Berlin
    assert heading(Dates("Europe/Berlin"), start_ns, start_ns + 1500 * NS_PER_S) == (
        "Tue 1 Dec 2026 14:05 to 14:30. "
    )


def test_layers_are_told_one_by_one_the_most_frequent_first() -> None:
    lines = _lines(
        ("description", "A white kitchen."),
        ("detections", "chair, red mug"),
        ("place", "kitchen"),
        ("description", "A kitchen with a wooden table."),
        ("detections", "chair"),
        ("place", "kitchen"),
        ("speech", "bring me the mug"),
        ("battery", "81 %"),
        ("battery", "80 %"),
        ("battery", "79 %"),
        ("description", "A white kitchen."),
    )
    assert concatenated(lines, HEAD, 1000) == (
        "Tue 1 Dec 2026 14:05. Place: kitchen (2 times). Seen: chair (2 times), red mug. "
        "Described: A white kitchen (2 times); A kitchen with a wooden table. "
        "Heard: bring me the mug. Battery: 81 %; 79 %."
    )


@pytest.mark.parametrize("layer", ["battery", "diagnostics", "body_arm"])
def test_of_layers_of_the_body_it_is_told_how_they_began_and_ended(layer: str) -> None:
    lines = _lines(*((layer, f"arm {degrees} degrees") for degrees in range(30, 85, 5)))
    told = concatenated(lines, "", 1000)
    assert told.partition(": ")[2] == "arm 30 degrees; arm 80 degrees."


def test_of_equally_frequent_texts_the_one_with_most_new_words_comes_first() -> None:
    lines = _lines(
        ("description", "A kitchen."),
        ("description", "A kitchen with a stove, a sink and a lamp."),
        ("description", "A kitchen with a stove."),
        ("description", "A man at the door."),
    )
    told = concatenated(lines, HEAD, 135)
    assert told == (
        f"{HEAD}Described: A kitchen with a stove, a sink and a lamp; A man at the door; "
        "A kitchen and 1 more."
    )


def test_gist_keeps_to_its_length() -> None:
    said = [("description", f"Picture {n} of a long hall with door {n}") for n in range(200)]
    said += [("speech", f"word {n} " * 30) for n in range(50)]
    lines = _lines(*said)
    for limit in (100, 300, 1000):
        assert len(concatenated(lines, HEAD, limit)) <= limit


def test_every_detected_thing_is_named_where_the_length_does_not_suffice() -> None:
    names = [f"{color} {kind}" for color in ("red", "blue", "green") for kind in _KINDS]
    lines = _lines(
        *[("description", f"A hall with number {n} on its door") for n in range(50)],
        *[("detections", f"{name}, door") for name in names],
    )
    told = concatenated(lines, HEAD, 200)
    assert all(name in told for name in [*names, "door"])
    assert "Described" not in told


_KINDS = "mug chair table sofa lamp laptop book bottle plant clock bowl plate kettle".split()


def test_prose_of_the_detections_layer_is_told_as_it_is() -> None:
    assert concatenated(_lines(("detections", "I see a chair")), HEAD, 500) == (
        f"{HEAD}Detections: I see a chair."
    )


def test_things_that_a_model_left_out_are_added_to_its_gist() -> None:
    lines = _lines(("detections", "chair, red mug"), ("place", "kitchen"))
    assert with_all_things("Two chairs in a kitchen.", lines) == (
        "Two chairs in a kitchen. Seen: red mug."
    )
    assert with_all_things("A chair and a red mug.", lines) == "A chair and a red mug."
