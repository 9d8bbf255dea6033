"""Two robots on one network, each with its suite in a namespace: they share nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from geometry_msgs.msg import PoseWithCovariance
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from robot_memory.msg import Observation
from robot_memory.srv import AddObservation, GetStats

from memory_nodes.nodes.association_node import AssociationNode
from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.marker_node import MarkerNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_test_support.domain import own_domain
from memory_test_support.launch_names import robot_remappings
from memory_test_support.node_bench import NodeBench

NODES = (EpisodicNode, DetectorNode, AssociationNode, QueryNode, GoalNode, MarkerNode)
OF_EVERYBODY = {"/parameter_events", "/rosout"}
"""Each message on them names its node, and no node of the suite listens."""
KINDS = ("publisher", "subscriber", "service", "client")
"""The topics and services of an action are among them."""


@pytest.fixture(scope="module")
def robots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[NodeBench]]:
    """Two whole suites, as `namespace:=robot1/memory robot_namespace:=robot1` starts them."""
    with ExitStack() as stack:
        domain_id = stack.enter_context(own_domain())
        benches = []
        for name in ("robot1", "robot2"):
            bench = NodeBench(
                domain_id,
                tmp_path_factory.mktemp(name),
                namespace=f"/{name}/memory",
                remappings=robot_remappings(name),
            )
            benches.append(stack.enter_context(bench))
            for kind in NODES:
                bench.start(kind)
        yield benches


def names_of(bench: NodeBench) -> set[str]:
    """Every topic and service that a node of the suite offers, uses or listens to."""
    found: set[str] = set()
    for kind in NODES:
        node = kind.__module__.rpartition(".")[2]
        for what in KINDS:
            ask = getattr(bench.user, f"get_{what}_names_and_types_by_node")
            found |= {name for name, _ in ask(node, bench.namespace)}
    return found


def observe(bench: NodeBench, text: str) -> Any:
    told = Observation(layer="speech", text=text, confidence=1.0, map_id="map")
    told.header.frame_id, told.header.stamp.sec = "map", 1
    told.pose = PoseWithCovariance()
    told.pose.pose.orientation.w = 1.0
    return bench.call(AddObservation, endpoints.OBSERVE, AddObservation.Request(observation=told))


def observations(bench: NodeBench) -> int:
    return int(bench.call(GetStats, endpoints.STATS, GetStats.Request()).counts.observations)


def test_every_topic_service_and_action_is_in_the_namespace_of_its_robot(
    robots: list[NodeBench],
) -> None:
    for bench, robot in zip(robots, ("/robot1/", "/robot2/"), strict=True):
        names = names_of(bench)
        assert {f"{robot}memory/query", f"{robot}memory/query_node/set_parameters"} <= names
        assert {f"{robot}tf", f"{robot}navigate_to_pose/_action/send_goal"} <= names
        assert {name for name in names if not name.startswith(robot)} == OF_EVERYBODY


def test_what_one_is_told_the_other_does_not_know(robots: list[NodeBench]) -> None:
    first, second = robots
    before = observations(first), observations(second)
    assert observe(first, "Anna has the screwdriver").success
    assert (observations(first), observations(second)) == (before[0] + 1, before[1])


def test_one_goes_on_while_the_other_is_deactivated(robots: list[NodeBench]) -> None:
    first, second = robots
    step = ChangeState.Request()
    for transition in (Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_ACTIVATE):
        step.transition.id = transition
        assert first.call(ChangeState, "episodic_node/change_state", step).success
        assert observe(second, "the door is open").success


def test_directory_of_another_robot_is_refused_with_who_holds_it(
    robots: list[NodeBench], capfd: pytest.CaptureFixture[str]
) -> None:
    first, second = robots
    for kind in (EpisodicNode, DetectorNode):
        late = second.make(kind, memory_dir=str(first.memory_dir))
        assert str(late.trigger_configure()).endswith("FAILURE")
        second.stop(late)
        assert f"in {first.memory_dir}: stop it, or give another" in capfd.readouterr().err
