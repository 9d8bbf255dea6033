"""How a map moves, and what moves with which vertex."""

from __future__ import annotations

import numpy as np
import pytest

from memory_nodes.mapping.movement import Movement
from memory_nodes.mapping.pose_graph import PoseGraph
from memory_nodes.records import NS_PER_S


def _graph(points_m: dict[int, tuple[float, float]], made_s: float = 0.0) -> PoseGraph:
    return PoseGraph.heard(points_m, round(made_s * NS_PER_S))


def _joined(*graphs: PoseGraph) -> PoseGraph:
    return PoseGraph(
        np.concatenate([graph.ids for graph in graphs]),
        np.concatenate([graph.points_map_m for graph in graphs]),
        np.concatenate([graph.made_ns for graph in graphs]),
    )


LINE = {key: (0.5 * key, 0.0) for key in range(20)}


def test_graph_that_stands_still_has_not_moved() -> None:
    assert Movement.between(_graph(LINE), _graph(LINE)).largest_m == 0.0


def test_vertex_that_moves_alone_is_noise() -> None:
    jumped = LINE | {7: (3.5, 4.0)}
    movement = Movement.between(_graph(LINE), _graph(jumped))
    assert movement.largest_m < 0.01


def test_vertices_that_only_one_graph_has_do_not_count() -> None:
    now = {key: (x_m, y_m + 0.2) for key, (x_m, y_m) in LINE.items() if key > 2} | {99: (0.0, 0.0)}
    movement = Movement.between(_graph(LINE), _graph(now))
    assert movement.vertices.ids.tolist() == list(range(3, 20))
    assert movement.largest_m == pytest.approx(0.2)


def test_nothing_in_common_is_no_movement() -> None:
    assert Movement.between(_graph({1: (0.0, 0.0)}), _graph({2: (5.0, 0.0)})).largest_m == 0.0


def test_point_that_is_not_finite_is_left_out() -> None:
    assert _graph({1: (0.0, float("nan")), 2: (1.0, 0.0)}).ids.tolist() == [2]


def test_pose_hangs_on_the_nearest_vertex() -> None:
    movement = Movement.between(_graph(LINE), _graph(LINE))
    rows = movement.anchors(np.array([[3.4, 0.1], [-9.0, 0.0]]), np.zeros(2, np.int64))
    assert movement.vertices.ids[rows].tolist() == [7, 0]


def test_second_visit_hangs_on_its_own_vertices_and_not_on_those_of_the_first() -> None:
    """The robot is back after 100 s, and 0.4 m beside where it was; only the new ones move."""
    first = _graph(LINE)
    second = _graph({100 + key: (x_m, 0.4) for key, (x_m, _) in LINE.items()}, made_s=100.0)
    now = _graph(LINE | {100 + key: point for key, point in LINE.items()})
    movement = Movement.between(_joined(first, second), now)
    place_m = np.array([[2.0, 0.1], [2.0, 0.3]])  # each is nearer to a vertex of the other visit
    stamps_ns = np.array([100, 0]) * NS_PER_S
    rows = movement.anchors(place_m, stamps_ns)
    assert movement.vertices.ids[rows].tolist() == [104, 4]
    assert movement.motions[rows][:, :2] == pytest.approx(
        np.array([[0.0, -0.4], [0.0, 0.0]]), abs=0.02
    )


def test_what_moves_less_than_a_centimetre_stays_until_it_adds_up() -> None:
    """Here the far half of the line moves, and the near one creeps."""
    crept = {key: (x_m, 0.006 if key < 10 else 0.3) for key, (x_m, _) in LINE.items()}
    movement = Movement.between(_graph(LINE), _graph(crept))
    assert not movement.motions[:5].any()
    assert movement.motions[15:, 1] == pytest.approx(0.3)
    level = movement.level(_graph(crept | {30: (20.0, 0.0)}))
    assert level.points_map_m[0].tolist() == [0.0, 0.0]
    assert level.points_map_m[19].tolist() == [9.5, 0.3]
    assert level.points_map_m[20].tolist() == [20.0, 0.0]
