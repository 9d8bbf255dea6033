"""A menu at each object in RViz, where the package interactive_markers is installed."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from enum import IntEnum
from types import ModuleType
from typing import Any

from visualization_msgs.msg import (
    InteractiveMarker,
    InteractiveMarkerControl,
    InteractiveMarkerFeedback,
    Marker,
    MenuEntry,
)

from memory_nodes.geometry import Pose
from memory_nodes.records import ObjectDescriptor
from memory_nodes.ros import endpoints
from memory_nodes.ros.markers import shapes
from memory_nodes.ros.markers.layers import OBJECT_M, object_name
from memory_nodes.ros.memory_node import MemoryNode

HANDLE_M = 1.2 * OBJECT_M
"""What is clicked on: around the object's own marker."""


class Choice(IntEnum):
    """An entry of the menu, by its id."""

    GO_HERE = 1
    SHOW_EVIDENCE = 2
    RENAME = 3
    FORGET = 4
    """Opens the entry that confirms it."""
    FORGET_FOR_GOOD = 5


_TITLES = {
    Choice.GO_HERE: "go here",
    Choice.SHOW_EVIDENCE: "show evidence",
    Choice.RENAME: "rename",
    Choice.FORGET: "forget",
    Choice.FORGET_FOR_GOOD: "yes, delete it and erase it from pictures",
}
_PARENTS = {Choice.FORGET_FOR_GOOD: Choice.FORGET}


def server_module() -> ModuleType | None:
    """The package with the server; None where it is not installed."""
    try:
        return importlib.import_module("interactive_markers")
    except ImportError:
        return None


class ObjectMenu:
    """Tells which entry was chosen at which object. To be made while its node starts.

    Args:
        chosen: takes the entry and the id of the object.
    """

    def __init__(
        self, node: MemoryNode, module: ModuleType, chosen: Callable[[Choice, str], None]
    ) -> None:
        self._node = node
        self._chosen = chosen
        self._shown: dict[str, ObjectDescriptor] = {}
        self._server: Any = module.InteractiveMarkerServer(node, endpoints.OBJECT_MENUS)
        node.on_stop(self._shut)

    def update(self, objects: Mapping[str, ObjectDescriptor], map_frame: str) -> None:
        """The objects that have a menu from now on; only what changed is sent."""
        for object_id in self._shown.keys() - objects.keys():
            self._server.erase(object_id)
        for object_id, item in objects.items():
            known = self._shown.get(object_id)
            if known is None or _looks(known) != _looks(item):
                marker = _interactive(item, map_frame)
                self._server.insert(marker, feedback_callback=self._on_feedback)
        self._server.applyChanges()
        self._shown = dict(objects)

    def _on_feedback(self, feedback: InteractiveMarkerFeedback) -> None:
        is_entry = feedback.menu_entry_id in _TITLES and feedback.menu_entry_id != Choice.FORGET
        if feedback.event_type != InteractiveMarkerFeedback.MENU_SELECT or not is_entry:
            return
        choice, object_id = Choice(feedback.menu_entry_id), str(feedback.marker_name)
        self._node.in_executor(lambda: self._chosen(choice, object_id))

    def _shut(self) -> None:
        """The server drops its topics and its service without destroying them."""
        server, node = self._server, self._node
        service, publisher = server.get_interactive_markers_srv, server.update_pub
        subscription = server.feedback_sub
        server.shutdown()
        node.destroy_subscription(subscription)
        node.destroy_publisher(publisher)
        node.destroy_service(service)


def _looks(item: ObjectDescriptor) -> tuple[object, ...]:
    return item.position.point_m if item.position else None, object_name(item)


def _interactive(item: ObjectDescriptor, map_frame: str) -> InteractiveMarker:
    assert item.position is not None
    size_m = (HANDLE_M, HANDLE_M, HANDLE_M)
    # Its frame is that of the interactive marker, as long as it names none.
    at_middle = Pose((0.0, 0.0, 0.0), shapes.UPRIGHT)
    painted = shapes.color("#ffffff", 0.1)
    handle = shapes.solid("", Marker.SPHERE, "", at_middle, size_m, painted)
    control = InteractiveMarkerControl(
        name="menu",
        interaction_mode=InteractiveMarkerControl.MENU,
        always_visible=True,
        markers=[handle],
    )
    made = InteractiveMarker(
        name=item.object_id,
        description="",
        scale=HANDLE_M,
        controls=[control],
        menu_entries=[
            MenuEntry(
                id=choice,
                parent_id=_PARENTS.get(choice, 0),
                title=title,
                command_type=MenuEntry.FEEDBACK,
            )
            for choice, title in _TITLES.items()
        ],
    )
    made.header.frame_id = map_frame
    place = made.pose.position
    place.x, place.y, place.z = item.position.point_m
    return made
