"""A memory to drive to, a user of the goal node, and a camera."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PIL import Image as PilImage
from rclpy.action import ActionClient
from robot_memory.action import NavigateToMemory
from sensor_msgs.msg import Image

from memory_nodes.navigation.outcomes import Cause
from memory_nodes.records import Keyframe
from memory_nodes.ros import endpoints
from memory_nodes.ros.images import raw_msg
from memory_nodes.store.writer import Writer
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import box, descriptor, graph, view

SOON = {"server_timeout_s": 1.0, "drive_timeout_s": 1.0, "navigate_action": "/navigate_to_pose"}
"""Parameters with which the goal node does not wait long."""


def remember(bench: NodeBench, *keyframes: Keyframe, shrink_px: float = 80.0) -> None:
    """A memory in which every keyframe shows mug_1, later ones smaller."""
    views = [
        view(item.keyframe_id, box(side_px=200.0 - shrink_px * n))
        for n, item in enumerate(keyframes)
    ]
    writer = Writer(bench.memory_dir)
    writer.commit_chunk(graph(1, keyframes, [descriptor("mug_1", *views, color="red")]))
    writer.close()


def cause_of(result: Any) -> Cause:
    """Why a goal has ended; its outcome is that of the cause."""
    cause = Cause[result.cause.upper()]
    assert result.outcome == cause.outcome
    return cause


def white() -> PilImage.Image:
    """What a camera sees before a wall."""
    return PilImage.new("RGB", (64, 48), "white")


class Camera:
    """Shows all the time what it sees, stamped now."""

    def __init__(self, bench: NodeBench, sees: Callable[[], PilImage.Image] = white) -> None:
        publisher = bench.user.create_publisher(Image, endpoints.IMAGE, endpoints.SENSOR)

        def show() -> None:
            image = raw_msg(sees())
            image.header.stamp = bench.user.get_clock().now().to_msg()
            publisher.publish(image)

        bench.user.create_timer(0.05, show)


class Driver:
    """Sends goals to the goal node and waits for their results."""

    def __init__(self, bench: NodeBench) -> None:
        self._bench = bench
        self.client: Any = ActionClient(bench.user, NavigateToMemory, endpoints.NAVIGATE_TO_MEMORY)
        bench.until(self.client.server_is_ready, "the goal node")
        self.feedback: list[Any] = []

    def start(self, **goal: Any) -> Any:
        """The future of the goal's handle."""
        return self.client.send_goal_async(
            NavigateToMemory.Goal(**goal), feedback_callback=self.feedback.append
        )

    def send(self, **goal: Any) -> Any:
        return self._bench.result(self.start(**goal), "an answer to the goal")

    def end_of(self, handle: Any) -> Any:
        return self._bench.result(handle.get_result_async(), "the result").result

    def go(self, **goal: Any) -> Any:
        return self.end_of(self.send(**goal))
