"""A stand-in for the package interactive_markers: same names, one client at a time.

It keeps what a client would be shown, and a test plays the client through the feedback topic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.node import Node
from visualization_msgs.msg import (
    InteractiveMarker,
    InteractiveMarkerFeedback,
    InteractiveMarkerUpdate,
)
from visualization_msgs.srv import GetInteractiveMarkers


class InteractiveMarkerServer:
    """What is inserted or erased shows after applyChanges."""

    def __init__(self, node: Node, topic_ns: str) -> None:
        self.shown: dict[str, InteractiveMarker] = {}
        self.sent: list[InteractiveMarkerUpdate] = []
        self._callbacks: dict[str, Callable[[Any], None]] = {}
        self._inserted: dict[str, InteractiveMarker] = {}
        self._erased: set[str] = set()
        self.get_interactive_markers_srv: Any = node.create_service(
            GetInteractiveMarkers, f"{topic_ns}/get_interactive_markers", self._tell
        )
        self.update_pub: Any = node.create_publisher(
            InteractiveMarkerUpdate, f"{topic_ns}/update", 100
        )
        self.feedback_sub: Any = node.create_subscription(
            InteractiveMarkerFeedback, f"{topic_ns}/feedback", self._on_feedback, 100
        )
        made.append(self)

    def insert(
        self, marker: InteractiveMarker, *, feedback_callback: Callable[[Any], None]
    ) -> None:
        self._inserted[marker.name] = marker
        self._callbacks[marker.name] = feedback_callback

    def erase(self, name: str) -> bool:
        self._erased.add(name)
        return name in self.shown

    def applyChanges(self) -> None:  # noqa: N802 as the package calls it
        if not self._inserted and not self._erased:
            return
        update = InteractiveMarkerUpdate(type=InteractiveMarkerUpdate.UPDATE)
        update.markers, update.erases = list(self._inserted.values()), sorted(self._erased)
        self.shown.update(self._inserted)
        for name in self._erased:
            self.shown.pop(name, None)
        self._inserted, self._erased = {}, set()
        self.sent.append(update)
        self.update_pub.publish(update)

    def shutdown(self) -> None:
        """As the package does: it forgets its topics and its service, and destroys none."""
        self.get_interactive_markers_srv = self.update_pub = self.feedback_sub = None

    def _on_feedback(self, feedback: InteractiveMarkerFeedback) -> None:
        callback = self._callbacks.get(feedback.marker_name)
        if callback is not None:
            callback(feedback)

    def _tell(
        self, request: GetInteractiveMarkers.Request, response: GetInteractiveMarkers.Response
    ) -> GetInteractiveMarkers.Response:
        response.markers = list(self.shown.values())
        return response


made: list[InteractiveMarkerServer] = []
"""All servers, for tests to look into."""
