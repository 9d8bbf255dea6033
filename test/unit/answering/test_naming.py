"""A phrase means the things that are called so, and none that only shares a word with it."""

from __future__ import annotations

import pytest

from memory_nodes.answering.naming import meant, phrases

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


def test_phrases_are_what_is_left_of_a_question() -> None:
    assert phrases("How many times did you see the red mug near a table?") == ["red mug", "table"]
