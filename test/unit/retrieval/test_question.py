"""A question falls into the thing looked for, a relation, and the thing that it is beside."""

from __future__ import annotations

import pytest

from memory_nodes.retrieval.question import read_question, terms_of


@pytest.mark.parametrize(
    ("text", "target", "anchor"),
    [
        ("Where is the red mug?", "", ""),
        ("What is on the table?", "", "the table"),
        ("Which plant is next to the sofa?", "which plant is", "the sofa"),
        ("Is the mug to the right of the sink?", "is the mug to the", "the sink"),
        ("What is on top of the fridge?", "", "the fridge"),
        ("the mug on the desk next to the window", "the mug", "the desk next to the window"),
        ("Where is the cup on the left?", "", ""),
        ("What is inside?", "", ""),
        ("What stands right next to the box?", "", "the box"),
    ],
)
def test_question_splits_at_its_first_relation_to_a_thing(
    text: str, target: str, anchor: str
) -> None:
    asked = read_question(text)
    assert (asked.text, asked.target, asked.anchor) == (text, target, anchor)


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("Where is the mug right now?", "Where is the mug ?"),
        ("Where did you see the mug last?", "Where did you see the mug ?"),
        ("Where is the first aid kit?", "Where is the first aid kit?"),
        ("Where is the mug at the moment", "Where is the mug"),
        ("Is the mug still on the desk?", "Is the mug on the desk?"),
        ("Where is the still life?", "Where is the still life?"),
        ("What is right of the sink now", "What is right of the sink"),
    ],
)
def test_words_for_the_present_name_no_thing(text: str, means: str) -> None:
    assert read_question(text) == read_question(means)


def test_relation_may_stand_in_the_graph_from_either_end() -> None:
    """What is behind A has A in front of it; what is under A has A on it, or above it."""
    behind = read_question("What is behind the door?")
    assert ("behind" in behind.forward, "in front of" in behind.backward) == (True, True)
    under = read_question("What is under the bed?")
    assert {"under", "below"} <= under.forward
    assert {"on", "above"} <= under.backward
    assert read_question("Where is the door?").forward == frozenset()


def test_phrases_are_the_whole_and_the_parts_that_are_there() -> None:
    assert read_question("Where is the mug?").phrases == ("Where is the mug?",)
    text = "What is on the table?"
    assert read_question(text).phrases == (text, "the table")


def test_words_that_carry_no_meaning_are_no_terms() -> None:
    assert terms_of("Where are the red mugs?") == {"red", "mug"}


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("Where is the red mug?", "mug"),
        ("Where is the knife on the yellow dresser?", "knife"),
        ("Where can I heat my lunch?", "heat"),
        ("What is on the table?", ""),
        ("Which appliance is to the right of the sink?", ""),
        ("Where is the mug, and who has used it last?", "mug"),
        ("Where is it?", ""),
    ],
)
def test_head_is_the_thing_or_the_deed(text: str, head: str) -> None:
    assert read_question(text).head == head
