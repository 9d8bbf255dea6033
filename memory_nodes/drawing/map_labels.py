"""Labels of a map that do not cover each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

# Where a label may stand around its dot, best first: offset in points, and which side touches it.
_PLACES: tuple[tuple[float, float, str, str], ...] = (
    (5, 0, "left", "center"),
    (-5, 0, "right", "center"),
    (0, 5, "center", "bottom"),
    (0, -5, "center", "top"),
    (4, 4, "left", "bottom"),
    (4, -4, "left", "top"),
    (-4, 4, "right", "bottom"),
    (-4, -4, "right", "top"),
    (14, 12, "left", "bottom"),
    (14, -12, "left", "top"),
    (-14, 12, "right", "bottom"),
    (-14, -12, "right", "top"),
)


@dataclass(frozen=True)
class Label:
    """A text for a point of the map, and how it looks."""

    text: str
    xy_m: tuple[float, float]
    color: str
    is_bold: bool = False


@dataclass(frozen=True)
class Dot:
    """A mark that no label may cover."""

    xy_m: tuple[float, float]
    radius_pt: float = 2.8


def place_labels(axes: Axes, labels: Sequence[Label], dots: Sequence[Dot]) -> None:
    """Writes the labels that find room, in their order.

    Bold ones are written in any case. Layout and limits of the axes must be final.
    """
    taken = [_dot_box(axes, dot) for dot in dots]
    inside = axes.get_window_extent()
    for label in labels:
        for place in _PLACES:
            written = _write(axes, label, place)
            box = written.get_window_extent()
            if _fits(box, inside, taken):
                break
            written.remove()
        else:
            if not label.is_bold:
                continue
            box = _write(axes, label, _PLACES[0]).get_window_extent()
        taken.append(box)


def _write(axes: Axes, label: Label, place: tuple[float, float, str, str]) -> Annotation:
    dx_pt, dy_pt, horizontal, vertical = place
    needs_line = abs(dx_pt) > 10
    line = {"arrowstyle": "-", "color": label.color, "linewidth": 0.6, "alpha": 0.7}
    return axes.annotate(
        label.text,
        label.xy_m,
        xytext=(dx_pt, dy_pt),
        textcoords="offset points",
        horizontalalignment=horizontal,
        verticalalignment=vertical,
        fontsize=9.0 if label.is_bold else 7.5,
        fontweight="bold" if label.is_bold else "normal",
        color=label.color,
        path_effects=[withStroke(linewidth=2.0, foreground="white")],
        arrowprops=line if needs_line else None,
        zorder=6,
        parse_math=False,
    )


def _dot_box(axes: Axes, dot: Dot) -> Bbox:
    assert axes.figure is not None
    x_px, y_px = axes.transData.transform(dot.xy_m)
    radius_px = dot.radius_pt * axes.figure.dpi / 72.0
    return Bbox.from_extents(x_px - radius_px, y_px - radius_px, x_px + radius_px, y_px + radius_px)


def _fits(box: Bbox, inside: Bbox, taken: Sequence[Bbox]) -> bool:
    is_whole = (
        box.x0 >= inside.x0 and box.x1 <= inside.x1 and box.y0 >= inside.y0 and box.y1 <= inside.y1
    )
    return is_whole and not any(box.overlaps(other) for other in taken)
