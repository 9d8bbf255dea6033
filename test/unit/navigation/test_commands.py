"""What people say when they want to be taken somewhere, or the robot to stop."""

from __future__ import annotations

import time

import pytest

from memory_nodes.navigation.commands import asks_to_go, is_stop, target_of


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
    "utterance",
    [
        *("What a nice day", "Where is the sofa?", "go", "", "I go to work", "stop"),
        *("Take me to ...?", "go to the\nstairs"),
    ],
)
def test_other_utterances_drive_nowhere(utterance: str) -> None:
    assert target_of(utterance) is None


@pytest.mark.parametrize(
    "utterance",
    [
        *("Stop!", "please stop", "Robot, halt", "No, wait", "cancel", "Hey robot, stop!"),
        *("Okay, stop", "Please, stop.", "Can you stop?", "Oh no! Stop", "Hold on", "Don't move!"),
        *("Take me to the kitchen. No, stop!", "Go to the door, cancel that", "I said: stop now."),
        "Don\u2019t move",
    ],
)
def test_request_to_stop_is_understood(utterance: str) -> None:
    assert is_stop(utterance)


@pytest.mark.parametrize(
    "utterance",
    [
        *("Take me to the bus stop", "waiter", "", "stopwatch", "Don't stop", "Can you see it?"),
        *("Take me to the third stop, please", "Go to the door, and wait there", "?!"),
    ],
)
def test_word_that_only_looks_like_it_does_not_stop(utterance: str) -> None:
    assert not is_stop(utterance)


@pytest.mark.parametrize(
    "utterance",
    [
        "Take me to the mug",
        "drive to the kitchen",
        "Could you please bring us to the exit?",
        "Robot, go back to the charger.",
        "I want you to move to the window",
    ],
)
def test_request_to_go_is_told_from_a_question(utterance: str) -> None:
    assert asks_to_go(utterance)
    assert target_of(utterance) is not None


@pytest.mark.parametrize(
    "utterance",
    [
        "How do I go to the kitchen?",
        "Where does this road go to?",
        "Show me the poster",
        "What does the poster say: drive to the stairs?",
        "When did you drive to the kitchen?",
        "Did you take me to the mug?",
        "Bring me up to date",
        "I go to work",
        "go to",
        "",
    ],
)
def test_question_about_going_is_no_request_to_go(utterance: str) -> None:
    assert not asks_to_go(utterance)


def test_long_utterance_keeps_no_stop_waiting() -> None:
    """While a command is read the robot hears no other: the time grows with its length only."""
    begin_s = time.process_time()
    assert target_of(f"take me to {'?' * 100_000}x") is not None
    assert target_of(f"{'please ' * 20_000}x") is None
    assert time.process_time() - begin_s < 2.0
