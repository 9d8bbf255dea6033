"""What a text names, and what it only mentions."""

from __future__ import annotations

import pytest

from memory_nodes.retrieval.mentions import naming_part, without_quotes


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


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a poster that says 'mind the stairs' beside a fern", "a poster that says beside a fern"),
        ('a sign "to the stairs" on a door', "a sign on a door"),
        ("a sign \u201eto the stairs\u201c on a door", "a sign on a door"),
        ('a sign "to the stairs', "a sign"),
        ("a poster: mind the stairs. A fern", "a poster . A fern"),
        ("the dog's bowl near the stairs", "the dog's bowl near the stairs"),
    ],
)
def test_what_is_quoted_is_not_there(text: str, left: str) -> None:
    assert without_quotes(text) == left
