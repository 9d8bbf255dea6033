from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from PIL import Image

from memory_nodes.drawing.map_picture import GOAL_COLOR, NEAR_M, draw_map, save_map
from memory_nodes.geometry import Pose
from memory_nodes.records import Keyframe, ObjectDescriptor, Relation
from memory_nodes.retrieval.snapshot import Snapshot
from memory_test_support.records import descriptor, keyframe, point, view


def snapshot(
    *objects: ObjectDescriptor,
    relations: tuple[Relation, ...] = (),
    keyframes: tuple[Keyframe, ...] = (keyframe(1), keyframe(2)),
) -> Snapshot:
    return Snapshot(objects, relations, {item.keyframe_id: item for item in keyframes})


def axes_of(drawn: Any) -> Axes:
    (axes,) = drawn.axes
    assert isinstance(axes, Axes)
    return axes


def texts(axes: Axes) -> set[str]:
    return {text.get_text() for text in axes.texts} - {""}


def lines_m(axes: Axes) -> list[Any]:
    """Line segments of relations and headings, metres."""
    return [
        segment
        for collection in axes.collections
        for segment in collection.get_segments()  # type: ignore[attr-defined]
    ]


def test_object_near_the_trail_is_a_dot_at_its_place_with_its_name() -> None:
    axes = axes_of(draw_map(snapshot(descriptor("mug_1", position=point(1.0, 0.5)))))
    assert "mug_1" in texts(axes)
    assert any(np.allclose(line.get_xydata(), [[1.0, 0.5]]) for line in axes.lines)


def test_object_far_from_the_trail_or_without_position_is_left_out() -> None:
    far = descriptor("ship_1", position=point(50.0, 0.0))
    axes = axes_of(draw_map(snapshot(far, descriptor("ghost_1"))))
    assert texts(axes).isdisjoint({"ship_1", "ghost_1"})
    assert axes.get_xlim()[1] < 10.0
    assert "2 objects far away" in axes.get_title()


def test_only_near_relations_are_drawn() -> None:
    places = {"cup_1": 0.0, "table_1": NEAR_M - 0.1, "door_1": 2.0 * NEAR_M}
    objects = [descriptor(key, position=point(x_m, 1.0)) for key, x_m in places.items()]
    relations = (
        Relation("cup_1", "on", "table_1", (1,)),
        Relation("cup_1", "near", "door_1", (1,)),
    )
    drawn = lines_m(axes_of(draw_map(snapshot(*objects, relations=relations))))
    at_1m = [sorted(segment[:, 0]) for segment in drawn if np.allclose(segment[:, 1], 1.0)]
    assert at_1m == [[0.0, pytest.approx(NEAR_M - 0.1)]]


def test_heading_ticks_point_ahead() -> None:
    north = keyframe(1, base=Pose.planar(0.0, 0.0, np.pi / 2))
    (tick,) = lines_m(axes_of(draw_map(snapshot(keyframes=(north,)))))
    assert tick[1][0] == pytest.approx(0.0, abs=1e-9)
    assert tick[1][1] > 0.1


def test_both_axes_have_the_same_scale() -> None:
    assert axes_of(draw_map(snapshot())).get_aspect() == 1.0


def test_labels_do_not_cover_each_other() -> None:
    crowd = [descriptor(f"chair_{n}", position=point(0.05 * n, 0.5)) for n in range(40)]
    axes = axes_of(draw_map(snapshot(*crowd)))
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text().startswith("chair")]
    assert 3 <= len(boxes) < 40
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_target_is_named_in_any_case_and_marked_with_the_goal() -> None:
    here = point(0.5, 0.5)
    crowd = [descriptor(f"chair_{n}", view(1), view(2), position=here) for n in range(40)]
    target = descriptor("mug_1", position=here)
    goal = Pose.planar(0.25, -0.5, 0.0)
    axes = axes_of(draw_map(snapshot(*crowd, target), goal, ["mug_1"]))
    assert "mug_1" in texts(axes)
    marked = [line.get_xydata() for line in axes.lines if line.get_color() == GOAL_COLOR]
    assert any(np.allclose(place, [[0.5, 0.5]]) for place in marked)
    assert any(np.allclose(place, [[0.25, -0.5]]) for place in marked)


def test_only_the_map_of_the_newest_keyframe_is_drawn() -> None:
    old, new = keyframe(1, map_id="cellar"), keyframe(2, map_id="attic")
    objects = (
        descriptor("boiler_1", view(1), position=point(0.0, 0.0)),
        descriptor("trunk_1", view(2), position=point(0.5, 0.0)),
    )
    drawn = draw_map(snapshot(*objects, keyframes=(old, new)))
    assert "trunk_1" in texts(axes_of(drawn))
    assert "boiler_1" not in texts(axes_of(drawn))


def test_one_keyframe_and_nothing_else_can_be_drawn() -> None:
    draw_map(snapshot(keyframes=(keyframe(1),)))


def test_memory_without_keyframes_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        draw_map(snapshot(keyframes=()))


def test_saved_map_is_a_png(tmp_path: Path) -> None:
    save_map(tmp_path / "new" / "map.png", snapshot(descriptor("mug_1", position=point(1.0, 0.5))))
    with Image.open(tmp_path / "new" / "map.png") as image:
        assert image.format == "PNG"
        assert min(image.size) > 600
