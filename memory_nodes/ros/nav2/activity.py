"""Whether Nav2 is active."""

from __future__ import annotations

from typing import Any

from lifecycle_msgs.msg import State
from lifecycle_msgs.srv import GetState
from rclpy.client import Client

from memory_nodes.ros.memory_node import MemoryNode


class Activity:
    """Asks a managed node for its state. To be made while its node starts."""

    def __init__(self, node: MemoryNode, managed: str, timeout_s: float) -> None:
        self._node = node
        self._timeout_s = timeout_s
        self._client: Client[Any, Any] = node.create_client(
            GetState, f"{managed}/get_state", callback_group=node.side_by_side
        )
        node.on_stop(lambda: node.destroy_client(self._client))

    async def is_inactive(self) -> bool:
        """Whether it says of itself that it is not active; False where nobody says."""
        if not self._client.service_is_ready():
            return False
        asking = self._client.call_async(GetState.Request())
        if not await self._node.within(self._timeout_s, asking):
            self._client.remove_pending_request(asking)
            return False
        answer: Any = asking.result()
        return answer is not None and answer.current_state.id != State.PRIMARY_STATE_ACTIVE
