"""Nodes under test in one executor, with all that a test needs to talk to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile

from memory_nodes.ros.endpoints import EVENT, SERVICE
from memory_test_support.spinning import spin_until

NAMESPACE = "memory"


class NodeBench:
    """A context of its own; everything in it is gone at the end of the with block."""

    def __init__(
        self,
        domain_id: int,
        memory_dir: Path,
        namespace: str = NAMESPACE,
        remappings: Mapping[str, str] | None = None,
    ) -> None:
        self.context = rclpy.Context()
        rules = [f"{own}:={there}" for own, there in (remappings or {}).items()]
        arguments = [word for rule in rules for word in ("-r", rule)]
        rclpy.init(
            args=["--ros-args", *arguments] if arguments else None,
            context=self.context,
            domain_id=domain_id,
        )
        self.memory_dir = memory_dir
        self.namespace = namespace
        self.executor = SingleThreadedExecutor(context=self.context)
        self.user = Node("user", namespace=namespace, context=self.context)
        self.executor.add_node(self.user)
        self._nodes: list[Any] = []

    def __enter__(self) -> NodeBench:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for node in (*self._nodes, self.user):
            node.destroy_node()
        self.executor.shutdown()
        rclpy.shutdown(context=self.context)

    def make(self, kind: Callable[..., Any], **parameters: object) -> Any:
        """A node, not yet configured."""
        parameters = {"memory_dir": str(self.memory_dir), **parameters}
        node = kind(
            namespace=self.namespace,
            context=self.context,
            parameter_overrides=[Parameter(k, value=v) for k, v in parameters.items()],
        )
        self._nodes.append(node)
        self.executor.add_node(node)
        return node

    def start(self, kind: Callable[..., Any], **parameters: object) -> Any:
        """A node of the suite, configured and active."""
        node = self.make(kind, **parameters)
        assert str(node.trigger_configure()).endswith("SUCCESS")
        assert str(node.trigger_activate()).endswith("SUCCESS")
        return node

    def stop(self, node: Any) -> None:
        self._nodes.remove(node)
        self.executor.remove_node(node)
        node.destroy_node()

    def until(self, condition: Callable[[], bool], what: str, timeout_s: float = 20.0) -> None:
        spin_until(self.executor, condition, what, timeout_s)

    def heard(self, kind: type[Any], topic: str, qos: QoSProfile = EVENT) -> list[Any]:
        """A list that fills with the messages of a topic, once something publishes there."""
        messages: list[Any] = []
        subscription = self.user.create_subscription(kind, topic, messages.append, qos)
        self.until(
            lambda: self.user.count_publishers(subscription.topic_name) > 0,
            f"a publisher of {topic}",
        )
        return messages

    def publisher(self, kind: type[Any], topic: str, qos: QoSProfile = EVENT) -> Any:
        """A publisher that somebody listens to."""
        publisher = self.user.create_publisher(kind, topic, qos)
        self.until(lambda: publisher.get_subscription_count() > 0, f"a subscription to {topic}")
        return publisher

    def calling(self, kind: type[Any], name: str) -> Any:
        """A client of a service that is there."""
        client: Any = self.user.create_client(kind, name, qos_profile=SERVICE)
        self.until(client.service_is_ready, f"service {name}")
        return client

    def call(self, kind: type[Any], name: str, request: Any, timeout_s: float = 20.0) -> Any:
        client = self.calling(kind, name)
        future = client.call_async(request)
        self.until(future.done, f"a response of {name}", timeout_s)
        return future.result()

    def result(self, future: Any, what: str, timeout_s: float = 20.0) -> Any:
        self.until(future.done, what, timeout_s)
        return future.result()
