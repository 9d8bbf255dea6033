"""Gists and uncertainties on a map."""

from __future__ import annotations

import math

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Ellipse

from memory_nodes.drawing.map_layers import draw_gists, draw_uncertainty, ellipse, layer_legend
from memory_nodes.geometry import PointEstimate
from memory_nodes.records import ItemKind
from memory_nodes.store.hits import Hit
from memory_test_support.records import descriptor, point


def _axes() -> Axes:
    return Figure().add_subplot()


def test_ellipse_has_the_axes_of_the_covariance() -> None:
    """Standard deviations 0.4 m along 30 degrees and 0.1 m across, and anything in height."""
    turn = math.radians(30.0)
    axes_xy = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    covariance = np.eye(3)
    covariance[:2, :2] = axes_xy @ np.diag([0.16, 0.01]) @ axes_xy.T
    drawn = ellipse(PointEstimate((1.0, 2.0, 3.0), tuple(covariance.ravel())), "red")
    assert drawn.center == (1.0, 2.0)
    assert (drawn.width, drawn.height) == pytest.approx((0.8, 0.2))
    assert drawn.angle % 180.0 == pytest.approx(30.0)


def test_position_that_is_a_guess_has_no_ellipse() -> None:
    axes = _axes()
    rough = descriptor("ship_1", position=point(1.0, 0.0, sigma_m=1.5))
    draw_uncertainty(axes, [rough, descriptor("mug_1", position=point(2.0, 0.0))])
    (drawn,) = axes.patches
    assert isinstance(drawn, Ellipse)
    assert drawn.center == (2.0, 0.0)


def test_gist_is_a_disc_with_its_radius() -> None:
    axes = _axes()
    gist = Hit(ItemKind.GIST, "gist_1", "mugs", 0.0, 1, 2, "map", (1.0, 2.0, 0.0), radius_m=1.5)
    draw_gists(axes, [gist])
    (disc,) = axes.patches
    assert isinstance(disc, Circle)
    assert (disc.center, disc.radius) == ((1.0, 2.0), 1.5)


def test_legend_names_only_what_is_drawn() -> None:
    assert layer_legend(has_gists=False, has_uncertainty=False) == []
    (entry,) = layer_legend(has_gists=True, has_uncertainty=False)
    assert entry.get_label() == "gist, its radius"
