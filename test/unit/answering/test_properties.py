"""What things are like, how many there are and whether, in sentences of the graph."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_nodes.answering.properties import PlaceAt, property_answer
from memory_nodes.answering.property_question import property_question
from memory_nodes.records import NS_PER_S, AttributeValue, ObjectStatus, Relation
from memory_nodes.retrieval.ranking import rank
from memory_nodes.retrieval.snapshot import Snapshot
from memory_test_support.records import descriptor, keyframe, view

NOW_NS = 3700 * NS_PER_S
DOOR = replace(
    descriptor("door_1", view(1), color="white"),
    attribute_history={
        "color": (AttributeValue("green", None), AttributeValue("white", 100 * NS_PER_S))
    },
    wordings=("green",),
)
BENCH = replace(
    descriptor("bench_1", view(1), description="long bench of pine"),
    attributes={"material": "pine", "size": "2 m"},
)
SNAPSHOT = Snapshot(
    (
        DOOR,
        BENCH,
        descriptor("stool_1", view(1), color="red"),
        descriptor("stool_2", view(2), color="blue"),
        descriptor("stool_3", view(2), status=ObjectStatus.MISSING),
        descriptor("fridge_1", view(2)),
        descriptor("kettle_1", view(1), status=ObjectStatus.MISSING),
    ),
    (
        Relation("stool_1", "under", "bench_1", (1,)),
        Relation("stool_2", "near", "bench_1", (2,)),
    ),
    {number: keyframe(number) for number in (1, 2)},
)


def place_at(stamp_ns: int) -> str:
    return "kitchen" if stamp_ns == 2 * NS_PER_S else "hall"


def told(question: str, where: PlaceAt | None = place_at) -> str:
    asked = property_question(question)
    assert asked is not None
    scores = rank(asked.phrase, SNAPSHOT, 5).object_scores
    found = property_answer(asked, SNAPSHOT, scores, NOW_NS, where)
    return "" if found is None else found.text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What colour is the door?", "The door is white."),
        ("What is the bench made of?", "The bench is made of pine."),
        ("How big is the bench?", "The bench is 2 m."),
        (
            "What colour is the stool under the bench?",
            "The stool is red.",
        ),
        (
            "What colour is the bench?",
            "I do not know the colour of the bench; it looks like this: long bench of pine; the "
            "bench was last seen 1 hour ago.",
        ),
    ],
)
def test_attribute_is_told_with_its_value_or_as_not_known(question: str, answer: str) -> None:
    assert told(question) == answer


def test_of_several_things_the_other_values_are_told_too() -> None:
    assert told("What colour are the stools?") in (
        "The stool is red; of others that I know it is blue.",
        "The stool is blue; of others that I know it is red.",
    )


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "What colour was the door before?",
            "The door was green until 1 hour ago; now it is white.",
        ),
        (
            "What was the material of the bench before?",
            "I know of no other material of the bench: ",
        ),
    ],
)
def test_earlier_value_comes_from_the_history(question: str, answer: str) -> None:
    assert told(question).startswith(answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many stools are there?", "I know of 2 stools."),
        ("How many red stools are there?", "I know of 1 stool."),
        ("How many stools are under the bench?", "I know of 1 stool under the bench."),
        ("How many stools are there in the kitchen?", "I know of 1 stool in the kitchen."),
        ("How many stools are in the garden?", "I know of 2 stools, but of none in the garden."),
        ("How many kettles are there?", "None any more: the kettle was last seen 1 hour ago."),
    ],
)
def test_things_are_counted_that_are_there_and_not_missing(question: str, answer: str) -> None:
    assert told(question) == answer


def test_count_of_a_place_that_nothing_tells_of_is_not_claimed() -> None:
    answer = told("How many stools are there in the kitchen?", None)
    assert answer == "I know of 2 stools; how many are in the kitchen I cannot tell."


def test_description_is_told_with_what_it_does_not_say() -> None:
    answer = told("What does the bench look like?")
    assert answer == "The bench looks like this: long bench of pine; its size is 2 m."


def test_thing_without_description_is_told_by_its_attributes_or_not() -> None:
    assert told("Describe the door.") == "Of the door I know that its colour is white."
    assert told("Describe the fridge.").startswith("I do not know what the fridge looks like: ")


@pytest.mark.parametrize(
    ("question", "where", "answer"),
    [
        ("Is there a fridge?", place_at, "Yes: the fridge was last seen 1 hour ago."),
        (
            "Is there a fridge in the kitchen?",
            place_at,
            "Yes: the fridge was last seen 1 hour ago.",
        ),
        (
            "Is there a fridge in the hall?",
            place_at,
            "I have not seen that in the hall: the fridge was last seen 1 hour ago.",
        ),
        (
            "Is there a fridge in the hall?",
            None,
            "The fridge was last seen 1 hour ago; whether in the hall I cannot tell.",
        ),
        (
            "Is there a kettle?",
            place_at,
            "Not any more: the kettle was last seen 1 hour ago, and is missing since.",
        ),
    ],
)
def test_presence_is_affirmed_only_where_it_was_seen(
    question: str, where: PlaceAt | None, answer: str
) -> None:
    assert told(question, where) == answer


def test_presence_of_a_thing_by_another_name_is_not_affirmed() -> None:
    asked = property_question("Is there an icebox?")
    assert asked is not None
    assert property_answer(asked, SNAPSHOT, {"fridge_1": 1.0}, NOW_NS) is None


def test_what_has_changed_is_no_more_what_it_was() -> None:
    """The door was green until 100 s after the start, an hour ago."""
    changed = "Not any more: the door was green until 1 hour ago; now it is white; "
    assert told("Is there a green door?").startswith(changed)
    assert told("How many green doors are there?").startswith("None any more: ")
    assert told("Is there a white door?").startswith("Yes: ")


MOVED = replace(descriptor("cup_1", view(1), view(2), view(4), color="red"), placed_since=4)
TWO_PLACES = Snapshot(
    (MOVED, descriptor("desk_1", view(2)), descriptor("shelf_1", view(4))),
    (Relation("cup_1", "on", "desk_1", (2,)), Relation("cup_1", "on", "shelf_1", (4,))),
    {number: keyframe(number) for number in (1, 2, 4)},
)


@pytest.mark.parametrize(
    "question",
    [
        "Where was the cup before?",
        "Where was the cup before it was moved?",
        "Where did you see the red cup earlier?",
        "Where did the cup use to be?",
    ],
)
def test_earlier_place_is_the_last_one_before_the_move_with_its_picture(question: str) -> None:
    asked = property_question(question)
    assert asked is not None
    found = property_answer(asked, TWO_PLACES, {"cup_1": 1.0}, NOW_NS, place_at)
    assert found is not None
    assert found.text == "Before it was moved, the red cup was last seen on the desk, 1 hour ago."
    assert [hit.keyframe.keyframe_id for hit in found.keyframes] == [2]


def test_earlier_place_without_a_relation_is_where_the_robot_was() -> None:
    asked = property_question("Where was the cup before?")
    assert asked is not None
    bare = replace(TWO_PLACES, relations=())
    for where, said in ((place_at, "in the kitchen"), (None, "at (0.2, 0.0) m")):
        found = property_answer(asked, bare, {"cup_1": 1.0}, NOW_NS, where)
        assert found is not None
        assert found.text.endswith(f"was last seen 1 hour ago, when I was {said}.")


def test_thing_that_never_moved_has_no_earlier_place() -> None:
    assert told("Where was the fridge before?").startswith(
        "I know of no earlier place of the fridge: the fridge was last seen "
    )
