"""Which questions ask what a thing is like, how many and whether: read by rule."""

from __future__ import annotations

import pytest

from memory_nodes.answering.property_question import Asking, property_question


@pytest.mark.parametrize(
    ("question", "thing", "attribute"),
    [
        ("What colour is the sofa?", "sofa", "color"),
        ("Can you tell me which color the kettle has?", "kettle", "color"),
        ("Do you know the colour of the umbrella?", "umbrella", "color"),
        ("What colour is the door painted?", "door", "color"),
        ("What is the coffee table made of?", "coffee table", "material"),
        ("Of what material is the bench?", "bench", "material"),
        ("How big is the parcel?", "parcel", "size"),
        ("In which condition is the ladder?", "ladder", "state"),
    ],
)
def test_attribute_is_asked_for_by_its_name(question: str, thing: str, attribute: str) -> None:
    asked = property_question(question)
    assert asked is not None
    assert (asked.asks, asked.thing, asked.attribute) == (Asking.ATTRIBUTE, thing, attribute)
    assert not asked.is_earlier


@pytest.mark.parametrize(
    "question",
    [
        "What colour was the door before?",
        "What colour did the door used to have?",
        "What was the colour of the door previously?",
    ],
)
def test_value_before_the_present_one_is_asked_for(question: str) -> None:
    asked = property_question(question)
    assert asked is not None
    assert (asked.thing, asked.attribute, asked.is_earlier) == ("door", "color", True)


@pytest.mark.parametrize(
    ("question", "asks", "thing", "anchor"),
    [
        ("How many stools are there?", Asking.COUNT, "stools", ""),
        ("How many stools are there in the pantry?", Asking.COUNT, "stools", "pantry"),
        ("How many red cups do you know on the shelf?", Asking.COUNT, "red cups", "shelf"),
        ("Please count the plants.", Asking.COUNT, "plants", ""),
        ("What is the number of lamps beside the bed?", Asking.COUNT, "lamps", "bed"),
        ("What does the rucksack look like?", Asking.DESCRIPTION, "rucksack", ""),
        ("Describe the crate under the bench.", Asking.DESCRIPTION, "crate", "bench"),
        ("What's the armchair like?", Asking.DESCRIPTION, "armchair", ""),
        ("What do you know about the armchair?", Asking.DESCRIPTION, "armchair", ""),
        ("Tell me more about the crate under the bench.", Asking.DESCRIPTION, "crate", "bench"),
        ("Is there a fridge in the kitchen?", Asking.PRESENCE, "fridge", "kitchen"),
        ("Are there any ladders?", Asking.PRESENCE, "ladders", ""),
        ("Have you ever seen a fire extinguisher?", Asking.PRESENCE, "fire extinguisher", ""),
        ("Can you see a kettle?", Asking.PRESENCE, "kettle", ""),
    ],
)
def test_count_looks_and_presence_are_told_apart(
    question: str, asks: Asking, thing: str, anchor: str
) -> None:
    asked = property_question(question)
    assert asked is not None
    assert (asked.asks, asked.thing, asked.anchor) == (asks, thing, anchor)


@pytest.mark.parametrize(
    "question",
    [
        "Where is the kettle?",
        "What is on the desk?",
        "Is there anything on the desk?",
        "Which material is on the desk?",
        "How many times did you see the kettle?",
        "Have you seen where my keys are?",
        "How many?",
        "Describe it.",
    ],
)
def test_other_questions_are_left_to_others(question: str) -> None:
    assert property_question(question) is None
