"""What a map may show besides the trail and the objects: gists, and how rough positions are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Ellipse, Patch

from memory_nodes.drawing.object_groups import group_of
from memory_nodes.geometry import ROUGH_SIGMA_M, PointEstimate
from memory_nodes.records import ObjectDescriptor
from memory_nodes.store.hits import Hit

GIST_COLOR = "#f2c14e"
UNCERTAINTY_COLOR = "#888888"
LEAST_RADIUS_M = 0.15
"""A gist of one place shows too."""
SIGMAS = 1.0


def draw_gists(axes: Axes, gists: Sequence[Hit]) -> None:
    """Each as a disc with its radius, the more of them the darker."""
    for gist in gists:
        if gist.position_map_m is not None:
            radius_m = max(gist.radius_m, LEAST_RADIUS_M)
            disc = Circle(gist.position_map_m[:2], radius_m, color=GIST_COLOR, alpha=0.15, zorder=0)
            axes.add_patch(disc)


def draw_uncertainty(axes: Axes, placed: Sequence[ObjectDescriptor]) -> None:
    """An ellipse of one standard deviation; a position that is little but a guess has none."""
    for item in placed:
        if item.position is not None and not item.position.is_rough:
            axes.add_patch(ellipse(item.position, group_of(item).color))


def ellipse(position: PointEstimate, color: str) -> Ellipse:
    """What a covariance looks like from above."""
    covariance_m2 = np.reshape(position.covariance_m2, (3, 3))[:2, :2]
    variances_m2, axes_xy = np.linalg.eigh(covariance_m2)
    minor_m, major_m = 2.0 * SIGMAS * np.sqrt(np.maximum(variances_m2, 0.0))
    angle_deg = float(np.degrees(np.arctan2(axes_xy[1, 1], axes_xy[0, 1])))
    return Ellipse(
        position.point_m[:2],
        float(major_m),
        float(minor_m),
        angle=angle_deg,
        facecolor="none",
        edgecolor=color,
        linewidth=0.7,
        alpha=0.45,
        zorder=1,
    )


def layer_legend(*, has_gists: bool, has_uncertainty: bool) -> list[Artist]:
    entries: list[Artist] = []
    if has_gists:
        entries.append(Patch(facecolor=GIST_COLOR, alpha=0.4, label="gist, its radius"))
    if has_uncertainty:
        label = f"{SIGMAS:g} sigma, up to {ROUGH_SIGMA_M:g} m"
        entries.append(Patch(facecolor="none", edgecolor=UNCERTAINTY_COLOR, label=label))
    return entries
