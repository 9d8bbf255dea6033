"""Sentences out of the graph."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_nodes.answering.extractive import extractive_answer, name
from memory_nodes.records import NS_PER_S, Relation
from memory_nodes.retrieval.ranking import rank
from memory_nodes.retrieval.snapshot import Snapshot
from memory_test_support.records import descriptor, keyframe, view

CUP = descriptor("coffee_cup_1", view(1), color="white")
BOOK = descriptor("book_1", view(2))
PEN = descriptor("pen_1", view(2))
SHELF = descriptor("shelf_1", view(1), view(2))
SNAPSHOT = Snapshot(
    (CUP, BOOK, PEN, SHELF),
    (
        Relation("coffee_cup_1", "near", "book_1", (1,)),
        Relation("coffee_cup_1", "on", "shelf_1", (1,)),
        Relation("book_1", "on", "shelf_1", (2,)),
        Relation("pen_1", "on", "shelf_1", (2,)),
    ),
    {number: keyframe(number) for number in (1, 2)},
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Where is the cup?", "The white coffee cup was last seen on the shelf, 1 hour ago."),
        ("Where is the shelf?", "The shelf was last seen 1 hour ago."),
        ("What is under the shelf?", "The shelf was last seen 1 hour ago."),
        ("Which book?", "The book was last seen on the shelf, 1 hour ago."),
    ],
)
def test_sentence_says_what_the_graph_knows(question: str, answer: str) -> None:
    ranking = rank(question, SNAPSHOT, 5)
    assert extractive_answer(SNAPSHOT, ranking, 3700 * NS_PER_S) == answer


def test_object_that_was_moved_is_not_where_it_was_seen_before() -> None:
    book = replace(BOOK, views=(view(2), view(3)), placed_since=3)
    keyframes = {number: keyframe(number) for number in (1, 2, 3)}
    relations = (
        Relation("book_1", "on", "shelf_1", (2,)),
        Relation("book_1", "near", "pen_1", (3,)),
    )
    snapshot = Snapshot((book, PEN, SHELF), relations, keyframes)
    answer = extractive_answer(snapshot, rank("Which book?", snapshot, 5), 3602 * NS_PER_S)
    assert answer == "The book was last seen near the pen, 1 hour ago."


def test_name_says_a_colour_once() -> None:
    assert name(descriptor("mug_1", color="red")) == "the red mug"
    assert name(descriptor("red_mug_1", color="red")) == "the red mug"
    assert name(descriptor("mug_1")) == "the mug"


def test_object_is_called_by_the_name_that_a_person_gave_it() -> None:
    cup = replace(CUP, name="Grandma's cup", wordings=("Grandma's cup", "coffee cup"))
    snapshot = Snapshot((cup, SHELF), (), {1: keyframe(1), 2: keyframe(2)})
    question = "Where is grandma's cup?"
    answer = extractive_answer(snapshot, rank(question, snapshot, 5), 3601 * NS_PER_S)
    assert answer == "Grandma's cup was last seen 1 hour ago."
