"""How much words speak for one object; sums of the module's constants, by hand."""

from __future__ import annotations

import pytest

from memory_nodes.association.looks import Looks, is_other_kind, looks_of, looks_score
from memory_nodes.store.object_changes import KnownObject


def _looks(*types: str, texts: tuple[str, ...] = (), **attributes: str) -> Looks:
    return looks_of(KnownObject(1, "any_1", types, (*texts, *attributes.values()), attributes))


@pytest.mark.parametrize(
    ("seen", "known", "score"),
    [
        ("chair", "dining chair", 3.0),
        ("wooden chair", "dining chairs", 3.0),
        ("chest of drawers", "storage chest", 3.0),
        ("table", "table lamp", 0.5),
        ("sofa", "couch", -3.0),
    ],
)
def test_types_are_the_same_by_the_noun_that_they_turn_on(
    seen: str, known: str, score: float
) -> None:
    assert looks_score(_looks(seen), _looks(known)) == score


def test_any_type_that_an_object_was_ever_given_counts() -> None:
    assert looks_score(_looks("couch"), _looks("couch", "sofa")) == 3.0


def test_type_that_a_description_names_is_alike() -> None:
    """0.5 for the type; of the two words "leather couch" none is in the empty text: 0."""
    assert looks_score(_looks("couch"), _looks("sofa", texts=("leather couch",))) == 0.5


def test_texts_count_by_the_share_of_the_shorter_one() -> None:
    """3 for the type; two of four words are shared: -0.5 + 2.5 / 2."""
    seen = _looks("mug", texts=("tall chipped striped handle",))
    known = _looks("mug", texts=("a tall mug with a chipped rim and a round foot",))
    assert looks_score(seen, known) == pytest.approx(3.0 - 0.5 + 2.5 / 2)


def test_other_color_contradicts_and_a_word_that_begins_alike_does_not() -> None:
    """3 for the type, -0.5 for no word in common, then -3 or +0.5."""
    assert looks_score(_looks("mug", color="red"), _looks("mug", color="blue")) == -0.5
    assert looks_score(_looks("mug", material="wooden"), _looks("mug", material="wood")) == 3.0


def test_color_that_was_said_once_is_no_contradiction() -> None:
    """3 for the type, 2 for the one word "red" that both have, 0 for the newest colour."""
    known = _looks("mug", texts=("red",), color="orange")
    assert looks_score(_looks("mug", color="red"), known) == 5.0


def test_synonyms_are_alike_where_vectors_say_so() -> None:
    assert looks_score(_looks("sofa"), _looks("couch"), cosine=0.8) == 0.5
    assert looks_score(_looks("sofa"), _looks("couch"), cosine=0.5) == -3.0


def test_words_without_letters_say_nothing() -> None:
    assert looks_score(_looks("!!!"), _looks("couch", color="red")) == 0.0


def test_color_that_its_own_description_denies_is_no_contradiction() -> None:
    """-3 for the type; one of the two words "grey", "green" is shared: -0.5 + 2.5 / 2."""
    seen = _looks("sideboard", texts=("grey",), color="green")
    known = _looks("cabinet", texts=("low roller",), color="grey")
    assert looks_score(seen, known) == pytest.approx(-3.0 - 0.5 + 2.5 / 2)


@pytest.mark.parametrize(
    ("seen", "known"),
    [
        ("couch", "sofa"),
        ("settee", "leather sofas"),
        ("tv", "television"),
        ("computer monitor", "TV"),
        ("office chair", "chair"),
        ("dining table", "table"),
        ("!!!", "sofa"),
    ],
)
def test_reworded_type_is_no_other_kind_whatever_the_colors(seen: str, known: str) -> None:
    assert not is_other_kind(_looks(seen, color="navy"), _looks(known, color="white"))


@pytest.mark.parametrize(("seen", "known"), [("cat", "sofa"), ("mug", "table"), ("person", "door")])
def test_type_without_a_word_in_common_is_another_kind_unless_something_else_agrees(
    seen: str, known: str
) -> None:
    big = _looks(known, texts=("big and square",), color="white")
    assert is_other_kind(_looks(seen), big)
    assert is_other_kind(_looks(seen, texts=("small",), color="black"), big)
    assert is_other_kind(_looks(seen, texts=("big",), color="black"), big)
    assert not is_other_kind(_looks(seen, texts=("big, square",)), big)
    assert not is_other_kind(_looks(seen), _looks(known, texts=(f"said to be a {seen}",)))
    assert not is_other_kind(_looks(seen), _looks(known, seen))
    assert not is_other_kind(_looks(seen), big, cosine=0.8)
