"""Which map a pose graph is of."""

from __future__ import annotations

from memory_nodes.mapping.identity import MapIdentity
from memory_nodes.mapping.pose_graph import PoseGraph


def _graph(points_m: dict[int, tuple[float, float]]) -> PoseGraph:
    return PoseGraph.heard(points_m, 0)


def _way(count: int, *, along_y: bool = False) -> PoseGraph:
    """A robot drives straight on from the origin."""
    return _graph({n: (0.0, 0.5 * n) if along_y else (0.5 * n, 0.0) for n in range(count)})


def test_first_graph_is_that_of_the_map_by_its_parameter() -> None:
    assert MapIdentity("home", {}).heard(_way(3)) == "home"


def test_graph_that_grows_stays_the_same_map() -> None:
    identity = MapIdentity("home", {})
    assert [identity.heard(_way(count)) for count in (1, 5, 40)] == ["home"] * 3


def test_graph_that_a_closure_bends_stays_the_same_map() -> None:
    identity = MapIdentity("home", {})
    identity.heard(_way(40))
    bent = {n: (0.5 * n, 0.02 * n) for n in range(41)}
    assert identity.heard(_graph(bent)) == "home"


def test_localisation_that_drops_its_vertices_stays_on_the_map() -> None:
    """slam_toolbox adds some at the end while it localises, and drops them again."""
    identity = MapIdentity("home", {})
    points_m = {n: (0.5 * n, 0.0) for n in range(40)}
    identity.heard(_graph(points_m | dict.fromkeys(range(40, 50), (1.0, 1.0))))
    assert identity.heard(_graph(points_m | dict.fromkeys(range(50, 60), (2.0, 1.0)))) == "home"


def test_graph_that_begins_anew_is_a_new_map() -> None:
    """Whatever the robot's new origin: the first vertex of each map is at (0, 0)."""
    identity = MapIdentity("home", {})
    identity.heard(_way(40))
    assert identity.heard(_way(1)) == "home_new_2"
    assert identity.heard(_way(9, along_y=True)) == "home_new_2"
    assert identity.heard(_way(2)) == "home_new_3"


def test_graph_that_began_anew_while_the_suite_was_down_is_a_new_map() -> None:
    identity = MapIdentity("home", {"home": _way(40)})
    assert identity.heard(_way(8, along_y=True)) == "home_new_2"


def test_graph_that_went_on_while_the_suite_was_down_is_the_old_map() -> None:
    assert MapIdentity("home", {"home": _way(40)}).heard(_way(60)) == "home"


def test_saved_map_that_is_loaded_again_has_its_old_id() -> None:
    """With fewer vertices than it had in the end: it was saved before that."""
    home, shed = _way(60), _way(30, along_y=True)
    identity = MapIdentity("home", {"home": home, "home_new_2": shed})
    assert identity.heard(_way(2, along_y=True)) == "home_new_3"
    assert identity.heard(_way(50)) == "home"
    assert identity.heard(_way(30, along_y=True)) == "home_new_2"


def test_loaded_map_that_nobody_knows_is_called_what_slam_calls_it() -> None:
    identity = MapIdentity("home", {"home": _way(40)})
    assert identity.heard(_way(50, along_y=True), name="warehouse") == "warehouse"


def test_known_map_keeps_its_id_whatever_the_file_is_called() -> None:
    identity = MapIdentity("home", {"home": _way(40)})
    assert identity.heard(_way(40), name="warehouse") == "home"


def test_id_of_a_map_without_a_graph_is_not_given_to_a_new_one() -> None:
    identity = MapIdentity("home", {"home": _way(40)}, taken={"home_new_2"})
    assert identity.heard(_way(1)) == "home_new_3"
