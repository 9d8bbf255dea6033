"""Names of things are read from lists, and names that only sound alike are kept apart."""

from __future__ import annotations

import pytest

from memory_nodes.episodic.things import is_meant, is_said_in, name_key, things


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("chair, table, red mug", ["chair", "table", "red mug"]),
        ("Chair; Table\nred_mug", ["chair", "table", "red mug"]),
        ("2 chairs, a table and one red mug", ["chairs", "table", "red mug"]),
        ("chair (0.87), table: 0.5, mug x2, tv 91%", ["chair", "table", "mug", "tv"]),
        ("chair, chairs, Chair", ["chair"]),
        ("cup of tea", ["cup of tea"]),
        ("watering can, can opener", ["watering can", "can opener"]),
        ("chair", ["chair"]),
        ("- chair\n- table", ["chair", "table"]),
        ("1. chair\n2. table\n", ["chair", "table"]),
        ("chair [0.9] (left), door 12", ["chair", "door 12"]),
    ],
)
def test_list_gives_its_names_once(text: str, names: list[str]) -> None:
    assert things(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "There is a chair, and it is red",
        "I see nothing",
        "I can see a chair",
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
    ("name", "known", "may_be"),
    [
        ("mugs", "red mug", True),
        ("red mug", "big red mug", True),
        ("red mug", "mug", False),
        ("red mug", "blue mug", False),
        ("keys", "key chain", False),
        ("key chain", "keys", False),
        ("sofa", "couch", False),
        ("bear", "teddy bear", False),
        ("dog", "hot dog", False),
        ("orange", "orange", True),
        ("", "", False),
    ],
)
def test_name_may_mean_what_is_called_so_and_described(name: str, known: str, may_be: bool) -> None:
    assert is_meant(name, known) == may_be


@pytest.mark.parametrize("part", ["1  ", "(", "a ", "0.1 ", ": 1", "- ", " x 1", "chair "])
def test_reading_takes_no_time_whatever_is_written(part: str) -> None:
    assert things(f"{part * 30_000} chair!") == []
    assert len(things(f"{part * (150 // len(part))}!")) <= 1


def test_name_is_said_in_whatever_number_but_as_a_whole() -> None:
    assert is_said_in("red mug", "Two red mugs on a desk")
    assert not is_said_in("red mug", "A mug on a red desk")
    assert not is_said_in("keys", "A key chain on a hook")
    assert is_said_in("key chain", "A key chain hanging on a hook")
    assert is_said_in("key", "A key, chain and lock")
    assert not is_said_in("", "anything")
    assert name_key("Red Mugs") == name_key("red mug")
