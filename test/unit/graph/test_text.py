"""The graph in lines that fit, and that nothing seen can forge."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from memory_nodes.errors import InputError
from memory_nodes.geometry import PointEstimate
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.graph.text import MIN_CHARS, as_text
from memory_nodes.records import NS_PER_S, AttributeValue
from memory_test_support.scenes import (
    DESK,
    KEYFRAMES,
    KITCHEN,
    LAMP,
    MUG,
    RELATIONS,
    SLY,
    random_records,
    sly_records,
)

NOW_NS = 62 * NS_PER_S


def test_each_object_has_a_line_and_its_relations_follow() -> None:
    # the largest variance is 4 m^2, along y
    position = PointEstimate((1.0, -2.0, 0.5), (0.25, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 1.0))
    mug = replace(MUG, description="chipped rim", affordances=("drink",), position=position)
    scene = SceneGraph((mug, DESK, LAMP), RELATIONS, KEYFRAMES)
    assert as_text(scene, NOW_NS, 10_000).splitlines() == [
        'mug_1: "mug", "chipped rim", color "red", can "drink"; '
        "at 1.00 -2.00 0.50 m +-2.00 on map map; last seen 1 minute ago; present",
        'desk_1: "desk"; place unknown; last seen 59 seconds ago; present',
        "mug_1 on desk_1; last seen 1 minute ago",
        'lamp_1: "lamp"; place unknown; last seen 59 seconds ago; moved',
        "lamp_1 left of desk_1; last seen 59 seconds ago",
    ]


def test_name_that_a_person_gave_stands_beside_the_type() -> None:
    scene = SceneGraph([replace(LAMP, name="Grandma's lamp")], (), KEYFRAMES)
    assert as_text(scene, NOW_NS, 10_000).startswith('lamp_1: "lamp", called "Grandma\'s lamp"; ')


def test_attribute_that_has_changed_tells_what_it_was_and_until_when() -> None:
    values = [("green", None), ("blue", None), ("red", 2 * NS_PER_S)]
    history = {"color": tuple(AttributeValue(*value) for value in values)}
    scene = SceneGraph([replace(MUG, attribute_history=history)], (), KEYFRAMES)
    assert as_text(scene, NOW_NS, 10_000).startswith(
        'mug_1: "mug", color "red", color was "blue" until 1 minute ago, color was "green"; '
    )


def test_empty_graph_is_an_empty_text() -> None:
    assert as_text(SceneGraph(), NOW_NS, 1000) == ""


def test_texts_of_a_model_cannot_forge_a_line() -> None:
    objects, relations, keyframes = sly_records()
    text = as_text(SceneGraph(objects, relations, keyframes), NOW_NS, 1_000_000)
    lines = text.splitlines()
    assert len(lines) == len(objects) + len(relations)
    assert text == "\n".join(lines)
    assert all(line.isprintable() for line in lines)
    without_texts = [re.sub(r'"(?:[^"\\]|\\.)*"', "#", line) for line in lines]
    place = "; at 1.00 2.00 0.50 m +-0.10 on map map; last seen 1 minute ago; present"
    words = r"(#|\w+)"
    said = rf"{words} #, {words} #, {words} was # until 1 minute ago, can #, can #"
    an_object = rf"{words}: #(, called #, #)?, {said}{re.escape(place)}"
    a_relation = rf"{words} (#|on) {words}; last seen 1 minute ago"
    assert len(SLY) == len(objects)
    for line in without_texts:
        assert re.fullmatch(rf"{an_object}|{a_relation}", line), line


def test_text_is_cut_at_whole_lines_and_says_how_many_are_left_out() -> None:
    scene = SceneGraph(*random_records(30, 120, 40, 20))
    whole = as_text(scene, NOW_NS, 1_000_000).splitlines()
    assert len(whole) == 70
    for max_chars in range(MIN_CHARS, 8000, 333):
        text = as_text(scene, NOW_NS, max_chars)
        assert len(text) <= max_chars
        *lines, note = text.splitlines()
        found = re.fullmatch(r"\((\d+) objects and (\d+) relations left out\)", note)
        if found is None:
            assert [*lines, note] == whole
            continue
        assert set(lines) <= set(whole)
        described = {line.split(":")[0] for line in lines if ":" in line}
        ends = [end for line in lines if ":" not in line for end in re.findall(r"object_\d+", line)]
        assert described.issuperset(ends)
        assert int(found[1]) == 30 - len(described)
        assert int(found[2]) == 40 - (len(lines) - len(described))


def test_text_that_just_fits_is_whole() -> None:
    scene = SceneGraph(KITCHEN, RELATIONS, KEYFRAMES)
    whole = as_text(scene, NOW_NS, 10_000)
    assert as_text(scene, NOW_NS, len(whole)) == whole
    shorter = as_text(scene, NOW_NS, len(whole) - 1)
    assert shorter.endswith("left out)")
    assert len(shorter) < len(whole)


def test_first_objects_of_a_subgraph_stay() -> None:
    scene = SceneGraph(KITCHEN, RELATIONS, KEYFRAMES).subgraph(["lamp_1", "mug_1", "desk_1"])
    text = as_text(scene, NOW_NS, 160)
    assert text.splitlines()[0].startswith("lamp_1: ")
    assert text.splitlines()[-1] == "(2 objects and 2 relations left out)"


def test_one_overlong_text_does_not_push_out_the_rest() -> None:
    scene = SceneGraph((replace(MUG, description="x" * 5000), DESK, LAMP), (), KEYFRAMES)
    lines = as_text(scene, NOW_NS, 1000).splitlines()
    assert [line.split(":")[0] for line in lines[:-1]] == ["desk_1", "lamp_1"]
    assert lines[-1] == "(1 objects and 0 relations left out)"


def test_room_for_less_than_the_note_is_refused() -> None:
    with pytest.raises(InputError, match=f"give {MIN_CHARS} or more"):
        as_text(SceneGraph(), NOW_NS, MIN_CHARS - 1)
