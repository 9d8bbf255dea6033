"""What the robot did, written down in the memory."""

from __future__ import annotations

from typing import Any

from rclpy.client import Client
from rclpy.task import Future
from robot_memory.srv import AddObservation

from memory_nodes.records import ArrivalLook
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import time_from_msg
from memory_nodes.ros.memory_node import MemoryNode

LOST = "dropped_looks_not_written"


class Diary:
    """Hands looks to episodic_node, and counts what is not acknowledged.

    To be made while its node starts.
    """

    def __init__(self, node: MemoryNode) -> None:
        self._node = node
        self._client: Client[Any, Any] = node.create_client(
            AddObservation, endpoints.OBSERVE, callback_group=node.side_by_side
        )
        node.on_stop(lambda: node.destroy_client(self._client))

    def write(self, look: AddObservation.Request) -> None:
        """Does not wait: a drive goes on while the disk is slow."""
        if not self._client.service_is_ready():
            self._node.counters[LOST] += 1
            return
        writing = self._client.call_async(look)
        writing.add_done_callback(self._on_written)

    def _on_written(self, writing: Future[Any]) -> None:
        answer = writing.result()
        if answer is None or not answer.success:
            self._node.counters[LOST] += 1
            reason = answer.message if answer is not None else "no answer"
            self._node.get_logger().warning(f"a look was not written down: {reason}")


def look_from(request: AddObservation.Request) -> ArrivalLook | None:
    """What a request says of an object; None where it speaks of none."""
    if not request.object_id:
        return None
    return ArrivalLook(
        object_id=request.object_id,
        keyframe_id=int(request.keyframe_id),
        stamp_ns=time_from_msg(request.observation.header.stamp),
        map_id=request.observation.map_id,
        is_there=request.is_there,
    )
