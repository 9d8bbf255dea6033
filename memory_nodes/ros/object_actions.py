"""What a person may do with an object of the memory from RViz."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.action.client import ActionClient
from rclpy.task import Future
from robot_memory.action import NavigateToMemory
from robot_memory.srv import EditObject, ForgetMemory
from std_msgs.msg import String

from memory_nodes.ros import endpoints
from memory_nodes.ros.asking import ask, client_of
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.object_menu import Choice

NO_ANSWER = "the memory does not answer: is episodic_node active?"
FORGET_TIMEOUT_S = 60.0
"""Pictures are painted over, one by one."""


class ObjectActions:
    """Does what was chosen, and tells what came of it. To be made while its node starts.

    Args:
        told: takes the id of an object and what to say of it.
        show_evidence: takes the id of an object.
    """

    def __init__(
        self,
        node: MemoryNode,
        told: Callable[[str, str], None],
        show_evidence: Callable[[str], None],
    ) -> None:
        self._node = node
        self._told = told
        self._show_evidence = show_evidence
        self._renamed_id: str | None = None
        self._edit = client_of(node, EditObject, endpoints.EDIT_OBJECT)
        self._forget = client_of(node, ForgetMemory, endpoints.FORGET)
        self._drive: ActionClient[Any, Any, Any] = ActionClient(
            node, NavigateToMemory, endpoints.NAVIGATE_TO_MEMORY, callback_group=node.side_by_side
        )
        node.on_stop(self._drive.destroy)
        node.listen(String, endpoints.NEW_NAME, self._on_name, endpoints.EVENT)

    def do(self, choice: Choice, object_id: str) -> None:
        """Begins it; what comes of it is told later."""
        self._node.get_logger().info(f"{object_id}: {choice.name.lower()} was chosen")
        if choice is Choice.GO_HERE:
            self._go_to(object_id)
        elif choice is Choice.SHOW_EVIDENCE:
            self._show_evidence(object_id)
        elif choice is Choice.RENAME:
            self._renamed_id = object_id
            topic = self._node.resolve_topic_name(endpoints.NEW_NAME)
            self._told(object_id, f"publish its name on {topic}")
        elif choice is Choice.FORGET_FOR_GOOD:
            request = ForgetMemory.Request(ids=[object_id])
            self._ask(self._forget, request, object_id, "forgotten", FORGET_TIMEOUT_S)

    def _on_name(self, message: String) -> None:
        """RViz has no field for a text: the name comes by a topic, once for each choice."""
        object_id, self._renamed_id = self._renamed_id, None
        name = message.data.strip()
        if object_id is None or not name:
            return
        request = EditObject.Request(
            operation=EditObject.Request.RENAME, object_ids=[object_id], text=name
        )
        self._ask(self._edit, request, object_id, f"is now called {name}")

    def _ask(
        self, client: Any, request: Any, object_id: str, done: str, timeout_s: float = 10.0
    ) -> None:
        def then(response: Any | None) -> None:
            if response is None:
                self._told(object_id, NO_ANSWER)
            else:
                self._told(object_id, done if response.success else str(response.message))

        ask(self._node, client, request, then, timeout_s)

    def _go_to(self, object_id: str) -> None:
        if not self._drive.server_is_ready():
            self._told(object_id, "cannot go there: is goal_node active?")
            return
        goal = NavigateToMemory.Goal(object_id=object_id)
        sending = self._drive.send_goal_async(goal)
        sending.add_done_callback(lambda done: self._on_sent(object_id, done))

    def _on_sent(self, object_id: str, sending: Future[Any]) -> None:
        handle = sending.result()
        if handle is None or not handle.accepted:
            self._told(object_id, "cannot go there")
            return
        ending = handle.get_result_async()
        ending.add_done_callback(lambda done: self._told(object_id, done.result().result.message))
