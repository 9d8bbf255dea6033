"""A phrase means the things that are called so, and none that only shares a word with it."""

from __future__ import annotations

import pytest

from memory_nodes.answering.naming import asked_name, meant, phrases

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
    ("phrase", "names"),
    [
        ("bear", ["bear"]),
        ("teddy bears", ["teddy bear"]),
        ("polar bear", []),
        ("keys", []),
        ("chain", []),
        ("mugs", ["mug", "red mug"]),
        ("red mug", ["red mug"]),
        ("blue mug", []),
        ("wooden chair", ["red wooden chair"]),
        ("", []),
    ],
)
def test_phrase_means_what_is_called_so(phrase: str, names: list[str]) -> None:
    assert meant(phrase, KNOWN) == names


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


def test_phrases_are_what_is_left_of_a_question() -> None:
    assert phrases("How many times did you see the red mug near a table?") == ["red mug", "table"]
