"""Layers over DDS: what a topic says is an observation with the pose of its stamp."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import rclpy
from action_msgs.msg import GoalStatus, GoalStatusArray
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import TransformStamped
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy, qos_profile_action_status_default
from robot_memory.msg import ChunkGraph as ChunkGraphMsg
from robot_memory.srv import StartEpisode
from sensor_msgs.msg import BatteryState, Temperature
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from memory_nodes.errors import TransformError
from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.records import NS_PER_S, Episode, EpisodeOrigin, EpisodeStatus
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import graph_to_msg, time_to_msg
from memory_nodes.ros.endpoints import TRANSFORMS
from memory_nodes.store.past import ObservationInEpisode, Past
from memory_nodes.store.writer import Writer
from memory_test_support.child import PROJECT
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import descriptor, graph, keyframe, observation, view

BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
ARM = {
    "layers": ["body_arm"],
    "layer.body_arm.topic": "/arm/temperature",
    "layer.body_arm.type": "sensor_msgs/msg/Temperature",
    "layer.body_arm.template": "arm {temperature:.0f} degrees",
}
STATUS = "/navigate_to_pose/_action/status"


class Robot:
    """A robot that is told where it is, and a memory that listens to it."""

    def __init__(self, bench: NodeBench, **parameters: Any) -> None:
        self.bench = bench
        self.node = bench.start(EpisodicNode, **parameters)
        self.past = Past(bench.memory_dir)
        self.now_ns = self.node.now_ns()
        self._tf = bench.publisher(TFMessage, "/tf", TRANSFORMS)

    def drives(self, from_s: float = -10.0, to_s: float = 19.0) -> None:
        """One metre a second along x, at x = 0 now; times are seconds from now. TF keeps 30 s."""
        for stamp_s in (from_s, to_s):
            item = TransformStamped(child_frame_id="base_link")
            item.header.frame_id = "map"
            item.header.stamp = self.stamp(stamp_s)
            item.transform.translation.x = stamp_s
            item.transform.rotation.w = 1.0
            self._tf.publish(TFMessage(transforms=[item]))
        self.bench.until(lambda: self._knows(to_s), "the transforms")

    def stamp(self, stamp_s: float) -> Any:
        return time_to_msg(self.now_ns + round(stamp_s * NS_PER_S))

    def observed(self, count: int) -> list[ObservationInEpisode]:
        """All observations, once there are so many."""
        self.bench.until(lambda: len(self.past.observations_after(0, 100)) >= count, "observations")
        return self.past.observations_after(0, 100)

    def counts(self, name: str, number: int = 1) -> None:
        self.bench.until(lambda: self.node.counters[name] == number, name)

    def _knows(self, stamp_s: float) -> bool:
        try:
            self.node.senses.places.at(self.now_ns + round(stamp_s * NS_PER_S))
        except TransformError:
            return False
        return True


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


def _texts(found: list[ObservationInEpisode]) -> list[tuple[str, str]]:
    return [(item.observation.layer, item.observation.text) for item in found]


def test_layer_of_the_parameter_file_is_observed_with_the_pose_at_its_stamp(
    bench: NodeBench,
) -> None:
    robot = Robot(bench, **ARM)
    robot.drives()
    arm = bench.publisher(Temperature, "/arm/temperature", BEST_EFFORT)
    message = Temperature(temperature=41.6)
    message.header.stamp = robot.stamp(-4.0)
    arm.publish(message)
    found = robot.observed(1)[0].observation
    assert (found.layer, found.text) == ("body_arm", "arm 42 degrees")
    assert found.stamp_ns == robot.now_ns - 4 * NS_PER_S
    assert found.map_from_base.position_m == pytest.approx((-4.0, 0.0, 0.0), abs=1e-6)
    assert (found.map_id, found.map_frame, found.source) == ("map", "map", "/arm/temperature")


def test_layer_without_a_pose_at_its_stamp_is_dropped_and_counted(bench: NodeBench) -> None:
    robot = Robot(bench, **ARM)
    robot.drives()
    arm = bench.publisher(Temperature, "/arm/temperature", BEST_EFFORT)
    for stamp_s in (-3600.0, -4.0):
        message = Temperature(temperature=41.6)
        message.header.stamp = robot.stamp(stamp_s)
        arm.publish(message)
    robot.counts("dropped_transform_too_old")
    assert [item.observation.stamp_ns for item in robot.observed(1)] == [
        robot.now_ns - 4 * NS_PER_S
    ]


def test_layer_waits_for_its_pose_no_longer_than_it_may(bench: NodeBench) -> None:
    robot = Robot(bench, **ARM, layer_pose_timeout_s=0.1)
    arm = bench.publisher(Temperature, "/arm/temperature", BEST_EFFORT)
    arm.publish(Temperature(temperature=41.6))
    robot.counts("dropped_frame_unknown")
    diagnostics = bench.heard(DiagnosticArray, "/diagnostics")
    bench.until(
        lambda: any(
            "frame_unknown" in item.key for array in diagnostics for item in array.status[0].values
        ),
        "the count in the diagnostics",
    )
    assert robot.past.observations_after(0, 1) == []


def test_speech_is_observed_when_it_is_heard_and_each_time(bench: NodeBench) -> None:
    robot = Robot(bench)
    robot.drives()
    speech = bench.publisher(String, "heard_speech")
    before_ns = robot.node.now_ns()
    for text in ("Good morning", "Good morning"):
        speech.publish(String(data=text))
    found = robot.observed(2)
    assert _texts(found) == [("speech", "Good morning")] * 2
    assert all(before_ns <= item.observation.stamp_ns <= robot.node.now_ns() for item in found)


def test_battery_is_observed_when_it_has_changed(bench: NodeBench) -> None:
    robot = Robot(bench)
    robot.drives()
    battery = bench.publisher(BatteryState, "/battery_state", BEST_EFFORT)
    for number, percentage in enumerate((0.90, 0.88, 0.84)):
        message = BatteryState(percentage=percentage, power_supply_status=2)
        message.header.stamp = robot.stamp(11.0 * number - 9.0)
        battery.publish(message)
    assert _texts(robot.observed(2)) == [
        ("battery", "battery 90 %, discharging"),
        ("battery", "battery 84 %, discharging"),
    ]


def test_layers_at_one_place_are_observations_of_their_own(bench: NodeBench) -> None:
    robot = Robot(bench)
    robot.drives()
    for layer, text in (("human_presence", "nobody"), ("place", "kitchen"), ("notes", "wet floor")):
        bench.publisher(String, layer).publish(String(data=text))
    assert sorted(_texts(robot.observed(3))) == [
        ("human_presence", "nobody"),
        ("place", "kitchen"),
        ("text", "wet floor"),
    ]


def status(code: int) -> GoalStatusArray:
    item = GoalStatus(status=code)
    item.goal_info.goal_id.uuid = [7] * 16
    return GoalStatusArray(status_list=[item])


def _episodes(robot: Robot, count: int, is_ended: bool) -> list[Episode]:
    def are_there() -> bool:
        found = robot.past.episodes()
        return len(found) >= count and (not is_ended or found[-1].end_ns is not None)

    robot.bench.until(are_there, "the episode")
    return robot.past.episodes()


def test_navigation_goal_is_an_episode_with_its_outcome(bench: NodeBench) -> None:
    robot = Robot(bench)
    robot.drives()
    statuses = bench.publisher(GoalStatusArray, STATUS, qos_profile_action_status_default)
    bench.publisher(String, "goal_text").publish(String(data="to the kitchen"))
    robot.observed(1)
    statuses.publish(status(GoalStatus.STATUS_EXECUTING))
    _episodes(robot, 2, is_ended=False)
    robot.observed(2)
    statuses.publish(status(GoalStatus.STATUS_SUCCEEDED))
    session, goal = _episodes(robot, 2, is_ended=True)
    assert (session.origin, session.status) == (EpisodeOrigin.SESSION, EpisodeStatus.ACTIVE)
    assert (goal.origin, goal.name) == (EpisodeOrigin.GOAL, "to the kitchen")
    assert (goal.parent_id, goal.status) == (session.episode_id, EpisodeStatus.COMPLETED)
    found = robot.observed(4)
    assert sorted(_texts(found)) == [
        ("action", "navigate_to_pose: executing"),
        ("action", "navigate_to_pose: succeeded"),
        ("goal", "to the kitchen"),
        ("goal", "to the kitchen: succeeded"),
    ]
    outcome = next(item for item in found if item.observation.text.endswith("kitchen: succeeded"))
    assert (outcome.episode_id, outcome.observation.stamp_ns) == (goal.episode_id, goal.end_ns)


def test_goal_that_ends_where_nobody_knows_ends_its_episode_all_the_same(
    bench: NodeBench,
) -> None:
    robot = Robot(bench, layers=[""], layer_pose_timeout_s=0.1)
    statuses = bench.publisher(GoalStatusArray, STATUS, qos_profile_action_status_default)
    statuses.publish(status(GoalStatus.STATUS_EXECUTING))
    _episodes(robot, 2, is_ended=False)
    statuses.publish(status(GoalStatus.STATUS_ABORTED))
    assert _episodes(robot, 2, is_ended=True)[-1].status == EpisodeStatus.COMPLETED
    robot.counts("dropped_goal_outcome_without_pose")


def test_action_that_ended_during_a_restart_is_told(bench: NodeBench) -> None:
    writer = Writer(bench.memory_dir)
    writer.add(observation("navigate_to_pose: executing", layer="action"))
    writer.add(observation("a note"))
    writer.close()
    robot = Robot(bench, layers=["action"])
    robot.drives()
    statuses = bench.publisher(GoalStatusArray, STATUS, qos_profile_action_status_default)
    statuses.publish(status(GoalStatus.STATUS_SUCCEEDED))
    assert _texts(robot.observed(3))[-1] == ("action", "navigate_to_pose: succeeded")


def test_goal_whose_server_dies_is_interrupted_though_another_takes_its_place(
    bench: NodeBench,
) -> None:
    robot = Robot(bench, layers=[""], goal_silence_s=0.1)
    robot.drives()
    server = rclpy.create_node("server", context=bench.context)
    statuses = server.create_publisher(GoalStatusArray, STATUS, qos_profile_action_status_default)
    statuses.publish(status(GoalStatus.STATUS_EXECUTING))
    _episodes(robot, 2, is_ended=False)
    server.destroy_node()
    bench.publisher(GoalStatusArray, STATUS, qos_profile_action_status_default)
    assert _episodes(robot, 2, is_ended=True)[-1].status == EpisodeStatus.INTERRUPTED
    assert _texts(robot.observed(1)) == [("goal", "navigate_to_pose: lost, its server is gone")]


def test_robot_that_moves_has_a_session_which_ends_with_the_node(bench: NodeBench) -> None:
    robot = Robot(bench, layers=[""])
    robot.drives()
    _episodes(robot, 1, is_ended=False)
    bench.stop(robot.node)
    (session,) = robot.past.episodes()
    assert (session.origin, session.status) == (EpisodeOrigin.SESSION, EpisodeStatus.COMPLETED)


def test_task_by_request_lies_within_the_session(bench: NodeBench) -> None:
    robot = Robot(bench)
    request = StartEpisode.Request(name="tidy up")
    task_id = bench.call(StartEpisode, endpoints.START_EPISODE, request).episode_id
    session, task = robot.past.episodes()
    assert (session.origin, task.origin) == (EpisodeOrigin.SESSION, EpisodeOrigin.REQUEST)
    assert (task.episode_id, task.parent_id) == (task_id, session.episode_id)


def test_chunk_is_told_in_the_episode_of_its_session(bench: NodeBench) -> None:
    robot = Robot(bench)
    mug = descriptor("mug_1", view(1), view(2), color="red")
    told = replace(
        graph(1, [keyframe(1), keyframe(2)], [mug]), scene="A tidy office.", place="office"
    )
    bench.publisher(ChunkGraphMsg, endpoints.CHUNK_GRAPHS).publish(graph_to_msg(told))
    found = robot.observed(3)
    assert _texts(found) == [
        ("description", "A tidy office."),
        ("place", "office"),
        ("detections", "red mug"),
    ]
    (session,) = robot.past.episodes()
    assert {item.episode_id for item in found} == {session.episode_id}
    assert session.start_ns == keyframe(1).stamp_ns


def test_example_of_the_docs_adds_a_layer(ros_domain: int, tmp_path: Path) -> None:
    text = (PROJECT / "docs" / "layers.md").read_text(encoding="utf-8")
    example = next(block for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL))
    given = tmp_path / "layers.yaml"
    given.write_text(example, encoding="utf-8")
    context = rclpy.Context()
    arguments = ["--ros-args", "-r", "__ns:=/memory", "--params-file", str(given)]
    rclpy.init(args=arguments, context=context, domain_id=ros_domain)
    node = EpisodicNode(
        context=context, parameter_overrides=[Parameter("memory_dir", value=str(tmp_path))]
    )
    assert str(node.trigger_configure()).endswith("SUCCESS")
    assert [layer.name for layer in node.layers] == ["speech", "battery", "body_arm"]
    arm = node.layers[2].config
    assert (arm.topic, arm.min_change) == ("/arm/temperature", 5.0)
    node.destroy_node()
    rclpy.shutdown(context=context)


@pytest.mark.parametrize(
    "changed",
    [
        {"layer.body_arm.type": "os/msg/path"},
        {"layer.body_arm.type": "no_such_msgs/msg/Nothing"},
        {"layer.body_arm.type": "Temperature"},
        {"layer.body_arm.template": "{nothing}"},
        {"layer.body_arm.template": "{temperature.__class__}"},
        {"layer.body_arm.topic": ""},
    ],
)
def test_node_with_a_layer_that_cannot_be_is_not_configured(
    bench: NodeBench, changed: dict[str, str]
) -> None:
    node = bench.make(EpisodicNode, **{**ARM, **changed})
    assert str(node.trigger_configure()).endswith("FAILURE")
