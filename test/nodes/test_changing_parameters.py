"""Parameters are changed over the services of ROS while a node runs; unknown ones are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from rcl_interfaces.srv import SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter
from robot_memory.msg import ChunkGraph
from robot_memory.srv import QueryMemory

from memory_nodes.navigation.outcomes import Outcome
from memory_nodes.navigation.safety import SafetyConfig
from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.marker_node import MarkerNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_nodes.ros.main import tell_unknown_parameters
from memory_test_support.goal_driver import SOON, Driver, remember
from memory_test_support.hand_camera import EVERY_IMAGE, Camera, knows_the_camera
from memory_test_support.model_server import ModelServer
from memory_test_support.navigator import Navigator
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import keyframe
from memory_test_support.tour import Tour


def change(bench: NodeBench, node: Any, **values: Any) -> str:
    """Asks for all of it or nothing; gives the reason where it is refused."""
    parameters = [Parameter(name, value=value).to_parameter_msg() for name, value in values.items()]
    request = SetParametersAtomically.Request(parameters=parameters)
    name = f"{node.get_name()}/set_parameters_atomically"
    result = bench.call(SetParametersAtomically, name, request).result
    assert result.successful == (not result.reason)
    return str(result.reason)


def test_goal_after_a_dry_run_is_switched_on_is_not_driven_to(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    navigator = bench.make(Navigator, behaviors=["succeed"])
    node, driver = bench.start(GoalNode, **SOON), Driver(bench)
    assert not change(bench, node, dry_run=True)
    assert driver.go(keyframe_id=1).outcome == Outcome.NAV_UNAVAILABLE
    assert not navigator.goals
    assert not change(bench, node, dry_run=False)
    driver.go(keyframe_id=1)
    assert len(navigator.goals) == 1


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"max_memory_age_s": -1.0}, "max_memory_age_s"),
        ({"max_memory_age_s": -1}, "max_memory_age_s is -1.0, the least is 0.0 s"),
        (
            {"max_memory_age_s": "an hour"},
            "max_memory_age_s is 'an hour', give a float such as 0.0",
        ),
        ({"max_candidates": 21}, "Max: 20"),
        ({"keep_out": ["1 1, 2 2"]}, "keep_out has '1 1, 2 2': give at least three corners"),
        ({"memory_dir": "/elsewhere"}, "read-only"),
        ({"dry_runn": True}, "undeclared"),
    ],
)
def test_refused_change_says_why_and_changes_nothing(
    values: dict[str, Any], reason: str, bench: NodeBench
) -> None:
    """Nor does what was asked for along with it."""
    node = bench.start(GoalNode, base_url="")
    before = node.suite, node.choosing
    assert reason in change(bench, node, dry_run=True, **values)
    assert (node.safety, node.suite, node.choosing) == (SafetyConfig(), *before)
    assert node.get_parameter("dry_run").value is False


def test_of_changes_one_by_one_those_that_are_allowed_are_made(bench: NodeBench) -> None:
    node = bench.make(GoalNode)
    wanted = {"max_memory_age_s": -1.0, "dry_run": True}
    parameters = [Parameter(name, value=value).to_parameter_msg() for name, value in wanted.items()]
    request = SetParameters.Request(parameters=parameters)
    results = bench.call(SetParameters, "goal_node/set_parameters", request).results
    assert [result.successful for result in results] == [False, True]
    assert node.safety == SafetyConfig(dry_run=True)


def test_whole_number_is_taken_for_seconds(bench: NodeBench) -> None:
    node = bench.make(GoalNode)
    assert not change(bench, node, max_memory_age_s=3600)
    assert node.safety == SafetyConfig(max_memory_age_s=3600.0)
    assert isinstance(node.safety.max_memory_age_s, float)


def test_change_holds_from_before_configuration_through_the_whole_life_cycle(
    bench: NodeBench,
) -> None:
    node = bench.make(MarkerNode)
    assert not change(bench, node, max_objects=7)
    for step in ("configure", "activate", "deactivate", "cleanup", "configure", "activate"):
        assert str(getattr(node, f"trigger_{step}")()).endswith("SUCCESS"), step
        assert node.showing.max_objects == 7


def test_smaller_chunks_leave_the_detector_that_runs(
    bench: NodeBench, server: ModelServer, tour: Tour
) -> None:
    node = bench.start(DetectorNode, base_url=server.base_url, chunk_size=8, **EVERY_IMAGE)
    graphs = bench.heard(ChunkGraph, endpoints.CHUNK_DETECTIONS)
    camera = Camera(bench, tour)
    camera.stand_at(1, 0.0)
    camera.stand_at(9, 0.0)
    bench.until(lambda: knows_the_camera(node), "the transforms")
    assert not change(bench, node, chunk_size=1)
    camera.shoot(2)
    bench.until(lambda: bool(graphs), "a chunk of one keyframe")
    assert len(graphs[0].keyframes) == 1


def test_question_is_judged_by_the_threshold_of_now(bench: NodeBench) -> None:
    remember(bench, keyframe(1))
    node = bench.start(QueryNode, base_url="")
    request = QueryMemory.Request(question="Where is the large red mug?")  # two words of three
    assert bench.call(QueryMemory, endpoints.QUERY, request).answer.found
    assert not change(bench, node, min_score=0.9)
    assert not bench.call(QueryMemory, endpoints.QUERY, request).answer.found


def test_markers_are_redrawn_at_the_rate_of_now(bench: NodeBench) -> None:
    node = bench.start(MarkerNode, redraw_period_s=0.1)
    assert not change(bench, node, redraw_period_s=5.0)
    timers = list(node.timers)
    bench.until(lambda: 5_000_000_000 in [timer.timer_period_ns for timer in timers], "the rate")


def test_unknown_parameter_stands_in_the_diagnostics_of_one_node(
    bench: NodeBench, tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("/**: {ros__parameters: {memry_dir: /tmp, max_gists: 3}}")
    nodes = [bench.start(MarkerNode), bench.start(GoalNode, base_url="")]
    tell_unknown_parameters(nodes, ["memory", "--ros-args", "--params-file", str(file)])
    reports = bench.heard(DiagnosticArray, endpoints.DIAGNOSTICS)

    def told() -> dict[str, str]:
        return {item.name: item.message for report in reports for item in report.status}

    bench.until(lambda: len(told()) == 2, "both reports")
    line = "mine.yaml: there is no parameter memry_dir (/**); is memory_dir meant?"
    assert told() == {"/memory/marker_node": line, "/memory/goal_node": "ok"}
