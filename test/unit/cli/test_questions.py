"""Asking a memory from the command line: ask, locate, timeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.cli.main import main
from memory_nodes.records import NS_PER_S
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.model_server import ModelServer
from memory_test_support.records import observation
from memory_test_support.told import tell, teller_of
from memory_test_support.told_house import LAMP_AT, NOW_NS, TIME_ZONE, write_told_house


@pytest.fixture(scope="module")
def memory_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("house") / "memory"
    write_told_house(directory)
    writer, past = Writer(directory), Past(directory)
    tell(teller_of(writer, past), NOW_NS)
    past.close()
    writer.close()
    return directory


def _run(memory_dir: Path, *arguments: str) -> int:
    return main([*arguments, "--memory-dir", str(memory_dir), "--time-zone", TIME_ZONE])


def _json(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_question_is_answered_without_a_model_with_its_evidence(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "ask", "where is the green lamp?") == 0
    printed = capsys.readouterr().out
    assert "lamp_1" in printed
    assert "Mon 1 Dec 2025 14:02" in printed  # 13:02 UTC
    assert "problem:" not in printed


def test_answer_in_json_names_objects_and_keyframes(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "ask", "where is the green lamp?", "--json") == 0
    answer = _json(capsys)
    (lamp,), (best, *_) = answer["objects"], answer["keyframes"]
    assert (lamp["object_id"], best["keyframe_id"]) == ("lamp_1", 2)
    assert lamp["position_m"] == pytest.approx(LAMP_AT, abs=0.1)
    assert answer["degraded"] is True


def test_question_about_what_was_never_seen_gives_1(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "ask", "where is the submarine?") == 1
    assert capsys.readouterr().out.strip()


def test_question_about_another_time_finds_nothing(memory_dir: Path) -> None:
    assert _run(memory_dir, "ask", "where is the lamp?", "--when", "1 December 2025") == 0
    assert _run(memory_dir, "ask", "where is the lamp?", "--when", "2 December 2025") == 1


def test_question_to_a_model_that_is_away_is_answered_and_says_so(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("ask", "where is the green lamp?", "--base-url", "http://127.0.0.1:9/v1")
    assert _run(memory_dir, *arguments) == 0
    printed = capsys.readouterr().out
    assert "lamp_1" in printed
    assert "problem: answered without the model" in printed


def test_question_is_answered_by_the_model_at_base_url(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer() as server:
        arguments = ("ask", "where is the green lamp?", "--base-url", server.base_url, "--json")
        assert _run(memory_dir, *arguments) == 0
    answer = _json(capsys)
    assert answer["degraded"] is False
    assert answer["prompt_tokens"] != 0


def test_time_that_is_not_understood_is_refused(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "timeline", "the", "day", "of", "the", "fox") == 1
    assert "'the day of the fox' is no time" in capsys.readouterr().err


def test_locate_tells_place_uncertainty_and_age(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "locate", "red mug") == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[0].split() == "object what where map last seen image".split()
    assert "mug_1" in printed
    assert "±" in printed


def test_locate_by_id_gives_that_object_alone(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "locate", "--id", "desk_1", "--json") == 0
    (found,) = _json(capsys)["objects"]
    assert found["object_id"] == "desk_1"
    assert found["keyframe"]["keyframe_id"] == 1


@pytest.mark.parametrize(
    "arguments", [("submarine",), ("--id", "mug_99"), ("mug", "--map-id", "x")]
)
def test_locate_of_what_is_not_there_gives_1(
    memory_dir: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert _run(memory_dir, "locate", *arguments) == 1
    assert capsys.readouterr().out == "not seen\n"


def test_timeline_of_a_time_tells_only_that(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "timeline", "1", "December", "2025", "--json") == 0
    nodes = _json(capsys)["nodes"]
    assert nodes
    assert all(node["start_ns"] < NOW_NS - 10 * 3600 * NS_PER_S for node in nodes)
    assert _run(memory_dir, "timeline", "1", "December", "2025") == 0
    assert "kitchen patrol" in capsys.readouterr().out


def test_timeline_as_a_tree_goes_down_to_the_events(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "timeline", "--tree", "--json") == 0
    nodes = _json(capsys)["nodes"]
    units = {node["unit"] for node in nodes}
    assert "event" in units
    assert units.isdisjoint({"chunk", "keyframe", "observation"})
    assert _run(memory_dir, "timeline", "--tree") == 0
    assert "  Saw: red mug, desk." in capsys.readouterr().out


def test_timeline_of_a_time_without_anything_gives_1(
    memory_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(memory_dir, "timeline", "3 May 2001") == 1
    assert "Nothing is remembered" in capsys.readouterr().out


def test_what_a_robot_heard_cannot_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer, past = Writer(tmp_path), Past(tmp_path)
    writer.add(observation("\x1b[2J\x1b[31mgone [bold]", stamp_s=1.0, layer="speech"))
    tell(teller_of(writer, past), 1000 * NS_PER_S)
    past.close()
    writer.close()
    assert _run(tmp_path, "timeline", "--tree") == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "gone [bold]" in printed
