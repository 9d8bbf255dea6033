"""Which kind of question is asked, in a person's own words."""

from __future__ import annotations

import pytest

from memory_nodes.answering.question_kind import (
    QuestionKind,
    asks_where_robot_was,
    question_kind,
    seen_thing,
)

OBJECT, SPATIAL, SCENE, ACTION, TEMPORAL, SUMMARY, BODY = (
    QuestionKind.OBJECT,
    QuestionKind.SPATIAL,
    QuestionKind.SCENE,
    QuestionKind.ACTION_PLACE,
    QuestionKind.TEMPORAL,
    QuestionKind.SUMMARY,
    QuestionKind.BODY,
)


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        (OBJECT, "Where is my umbrella?"),
        (OBJECT, "Have you seen the cat?"),
        (OBJECT, "Where was my mug yesterday?"),
        (OBJECT, "Is there a ladder?"),
        (OBJECT, "Do you know where the keys are?"),
        (OBJECT, "Where is the power strip?"),
        (SPATIAL, "Where is the cup next to the kettle?"),
        (SPATIAL, "What is behind the sofa?"),
        (SPATIAL, "Which chair is nearest to the window?"),
        (SPATIAL, "What stands under the stairs?"),
        (SCENE, "What is on the desk?"),
        (SCENE, "How many chairs are there?"),
        (SCENE, "Describe the kitchen."),
        (SCENE, "What colour is the door?"),
        (SCENE, "Which things are lying on the floor?"),
        (SCENE, "What can you see in the hall?"),
        (ACTION, "Where can I wash my hands?"),
        (ACTION, "I need something to write with."),
        (ACTION, "My hands are dirty, where should I go?"),
        (ACTION, "I'm cold. What can I use?"),
        (ACTION, "My battery is empty. Where can I plug in?"),
        (ACTION, "What happened at the market? Where can I read about it?"),
        (ACTION, "Where could one sit down for a while?"),
        (TEMPORAL, "When did you last see the red mug?"),
        (TEMPORAL, "Where were you when you saw the dog?"),
        (TEMPORAL, "How long ago did you clean the table?"),
        (TEMPORAL, "What time was it when the parcel came?"),
        (TEMPORAL, "Robot, where were you yesterday at noon?"),
        (TEMPORAL, "When was the lamp first seen?"),
        (SUMMARY, "What did you do yesterday afternoon?"),
        (SUMMARY, "What happened this morning?"),
        (SUMMARY, "Tell me, what have you been doing since Monday?"),
        (SUMMARY, "Please summarise the last two hours."),
        (SUMMARY, "How was your day?"),
        (SUMMARY, "Give me a short report of today."),
        (SUMMARY, "Which tasks did you finish last week?"),
        (SUMMARY, "What were you doing at 9:30?"),
        (BODY, "How is your battery?"),
        (BODY, "How are you feeling?"),
        (BODY, "Are you low on power?"),
        (BODY, "What is the battery level?"),
        (BODY, "Is your left arm broken?"),
        (BODY, "How much charge is left?"),
    ],
)
def test_kind_of_a_question(kind: QuestionKind, question: str) -> None:
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("When did you last see the red mug?", "the red mug"),
        ("When was the green lamp last seen?", "the green lamp"),
        ("Where were you when you first saw my bicycle?", "my bicycle"),
        ("How long ago did you notice the cat on the sofa?", "the cat on the sofa"),
        ("When did you water the plants?", ""),
        ("When did you last see?", ""),
    ],
)
def test_thing_that_was_seen_is_told_from_the_asking(question: str, thing: str) -> None:
    assert seen_thing(question) == thing


def test_place_of_the_robot_is_asked_for_only_with_the_robot() -> None:
    assert asks_where_robot_was("Where were you yesterday?")
    assert asks_where_robot_was("Which room were you in at noon?")
    assert not asks_where_robot_was("Where were the keys yesterday?")
