"""What a question asks is told by its words, however it is put."""

from __future__ import annotations

import pytest

from memory_nodes.records import NS_PER_S
from memory_test_support.recall_question import DEFAULT_RADIUS_M, Asks, recall_question


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Have you seen a chair?", Asks.PRESENCE),
        ("Is there a piano anywhere?", Asks.PRESENCE),
        ("Did you come across any bottles?", Asks.PRESENCE),
        ("Where were you when you last noticed a bed?", Asks.LAST_PLACE),
        ("Where is the red mug?", Asks.LAST_PLACE),
        ("At which position did you first see a bench?", Asks.FIRST_PLACE),
        ("When did a bed first come into view?", Asks.FIRST_TIME),
        ("At what time was the earliest sighting of a cup?", Asks.FIRST_TIME),
        ("How many seconds into the run did you last see a book?", Asks.LAST_TIME),
        ("When was the microwave most recently observed?", Asks.LAST_TIME),
        ("In how many records does a bottle appear?", Asks.SIGHTINGS),
        ("How often did you see a person?", Asks.SIGHTINGS),
        ("How many times was a tv detected?", Asks.SIGHTINGS),
        ("How many chairs are there?", Asks.COUNT),
        ("What was seen together with the red chair?", Asks.TOGETHER),
        ("What did you see between second 0 and second 30?", Asks.SEEN),
        ("Which objects were there within two metres of the point (1, 2)?", Asks.SEEN),
    ],
)
def test_question_is_told_by_its_words(question: str, asks: Asks) -> None:
    assert recall_question(question).asks is asks


@pytest.mark.parametrize(
    ("question", "since_s", "until_s"),
    [
        ("What did you see between second 60 and second 90?", 60, 90),
        ("What did you see from 60 s to 90 s?", 60, 90),
        ("Which things did you notice between the 60th and the 90th second?", 60, 90),
        ("What did you see between one and two minutes into the run?", 60, 120),
        ("What did you see in the first 30 seconds?", None, 30),
        ("What did you see after second 200?", 200, None),
        ("What did you see before minute 2?", None, 120),
        ("What did you see near (60.0, 90.0)?", None, None),
        ("Have you seen between 2 and 3 chairs?", None, None),
    ],
)
def test_time_is_counted_from_the_start(
    question: str, since_s: int | None, until_s: int | None
) -> None:
    start_ns = 7 * NS_PER_S
    wanted = recall_question(question, start_ns).wanted
    assert wanted.since_ns == (None if since_s is None else start_ns + since_s * NS_PER_S)
    assert wanted.until_ns == (None if until_s is None else start_ns + until_s * NS_PER_S)


@pytest.mark.parametrize(
    ("question", "radius_m"),
    [
        ("What did you see within two metres of the point (-3.0, 9.5)?", 2.0),
        ("What did you see within 0.5 m of (-3, 9.5)?", 0.5),
        ("What did you see in a radius of 3 meters around x=-3.0, y=9.5?", 3.0),
        ("What did you see near (-3.0, 9.5)?", DEFAULT_RADIUS_M),
    ],
)
def test_place_is_a_point_on_the_floor(question: str, radius_m: float) -> None:
    wanted = recall_question(question).wanted
    assert wanted.center_map_m == (-3.0, 9.5, 0.0)
    assert wanted.radius_m == radius_m
    assert wanted.ignore_height
