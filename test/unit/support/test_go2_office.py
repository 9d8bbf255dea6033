"""The thing that a question to the office of a real robot is about."""

from __future__ import annotations

import pytest

from memory_test_support.go2_office import asked_name

KNOWN = (
    "bear",
    "chair",
    "first aid kit",
    "key chain",
    "mug",
    "red mug",
    "red wooden chair",
    "teddy bear",
)


@pytest.mark.parametrize(
    ("question", "phrase", "names"),
    [
        ("Where were you when you last noticed a teddy bear?", "teddy bear", ["teddy bear"]),
        ("When did a chair first come into view?", "chair", ["chair", "red wooden chair"]),
        ("Where is the first aid kit?", "first aid kit", ["first aid kit"]),
        ("Have you come across a fire extinguisher?", "fire extinguisher", []),
        ("Have you seen a polar bear?", "polar bear", []),
        ("Have you ever noticed the mug during the run?", "mug", ["mug", "red mug"]),
        (
            "In how many records does the robot's chair appear?",
            "chair",
            ["chair", "red wooden chair"],
        ),
        ("What did you see?", "", []),
    ],
)
def test_question_is_about_the_thing_that_it_names(
    question: str, phrase: str, names: list[str]
) -> None:
    assert asked_name(question, KNOWN) == (phrase, names)
