"""Nav2's costmap and planner over DDS: asked where they are there, and never waited for long."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.task import Future

pytest.importorskip("nav2_msgs.srv", reason="the stand-in nav2_msgs is not built with services")

from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Cause, Outcome
from memory_nodes.navigation.preflight import UNKNOWN_COST
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.ros.nav2 import shapes
from memory_test_support.costmap_server import CostmapServer
from memory_test_support.floor_plan import Area, FloorPlan
from memory_test_support.goal_driver import SOON, Driver, cause_of, remember
from memory_test_support.navigator import Navigator
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import keyframe

ROOM = Area(-5.0, -5.0, 5.0, 5.0)
TAKEN = FloorPlan(ROOM, low=(Area(0.95, 1.95, 1.05, 2.05),))
WALLED = FloorPlan(ROOM, walls=(Area(0.4, -9.0, 0.5, 9.0),))
FULL = FloorPlan(ROOM, low=(Area(-0.5, 0.5, 2.5, 3.5),))
SMALL = FloorPlan(Area(-5.0, -5.0, 5.0, 1.0))
HERE = keyframe(1, base=Pose.planar(1.0, 2.0, 0.5))


def start(
    bench: NodeBench, floor: FloorPlan, mode: str = "answer", **parameters: Any
) -> tuple[Any, Any, Driver]:
    """The navigator, the costmap server, and a driver of the goal node, which has found both."""
    remember(bench, HERE)
    navigator = bench.make(Navigator)
    make = partial(CostmapServer, floor, Pose.planar(0.0, 0.0, 0.0), mode)
    server = bench.make(lambda **options: make(**_without_overrides(options)))
    node = bench.start(GoalNode, **{**SOON, "preflight_timeout_s": 0.5, **parameters})
    bench.until(lambda: node.means.preflight.planner.is_ready, "costmap and planner")
    return navigator, server, Driver(bench)


def _without_overrides(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != "parameter_overrides"}


def test_pose_that_is_taken_gives_way_to_a_free_one(bench: NodeBench) -> None:
    navigator, _, driver = start(bench, TAKEN)
    assert driver.go(keyframe_id=1).outcome == Outcome.ARRIVED
    (goal,) = navigator.goals
    assert TAKEN.is_free(goal.pose.position.x, goal.pose.position.y)


@pytest.mark.parametrize(
    ("floor", "cause"),
    [(WALLED, Cause.UNREACHABLE), (FULL, Cause.OCCUPIED), (SMALL, Cause.OCCUPIED)],
)
def test_place_that_is_taken_off_the_map_or_out_of_reach_is_not_driven_to(
    floor: FloorPlan, cause: Cause, bench: NodeBench
) -> None:
    navigator, _, driver = start(bench, floor)
    assert cause_of(driver.go(keyframe_id=1)) is cause
    assert navigator.goals == []


def test_servers_that_are_silent_do_not_block(bench: NodeBench) -> None:
    navigator, server, driver = start(bench, FULL, "silent")
    assert driver.go(keyframe_id=1).outcome == Outcome.ARRIVED
    assert server.asked == 1
    assert len(navigator.goals) == 1


def test_planner_that_is_not_active_does_not_block(bench: NodeBench) -> None:
    navigator, _, driver = start(bench, WALLED, "refuse")
    assert driver.go(keyframe_id=1).outcome == Outcome.ARRIVED
    assert len(navigator.goals) == 1


def test_nothing_is_asked_where_preflight_is_off(bench: NodeBench) -> None:
    remember(bench, HERE)
    bench.make(Navigator)
    make = partial(CostmapServer, FULL, Pose.planar(0.0, 0.0, 0.0))
    server = bench.make(lambda **options: make(**_without_overrides(options)))
    bench.start(GoalNode, **SOON, preflight=False)
    assert Driver(bench).go(keyframe_id=1).outcome == Outcome.ARRIVED
    assert server.asked == 0


def test_costs_that_come_too_slowly_are_waited_for_together(
    bench: NodeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service of one pose is asked for hundreds: what it tells in time is used."""
    node = bench.start(GoalNode, **SOON, preflight_timeout_s=0.3)
    planner = node.means.preflight.planner
    asked: list[Any] = []

    class Tiring:
        """A client of a server that answers twice."""

        def service_is_ready(self) -> bool:
            return True

        def call_async(self, request: Any) -> Future[Any]:
            asked.append(request)
            answer = Future[Any](executor=node.executor)
            if len(asked) <= 2:
                answer.set_result(SimpleNamespace(cost=0.0))
            return answer

        def remove_pending_request(self, asking: Future[Any]) -> None:
            pass

    monkeypatch.setattr(planner, "_costs", Tiring())
    monkeypatch.setattr(shapes, "cost_requests", lambda kind, poses: poses)
    costs = bench.executor.create_task(planner.costs, [HERE.map_from_base] * 200)
    assert bench.result(costs, "the costs", 5.0) == [0.0, 0.0, *[UNKNOWN_COST] * 198]
    assert len(asked) == 3
