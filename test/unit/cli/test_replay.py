"""memory replay: from a recording to a memory, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_nodes.cli.main import main
from memory_test_support.model_server import ModelServer
from memory_test_support.tour import load_tour
from memory_test_support.tour_bag import DEPTH, write_tour_bag


@pytest.fixture(scope="module")
def bag(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tour = load_tour()
    return write_tour_bag(tmp_path_factory.mktemp("bag") / "tour", tour, tour.frames[:4])


def _run(memory_dir: Path, base_url: str, *arguments: str) -> int:
    where = ("--base-url", base_url, "--memory-dir", str(memory_dir))
    return main(["replay", *arguments, *where])


def test_recording_becomes_a_memory_that_is_sound(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer() as server:
        status = _run(tmp_path, server.base_url, str(bag), "--depth", DEPTH, "--json")
    told = json.loads(capsys.readouterr().out)
    assert status == (1 if told["problems"] else 0)
    assert told["images"]["images"] == 4
    assert told["counts"]["keyframes"] == told["images"]["keyframes"] > 0
    assert told["counts"]["objects"] > 0
    assert main(["doctor", "--memory-dir", str(tmp_path)]) == 0


def test_topic_that_is_not_there_is_named(
    bag: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(tmp_path, "http://127.0.0.1:9/v1", str(bag), "--image", "/nothing") == 1
    printed = capsys.readouterr()
    assert "no topic '/nothing'" in printed.err
    assert printed.out == ""


def test_replay_without_a_model_is_refused(bag: Path, tmp_path: Path) -> None:
    assert _run(tmp_path / "memory", "", str(bag)) == 1
    assert not (tmp_path / "memory").exists()
    with pytest.raises(SystemExit) as exit_:
        main(["replay", str(bag)])
    assert exit_.value.code == 2
