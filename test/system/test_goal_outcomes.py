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
from PIL import Image
from rclpy.parameter import Parameter
from robot_memory.srv import AddObservation
from std_msgs.msg import String
from std_srvs.srv import Trigger

from memory_nodes.errors import ConfigurationError
from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Cause, Outcome
from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.records import Keyframe, ObjectDescriptor, ObjectStatus
from memory_nodes.ros import endpoints
from memory_nodes.store.past import Past
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.goal_driver import SOON, Camera, Driver, cause_of, remember
from memory_test_support.model_server import ModelServer
from memory_test_support.node_bench import NodeBench
from memory_test_support.recorded_models import RecordedChat
from memory_test_support.records import box, descriptor, graph, keyframe, measured, view
from memory_test_support.simulated_base import SimulatedBase
from memory_test_support.tour import load_tour, load_truth

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
        written.append(request)
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
    assert (cause_of(result), result.message) == (Cause.ARRIVED, "I have arrived.")
    assert at(result) == pytest.approx((1.5, 0.0), abs=0.1)


def test_verified_is_said_when_the_model_sees_it_and_is_written_down(
    bench: NodeBench, base: Any
) -> None:
    remember(bench, NEAR)
    base("succeed")
    written = diary(bench)
    driver = start_goals(bench, "yes")
    result = driver.go(object_id="mug_1", verify_on_arrival=True)
    assert cause_of(result) is Cause.VERIFIED
    assert result.message == "I have arrived, and the mug is here."
    bench.until(lambda: len(written) == 1, "an observation of the look")
    (look,) = written
    said = look.observation
    assert "mug_1" in said.text and "is where" in said.text
    assert said.pose.pose.position.x == pytest.approx(1.5, abs=0.1)
    assert (look.object_id, look.keyframe_id, look.is_there) == ("mug_1", 1, True)
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
    assert cause_of(result) is Cause.NOT_THERE
    assert result.message == (
        "I looked where I had seen the mug, and it was not there. I looked at 2 places."
    )
    bench.until(lambda: len(written) == 2, "an observation of each look")
    assert all("is not where" in item.observation.text for item in written)
    assert [(item.keyframe_id, item.is_there) for item in written] == [(1, False), (2, False)]


def test_object_is_verified_where_the_model_server_sees_it_and_not_where_it_was(
    bench: NodeBench, base: Any
) -> None:
    """On the tour a frame without the backpack shows where it was, one with it where it is."""
    views = [view(NEAR.keyframe_id), view(OTHER_PLACE.keyframe_id, box(side_px=100.0))]
    backpack = descriptor("backpack_1", *views, description="fabric backpack, red and grey")
    writer = Writer(bench.memory_dir)
    writer.commit_chunk(graph(1, [NEAR, OTHER_PLACE], [backpack]))
    writer.close()
    without, with_it = _tour_pictures("backpack_1")
    base("succeed")
    poses = bench.heard(PoseStamped, "/simulated_base/pose", endpoints.LATCHED)
    bench.until(lambda: bool(poses), "word of where the robot is")
    Camera(bench, lambda: with_it if poses[-1].pose.position.y > 1.0 else without)
    with ModelServer() as server:
        bench.start(GoalNode, **PATIENT, base_url=server.base_url, model="any")
        result = Driver(bench).go(object_id="backpack_1", verify_on_arrival=True)
        assert server.requests == {"arrival_check": 2}
    assert cause_of(result) is Cause.VERIFIED
    assert "not at the place where I looked first" in result.message


def _tour_pictures(instance: str) -> list[Image.Image]:
    """A frame of the tour without a thing, and one with it."""
    is_in = [any(seen.instance_id == instance for seen in views) for views in load_truth().views]
    frames = load_tour().frames
    return [Image.open(frames[is_in.index(wanted)].image_path) for wanted in (False, True)]


def test_object_that_is_missed_from_three_sides_is_missing_until_it_is_seen(
    bench: NodeBench, base: Any
) -> None:
    """Its place is not known: the lens is not. So it is looked for from wherever it was seen."""
    third = keyframe(3, base=Pose.planar(-1.0, 0.0, math.pi))
    seen_from = [replace(item, intrinsics=None) for item in (NEAR, OTHER_PLACE, third)]
    remember(bench, *seen_from, shrink_px=40.0)
    base("succeed")
    bench.start(EpisodicNode, base_url="")
    driver = start_goals(bench, "no", "no", "no", "yes")
    reader = Reader(bench.memory_dir)

    def mug() -> ObjectDescriptor:
        return reader.objects(["mug_1"])[0]

    seen_ns = mug().last_seen_ns
    assert cause_of(driver.go(object_id="mug_1", verify_on_arrival=True)) is Cause.NOT_THERE
    bench.until(lambda: mug().status == ObjectStatus.MISSING, "the mug to be missing")
    assert cause_of(driver.go(object_id="mug_1", verify_on_arrival=True)) is Cause.VERIFIED
    bench.until(lambda: mug().status == ObjectStatus.PRESENT, "the mug to be found")
    assert mug().last_seen_ns > seen_ns
    reader.close()


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
    assert cause_of(result) is Cause.UNSURE
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
    ("behavior", "cause", "words"),
    [
        ("reject", Cause.REJECTED, "refused"),
        ("inactive", Cause.INACTIVE, "not active"),
        ("abort", Cause.ABORTED, "told to abort"),
        ("short", Cause.STOPPED_SHORT, "m away from there"),
        ("hang", Cause.SILENT, "too long"),
        ("lose", Cause.SILENT, "not confirmed"),
        ("blind", Cause.TF_LOST, "no longer know where I am"),
    ],
)
def test_each_behavior_of_navigation_has_its_cause(
    behavior: str, cause: Cause, words: str, bench: NodeBench, base: Any
) -> None:
    remember(bench, keyframe(1, base=Pose.planar(20.0, 0.0, 0.0)))
    base(behavior)
    drive_timeout_s = 1.0 if cause is Cause.SILENT else 30.0
    driver = start_goals(bench, server_timeout_s=0.5, drive_timeout_s=drive_timeout_s)
    result = driver.go(keyframe_id=1)
    assert (cause_of(result), words in result.message) == (cause, True), result.message


def test_robot_that_is_lost_tries_no_other_place(bench: NodeBench, base: Any) -> None:
    remember(bench, NEAR, OTHER_PLACE)
    base("blind")
    driver = start_goals(bench)
    assert driver.go(object_id="mug_1").outcome == Outcome.NAV_ABORTED
    assert {item.feedback.candidate for item in driver.feedback if item.feedback.candidate} == {1}


def test_absent_navigation_is_said_so(bench: NodeBench) -> None:
    remember(bench, NEAR)
    result = start_goals(bench).go(keyframe_id=1)
    assert cause_of(result) is Cause.SERVER_ABSENT
    assert result.message == "I cannot drive: navigation is not running."


@pytest.mark.parametrize(
    ("parameters", "cause"),
    [
        ({"map_id": "cellar"}, Cause.OTHER_MAP),
        ({"map_frame": "odom"}, Cause.OTHER_MAP),
        ({"allowed_maps": ["cellar"]}, Cause.MAP_FORBIDDEN),
        ({"keep_out": ["1 -1, 2 -1, 2 1, 1 1"]}, Cause.KEPT_OUT),
        ({"max_memory_age_s": 3600.0}, Cause.TOO_OLD),
        ({"dry_run": True}, Cause.DRY_RUN),
    ],
)
def test_what_the_parameters_forbid_is_never_driven_to(
    parameters: dict[str, Any], cause: Cause, bench: NodeBench, base: Any
) -> None:
    """The keyframes are from 1970, so an hour is too old."""
    remember(bench, NEAR)
    robot = base("succeed")
    result = start_goals(bench, **parameters).go(keyframe_id=1)
    assert (cause_of(result), result.message) == (cause, cause.sentence)
    assert not robot.has_driven


@pytest.mark.parametrize(
    ("doubtful", "cause"),
    [
        (replace(NEAR, is_localized=False), Cause.UNSURE_PLACE),
        (replace(NEAR, stale_m=0.6), Cause.STALE),
        (replace(NEAR, stale_m=50.0), Cause.STALE),
    ],
)
def test_keyframe_of_a_doubtful_place_is_never_driven_to(
    doubtful: Keyframe, cause: Cause, bench: NodeBench, base: Any
) -> None:
    remember(bench, doubtful)
    robot = base("succeed")
    assert cause_of(start_goals(bench).go(keyframe_id=1)) is cause
    assert not robot.has_driven


def under_way(bench: NodeBench, base: Any) -> tuple[Any, Any, Any]:
    """The base, the driver and the goal, on a way that takes long."""
    remember(bench, keyframe(1, base=Pose.planar(1000.0, 0.0, 0.0)))
    robot = base("succeed")
    driver = start_goals(bench)
    handle = driver.send(keyframe_id=1)
    bench.until(lambda: robot.is_driving, "the robot to drive")
    return robot, driver, handle


def test_map_that_changes_under_way_stops_the_robot(bench: NodeBench, base: Any) -> None:
    robot, driver, handle = under_way(bench, base)
    maps = bench.publisher(String, endpoints.CURRENT_MAP, endpoints.LATCHED)
    maps.publish(String(data="cellar"))
    assert cause_of(driver.end_of(handle)) is Cause.MAP_CHANGED
    assert not robot.is_driving


def test_nothing_is_driven_to_while_the_map_is_unknown(bench: NodeBench, base: Any) -> None:
    robot, driver, handle = under_way(bench, base)
    maps = bench.publisher(String, endpoints.CURRENT_MAP, endpoints.LATCHED)
    maps.publish(String(data=""))
    assert cause_of(driver.end_of(handle)) is Cause.MAP_CHANGED
    assert cause_of(driver.go(keyframe_id=1)) is Cause.MAP_UNKNOWN
    assert not robot.is_driving


def test_mistake_in_a_parameter_is_told_before_anything_drives(bench: NodeBench) -> None:
    with pytest.raises(ConfigurationError, match="keep_out"):
        bench.make(GoalNode, keep_out=["1 1, 2 2"])


def test_cancelled_goal_ends_cancelled_and_the_robot_stands(bench: NodeBench, base: Any) -> None:
    robot, driver, handle = under_way(bench, base)
    bench.result(handle.cancel_goal_async(), "the cancellation")
    assert cause_of(driver.end_of(handle)) is Cause.CANCELED
    assert not robot.is_driving


def test_emergency_stop_stops_the_robot_and_says_so(bench: NodeBench, base: Any) -> None:
    robot, driver, handle = under_way(bench, base)
    answer = bench.call(Trigger, endpoints.STOP, Trigger.Request())
    assert answer.success
    assert "1 goals called off" in answer.message
    result = driver.end_of(handle)
    assert (cause_of(result), result.message) == (Cause.STOPPED, "I was told to stop.")
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
        assert cause_of(driver.end_of(handle)) is Cause.REPLACED
    bench.until(lambda: robot.goal_y_m == 30.0, "the third goal to be driven to")
    last = handles[2].get_result_async()
    bench.until(lambda: bool(driver.feedback), "feedback")
    assert not last.done()
    bench.result(handles[2].cancel_goal_async(), "the cancellation")
    assert bench.result(last, "the result").result.outcome == Outcome.CANCELED
    assert not robot.is_driving
