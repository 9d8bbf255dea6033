"""What every node of the suite is: managed, with the parameters that all share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from std_msgs.msg import String

from memory_nodes.errors import RobotMemoryError
from memory_nodes.models.background import BackgroundLoop
from memory_nodes.ros.active_node import ActiveNode
from memory_nodes.ros.changing import Changes
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.endpoints import CURRENT_MAP, DIAGNOSTICS, EVENT, LATCHED
from memory_nodes.store.database import refuse_newer
from memory_nodes.suite import SuiteConfig

DIAGNOSTICS_PERIOD_S = 2.0


class MemoryNode(ActiveNode):
    """A managed node.

    A subclass declares parameters in its constructor, opens in ``open`` what it needs, each with
    its ``on_close``, and makes in ``start`` the topics, timers and services that it has while
    active. Whatever ``start`` makes through this class is gone again after deactivation.
    """

    def __init__(self, name: str, **options: Any) -> None:
        self._closing: list[Callable[[], object]] = []
        self._is_open = False
        super().__init__(name, **options)
        self.suite = declare(self, SuiteConfig)
        self.knows_map = True
        """Whether the robot is on ``suite.map_id``; False: nobody can tell yet."""
        Changes(self, self._on_parameters)

    def open(self) -> None:
        """Opens what the node needs; raises RobotMemoryError when it cannot."""

    def use_parameters(self) -> None:
        """Makes what depends on dynamic parameters: after ``open``, and whenever one changes."""

    def start(self) -> None:
        """Makes topics, timers and services."""

    def on_map(self) -> None:
        """The robot is on another map now: ``suite.map_id`` says on which."""

    def on_map_unknown(self) -> None:
        """Nobody can tell any more on which map the robot is."""

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._is_open = True
        self.background = BackgroundLoop(f"{self.get_name()}_models")
        try:
            refuse_newer(self.suite.memory_path)
            self.open()
            self.use_parameters()
        except Exception as error:  # noqa: BLE001 rclpy would swallow it without a word
            self.get_logger().error(f"cannot be configured: {error}")
            if not isinstance(error, RobotMemoryError):
                self.survived(error)
            self.shut()  # what was opened so far, the memory's lock for instance
            return TransitionCallbackReturn.FAILURE
        return TransitionCallbackReturn.SUCCESS

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            publisher = self.announce(DiagnosticArray, DIAGNOSTICS, EVENT)
            self.every(DIAGNOSTICS_PERIOD_S, lambda: publisher.publish(self._diagnostics()))
            self.listen(String, CURRENT_MAP, lambda message: self.change_map(message.data), LATCHED)
            self.start()
        except Exception as error:  # noqa: BLE001 rclpy would swallow it without a word
            self.survived(error)
            self.stop()
            return TransitionCallbackReturn.FAILURE
        suite = self.suite
        self.get_logger().info(f"active: memory {suite.memory_path}, map {suite.map_id!r}")
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.stop()
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.shut()
        return TransitionCallbackReturn.SUCCESS

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        self.shut()
        return TransitionCallbackReturn.SUCCESS

    def shut(self) -> None:
        """Stops and closes everything; may be called twice."""
        self.stop()
        if self._is_open:
            self._is_open = False
            self.background.close()
            while self._closing:
                self._guarded(self._closing.pop())()
            self.health.gauges.clear()

    def destroy_node(self) -> None:
        self.shut()
        super().destroy_node()

    def _on_parameters(self) -> None:
        if self._is_open:
            self._guarded(self.use_parameters)()

    def change_map(self, map_id: str) -> None:
        """Poses belong to this map from now on; empty: to nobody knows which."""
        knew, self.knows_map = self.knows_map, bool(map_id)
        if knew and not self.knows_map:
            self.on_map_unknown()
        if self.knows_map and map_id != self.suite.map_id:
            self.get_logger().info(f"on map {map_id!r} now, after map {self.suite.map_id!r}")
            self.suite = replace(self.suite, map_id=map_id)
            self.on_map()

    def on_close(self, undo: Callable[[], object]) -> None:
        """Something that ``open`` has opened, to be closed at cleanup; the last comes first."""
        self._closing.append(undo)

    def _diagnostics(self) -> DiagnosticArray:
        array = DiagnosticArray(status=[self.health.status(self.get_fully_qualified_name())])
        array.header.stamp = self.get_clock().now().to_msg()
        return array
