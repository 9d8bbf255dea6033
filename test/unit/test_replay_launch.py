"""replay.launch.py against the real launch; skipped where that is not installed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("launch.launch_context")
pytest.importorskip("launch_ros.actions")

from launch.events.process import ProcessExited

from memory_test_support import launch_files
from memory_test_support.launch_files import Started

FILE = "replay.launch.py"
BAG = "/data/walk"


@pytest.fixture
def player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package with `ros2 bag`, as ament finds it."""
    index = tmp_path / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    (index / "ros2bag").touch()
    monkeypatch.setenv(
        "AMENT_PREFIX_PATH", f"{tmp_path}{os.pathsep}{os.environ.get('AMENT_PREFIX_PATH', '')}"
    )


def command(found: Started) -> list[str]:
    (process,) = found.processes
    return ["".join(part.perform(found.context) for part in argument) for argument in process.cmd]


def after_the_end(found: Started) -> list[Any]:
    """What happens when the player has ended."""
    (process,) = found.processes
    event = ProcessExited(
        action=process, name="bag", cmd=[], cwd=None, env=None, pid=1, returncode=0
    )
    actions = [
        item
        for handler in found.context._event_handlers
        if handler.matches(event)
        for item in handler.handle(event, found.context)
    ]
    return [item for item in actions if item.condition.evaluate(found.context)]


def test_arguments_are_those_of_the_interface_and_each_says_what_it_is() -> None:
    arguments = launch_files.own_arguments(FILE)
    assert set(arguments) == {"bag", "rate", "start_offset", "delay", "end_with_bag"}
    assert all(len(argument.description) > 10 for argument in arguments.values())
    needed = [name for name, argument in arguments.items() if argument.default_value is None]
    assert needed == ["bag"]


@pytest.mark.usefixtures("player")
def test_recording_is_played_with_its_clock_at_the_rate_that_is_asked_for() -> None:
    line = " ".join(command(launch_files.started(FILE, bag=BAG, rate="2.5", start_offset="30")))
    assert line.startswith("ros2 bag play /data/walk --clock 100 ")
    assert "--rate 2.5 --start-offset 30 --delay 5.0" in line


@pytest.mark.usefixtures("player")
def test_nodes_take_the_time_of_the_recording_and_the_topics_that_are_given() -> None:
    found = launch_files.started(FILE, bag=BAG, image_topic="/front/image/compressed")
    assert len(found.nodes) == 6
    assert found.context.launch_configurations["use_sim_time"] == "true"
    remapped = dict(found.nodes["/memory/detector_node"].expanded_remapping_rules)
    assert remapped["image"] == "/front/image/compressed"


@pytest.mark.usefixtures("player")
@pytest.mark.parametrize(("ends", "kind"), [("true", "Shutdown"), ("false", "LogInfo")])
def test_nodes_end_with_the_recording_only_when_that_is_asked_for(ends: str, kind: str) -> None:
    found = launch_files.started(FILE, bag=BAG, end_with_bag=ends)
    assert [type(item).__name__ for item in after_the_end(found)] == [kind]


def test_player_that_is_not_installed_is_named() -> None:
    with pytest.raises(RuntimeError, match="ros2bag is not installed"):
        launch_files.started(FILE, bag=BAG)
