"""A point is clicked in RViz: what is here?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import PointStamped
from robot_memory.srv import GetContext

from memory_nodes.drawing.scene import SceneConfig
from memory_nodes.ros import endpoints
from memory_nodes.ros.asking import ask, client_of
from memory_nodes.ros.markers.layers import Note
from memory_nodes.ros.memory_node import MemoryNode

NO_ANSWER = "the memory does not answer: is query_node active?"


class ClickedPoint:
    """Asks query_node, and notes at the point what it says. To be made while its node starts."""

    def __init__(self, node: MemoryNode, config: SceneConfig, note: Callable[[Note], None]) -> None:
        self._node = node
        self._radius_m = config.clicked_radius_m
        self._note = note
        self._clicks = 0
        self._context = client_of(node, GetContext, endpoints.CONTEXT)
        node.listen(PointStamped, config.clicked_point_topic, self._on_point, endpoints.EVENT)

    def _on_point(self, message: PointStamped) -> None:
        """The last click counts."""
        self._clicks += 1
        click, place = self._clicks, message.point
        place_m = (place.x, place.y, place.z)
        frame, map_frame = message.header.frame_id.lstrip("/"), self._node.suite.map_frame
        if frame != map_frame:
            self._note(Note(f"clicked in frame {frame!r}: choose {map_frame!r} in RViz", place_m))
            return

        def then(response: Any | None) -> None:
            if click == self._clicks:
                self._note(Note(_text(response), place_m))

        request = GetContext.Request(center=place, radius=self._radius_m)
        ask(self._node, self._context, request, then)


def _text(response: Any | None) -> str:
    if response is None:
        return NO_ANSWER
    if not response.success or not response.layers:
        return str(response.message)
    told = zip(response.layers, response.texts, strict=True)
    return "\n".join(f"[{layer}]\n{text}" for layer, text in told)
