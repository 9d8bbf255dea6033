"""The topics that the robot's layers come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from action_msgs.msg import GoalStatusArray
from rclpy.qos import qos_profile_action_status_default

from memory_nodes.episodic.layers.config import READY, LayerConfig, LayersConfig
from memory_nodes.episodic.layers.layer import Layer
from memory_nodes.geometry import Pose
from memory_nodes.records import Observation
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import time_from_msg
from memory_nodes.ros.declaring import declare
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.message_types import message_type
from memory_nodes.ros.places import Places

JOIN_PERIOD_S = 1.0


def declare_layers(node: MemoryNode, config: LayersConfig) -> dict[str, LayerConfig]:
    """Declares ``layer.<name>.<field>`` for each layer that is named, and gives the values set.

    Raises ConfigurationError for a name or a value that cannot be.
    """
    return {
        name: declare(node, LayerConfig, f"layer.{name}.", READY.get(name)) for name in config.names
    }


def made_layers(node: MemoryNode, configs: Mapping[str, LayerConfig]) -> list[Layer]:
    """The layers, which count for the node's diagnostics.

    Raises ConfigurationError for a layer that cannot be put into words, and for a type of messages
    that is not installed or lacks a field.
    """
    layers = [Layer(name, config, node.counters) for name, config in configs.items()]
    for layer in layers:
        layer.check(message_type(layer.config.type)())
    return layers


class LayerListener:
    """Listens to layers, and hands on what is worth an observation with the pose of its stamp.

    To be made while its node starts; it listens until the node stops.

    Args:
        heard: takes the layer, the text and the stamp of what is new, before its place is known.
        deliver: takes the observation.
    """

    def __init__(
        self,
        node: MemoryNode,
        places: Places,
        layers: Iterable[Layer],
        heard: Callable[[str, str, int], None],
        deliver: Callable[[Observation], None],
    ) -> None:
        self._node = node
        self._heard = heard
        self._deliver = deliver
        self._places = places
        self._silent = list(layers)
        """Nobody has published on their topics yet."""
        self._join()
        node.every(JOIN_PERIOD_S, self._join)

    def _join(self) -> None:
        """Listens where somebody publishes: each subscription makes every turn of the node longer,
        and most robots have few of the ready layers.
        """
        for layer in tuple(self._silent):
            topic = layer.config.topic
            if self._node.count_publishers(self._node.resolve_topic_name(topic)) == 0:
                continue
            enter = self._places.placing(partial(self._on_placed, layer))
            on_message = partial(self._on_message, layer, enter)
            kind = message_type(layer.config.type)
            qos = qos_profile_action_status_default if kind is GoalStatusArray else endpoints.LAYER
            self._node.listen(kind, topic, on_message, qos)
            self._silent.remove(layer)

    def _on_message(self, layer: Layer, enter: Callable[[Any, int], None], message: Any) -> None:
        stamp_ns = self._stamp_of(message)
        news = layer.news(message, stamp_ns)
        for said in news:
            self._heard(layer.name, said.text, stamp_ns)
        if news:
            enter(message, stamp_ns)

    def _on_placed(self, layer: Layer, message: Any, stamp_ns: int, map_from_base: Pose) -> None:
        """Looks at the message again: the same may have been recorded while it waited."""
        suite = self._node.suite
        for said in layer.news(message, stamp_ns):
            self._deliver(
                Observation(
                    stamp_ns=stamp_ns,
                    map_id=suite.map_id,
                    map_frame=suite.map_frame,
                    layer=layer.name,
                    text=said.text,
                    map_from_base=map_from_base,
                    confidence=said.confidence,
                    source=layer.config.topic,
                )
            )
            layer.note(said, stamp_ns)

    def _stamp_of(self, message: Any) -> int:
        """That of the header; where there is none, or nobody has set it, it happens now."""
        header = getattr(message, "header", None)
        stamp_ns = time_from_msg(header.stamp) if header is not None else 0
        return stamp_ns if stamp_ns != 0 else self._node.now_ns()
