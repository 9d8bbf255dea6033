"""Which questions ask how things stand to each other, and which do not."""

from __future__ import annotations

import pytest

from memory_nodes.answering.relation_question import (
    Relating,
    RelationQuestion,
    relation_question,
)


@pytest.mark.parametrize(
    ("question", "anchor", "predicates", "kind"),
    [
        ("What is on the desk?", "desk", ("on",), ""),
        ("What's on top of the coffee machine?", "coffee machine", ("on",), ""),
        ("What is right next to the sofa?", "sofa", ("next to", "near"), ""),
        ("Who is in the kitchen?", "kitchen", ("inside",), ""),
        ("Which books are on the shelf?", "shelf", ("on",), "books"),
        ("What things do you see under the table?", "table", ("under", "below", "supports"), ""),
        ("what else stands behind the red sofa", "red sofa", ("behind",), ""),
    ],
)
def test_what_is_placed_somewhere(
    question: str, anchor: str, predicates: tuple[str, ...], kind: str
) -> None:
    assert relation_question(question) == RelationQuestion(
        Relating.PLACED, anchor, kind=kind, predicates=predicates
    )


@pytest.mark.parametrize(
    ("question", "asks", "kind", "anchor"),
    [
        ("Is the lamp on the desk?", Relating.WHETHER, "lamp", "desk"),
        ("Are my keys in the red bowl?", Relating.WHETHER, "keys", "red bowl"),
        ("Where is the chair closest to the door?", Relating.NEAREST, "chair", "door"),
        ("Which chair is nearest to the door?", Relating.NEAREST, "chair", "door"),
        ("Where is the chair nearest the door?", Relating.NEAREST, "chair", "door"),
        ("Where is the closest chair to the door?", Relating.NEAREST, "chair", "door"),
        ("What is closest to the door?", Relating.NEAREST, "", "door"),
    ],
)
def test_whether_things_stand_so_and_which_is_nearest(
    question: str, asks: Relating, kind: str, anchor: str
) -> None:
    asked = relation_question(question)
    assert asked is not None
    assert (asked.asks, asked.kind, asked.anchor) == (asks, kind, anchor)


def test_question_longer_than_any_form_is_none_of_them() -> None:
    assert relation_question("What is on the desk " + "and the desk " * 100) is None


def test_thing_that_stands_beside_something_is_known_alone_too() -> None:
    asked = relation_question("What is inside the red crate on the table?")
    assert asked is not None
    assert (asked.anchor, asked.anchor_alone) == ("red crate table", "red crate")


@pytest.mark.parametrize(
    "question",
    [
        "Which things are usually together with the laptop?",
        "What did you see together with the laptop?",
        "What is usually seen with the laptop?",
        "What is often near the laptop?",
    ],
)
def test_what_shows_together(question: str) -> None:
    assert relation_question(question) == RelationQuestion(Relating.TOGETHER, "laptop")


@pytest.mark.parametrize(
    "question",
    [
        "How do I get from the mug to the sofa?",
        "how can we come from the mug to the sofa",
        "What is the way from the mug to the sofa?",
        "How is the mug connected to the sofa?",
    ],
)
def test_way_from_one_thing_to_another(question: str) -> None:
    assert relation_question(question) == RelationQuestion(Relating.WAY, "mug", "sofa")


@pytest.mark.parametrize(
    "question",
    [
        "Where is the mug on the desk?",
        "What color is the mug on the desk?",
        "What is printed on the sheet on the wall?",
        "How many mugs are on the desk?",
        "How far is it from the mug to the sofa?",
        "What do you usually do with the mug?",
        "What changed on the desk?",
        "What is on?",
        "Where is the way to the sofa?",
        "",
    ],
)
def test_question_about_something_else_is_none(question: str) -> None:
    assert relation_question(question) is None
