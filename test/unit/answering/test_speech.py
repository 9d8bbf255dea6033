"""What is spoken is one short sentence."""

from __future__ import annotations

import pytest

from memory_nodes.answering.speech import MAX_SPOKEN_CHARS, spoken


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("On the desk.", "On the desk."),
        ("On the desk. I saw it there at noon.", "On the desk."),
        ("It is at (1.0, 2.5) m. There!", "It is at (1.0, 2.5) m."),
        ("Mon 9:00: cleaned\nMon 10:00: rested", "Mon 9:00: cleaned"),
        ("  Where?  Here.", "Where?"),
        ("", ""),
    ],
)
def test_first_sentence_is_spoken(text: str, sentence: str) -> None:
    assert spoken(text) == sentence


def test_long_sentence_is_cut_between_words() -> None:
    said = spoken("word " * 100)
    assert len(said) <= MAX_SPOKEN_CHARS
    assert said.endswith("word...")
