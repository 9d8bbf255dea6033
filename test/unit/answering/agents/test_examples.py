"""The example that is shown answers a question of the same kind."""

from __future__ import annotations

import re

import pytest

from memory_nodes.answering.agents.commands import Commands
from memory_nodes.answering.agents.examples import similar_examples


@pytest.mark.parametrize(
    ("question", "similar"),
    [
        ("When did you make tea?", "When did you feed the cat?"),
        ("What did you do right after you watered the fern?", "right after"),
        ("Where did you see the kettle?", "Where did you see"),
        ("How often did you clean the table last week?", "How often"),
        ("What did you do on the weekend?", "What did you do yesterday?"),
        ("What colour was the kettle that you used?", "What colour"),
        ("Did you ever cook the soup?", "Did you ever"),
    ],
)
def test_kind_of_question_decides_not_what_it_is_about(question: str, similar: str) -> None:
    (example,) = similar_examples(question, 1)
    assert similar in example.question


def test_as_many_as_wanted() -> None:
    assert similar_examples("When?", 0) == []
    assert len(similar_examples("When?", 3)) == 3


def test_examples_call_what_there_is_and_end_with_an_answer() -> None:
    for example in similar_examples("", 100):
        called = set(re.findall(r"\b(\w+)\(", "\n".join(_code(example.text))))
        assert called <= {"print", "len", "startswith", *_commands()}, example.question
        assert _code(example.text)[-1].startswith("answer(")


def _code(text: str) -> list[str]:
    return [line[4:] for line in text.splitlines() if line.startswith((">>> ", "... "))]


def _commands() -> set[str]:
    return {name for name in vars(Commands) if not name.startswith("_")}
