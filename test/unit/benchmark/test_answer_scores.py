"""Answers by their key words, by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmark.answers import spread
from benchmark.answers.metered import Use
from benchmark.answers.scores import Reply, figures, is_right, says
from memory_test_support.tour import Question

ASKED = Question("q", "object_search", "?", "?", "", ("sofa", "power strip"), (), (1,), True)
ABSENT = replace(ASKED, question_id="u", answer_keywords=("not seen",), answerable=False)
ON_SOFA = Reply(ASKED, "It is on the Sofas.", True, False, 1.0, Use(2, 100, 10))


@pytest.mark.parametrize(
    ("text", "keyword", "is_said"),
    [
        ("The cups are on the counter.", "cup", True),
        ("In the cupboard.", "cup", False),
        ("Beside the power-strip", "power strip", True),
        ("A strip without power", "power strip", False),
    ],
)
def test_key_word_is_said_as_words_in_any_number(text: str, keyword: str, is_said: bool) -> None:
    assert says(text, keyword) is is_said


def test_answer_is_right_by_one_key_word_if_anything_was_found() -> None:
    assert is_right(ON_SOFA)
    assert not is_right(replace(ON_SOFA, found=False))
    assert not is_right(replace(ON_SOFA, text="On the table."))


def test_what_was_never_seen_must_not_be_found_whatever_the_text_says() -> None:
    assert is_right(replace(ON_SOFA, question=ABSENT, found=False))
    assert not is_right(replace(ON_SOFA, question=ABSENT, text="not seen"))


def test_figures_by_hand() -> None:
    wrong = replace(ON_SOFA, text="On the table.", degraded=True, seconds=3.0, use=Use(1, 50, 4))
    unasked = Reply(ABSENT, "I have not seen that.", False, False, 2.0)
    found = figures([ON_SOFA, wrong, unasked])
    assert (found["accuracy"], found["not_seen"], found["right"]) == (0.5, 1.0, 0.667)
    assert found["parsed"] == 0.5
    assert (found["calls"], found["prompt_tokens"], found["completion_tokens"]) == (1.0, 50.0, 4.7)
    assert found["seconds_p50"] == 2.0
    assert found["wrong"] == {"q": "On the table."}
    assert found["by_type"] == {"object_search": 0.5}


def test_share_of_nothing_is_none() -> None:
    assert figures([ON_SOFA])["not_seen"] is None
    assert figures([replace(ON_SOFA, use=Use())])["parsed"] is None


def test_limited_questions_are_spread_over_all() -> None:
    questions = [replace(ASKED, question_id=str(number)) for number in range(10)]
    assert [item.question_id for item in spread(questions, 3)] == ["0", "3", "6"]
    assert spread(questions, None) == spread(questions, 99) == questions
