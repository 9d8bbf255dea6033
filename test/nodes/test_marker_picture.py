"""The picture of markers shows each shape that the suite publishes, where it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from visualization_msgs.msg import Marker

from memory_nodes.geometry import Pose
from memory_nodes.ros.markers import shapes
from memory_test_support.marker_picture import BACKGROUND, save_markers

RED = "#ff0000"


def pixels_of(path: Path, rgb: tuple[int, int, int]) -> Any:
    """Rows and columns of the pixels with about this colour."""
    with Image.open(path) as picture:
        seen = np.asarray(picture.convert("RGB")).astype(int)
    return np.argwhere(np.abs(seen - np.array(rgb)).max(axis=2) < 8)


def solid(kind: int, x_m: float, y_m: float, rgb: str = RED) -> Marker:
    at = Pose((x_m, y_m, 0.0), shapes.UPRIGHT)
    return shapes.solid("objects", kind, "map", at, (0.5, 0.5, 0.5), shapes.color(rgb, 1.0))


@pytest.mark.parametrize(
    "marker",
    [
        solid(Marker.SPHERE, 0.0, 0.0),
        solid(Marker.CYLINDER, 0.0, 0.0),
        solid(Marker.ARROW, 0.0, 0.0),
        shapes.label("labels", "map", (0.0, 0.0, 0.0), "a mug", 0.5, shapes.color(RED, 1.0)),
        shapes.lines(
            "relations",
            "map",
            [((0.0, 0.0, 0.0), (1.0, 1.0, 0.0)), ((0.0, 0.0, 0.0), (-1.0, 0.5, 0.0))],
            0.01,
            shapes.color(RED, 1.0),
        ),
    ],
    ids=["sphere", "cylinder", "arrow", "label", "lines"],
)
def test_each_shape_of_the_suite_is_drawn(marker: Marker, tmp_path: Path) -> None:
    save_markers([marker], [], tmp_path / "markers.png")
    assert len(pixels_of(tmp_path / "markers.png", (255, 0, 0))) > 20


def test_what_lies_north_and_east_is_drawn_above_and_to_the_right(tmp_path: Path) -> None:
    path = tmp_path / "markers.png"
    save_markers(
        [solid(Marker.SPHERE, 0.0, 0.0), solid(Marker.SPHERE, 2.0, 3.0, "#0000ff")], [], path
    )
    red, blue = pixels_of(path, (255, 0, 0)), pixels_of(path, (0, 0, 255))
    assert blue[:, 0].max() < red[:, 0].min()
    assert red[:, 1].max() < blue[:, 1].min()


def test_nearer_object_hides_what_is_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "markers.png"
    ball, above = solid(Marker.SPHERE, 0.0, 0.0, "#0000ff"), solid(Marker.SPHERE, 0.0, 0.0)
    above.pose.position.y, above.pose.position.z = -0.643, 0.766
    save_markers([above, ball], [], path)
    assert len(pixels_of(path, (0, 0, 255))) < 20


def test_shape_that_the_suite_never_publishes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="objects/0 has type 1"):
        save_markers([solid(Marker.CUBE, 0.0, 0.0)], [], tmp_path / "markers.png")


def test_background_is_that_of_the_rviz_file() -> None:
    rviz = Path(__file__).resolve().parents[2] / "rviz" / "memory.rviz"
    rgb = "; ".join(str(int(BACKGROUND[start : start + 2], 16)) for start in (1, 3, 5))
    assert f"Background Color: {rgb}" in rviz.read_text(encoding="utf-8")
