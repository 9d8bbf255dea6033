"""The extractive rule on a small made-up context that has nothing of the tour's annotation."""

from __future__ import annotations

from typing import Any

import pytest

from memory_test_support.model_server.answering import answer

CONTEXT = """Known objects:
object kettle_1: kettle; steel kettle with a black handle; color silver; can: boil water; on shelf_1
object shelf_1: shelf; oak shelf; color brown; material wood
object ball_7: ball; red rubber ball; color red; between table_1 and shelf_1; under table_1
object table_1: table; square white table; color white; next to shelf_1
object clock_2: clock; round wall clock; above table_1; next to kettle_1
object dog_bed_1: dog bed; soft grey bed; can: sleep, rest; next to kettle_1; next to shelf_1
keyframe 12 at 2024-05-01T10:02:03Z: shelf_1, table_1
keyframe 7 at 1.8 s: kettle_1, shelf_1
keyframe 9 at 00:00:03: ball_7, table_1, kettle_1, dog_bed_1
"""


def _answer(question: str) -> dict[str, Any]:
    return answer({"task": "answer", "question": question, "context": CONTEXT})


@pytest.mark.parametrize(
    ("question", "object_id", "keyframe_ids"),
    [
        ("Where is the kettle?", "kettle_1", [7, 9]),
        ("Where are the red balls?", "ball_7", [9]),
        ("Where can I boil some water?", "kettle_1", [7, 9]),
        ("Where can the dog sleep?", "dog_bed_1", [9]),
        ("What is on the oak shelf?", "kettle_1", [7, 9]),
        ("What lies under the white table?", "ball_7", [9]),
        ("What is above the table?", "clock_2", []),
        ("What is below the clock?", "table_1", [12, 9]),
        ("What stands between the kettle and the shelf?", "dog_bed_1", [9]),
    ],
)
def test_question_finds_its_object(question: str, object_id: str, keyframe_ids: list[int]) -> None:
    reply = _answer(question)
    assert reply["found"] is True
    assert reply["object_ids"][0] == object_id
    assert sorted(reply["keyframe_ids"]) == sorted(keyframe_ids)
    assert 0 < reply["confidence"] <= 1


def test_answer_is_a_sentence_out_of_the_line() -> None:
    sentence = "The kettle (steel kettle with a black handle) is on the shelf."
    assert _answer("Where is the kettle?")["answer"] == sentence
    assert _answer("What is on the oak shelf?")["answer"] == sentence


@pytest.mark.parametrize("question", ["Where is the umbrella?", "Where is the red bicycle?", "?"])
def test_what_the_context_does_not_hold_was_not_seen(question: str) -> None:
    reply = _answer(question)
    assert (reply["found"], reply["answer"]) == (False, "I have not seen that.")
    assert (reply["object_ids"], reply["keyframe_ids"]) == ([], [])


def test_empty_context_is_no_error() -> None:
    reply = answer({"question": "Where is the kettle?", "context": ""})
    assert reply["found"] is False
