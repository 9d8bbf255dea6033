"""Words in the form in which they are compared; stems by hand from the Snowball algorithm."""

from __future__ import annotations

import pytest

from memory_nodes.records import NS_PER_S
from memory_nodes.words import STOP_WORDS, age_text, is_id, shortened, stem, stems, words


def test_words_are_lower_case_and_in_order() -> None:
    assert words("Where's the RED fire-extinguisher?") == [
        "where",
        "s",
        "the",
        "red",
        "fire",
        "extinguisher",
    ]


def test_underscores_part_words() -> None:
    assert words("coffee_machine_2") == ["coffee", "machine", "2"]


def test_letters_of_other_alphabets_are_words() -> None:
    assert words("Kühlschrank 冷蔵庫") == ["kühlschrank", "冷蔵庫"]


def test_inflected_forms_share_a_stem() -> None:
    assert stem("boxes") == stem("box")
    assert stem("batteries") == stem("battery")
    assert stem("sitting") == stem("sit")
    assert stem("mug") != stem("rug")


def test_stems_keep_repeats() -> None:
    assert stems("mugs, mug") == ["mug", "mug"]


def test_words_of_place_carry_no_weight_of_their_own() -> None:
    assert {"where", "is", "the", "on"} <= STOP_WORDS
    assert not STOP_WORDS & {"red", "mug", "left", "behind"}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0 seconds ago"),
        (59, "59 seconds ago"),
        (60, "1 minute ago"),
        (7199, "1 hour ago"),
        (7200, "2 hours ago"),
        (86400, "1 day ago"),
        (8 * 86400, "8 days ago"),
    ],
)
def test_age_in_words(seconds: int, text: str) -> None:
    assert age_text(10 * NS_PER_S, (10 + seconds) * NS_PER_S) == text


def test_a_long_text_is_cut_at_a_word() -> None:
    assert shortened("one  two\nthree", 20) == "one two three"
    assert shortened("one two three", 10) == "one two…"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Where is coffee_table_3?", ["where", "is", "coffee_table_3"]),
        ("coffee_table, lamp 3 and 4_5", ["coffee", "table", "lamp", "3", "and", "4", "5"]),
        ("lamp_1_of", ["lamp", "1", "of"]),
    ],
)
def test_id_is_one_word(text: str, found: list[str]) -> None:
    assert words(text) == found
    assert is_id(found[-1]) == text.startswith("Where")
