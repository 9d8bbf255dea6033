"""Numbers of markers stay, and what has gone is deleted by its own."""

from __future__ import annotations

from visualization_msgs.msg import Marker, MarkerArray

from memory_nodes.ros.markers.board import DELETIONS, Drawn, MarkerBoard


def drawn(*names: str) -> list[Drawn]:
    """Of `objects/mug_1` and the like."""
    split = (name.split("/") for name in names)
    return [Drawn(key, Marker(ns=ns)) for ns, key in split]


def numbers(message: MarkerArray, action: int = Marker.ADD) -> list[tuple[str, int]]:
    return [(item.ns, item.id) for item in message.markers if item.action == action]


def test_number_stays_whatever_comes_and_goes() -> None:
    board = MarkerBoard()
    first = numbers(board.update(drawn("objects/mug_1", "objects/cup_1"), "map"))
    second = numbers(board.update(drawn("objects/fork_1", "objects/cup_1"), "map"))
    assert second[1] == first[1]
    assert second[0] not in first


def test_each_namespace_counts_for_itself() -> None:
    shown = MarkerBoard().update(drawn("objects/mug_1", "labels/mug_1", "objects/cup_1"), "map")
    assert numbers(shown) == [("objects", 0), ("labels", 0), ("objects", 1)]


def test_only_what_has_gone_is_deleted() -> None:
    board = MarkerBoard()
    board.update(drawn("objects/mug_1", "objects/cup_1"), "map")
    message = board.update(drawn("objects/cup_1"), "map")
    assert numbers(message, Marker.DELETE) == [("objects", 0)]
    assert numbers(message, Marker.DELETEALL) == []
    assert message.markers[0].header.frame_id == "map"


def test_only_the_first_message_deletes_all_that_another_board_has_drawn() -> None:
    board = MarkerBoard()
    first = board.update(drawn("objects/mug_1"), "map").markers
    assert [item.action for item in first] == [Marker.DELETEALL, Marker.ADD]
    assert first[0].header.frame_id == "map"
    assert numbers(board.update([], "map"), Marker.DELETEALL) == []


def test_deletion_is_repeated_a_few_times_and_then_forgotten() -> None:
    board = MarkerBoard()
    board.update(drawn("objects/mug_1"), "map")
    sent = [numbers(board.update([], "map"), Marker.DELETE) for _ in range(DELETIONS + 1)]
    assert sent == [[("objects", 0)]] * DELETIONS + [[]]


def test_what_comes_back_is_not_deleted_again() -> None:
    board = MarkerBoard()
    board.update(drawn("objects/mug_1"), "map")
    board.update([], "map")
    message = board.update(drawn("objects/mug_1"), "map")
    assert numbers(message, Marker.DELETE) == []
    assert numbers(message) == [("objects", 0)]


def test_number_of_what_has_gone_for_good_is_not_given_again() -> None:
    """RViz that missed all of its deletions would show the one in the place of the other."""
    board = MarkerBoard()
    board.update(drawn("objects/mug_1"), "map")
    for _ in range(DELETIONS):
        board.update([], "map")
    assert numbers(board.update(drawn("objects/cup_1"), "map")) == [("objects", 1)]
