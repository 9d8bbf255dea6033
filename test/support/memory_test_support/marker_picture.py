"""A stand-in for RViz: draws markers and the trail as its 3-D view would show them.

Orthographic, from the south and above; what is nearer hides what is behind it. Only the shapes
that the suite publishes are known, and any other one is an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Polygon
from numpy.typing import NDArray
from visualization_msgs.msg import Marker

from memory_nodes.geometry import Array, Pose
from memory_nodes.ros.conversions import pose_from_msg

Color = tuple[float, float, float, float]

ELEVATION_RAD = math.radians(50.0)
"""Of the eye above the floor."""
WIDTH_IN, DPI = 13.0, 100
EDGE_M = 0.6
BACKGROUND, GRID, TRAIL = "#f0f0f0", "#d8d8d8", "#5b7fa6"
"""As in rviz/memory.rviz."""
TEXT_PT_PER_M = 62.0
CIRCLE = np.array([(math.cos(a), math.sin(a)) for a in np.linspace(0.0, 2 * math.pi, 48)])


def save_markers(markers: Iterable[Any], trail: Sequence[Any], path: Path) -> None:
    """Draws Markers, and a trail of PoseStamped, as a PNG. Raises ValueError for an odd shape."""
    view = _View()
    view.trail([pose_from_msg(item.pose) for item in trail])
    for marker in markers:
        view.draw(marker)
    view.save(path)


class _View:
    """A sheet on which each shape is put with its depth."""

    def __init__(self) -> None:
        self._figure = Figure(facecolor=BACKGROUND)
        FigureCanvasAgg(self._figure)
        self._axes: Axes = self._figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self._low, self._high = np.full(2, np.inf), np.full(2, -np.inf)

    def trail(self, poses: Sequence[Pose]) -> None:
        if len(poses) > 1:
            way = self._seen(np.array([pose.position_m for pose in poses]))
            self._axes.plot(*way.T, color=TRAIL, linewidth=2.0, zorder=0.0)

    def draw(self, marker: Any) -> None:
        pose, painted = pose_from_msg(marker.pose), _rgba(marker)
        size = np.array([marker.scale.x, marker.scale.y, marker.scale.z])
        depth = _nearness(pose)
        if marker.type == Marker.SPHERE:
            self._ellipsoid(pose, size, painted, depth)
        elif marker.type == Marker.CYLINDER:
            self._disc(pose, size, painted)
        elif marker.type == Marker.ARROW:
            self._arrow(pose, size, painted, depth)
        elif marker.type == Marker.LINE_LIST:
            points = np.array([(point.x, point.y, point.z) for point in marker.points])
            ends = self._seen(points).reshape(-1, 2, 2)
            self._axes.add_collection(LineCollection(list(ends), colors=[painted], linewidths=0.8))
        elif marker.type == Marker.TEXT_VIEW_FACING:
            ((x, y),) = self._seen(np.array([pose.position_m]))
            style = {"fontsize": size[2] * TEXT_PT_PER_M, "ha": "center", "va": "center"}
            self._axes.text(
                x, y, marker.text, color=painted, zorder=depth + 1.0, parse_math=False, **style
            )
        else:
            raise ValueError(f"marker {marker.ns}/{marker.id} has type {marker.type}: teach me it")

    def save(self, path: Path) -> None:
        low, high = self._low - EDGE_M, self._high + EDGE_M
        width, height = high - low
        self._figure.set_size_inches(WIDTH_IN, WIDTH_IN * height / width)
        self._axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
        self._axes.set_axis_off()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._figure.savefig(path, dpi=DPI, facecolor=BACKGROUND)

    def _seen(self, points_m: Array) -> NDArray[np.float64]:
        """Where points of the map are on the sheet; it grows to hold them."""
        seen = points_m @ _SHEET_FROM_MAP.T
        self._low = np.minimum(self._low, seen.min(axis=0))
        self._high = np.maximum(self._high, seen.max(axis=0))
        return np.asarray(seen, dtype=np.float64)

    def _ellipsoid(self, pose: Pose, size_m: Array, painted: Color, depth: float) -> None:
        """Its outline: the shadow of an ellipsoid is an ellipse."""
        ((x, y),) = self._seen(np.array([pose.position_m]))
        half = _SHEET_FROM_MAP @ pose.rotation.as_matrix() @ np.diag(size_m / 2.0)
        squares, axes = np.linalg.eigh(half @ half.T)
        width, height = 2.0 * np.sqrt(np.maximum(squares[::-1], 0.0))
        angle = math.degrees(math.atan2(axes[1, 1], axes[0, 1]))
        self._axes.add_patch(
            Ellipse((x, y), width, height, angle=angle, color=painted, linewidth=0, zorder=depth)
        )

    def _disc(self, pose: Pose, size_m: Array, painted: Color) -> None:
        around = np.column_stack([CIRCLE * size_m[:2] / 2.0, np.zeros(len(CIRCLE))])
        seen = self._seen(pose.apply(around))
        self._axes.add_patch(Polygon(seen, color=painted, linewidth=0, zorder=-1.0))

    def _arrow(self, pose: Pose, size_m: Array, painted: Color, depth: float) -> None:
        along = np.array([(0.0, 0.0, 0.0), (size_m[0], 0.0, 0.0)])
        start, end = self._seen(pose.apply(along))
        style = {"arrowstyle": "-|>", "color": painted, "linewidth": 2.5, "mutation_scale": 16}
        self._axes.annotate("", xy=end, xytext=start, arrowprops=style, zorder=depth)


_SHEET_FROM_MAP = np.array(
    [(1.0, 0.0, 0.0), (0.0, math.sin(ELEVATION_RAD), math.cos(ELEVATION_RAD))]
)


def _nearness(pose: Pose) -> float:
    """Towards the eye, m, with all heights of a building above 1: a drawing order."""
    _, y_m, z_m = pose.position_m
    return 1000.0 - y_m * math.cos(ELEVATION_RAD) + z_m * math.sin(ELEVATION_RAD)


def _rgba(marker: Any) -> Color:
    return (marker.color.r, marker.color.g, marker.color.b, marker.color.a)
