"""A simulated robot, the goal node and a memory: each cause has its outcome and its sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import PoseStamped
from rclpy.parameter import Parameter
from robot_memory.srv import AddObservation
from std_srvs.srv import Trigger

from memory_nodes.errors import ConfigurationError
from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Outcome
from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.ros import endpoints
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.goal_driver import SOON, Camera, Driver, remember
from memory_test_support.node_bench import NodeBench
from memory_test_support.recorded_models import RecordedChat
from memory_test_support.records import descriptor, graph, keyframe, measured
from memory_test_support.simulated_base import SimulatedBase

START = {"start_x": 0.0, "start_y": 0.0, "start_yaw_rad": 0.0, "time_scale": 10.0}
NEAR = keyframe(1, base=Pose.planar(1.5, 0.0, 0.0))
NEAR_BESIDE = keyframe(2, base=Pose.planar(1.5, 0.4, 0.0))
OTHER_PLACE = keyframe(2, base=Pose.planar(0.0, 2.0, math.pi / 2))
PATIENT = {**SOON, "drive_timeout_s": 30.0, "image_transport": "raw", "lost_after_s": 1.0}


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


@pytest.fixture
def base(bench: NodeBench) -> Callable[[str], SimulatedBase]:
    def start(behavior: str) -> SimulatedBase:
        made: SimulatedBase = bench.make(
            lambda **options: SimulatedBase(
                **{
                    **options,
                    "namespace": "/",
                    "parameter_overrides": [
                        Parameter(name, value=value)
                        for name, value in {**START, "behavior": behavior}.items()
                    ],
                }
            )
        )
        return made

    return start


def start_goals(bench: NodeBench, *replies: str, **parameters: Any) -> Driver:
    """The goal node, whose model says these of what it sees, one after the other."""
    node = bench.start(GoalNode, **{**PATIENT, **parameters})
    if replies:
        node.means.eye.model = RecordedChat(*(json.dumps({"present": said}) for said in replies))
        Camera(bench)
    return Driver(bench)


def diary(bench: NodeBench) -> list[Any]:
    """What is to be written down, by a stand-in for episodic_node."""
    written: list[Any] = []

    def observe(request: Any, response: Any) -> Any:
        written.append(request.observation)
        response.success = True
        return response

    bench.user.create_service(AddObservation, endpoints.OBSERVE, observe)
    return written


def at(result: Any) -> tuple[float, float]:
    return (result.reached.pose.position.x, result.reached.pose.position.y)


def test_arrived_is_said_where_the_robot_stands(bench: NodeBench, base: Any) -> None:
    remember(bench, NEAR)
    base("succeed")
    result = start_goals(bench).go(keyframe_id=1)
    assert (result.outcome, result.message) == (Outcome.ARRIVED, "I have arrived.")
    assert at(result) == pytest.approx((1.5, 0.0), abs=0.1)


def test_verified_is_said_when_the_model_sees_it_and_is_written_down(
    bench: NodeBench, base: Any
) -> None:
    remember(bench, NEAR)
    base("succeed")
    written = diary(bench)
    driver = start_goals(bench, "yes")
    result = driver.go(object_id="mug_1", verify_on_arrival=True)
    assert result.outcome == Outcome.VERIFIED
    assert result.message == "I have arrived, and the mug is here."
    bench.until(lambda: len(written) == 1, "an observation of the look")
    assert "mug_1" in written[0].text and "is where" in written[0].text
    assert written[0].pose.pose.position.x == pytest.approx(1.5, abs=0.1)
    assert [item.feedback.phase for item in driver.feedback][-1] == "looking"


def test_object_that_was_moved_is_verified_at_the_second_place(bench: NodeBench, base: Any) -> None:
    remember(bench, NEAR, OTHER_PLACE)
    base("succeed")
    result = start_goals(bench, "no", "yes").go(object_id="mug_1", verify_on_arrival=True)
    assert result.outcome == Outcome.VERIFIED
    assert "not at the place where I looked first" in result.message
    assert at(result) == pytest.approx((0.0, 2.0), abs=0.1)


def test_robot_turns_to_the_thing_before_it_looks(bench: NodeBench, base: Any) -> None:
    """By hand: from (1.5, 0.4) the mug at (1.5 + 3, 0.4 + 1.1) lies 20.1 degrees to the left."""
    place = (4.5, 1.5, 1.0)
    writer = Writer(bench.memory_dir)
    seen = [measured(item, place) for item in (NEAR, NEAR_BESIDE)]
    writer.commit_chunk(graph(1, [NEAR, NEAR_BESIDE], [descriptor("mug_1", *seen)]))
    writer.close()
    base("succeed")
    driver = start_goals(bench, "yes", standoff_m=0.0)
    goals = bench.heard(PoseStamped, endpoints.GOAL, endpoints.LATCHED)
    result = driver.go(object_id="mug_1", verify_on_arrival=True)
    assert result.outcome == Outcome.VERIFIED
    bench.until(lambda: len(goals) == 2, "a goal to drive to and one to turn to")
    first, turned = goals
    assert math.dist(_place(first), _place(turned)) < 0.1
    yaw_rad = 2.0 * math.atan2(turned.pose.orientation.z, turned.pose.orientation.w)
    x_m, y_m = _place(turned)
    assert yaw_rad == pytest.approx(math.atan2(1.5 - y_m, 4.5 - x_m), abs=0.05)


def _place(goal: Any) -> tuple[float, float]:
    return (goal.pose.position.x, goal.pose.position.y)


def test_object_that_is_gone_is_not_found_and_that_is_written_down(
    bench: NodeBench, base: Any
) -> None:
    remember(bench, NEAR, OTHER_PLACE)
    base("succeed")
    written = diary(bench)
    driver = start_goals(bench, "no")
    result = driver.go(object_id="mug_1", verify_on_arrival=True)
    assert result.outcome == Outcome.NOT_FOUND
    assert result.message == (
        "I looked where I had seen the mug, and it was not there. I looked at 2 places."
    )
    bench.until(lambda: len(written) == 2, "an observation of each look")
    assert all("is not where" in item.text for item in written)


def test_what_came_of_a_look_is_kept_in_the_memory(bench: NodeBench, base: Any) -> None:
    remember(bench, NEAR)
    base("succeed")
    bench.start(EpisodicNode, base_url="")
    driver = start_goals(bench, "no")
    driver.go(object_id="mug_1", verify_on_arrival=True)
    past, last = Past(bench.memory_dir), None

    def is_kept() -> bool:
        nonlocal last
        last = past.last_of("action")
        return last is not None and "mug_1" in last.observation.text

    bench.until(is_kept, "the observation on disk")
    past.close()
    assert last is not None
    assert "is not where" in last.observation.text
    assert last.observation.map_from_base.position_m[0] == pytest.approx(1.5, abs=0.1)


@pytest.mark.parametrize("reply", ["unsure", "maybe"])
def test_arrival_that_cannot_be_verified_is_not_called_verified(
    reply: str, bench: NodeBench, base: Any
) -> None:
    remember(bench, NEAR)
    base("succeed")
    result = start_goals(bench, reply).go(object_id="mug_1", verify_on_arrival=True)
    assert result.outcome == Outcome.ARRIVED
    assert "cannot tell whether the mug is here" in result.message


def test_camera_that_is_silent_is_said_so(bench: NodeBench, base: Any) -> None:
    remember(bench, NEAR)
    base("succeed")
    node = bench.start(GoalNode, **{**PATIENT, "picture_timeout_s": 0.3})
    node.means.eye.model = RecordedChat('{"present": "yes"}')
    result = Driver(bench).go(object_id="mug_1", verify_on_arrival=True)
    assert result.outcome == Outcome.ARRIVED
    assert "no picture came" in result.message


@pytest.mark.parametrize(
    ("behavior", "outcome", "words"),
    [
        ("reject", Outcome.NAV_REJECTED, "refused"),
        ("inactive", Outcome.NAV_UNAVAILABLE, "not active"),
        ("abort", Outcome.NAV_ABORTED, "told to abort"),
        ("short", Outcome.NAV_ABORTED, "m away from there"),
        ("hang", Outcome.TIMEOUT, "too long"),
        ("lose", Outcome.TIMEOUT, "not confirmed"),
        ("blind", Outcome.NAV_ABORTED, "no longer know where I am"),
    ],
)
def test_each_behavior_of_navigation_has_its_outcome(
    behavior: str, outcome: Outcome, words: str, bench: NodeBench, base: Any
) -> None:
    remember(bench, keyframe(1, base=Pose.planar(20.0, 0.0, 0.0)))
    base(behavior)
    drive_timeout_s = 1.0 if outcome is Outcome.TIMEOUT else 30.0
    driver = start_goals(bench, server_timeout_s=0.5, drive_timeout_s=drive_timeout_s)
    result = driver.go(keyframe_id=1)
    assert (result.outcome, words in result.message) == (outcome, True), result.message


def test_robot_that_is_lost_tries_no_other_place(bench: NodeBench, base: Any) -> None:
    remember(bench, NEAR, OTHER_PLACE)
    base("blind")
    driver = start_goals(bench)
    assert driver.go(object_id="mug_1").outcome == Outcome.NAV_ABORTED
    assert {item.feedback.candidate for item in driver.feedback if item.feedback.candidate} == {1}


def test_absent_navigation_is_said_so(bench: NodeBench) -> None:
    remember(bench, NEAR)
    result = start_goals(bench).go(keyframe_id=1)
    assert result.outcome == Outcome.NAV_UNAVAILABLE
    assert "not running" in result.message


@pytest.mark.parametrize(
    ("parameters", "outcome", "words"),
    [
        ({"map_id": "cellar"}, Outcome.OTHER_MAP, "another map"),
        ({"allowed_maps": ["cellar"]}, Outcome.NO_VALID_GOAL, "not allowed to drive on this map"),
        ({"keep_out": ["1 -1, 2 -1, 2 1, 1 1"]}, Outcome.NO_VALID_GOAL, "not allowed to go there"),
        ({"max_memory_age_s": 3600.0}, Outcome.NO_VALID_GOAL, "too old"),
        ({"dry_run": True}, Outcome.NAV_UNAVAILABLE, "set up not to drive"),
    ],
)
def test_what_the_parameters_forbid_is_never_driven_to(
    parameters: dict[str, Any], outcome: Outcome, words: str, bench: NodeBench, base: Any
) -> None:
    """The keyframes are from 1970, so an hour is too old."""
    remember(bench, NEAR)
    robot = base("succeed")
    result = start_goals(bench, **parameters).go(keyframe_id=1)
    assert (result.outcome, words in result.message) == (outcome, True), result.message
    assert not robot.has_driven


def test_unlocalised_keyframe_is_never_driven_to(bench: NodeBench, base: Any) -> None:
    remember(bench, replace(NEAR, is_localized=False))
    robot = base("succeed")
    assert start_goals(bench).go(keyframe_id=1).outcome == Outcome.NO_VALID_GOAL
    assert not robot.has_driven


def test_mistake_in_a_parameter_is_told_before_anything_drives(bench: NodeBench) -> None:
    with pytest.raises(ConfigurationError, match="keep_out"):
        bench.make(GoalNode, keep_out=["1 1, 2 2"])


def test_cancelled_goal_ends_cancelled_and_the_robot_stands(bench: NodeBench, base: Any) -> None:
    remember(bench, keyframe(1, base=Pose.planar(1000.0, 0.0, 0.0)))
    robot = base("succeed")
    driver = start_goals(bench)
    handle = driver.send(keyframe_id=1)
    bench.until(lambda: robot.is_driving, "the robot to drive")
    bench.result(handle.cancel_goal_async(), "the cancellation")
    assert driver.end_of(handle).outcome == Outcome.CANCELED
    assert not robot.is_driving


def test_emergency_stop_stops_the_robot_and_says_so(bench: NodeBench, base: Any) -> None:
    remember(bench, keyframe(1, base=Pose.planar(1000.0, 0.0, 0.0)))
    robot = base("succeed")
    driver = start_goals(bench)
    handle = driver.send(keyframe_id=1)
    bench.until(lambda: robot.is_driving, "the robot to drive")
    answer = bench.call(Trigger, endpoints.STOP, Trigger.Request())
    assert answer.success
    assert "1 goals called off" in answer.message
    result = driver.end_of(handle)
    assert (result.outcome, result.message) == (Outcome.CANCELED, "I was told to stop.")
    assert not robot.is_driving


def test_goals_50_ms_apart_end_with_exactly_one_that_drives(bench: NodeBench, base: Any) -> None:
    far = [keyframe(n, base=Pose.planar(1000.0, 10.0 * n, 0.0)) for n in (1, 2, 3)]
    remember(bench, *far)
    robot = base("succeed")
    driver = start_goals(bench)
    sent: list[Any] = []

    def send_next() -> None:
        if len(sent) < 3:
            sent.append(driver.start(keyframe_id=len(sent) + 1))

    bench.user.create_timer(0.05, send_next)
    bench.until(lambda: len(sent) == 3 and sent[-1].done(), "three goals")
    handles = [bench.result(item, "an answer to the goal") for item in sent]
    for handle in handles[:2]:
        assert driver.end_of(handle).outcome == Outcome.SUPERSEDED
    bench.until(lambda: robot.goal_y_m == 30.0, "the third goal to be driven to")
    last = handles[2].get_result_async()
    bench.until(lambda: bool(driver.feedback), "feedback")
    assert not last.done()
    bench.result(handles[2].cancel_goal_async(), "the cancellation")
    assert bench.result(last, "the result").result.outcome == Outcome.CANCELED
    assert not robot.is_driving
