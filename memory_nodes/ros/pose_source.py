"""Poses at a stamp, from TF."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.time import Time
from tf2_msgs.msg import TFMessage

from memory_nodes.errors import TransformNotYet, TransformTooOld, TransformUnknown
from memory_nodes.geometry import Pose
from memory_nodes.perception.messages import take_transforms
from memory_nodes.perception.transforms import TransformBuffer
from memory_nodes.ros.conversions import pose_from_transform
from memory_nodes.ros.endpoints import STATIC_TRANSFORMS, TRANSFORMS

try:
    import tf2_ros
except ImportError:  # no tf2_ros in the installation: the suite reads /tf itself
    tf2_ros = None

HISTORY_S = 30.0


class PoseSource(Protocol):
    """Looks transforms up; never blocks, never extrapolates."""

    def lookup(self, target: str, source: str, stamp_ns: int) -> Pose:
        """``target_from_source`` at a stamp.

        Raises TransformUnknown, TransformNotYet or TransformTooOld.
        """
        ...

    def clear(self) -> None:
        """Forgets what was heard: time has jumped back."""
        ...

    def close(self) -> None:
        """Stops listening."""
        ...


def pose_source(node: Node) -> PoseSource:
    """By tf2_ros where it is installed."""
    return OwnPoseSource(node) if tf2_ros is None else Tf2PoseSource(node)


class OwnPoseSource:
    """Reads /tf and /tf_static into a TransformBuffer."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._buffer = TransformBuffer(HISTORY_S)
        self._subscriptions = [
            node.create_subscription(TFMessage, "/tf", self._taking(False), TRANSFORMS),
            node.create_subscription(
                TFMessage, "/tf_static", self._taking(True), STATIC_TRANSFORMS
            ),
        ]

    def lookup(self, target: str, source: str, stamp_ns: int) -> Pose:
        return self._buffer.lookup(target, source, stamp_ns)

    def clear(self) -> None:
        self._buffer.clear()

    def close(self) -> None:
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

    def _taking(self, is_static: bool) -> Callable[[TFMessage], None]:
        def take(message: TFMessage) -> None:
            take_transforms(self._buffer, message, is_static=is_static)

        return take


class Tf2PoseSource:
    """By tf2_ros.Buffer.

    The buffer is not told the node: whoever uses this clears it when time jumps back, and the
    buffer's own way of noticing that raises in some releases of Jazzy (geometry2#710).
    """

    def __init__(self, node: Node) -> None:
        self._buffer: Any = tf2_ros.Buffer(cache_time=Duration(seconds=HISTORY_S))
        self._listener: Any = tf2_ros.TransformListener(self._buffer, node, spin_thread=False)

    def lookup(self, target: str, source: str, stamp_ns: int) -> Pose:
        if stamp_ns == 0:
            raise TransformTooOld("tf2 takes stamp 0 for 'the newest': stamp the images")
        try:
            return self._lookup(target, source, stamp_ns)
        except tf2_ros.TransformException as error:  # not connected, or no name of a frame
            raise TransformUnknown(str(error)) from error

    def _lookup(self, target: str, source: str, stamp_ns: int) -> Pose:
        try:
            found = self._buffer.lookup_transform(target, source, Time(nanoseconds=stamp_ns))
        except tf2_ros.ExtrapolationException as error:
            newest = self._buffer.get_latest_common_time(target, source)
            if stamp_ns > newest.nanoseconds:
                raise TransformNotYet(str(error)) from error
            raise TransformTooOld(str(error)) from error
        return pose_from_transform(found.transform)

    def clear(self) -> None:
        self._buffer.clear()

    def close(self) -> None:
        self._listener.unregister()
