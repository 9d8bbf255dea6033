"""What the robot did, written down in the memory."""

from __future__ import annotations

from typing import Any

from rclpy.client import Client
from rclpy.task import Future
from robot_memory.msg import Observation
from robot_memory.srv import AddObservation

from memory_nodes.ros import endpoints
from memory_nodes.ros.memory_node import MemoryNode

LOST = "dropped_looks_not_written"


class Diary:
    """Hands observations to episodic_node, and counts what is not acknowledged.

    To be made while its node starts.
    """

    def __init__(self, node: MemoryNode) -> None:
        self._node = node
        self._client: Client[Any, Any] = node.create_client(
            AddObservation, endpoints.OBSERVE, callback_group=node.side_by_side
        )
        node.on_stop(lambda: node.destroy_client(self._client))

    def write(self, observation: Observation) -> None:
        """Does not wait: a drive goes on while the disk is slow."""
        if not self._client.service_is_ready():
            self._node.counters[LOST] += 1
            return
        writing = self._client.call_async(AddObservation.Request(observation=observation))
        writing.add_done_callback(self._on_written)

    def _on_written(self, writing: Future[Any]) -> None:
        answer = writing.result()
        if answer is None or not answer.success:
            self._node.counters[LOST] += 1
            reason = answer.message if answer is not None else "no answer"
            self._node.get_logger().warning(f"a look was not written down: {reason}")
