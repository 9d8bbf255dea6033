"""What happened, when, and how the robot is: told without a model, and with one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.answering.answerer import Answerer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.errors import ModelUnavailable
from memory_nodes.geometry import Pose
from memory_nodes.records import Answer, Relation
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.recorded_models import RecordedChat, Turn
from memory_test_support.records import descriptor, graph, keyframe, view
from memory_test_support.told import BERLIN, DAY_S, at, ns, tell, teller_of

MONDAY_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""
TUESDAY_NOON_S = MONDAY_S + DAY_S + 4 * 3600


@pytest.fixture
def memory_dir(tmp_path: Path) -> Iterator[Path]:
    """Monday: watered plants in the morning, cleaned in the afternoon; a mug seen at 14:00 in the
    kitchen and on Tuesday at 10:00 in the hall.
    """
    writer, past = Writer(tmp_path), Past(tmp_path)
    for name, begin_s in (("water the plants", 0), ("clean the kitchen", 6 * 3600)):
        episode_id = writer.start_episode(name, "", ns(MONDAY_S + begin_s))
        writer.add(at(MONDAY_S + begin_s + 10, "action", name))
        writer.add(at(MONDAY_S + begin_s + 20, "place", "kitchen"))
        writer.add(at(MONDAY_S + begin_s + 30, "battery", "battery 80 %, discharging"))
        writer.end_episode(episode_id, ns(MONDAY_S + begin_s + 60))
    writer.add(at(TUESDAY_NOON_S - 7200 - 60, "place", "hall"))
    writer.add(at(TUESDAY_NOON_S - 120, "battery", "battery 43 %, charging"))
    writer.add(at(TUESDAY_NOON_S - 60, "diagnostics", "left wheel: overheated"))
    seen = [
        keyframe(1, stamp_s=MONDAY_S + 6 * 3600 + 40, base=Pose.planar(1.0, 2.0, 0.0)),
        keyframe(2, stamp_s=TUESDAY_NOON_S - 7200, base=Pose.planar(5.0, 0.0, 0.0)),
    ]
    for number, each in enumerate(seen, start=1):
        mug = descriptor("mug_1", view(number), color="red")
        writer.commit_chunk(graph(number, [each], [mug]))
    tell(teller_of(writer, past), ns(TUESDAY_NOON_S))
    past.close()
    writer.close()
    yield tmp_path


def _ask(memory_dir: Path, question: str, *turns: Turn) -> Answer:
    model = RecordedChat(*turns) if turns else None
    snapshots, past = SnapshotCache(Reader(memory_dir)), Past(memory_dir)
    answerer = Answerer(model, snapshots, AnswererConfig(), BERLIN, past=past)
    return asyncio.run(answerer.answer(question, ns(TUESDAY_NOON_S)))


def test_afternoon_of_yesterday_is_told_and_nothing_else(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "What did you do yesterday afternoon?")
    assert answer.found
    assert "clean the kitchen" in answer.text
    assert "water the plants" not in answer.text
    assert answer.evidence == tuple(answer.text.splitlines())


def test_time_of_which_nothing_is_known_is_said(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "What did you do last Sunday?")
    assert (answer.found, answer.evidence) == (False, ())
    assert answer.text == "I remember nothing of what happened last Sunday."


def test_history_is_said_by_the_model_where_there_is_one(memory_dir: Path) -> None:
    said = {"answer": "I cleaned.", "found": True, "object_ids": ["mug_1"], "keyframe_ids": []}
    turn = json.dumps({**said, "confidence": 0.7})
    answer = _ask(memory_dir, "What did you do yesterday afternoon?", turn)
    assert (answer.text, answer.found, answer.confidence) == ("I cleaned.", True, 0.7)
    assert "clean the kitchen" in answer.evidence[0]
    assert answer.problems == ("the model named 'mug_1', which it was not shown",)


def test_history_is_told_when_the_model_is_away(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "What did you do yesterday afternoon?", ModelUnavailable("away"))
    assert (answer.found, answer.degraded) == (True, True)
    assert "clean the kitchen" in answer.text
    assert answer.problems == ("answered without the model: away",)


def test_battery_is_the_newest_that_was_observed(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "How is your battery?")
    assert answer.text == "Battery 43 %, charging, 2 minutes ago."
    assert (answer.found, answer.degraded) == (True, False)


def test_body_is_all_that_is_known_of_it_newest_first(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "How are you?")
    assert answer.text == (
        "Left wheel: overheated, 1 minute ago. Battery 43 %, charging, 2 minutes ago."
    )


def test_battery_of_yesterday_is_that_of_yesterday(memory_dir: Path) -> None:
    assert "80 %" in _ask(memory_dir, "How was your battery yesterday?").text


def test_last_sighting_is_told_with_time_and_place(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "When did you last see the red mug?")
    assert answer.text == (
        "I last saw the red mug Tue 8 Sep 2026 10:00, 2 hours ago, when I was in hall, at "
        "(5.0, 0.0) m on map map."
    )
    assert answer.keyframes[0].keyframe.keyframe_id == 2


def test_first_sighting_and_where_the_robot_was(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "Where were you when you first saw the red mug?")
    assert answer.text.startswith(
        "When I first saw the red mug, I was in kitchen, at (1.0, 2.0) m on map map; that was Mon "
        "7 Sep 2026 14:00"
    )
    assert answer.keyframes[0].keyframe.keyframe_id == 1


@pytest.mark.parametrize("question", ["Where are you?", "Where are you right now?"])
def test_robot_is_where_it_was_last_as_far_as_it_remembers(memory_dir: Path, question: str) -> None:
    answer = _ask(memory_dir, question)
    assert answer.text.startswith("I was in hall, at (5.0, 0.0) m")
    assert [hit.keyframe.keyframe_id for hit in answer.keyframes] == [2]


def test_sighting_beside_something_is_the_last_one_there(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    seen = [keyframe(number) for number in (1, 2, 3)]
    mug = descriptor("mug_1", view(1), view(2), view(3))
    desk = descriptor("desk_1", view(1), view(2), view(3), description="a desk for mugs")
    on_desk = Relation("mug_1", "on", "desk_1", (1, 2))
    writer.commit_chunk(graph(1, seen, [desk, mug, descriptor("lamp_1", view(3))], [on_desk]))
    writer.close()
    there = _ask(tmp_path, "When did you see the mug on the desk?")
    assert (there.found, there.keyframes[0].keyframe.keyframe_id) == (True, 2)
    assert _ask(tmp_path, "When did you see the mug?").keyframes[0].keyframe.keyframe_id == 3
    never = _ask(tmp_path, "When did you see the lamp on the desk?")
    assert (never.found, never.keyframes) == (False, ())
    assert never.text.startswith("I never saw the lamp there; the lamp was last seen ")


def test_place_at_a_time_without_a_keyframe_is_not_known(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "Where were you last Friday?")
    assert (answer.text, answer.found) == ("I do not know where I was last Friday.", False)


@pytest.mark.parametrize(
    "question",
    ["Where have you seen the piano yesterday?", "Where were you when you saw the piano?"],
)
def test_place_of_the_robot_is_no_answer_about_what_was_never_seen(
    memory_dir: Path, question: str
) -> None:
    answer = _ask(memory_dir, question)
    assert (answer.found, answer.keyframes) == (False, ())


def test_place_of_the_robot_at_a_time(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "Where were you yesterday afternoon?")
    assert answer.text.startswith("I was in kitchen, at (1.0, 2.0) m on map map")


def test_event_is_found_by_its_words(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "When did you water the plants?")
    assert answer.text.startswith("That was Mon 7 Sep 2026 08:00")


def test_event_that_never_was_is_not_seen(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "When did you repair the bicycle?")
    assert (answer.found, answer.objects) == (False, ())


def test_thing_that_was_never_seen_has_no_time(memory_dir: Path) -> None:
    assert not _ask(memory_dir, "When did you last see the piano?").found


def test_time_in_a_question_about_a_thing_bounds_its_views(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "Where was the red mug yesterday?")
    assert [hit.keyframe.keyframe_id for hit in answer.keyframes] == [1]
    sunday = _ask(memory_dir, "Where was the red mug last Sunday?")
    assert (sunday.found, sunday.text) == (False, "I have not seen that last Sunday.")


def test_without_a_time_all_that_is_known_is_told(memory_dir: Path) -> None:
    answer = _ask(memory_dir, "What have you done?")
    assert "water the plants" in answer.text
    assert "clean the kitchen" in answer.text


def test_day_of_the_robot_is_today(memory_dir: Path) -> None:
    assert "clean the kitchen" not in _ask(memory_dir, "How was your day?").text


@pytest.mark.parametrize("question", ["What happened?", "How are you?", "When did you rest?"])
def test_memory_of_nothing_tells_nothing(question: str, tmp_path: Path) -> None:
    Writer(tmp_path).close()
    answer = _ask(tmp_path, question)
    assert (answer.found, answer.evidence) == (False, ())
    assert answer.text


def test_history_that_is_asked_for_one_map_says_that_it_is_of_all(memory_dir: Path) -> None:
    answerer = Answerer(
        None, SnapshotCache(Reader(memory_dir)), AnswererConfig(), BERLIN, past=Past(memory_dir)
    )
    work = answerer.answer("What have you done?", ns(TUESDAY_NOON_S), "auto", Filter(map_id="map"))
    assert "told of all maps and places" in asyncio.run(work).problems
