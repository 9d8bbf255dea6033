"""Calls a service of the suite, and never waits for it longer than allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.client import Client
from rclpy.task import Future

from memory_nodes.ros.memory_node import MemoryNode

ANSWER_TIMEOUT_S = 10.0


def ask(
    node: MemoryNode,
    client: Client[Any, Any],
    request: Any,
    then: Callable[[Any | None], None],
    timeout_s: float = ANSWER_TIMEOUT_S,
) -> None:
    """``then`` gets the response; None where nobody serves, or none came in time."""
    if not client.service_is_ready():
        then(None)
        return
    asking: Future[Any] = client.call_async(request)

    async def waiting() -> None:
        if await node.within(timeout_s, asking):
            response = asking.result()
        else:
            client.remove_pending_request(asking)
            response = None
        node.in_executor(lambda: then(response))

    assert node.executor is not None
    node.executor.create_task(waiting)


def client_of(node: MemoryNode, kind: type[Any], name: str) -> Client[Any, Any]:
    """A client that lives while the node is active."""
    client: Client[Any, Any] = node.create_client(kind, name, callback_group=node.side_by_side)
    node.on_stop(lambda: node.destroy_client(client))
    return client
