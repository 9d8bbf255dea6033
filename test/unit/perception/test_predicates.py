"""Predicates in one wording, and seen from the other end."""

from __future__ import annotations

import pytest

from memory_nodes.perception.predicates import PREDICATES, implying, inverse_of, predicate_of


@pytest.mark.parametrize("written", ["on", "ON_TOP_OF", "is on top of", "are lying-on"])
def test_wordings_of_one_relation_are_one_predicate(written: str) -> None:
    assert predicate_of(written) == "on"


def test_unknown_wording_stays_as_it_is() -> None:
    assert predicate_of("Facing  Away from") == "facing away from"


@pytest.mark.parametrize(
    ("predicate", "inverse"),
    [
        ("on", "under"),
        ("under", "above"),
        ("inside", "contains"),
        ("contains", "inside"),
        ("left of", "right of"),
        ("behind", "in front of"),
        ("next to", "next to"),
        ("attached to", None),
        ("facing", None),
    ],
)
def test_inverse_says_the_same_from_the_other_end(predicate: str, inverse: str | None) -> None:
    assert inverse_of(predicate) == inverse


@pytest.mark.parametrize(
    ("asked", "same", "turned"),
    [
        ("on", {"on"}, {"supports"}),
        ("under", {"under", "below", "supports"}, {"on", "above"}),
        ("above", {"above"}, {"under", "below"}),
        ("inside", {"inside"}, {"contains"}),
        ("right of", {"right of"}, {"left of"}),
        ("near", {"near", "next to"}, {"near", "next to"}),
        ("next to", {"next to"}, {"next to"}),
        ("attached to", {"attached to"}, set()),
    ],
)
def test_predicates_that_say_what_is_asked(asked: str, same: set[str], turned: set[str]) -> None:
    assert [set(words) for words in implying(asked)] == [same, turned]


@pytest.mark.parametrize("predicate", PREDICATES)
def test_inverse_is_among_what_is_asked_from_the_other_end(predicate: str) -> None:
    inverse = inverse_of(predicate)
    if inverse is not None:
        assert predicate in implying(inverse)[1]
