"""The tree is shown collapsed, opened where the model wants it, and never larger than its room."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_nodes.answering.agents.tree_view import TreeView
from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.errors import InputError
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.small_history import MORNING_S
from memory_test_support.told import BERLIN, at, ns, tell, teller_of

ROOMY = 10_000


def root_of(tree: HistoryTree) -> Branch:
    root = tree.root()
    assert root is not None
    return root


@pytest.fixture
def view(tree: HistoryTree) -> TreeView:
    return TreeView(tree, root_of(tree))


def ids(view: TreeView, max_chars: int = ROOMY) -> list[str]:
    return [line.split()[0] for line in view.lines(max_chars)]


def depths(view: TreeView) -> list[int]:
    return [(len(line) - len(line.lstrip())) // 2 for line in view.lines(ROOMY)]


def test_only_the_root_is_in_sight_at_first(view: TreeView) -> None:
    (line,) = view.lines(ROOMY)
    assert line.startswith(f"{view.root.node_id} [")
    assert "make tea" in line


def test_children_come_into_sight_below_their_node(view: TreeView) -> None:
    days = view.expand(view.root.node_id, 0)
    assert ids(view) == [view.root.node_id, *(day.node_id for day in days)]
    assert depths(view) == [0, 1, 1]
    assert "make tea" not in view.lines(ROOMY)[0]


def test_what_is_collapsed_is_out_of_sight(view: TreeView) -> None:
    view.expand(view.root.node_id, 0)
    view.collapse(view.root.node_id)
    assert ids(view) == [view.root.node_id]


def test_way_down_to_pictures_and_what_was_heard(view: TreeView, tree: HistoryTree) -> None:
    (tea,) = tree.search(view.root.node_id, "make tea")
    view.show([tea])
    event, _ = view.expand(tea.node_id, 0)
    below = view.expand(event.node_id, 0)
    assert [each.unit for each in below] == ["observation", "chunk"]
    (picture,) = view.expand("chunk_1", 0)
    assert picture.keyframe_id == 1
    (chunk,) = (line for line in view.lines(ROOMY) if "chunk_1 " in line)
    assert "kettle_1 on shelf_1" in chunk


def test_what_was_found_is_shown_with_the_way_to_it_alone(
    view: TreeView, tree: HistoryTree
) -> None:
    (fern,) = tree.search(view.root.node_id, "fern")
    view.show([fern])
    assert depths(view) == [0, 1, 2, 2, 1]
    assert "(there may be more here)" in view.lines(ROOMY)[-1]


@pytest.mark.parametrize("node_id", ["history_999", "chunk_1", "keyframe_1", "nonsense", ""])
def test_node_that_is_not_in_sight_and_not_of_the_history_cannot_be_opened(
    view: TreeView, node_id: str
) -> None:
    with pytest.raises(InputError):
        view.expand(node_id, 0)
    with pytest.raises(InputError):
        view.collapse(node_id)


def test_number_from_which_there_is_nothing_is_an_error(view: TreeView) -> None:
    with pytest.raises(InputError, match="2 nodes below it, none from 2 on"):
        view.expand(view.root.node_id, 2)


def test_many_children_are_shown_in_parts(writer: Writer, past: Past, tmp_path: Path) -> None:
    for number in range(25):
        begin_s = MORNING_S + 600 * number
        writer.start_episode(f"task {number}", "", ns(begin_s))
        writer.add(at(begin_s, "action", "walk"))
        writer.end_episode("", ns(begin_s + 20))
    tell(teller_of(writer, past), ns(MORNING_S + 600 * 30))
    tree = HistoryTree(past, BERLIN)
    view = TreeView(tree, root_of(tree))
    (day,) = view.expand(view.root.node_id, 0)
    assert len(view.expand(day.node_id, 0)) == 20
    assert view.lines(ROOMY)[-1].strip() == f'(5 more: expand("{day.node_id}", first=20))'
    assert len(view.expand(day.node_id, 20)) == 5
    assert "more:" not in view.lines(ROOMY)[-1]


def test_what_was_opened_longest_ago_is_closed_for_want_of_room(view: TreeView) -> None:
    first, second = view.expand(view.root.node_id, 0)
    view.expand(first.node_id, 0)
    view.expand(second.node_id, 0)
    everything = view.lines(ROOMY)
    room = sum(len(line) + 1 for line in everything) - 1
    lines = view.lines(room)
    assert len(lines) < len(everything)
    assert sum(len(line) + 1 for line in lines) <= room
    assert depths(view) == [0, 1, 1, 2]


@pytest.mark.parametrize("room", [10, 100, 200, 400])
def test_tree_is_bounded_whatever_is_open(view: TreeView, room: int) -> None:
    for day in view.expand(view.root.node_id, 0):
        for goal in view.expand(day.node_id, 0):
            view.expand(goal.node_id, 0)
    lines = view.lines(room)
    assert sum(len(line) + 1 for line in lines[:-1]) <= max(room, 260)
    assert lines[0].startswith(view.root.node_id)
