"""What people say when they want to be taken somewhere, or the robot to stop."""

from __future__ import annotations

import pytest

from memory_nodes.navigation.commands import is_stop, target_of


@pytest.mark.parametrize(
    ("utterance", "target"),
    [
        ("Take me to the coffee machine.", "the coffee machine"),
        ("please bring us to the red sofa", "the red sofa"),
        ("Robot, go to the kitchen sink!", "the kitchen sink"),
        ("drive back to the door", "the door"),
        ("show me the poster", "the poster"),
    ],
)
def test_request_to_go_names_its_target(utterance: str, target: str) -> None:
    assert target_of(utterance) == target
    assert not is_stop(utterance)


@pytest.mark.parametrize(
    "utterance", ["What a nice day", "Where is the sofa?", "go", "", "I go to work", "stop"]
)
def test_other_utterances_drive_nowhere(utterance: str) -> None:
    assert target_of(utterance) is None


@pytest.mark.parametrize("utterance", ["Stop!", "please stop", "Robot, halt", "No, wait", "cancel"])
def test_request_to_stop_is_understood(utterance: str) -> None:
    assert is_stop(utterance)


@pytest.mark.parametrize("utterance", ["Take me to the bus stop", "waiter", "", "stopwatch"])
def test_word_that_only_looks_like_it_does_not_stop(utterance: str) -> None:
    assert not is_stop(utterance)
