"""A memory seen from above: where the robot was, and what it saw where."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator

from memory_nodes.drawing.map_labels import Dot, Label, place_labels
from memory_nodes.drawing.map_layers import draw_gists, draw_uncertainty, layer_legend
from memory_nodes.drawing.object_groups import OBJECT_GROUPS, OTHER_GROUP, group_of
from memory_nodes.geometry import Array, Pose
from memory_nodes.records import Keyframe, ObjectDescriptor
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.filters import Filter
from memory_nodes.store.hits import Hit

DPI = 130
LONG_SIDE_IN, LEAST_WIDTH_IN = 9.5, 8.0
LEFT_IN, RIGHT_IN, LOW_IN, HIGH_IN = 0.7, 0.2, 1.25, 0.7
"""Room around the map for its texts."""
NEAR_TRAIL_M = 3.0
"""What lies farther from the trail is left out: far positions are rough, and shrink the rest."""
EDGE_M = 0.7
NEAR_M = 1.5
"""Relations over a longer distance are not drawn."""
HEADING_M, GOAL_ARROW_M = 0.25, 0.8
GOAL_COLOR = "#e6007e"
TRAIL_COLOR, HEADING_COLOR = "#9db8d6", "#3d5f87"
RELATION_COLOR = "#b8b8b8"
START_COLOR, END_COLOR = "#00a651", "#111111"


def save_map(
    path: Path,
    snapshot: Snapshot,
    goal: Pose | None = None,
    target_ids: Collection[str] = (),
    title: str = "",
) -> None:
    """Draws a memory as a PNG; see draw_map."""
    figure = draw_map(snapshot, goal, target_ids, title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DPI)


def draw_map(
    snapshot: Snapshot,
    goal: Pose | None = None,
    target_ids: Collection[str] = (),
    title: str = "",
    gists: Sequence[Hit] = (),
    has_uncertainty: bool = False,
) -> Figure:
    """The map that the newest keyframe belongs to, x right and y up, metres.

    Args:
        snapshot: with at least one keyframe.
        goal: a pose in the map frame to mark.
        target_ids: objects to ring and to label in any case.
        title: default: the name of the map.
        gists: found by a search; those of the map are drawn with their radius.
        has_uncertainty: draw it for each object.

    Raises ValueError when there is no keyframe.
    """
    if not snapshot.keyframes:
        raise ValueError("the memory has no keyframe yet: there is nothing to draw")
    newest = snapshot.keyframes[max(snapshot.keyframes)]
    shown = snapshot.filtered(Filter(map_id=newest.map_id))
    trail = [shown.keyframes[key] for key in sorted(shown.keyframes)]
    placed, limits_m = _cut(trail, shown.objects)
    figure, axes = _sheet(limits_m)
    heading = title or f"memory of map {newest.map_id!r}"
    figure.suptitle(heading, fontsize=14, fontweight="bold", parse_math=False)
    axes.set_title(_summary(shown, len(placed)), fontsize=9, color="#555555")
    _draw_frame(axes, limits_m, newest.map_frame)
    here = [gist for gist in gists if gist.map_id == newest.map_id]
    draw_gists(axes, here)
    if has_uncertainty:
        draw_uncertainty(axes, placed)
    _draw_relations(axes, shown, placed)
    _draw_trail(axes, trail)
    _draw_objects(axes, placed, target_ids)
    if goal is not None:
        _draw_goal(axes, goal)
    _draw_scale_bar(axes)
    layers = layer_legend(has_gists=bool(here), has_uncertainty=has_uncertainty)
    _draw_legend(figure, goal is not None, placed, layers)
    place_labels(axes, _labels(placed, target_ids), _dots(placed, goal))
    return figure


def _cut(
    trail: Sequence[Keyframe], objects: Sequence[ObjectDescriptor]
) -> tuple[list[ObjectDescriptor], Array]:
    """The objects near the trail, and limits around both: [[x low, y low], [x high, y high]]."""
    way_m = np.array([keyframe.map_from_base.position_m[:2] for keyframe in trail])
    low_m, high_m = way_m.min(axis=0) - NEAR_TRAIL_M, way_m.max(axis=0) + NEAR_TRAIL_M
    placed = [
        item
        for item in objects
        if item.position is not None
        and bool(np.all(low_m < item.position.point_m[:2]))
        and bool(np.all(item.position.point_m[:2] < high_m))
    ]
    all_m = np.vstack([way_m, *(_xy_m(item) for item in placed)])
    return placed, np.array([all_m.min(axis=0) - EDGE_M, all_m.max(axis=0) + EDGE_M])


def _sheet(limits_m: Array) -> tuple[Figure, Axes]:
    """A picture with room for a map of these limits, at the same scale both ways."""
    extent_m = limits_m[1] - limits_m[0]
    width_in, height_in = extent_m * LONG_SIDE_IN / np.max(extent_m)
    sheet_in = (
        max(LEAST_WIDTH_IN, LEFT_IN + width_in + RIGHT_IN),
        LOW_IN + height_in + HIGH_IN,
    )
    figure = Figure(figsize=sheet_in, dpi=DPI)
    FigureCanvasAgg(figure)  # without it the room that labels take is not known
    corner_in = ((sheet_in[0] + LEFT_IN - RIGHT_IN - width_in) / 2.0, LOW_IN)
    axes = figure.add_axes(
        (
            *(corner_in[0] / sheet_in[0], corner_in[1] / sheet_in[1]),
            *(width_in / sheet_in[0], height_in / sheet_in[1]),
        )
    )
    return figure, axes


def _draw_frame(axes: Axes, limits_m: Array, map_frame: str) -> None:
    axes.set_aspect("equal")
    axes.set_xlim(limits_m[0, 0], limits_m[1, 0])
    axes.set_ylim(limits_m[0, 1], limits_m[1, 1])
    axes.set_xlabel(f"x of frame {map_frame!r} [m]", parse_math=False)
    axes.set_ylabel(f"y of frame {map_frame!r} [m]", parse_math=False)
    axes.xaxis.set_major_locator(MultipleLocator(_grid_m(limits_m)))
    axes.yaxis.set_major_locator(MultipleLocator(_grid_m(limits_m)))
    axes.grid(color="#eeeeee", linewidth=0.8)
    axes.set_axisbelow(True)


def _grid_m(limits_m: Array) -> float:
    """A round distance that divides the longer side into about twelve."""
    wanted_m = float(np.max(limits_m[1] - limits_m[0])) / 12.0
    power_m: float = 10.0 ** math.floor(math.log10(wanted_m))
    return next(step * power_m for step in (1.0, 2.0, 5.0, 10.0) if step * power_m >= wanted_m)


def _draw_relations(axes: Axes, snapshot: Snapshot, placed: Sequence[ObjectDescriptor]) -> None:
    centres_m = {item.object_id: _xy_m(item) for item in placed}
    pairs = {
        tuple(sorted((relation.subject_id, relation.object_id)))
        for relation in snapshot.relations
        if relation.subject_id in centres_m and relation.object_id in centres_m
    }
    lines = [(centres_m[one], centres_m[other]) for one, other in sorted(pairs)]
    near = [line for line in lines if math.dist(*line) <= NEAR_M]
    axes.add_collection(LineCollection(near, colors=RELATION_COLOR, linewidths=0.7, zorder=1))


def _draw_trail(axes: Axes, trail: Sequence[Keyframe]) -> None:
    """One line a session, a dot with a tick for each heading, and where it starts and ends."""
    for session_id in dict.fromkeys(keyframe.session_id for keyframe in trail):
        way = [item.map_from_base for item in trail if item.session_id == session_id]
        xs_m, ys_m = zip(*(pose.position_m[:2] for pose in way), strict=True)
        axes.plot(xs_m, ys_m, "-", color=TRAIL_COLOR, lw=2.5, zorder=2)
        axes.plot(xs_m, ys_m, ".", color=HEADING_COLOR, markersize=5, zorder=2)
    ticks_m = [_ahead_m(keyframe.map_from_base, HEADING_M) for keyframe in trail]
    axes.add_collection(LineCollection(ticks_m, colors=HEADING_COLOR, linewidths=1.0, zorder=2))
    for keyframe, marker, color in ((trail[0], "o", START_COLOR), (trail[-1], "s", END_COLOR)):
        x_m, y_m, _ = keyframe.map_from_base.position_m
        axes.plot(x_m, y_m, marker, color=color, markersize=9, markeredgecolor="white", zorder=4)


def _ahead_m(pose: Pose, length_m: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """A line from a pose along its heading."""
    x_m, y_m, _ = pose.position_m
    end_m = (x_m + length_m * math.cos(pose.yaw_rad), y_m + length_m * math.sin(pose.yaw_rad))
    return (x_m, y_m), end_m


def _draw_objects(
    axes: Axes, placed: Sequence[ObjectDescriptor], target_ids: Collection[str]
) -> None:
    for item in placed:
        x_m, y_m = _xy_m(item)
        color = group_of(item).color
        size = 3.5 + min(4.0, math.sqrt(item.view_count) / 1.5)
        axes.plot(x_m, y_m, "o", color=color, markersize=size, alpha=0.9, zorder=3)
        if item.object_id in target_ids:
            axes.plot(x_m, y_m, "o", color=GOAL_COLOR, fillstyle="none", ms=18, mew=2.2, zorder=5)


def _draw_goal(axes: Axes, goal: Pose) -> None:
    start_m, end_m = _ahead_m(goal, GOAL_ARROW_M)
    arrow = {"arrowstyle": "-|>", "color": GOAL_COLOR, "linewidth": 2.2}
    axes.annotate("", end_m, start_m, arrowprops=arrow, zorder=5)
    axes.plot(*start_m, "*", color=GOAL_COLOR, markersize=20, markeredgecolor="white", zorder=5)


def _draw_scale_bar(axes: Axes) -> None:
    left_m, right_m = axes.get_xlim()
    low_m, high_m = axes.get_ylim()
    length_m = 2.0 * _grid_m(np.array([[left_m, low_m], [right_m, high_m]]))
    end_m, y_m = right_m - 0.03 * (right_m - left_m), low_m + 0.03 * (high_m - low_m)
    axes.plot([end_m - length_m, end_m], [y_m, y_m], color="black", linewidth=3, zorder=7)
    middle_m = (end_m - length_m / 2, y_m)
    axes.annotate(f"{length_m:g} m", middle_m, (0, 4), textcoords="offset points", ha="center")


def _draw_legend(
    figure: Figure,
    has_goal: bool,
    placed: Sequence[ObjectDescriptor],
    layers: Sequence[Artist],
) -> None:
    used = {group_of(item) for item in placed}
    entries: list[Artist] = [
        Line2D([], [], color=TRAIL_COLOR, label="trail", linewidth=2.5),
        _mark("keyframe, its heading", "$-$", HEADING_COLOR, 7),
        _mark("start", "o", START_COLOR, 9),
        _mark("end", "s", END_COLOR, 9),
        Line2D([], [], color=RELATION_COLOR, label=f"relation up to {NEAR_M:g} m"),
        *layers,
    ]
    if has_goal:
        entries.append(_mark("goal pose", "*", GOAL_COLOR, 13))
    entries += [
        _mark(group.name, "o", group.color, 7)
        for group in (*OBJECT_GROUPS, OTHER_GROUP)
        if group in used
    ]
    figure.legend(handles=entries, loc="lower center", ncols=5, fontsize=8, frameon=False)


def _mark(label: str, marker: str, color: str, size: float) -> Line2D:
    return Line2D([], [], marker=marker, color=color, label=label, markersize=size, ls="none")


def _labels(placed: Sequence[ObjectDescriptor], target_ids: Collection[str]) -> list[Label]:
    """Targets first, then what was seen most."""
    order = sorted(
        placed,
        key=lambda item: (item.object_id not in target_ids, -item.view_count, item.object_id),
    )
    return [
        Label(
            item.object_id,
            _xy_m(item),
            GOAL_COLOR if item.object_id in target_ids else group_of(item).color,
            item.object_id in target_ids,
        )
        for item in order
    ]


def _dots(placed: Sequence[ObjectDescriptor], goal: Pose | None) -> list[Dot]:
    """What labels must leave free."""
    dots = [Dot(_xy_m(item)) for item in placed]
    return dots if goal is None else [*dots, Dot(goal.position_m[:2], radius_pt=8.0)]


def _summary(snapshot: Snapshot, placed_count: int) -> str:
    far = len(snapshot.objects) - placed_count
    return (
        f"{len(snapshot.keyframes)} keyframes, {len(snapshot.objects)} objects, "
        f"{len(snapshot.relations)} relations; left out: {far} objects far away or without a "
        "position, labels without room"
    )


def _xy_m(descriptor: ObjectDescriptor) -> tuple[float, float]:
    assert descriptor.position is not None
    return descriptor.position.point_m[:2]
