"""Sentences about how things stand to each other, out of a scene drawn by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_nodes.answering.extractive import MAX_NAMED
from memory_nodes.answering.related import RelationFacts
from memory_nodes.answering.relation_question import relation_question
from memory_nodes.answering.relations import relation_facts
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.records import NS_PER_S, ObjectDescriptor, Relation
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.filters import Filter
from memory_test_support.records import descriptor, keyframe, point, view

LAPTOP = descriptor("laptop_1", view(1), view(2), view(3))
MUG = descriptor("mug_1", view(1), view(2), color="red")
DESK = descriptor("desk_1", view(1), view(2), view(3))
LAMP = descriptor("lamp_1", view(3), view(4))
SOFA = descriptor("sofa_1", view(4))
CAT = descriptor("cat_1", view(5))
OBJECTS = (LAPTOP, MUG, DESK, LAMP, SOFA, CAT)
RELATIONS = (
    Relation("laptop_1", "on", "desk_1", (1, 2)),
    Relation("desk_1", "supports", "mug_1", (1,)),
    Relation("desk_1", "next to", "lamp_1", (3,)),
    Relation("sofa_1", "near", "lamp_1", (4,)),
)
ON_SOFA = Relation("cat_1", "on", "sofa_1", (5,))
NOW_NS = 65 * NS_PER_S
KEYFRAMES = {number: keyframe(number) for number in range(1, 6)}
SNAPSHOT = Snapshot(OBJECTS, RELATIONS, KEYFRAMES)


def _facts(question: str, snapshot: Snapshot = SNAPSHOT) -> RelationFacts | None:
    asked = relation_question(question)
    assert asked is not None
    scene = SceneGraph(snapshot.objects, snapshot.relations, snapshot.keyframes.values())
    return relation_facts(asked, snapshot, scene, NOW_NS)


def _ids(objects: tuple[ObjectDescriptor, ...]) -> list[str]:
    return [item.object_id for item in objects]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # "desk supports mug" says that the mug is on the desk; the laptop was seen there last
        ("What is on the desk?", "On the desk I saw the laptop and the red mug."),
        ("Which mugs are on the desk?", "On the desk I saw the red mug."),
        ("What is under the mug?", "Under the red mug I saw the desk."),
        ("What is next to the lamp?", "Next to the lamp I saw the desk."),
        # nothing is said to be next to it, so what is near answers
        ("What is next to the sofa?", "Near the sofa I saw the lamp."),
        ("What is on desk_1?", "On the desk I saw the laptop and the red mug."),
        (
            "Which things are usually together with the laptop?",
            "Together with the laptop I saw the desk (in 3 of 3 pictures), the red mug (2) and"
            " the lamp (1).",
        ),
        (
            "How do I get from the mug to the sofa?",
            "From the red mug to the sofa: the red mug is on the desk, the desk is next to the"
            " lamp, the lamp is near the sofa.",
        ),
        (
            "How do I get from the sofa to the laptop?",
            "From the sofa to the laptop: the sofa is near the lamp, the lamp is next to the desk,"
            " the desk is under the laptop.",
        ),
    ],
)
def test_sentence_says_what_the_graph_knows(question: str, text: str) -> None:
    facts = _facts(question)
    assert facts is not None
    assert facts.text == text


@pytest.mark.parametrize(
    "question",
    [
        "What is on the piano?",
        "What is in the lamp room?",
        "Which pens are on the desk?",
        "How do I get from the mug to the cat?",
        "How do I get from the mug to the mug?",
        "What is usually near the cat?",
    ],
)
def test_what_the_graph_does_not_know_is_none(question: str) -> None:
    assert _facts(question) is None


def test_thing_that_is_known_by_another_word_is_the_one_that_fits_best() -> None:
    asked = relation_question("What is next to the couch?")
    assert asked is not None
    scene = SceneGraph(OBJECTS, RELATIONS, KEYFRAMES.values())
    facts = relation_facts(asked, SNAPSHOT, scene, NOW_NS, best_id="sofa_1")
    assert facts is not None
    assert facts.text == "Near the sofa I saw the lamp."
    assert relation_facts(asked, SNAPSHOT, scene, NOW_NS) is None


@pytest.mark.parametrize(
    ("best_id", "text"),
    [("desk_1", "On the desk I saw the laptop and the red mug."), ("sofa_1", None)],
)
def test_of_a_thing_beside_another_the_thing_itself_must_fit(
    best_id: str, text: str | None
) -> None:
    """No desk has all the words of "the desk at the window"; a sofa is no desk at all."""
    asked = relation_question("What is on the desk at the window?")
    assert asked is not None
    scene = SceneGraph(OBJECTS, (*RELATIONS, ON_SOFA), KEYFRAMES.values())
    facts = relation_facts(asked, SNAPSHOT, scene, NOW_NS, best_id)
    assert (facts.text if facts is not None else None) == text


def test_keyframes_that_show_most_of_it_come_first_with_its_objects() -> None:
    facts = _facts("What is on the desk?")
    assert facts is not None
    assert _ids(facts.objects) == ["laptop_1", "mug_1", "desk_1"]
    assert set(facts.relations) == set(RELATIONS[:2])
    first, second = facts.ranking(SNAPSHOT, 5).keyframes
    assert (first.keyframe.keyframe_id, second.keyframe.keyframe_id) == (1, 2)
    assert first.object_ids == ("laptop_1", "mug_1", "desk_1")
    assert len(facts.ranking(SNAPSHOT, 1).keyframes) == 1


def test_path_names_what_it_passes_and_what_shows_it() -> None:
    facts = _facts("How do I get from the mug to the sofa?")
    assert facts is not None
    assert _ids(facts.objects) == ["mug_1", "desk_1", "lamp_1", "sofa_1"]
    assert set(facts.keyframe_ids) == {1, 3, 4}


def test_counts_of_what_shows_together_are_a_line_for_a_prompt() -> None:
    facts = _facts("What did you see together with the laptop?")
    assert facts is not None
    assert facts.counts == "shown with laptop_1: desk_1 in 3, mug_1 in 2, lamp_1 in 1 keyframes"
    assert facts.keyframe_ids == (3, 2, 1)  # two others in each


def test_only_the_part_that_a_filter_leaves_is_told() -> None:
    later = SNAPSHOT.filtered(Filter(since_ns=KEYFRAMES[2].stamp_ns))
    facts = _facts("What is on the desk?", later)
    assert facts is not None
    assert facts.text == "On the desk I saw the laptop."


def test_of_several_things_of_a_name_each_counts() -> None:
    other = descriptor("desk_2", view(5))
    pen = descriptor("pen_1", view(5))
    snapshot = Snapshot(
        (*OBJECTS, other, pen), (*RELATIONS, Relation("pen_1", "on", "desk_2", (5,))), KEYFRAMES
    )
    facts = _facts("What is on the desk?", snapshot)
    assert facts is not None
    assert facts.text == "On the desk I saw the laptop, the red mug and the pen."
    assert _ids(facts.objects)[-2:] == ["desk_1", "desk_2"]


def test_of_very_many_things_the_newest_are_named_and_the_others_counted() -> None:
    pens = [
        replace(descriptor(f"pen_{n}", view(1)), attributes={"color": f"shade {n}"})
        for n in range(MAX_NAMED + 2)
    ]
    relations = tuple(Relation(pen.object_id, "on", "desk_1", (1,)) for pen in pens)
    facts = _facts("What is on the desk?", Snapshot((DESK, *pens), relations, KEYFRAMES))
    assert facts is not None
    assert facts.text.endswith("the shade 4 pen and 2 more.")


@pytest.mark.parametrize("moved", ["laptop_1", "desk_1"])
def test_what_was_moved_away_since_is_not_on_it_any_more(moved: str) -> None:
    objects = [
        replace(item, placed_since=3 if item.object_id == moved else 0) for item in OBJECTS[:3]
    ]
    snapshot = Snapshot(tuple(objects), RELATIONS[:1], KEYFRAMES)
    now = _facts("What is on the desk?", snapshot)
    assert now is not None
    assert not now.is_found
    earlier = snapshot.filtered(Filter(until_ns=KEYFRAMES[2].stamp_ns))
    then = _facts("What is on the desk?", earlier)
    assert then is not None
    assert then.text == "On the desk I saw the laptop."


def test_nothing_that_stands_so_is_told_as_nothing_with_what_is_known() -> None:
    facts = _facts("What is under the desk?")
    assert facts is not None
    assert facts.text == (
        "I saw nothing under the desk; the desk was last seen next to the lamp, 1 minute ago."
    )
    assert (facts.is_found, _ids(facts.objects)) == (False, ["desk_1"])


def test_kind_that_may_be_known_by_another_word_is_not_denied() -> None:
    assert _facts("Which furniture is under the laptop?") is None


@pytest.mark.parametrize(
    ("question", "text", "objects"),
    [
        (
            "Is the laptop on the desk?",
            "Yes: the laptop was seen on the desk, 1 minute ago.",
            ["laptop_1", "desk_1"],
        ),
        (
            "Is the mug on the desk?",
            "Yes: the red mug was seen on the desk, 1 minute ago.",
            ["mug_1", "desk_1"],
        ),
        (
            "Is the lamp on the desk?",
            "No, as far as I know: the lamp was last seen next to the desk, 1 minute ago.",
            ["lamp_1"],
        ),
    ],
)
def test_whether_a_thing_stands_so_is_yes_or_no(
    question: str, text: str, objects: list[str]
) -> None:
    relations = (*RELATIONS, Relation("lamp_1", "next to", "desk_1", (3,)))
    facts = _facts(question, Snapshot(OBJECTS, relations, KEYFRAMES))
    assert facts is not None
    assert (facts.text, _ids(facts.objects), facts.is_found) == (text, objects, True)


def test_of_what_is_not_known_there_is_neither_yes_nor_no() -> None:
    assert _facts("Is the piano on the desk?") is None
    assert _facts("Is the lamp on the piano?") is None


def _placed_at(item: ObjectDescriptor, x_m: float) -> ObjectDescriptor:
    return replace(item, position=point(x_m, 0.0))


def test_nearest_of_its_kind_is_told_by_places_and_on_one_map() -> None:
    """The chair at 9 m is near the door's numbers, but on another map; one has no place."""
    door = _placed_at(descriptor("door_1", view(1)), 8.0)
    chairs = (
        _placed_at(descriptor("chair_1", view(1), color="blue"), 2.0),
        _placed_at(descriptor("chair_2", view(2), color="red"), 6.5),
        _placed_at(descriptor("chair_3", view(3), color="green"), 9.0),
        descriptor("chair_4", view(2)),
    )
    frames = {**KEYFRAMES, 3: keyframe(3, map_id="upstairs")}
    snapshot = Snapshot((door, *chairs), (), frames)
    facts = _facts("Where is the chair closest to the door?", snapshot)
    assert facts is not None
    text = "Nearest to the door, 1.5 m away: the red chair was last seen 1 minute ago."
    assert (facts.text, _ids(facts.objects)) == (text, ["chair_2", "door_1"])
    assert facts.keyframe_ids == (2,)
    assert _facts("Where is the mug closest to the door?", snapshot) is None
