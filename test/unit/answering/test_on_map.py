"""An answer says where all that it knows is of another map."""

from __future__ import annotations

from memory_nodes.answering.on_map import with_map
from memory_nodes.records import Answer, RetrievedKeyframe
from memory_test_support.records import keyframe


def _answer(*map_ids: str, found: bool = True) -> Answer:
    hits = tuple(
        RetrievedKeyframe(keyframe(number, map_id=map_id), 1.0)
        for number, map_id in enumerate(map_ids, start=1)
    )
    return Answer("Where is the mug?", "On the desk.", found, 0, keyframes=hits)


def test_answer_of_another_map_says_so() -> None:
    told = with_map(_answer("shed", "attic"), "home")
    assert told.text == "On another map: On the desk."


def test_answer_that_this_map_has_a_part_in_is_left_alone() -> None:
    assert with_map(_answer("shed", "home"), "home").text == "On the desk."


def test_answer_that_nothing_was_found_says_nothing_of_maps() -> None:
    assert with_map(_answer("shed", found=False), "home").text == "On the desk."
    assert with_map(_answer(), "home").text == "On the desk."
