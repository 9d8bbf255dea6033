"""Lets parameters be changed while their node runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from memory_nodes.errors import ConfigurationError
from memory_nodes.parameters import configurations, declared, with_values


class Changes:
    """Judges changes of parameters, and gives a node the configurations that come of them.

    ROS asks first whether all of a change may be made; an answer has no effect, others may still
    refuse it. Then ROS tells that the change is made. Read-only parameters never come here.

    Args:
        node: holds its configurations in attributes.
        then: is called after each change.
    """

    def __init__(self, node: Node, then: Callable[[], None]) -> None:
        self._node = node
        self._then = then
        node.add_on_set_parameters_callback(self._judge)
        node.add_post_set_parameters_callback(self._take)

    def _judge(self, parameters: list[Parameter[Any]]) -> SetParametersResult:
        try:
            self._changed(parameters)
        except ConfigurationError as error:
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _take(self, parameters: list[Parameter[Any]]) -> None:
        changed = self._changed(parameters)
        for attribute, config in changed.items():
            setattr(self._node, attribute, config)
        if changed:
            told = ", ".join(f"{item.name} is {item.value!r}" for item in parameters)
            self._node.get_logger().info(f"from now on {told}")
            self._then()

    def _changed(self, parameters: list[Parameter[Any]]) -> dict[str, object]:
        """The configurations that become others, by attribute.

        None for a parameter that is only being declared: the node does not hold it yet.
        """
        given = {item.name: item.value for item in parameters}
        changed = {}
        for attribute, config in configurations(self._node):
            own = {item.name for item in declared(type(config))}
            values = {name: given[name] for name in own & given.keys()}
            if values:
                changed[attribute] = with_values(config, values)
        return changed
