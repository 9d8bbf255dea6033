"""What a text names, and what it only mentions."""

from __future__ import annotations

import pytest

from memory_nodes.retrieval.mentions import naming_part


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('a poster that says "to the stairs"', "a poster that "),
        ("a poster: go to the stairs", "a poster"),
        ("a door next to the stairs", "a door "),
        ("a picture of stairs", "a picture "),
        ("green sign pointing to the stairs", "green sign "),
        ("the rag for wiping the worktop", "the rag "),
        # what it has is there with it
        ("a desk with a mug", "a desk with a mug"),
        ("a stack of books", "a stack of books"),
        # before the first mention nothing is named
        ("Go to the sheet about the fleet", "Go to the sheet "),
        ("next to the stairs", "next to the stairs"),
    ],
)
def test_text_names_what_stands_before_the_first_mention(text: str, part: str) -> None:
    assert naming_part(text) == part
