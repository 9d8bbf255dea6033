"""Names of things are read from lists, and names that only sound alike are kept apart."""

from __future__ import annotations

import pytest

from memory_nodes.episodic.things import head_noun, is_said_in, may_be_one, name_key, things


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("chair, table, red mug", ["chair", "table", "red mug"]),
        ("Chair; Table\nred_mug", ["chair", "table", "red mug"]),
        ("2 chairs, a table and one red mug", ["chairs", "table", "red mug"]),
        ("chair (0.87), table: 0.5, mug x2, tv 91%", ["chair", "table", "mug", "tv"]),
        ("chair, chairs, Chair", ["chair"]),
        ("cup of tea", ["cup of tea"]),
        ("chair", ["chair"]),
        ("- chair\n- table", ["chair", "table"]),
    ],
)
def test_list_gives_its_names_once(text: str, names: list[str]) -> None:
    assert things(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "There is a chair, and it is red",
        "I see nothing",
        "none",
        "no objects detected",
        "A long wooden table with six chairs around it stands in the middle",
        "0.87, 12",
        "",
    ],
)
def test_prose_gives_no_names(text: str) -> None:
    assert things(text) == []


@pytest.mark.parametrize(
    ("name", "noun"),
    [("red mugs", "mug"), ("key chain", "chain"), ("keys", "key"), ("cup of tea", "cup")],
)
def test_head_noun_says_what_a_thing_is(name: str, noun: str) -> None:
    assert head_noun(name) == noun


@pytest.mark.parametrize(
    ("one", "other", "may_be"),
    [
        ("mug", "red mug", True),
        ("key chain", "keys", False),
        ("red mug", "blue mug", False),
        ("sofa", "couch", False),
        ("teddy bear", "bear", True),
        ("hot dog", "dog", True),
    ],
)
def test_names_may_be_of_one_thing_with_one_head_noun_only(
    one: str, other: str, may_be: bool
) -> None:
    assert may_be_one(one, other) == may_be == may_be_one(other, one)


def test_name_is_said_in_whatever_number_but_as_a_whole() -> None:
    assert is_said_in("red mug", "Two red mugs on a desk")
    assert not is_said_in("red mug", "A mug on a red desk")
    assert not is_said_in("keys", "A key chain on a hook")
    assert is_said_in("key chain", "A key chain hanging on a hook")
    assert is_said_in("key", "A key, chain and lock")
    assert not is_said_in("", "anything")
    assert name_key("Red Mugs") == name_key("red mug")
