"""The tree is read from its root down to pictures and observations."""

from __future__ import annotations

import pytest

from memory_nodes.episodic.history.tree import Branch, HistoryTree
from memory_nodes.errors import InputError
from memory_nodes.records import HistoryUnit, Relation
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view
from memory_test_support.told import BERLIN, DAY_S, at, ns, tell, teller_of

MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""


@pytest.fixture
def tree(writer: Writer, past: Past) -> HistoryTree:
    """Two tasks on Monday, one with a chunk; one two weeks later."""
    for number, name in ((0, "make tea"), (1, "water the fern"), (14 * 24, "make tea")):
        begin_s = MORNING_S + 3600 * number
        episode_id = writer.start_episode(name, "", ns(begin_s))
        writer.add(at(begin_s, "action", "walk"))
        if number == 0:
            shown = [descriptor("kettle_1", view(1)), descriptor("shelf_1", view(1))]
            on = Relation("kettle_1", "on", "shelf_1", (1,))
            writer.commit_chunk(graph(1, [keyframe(1, stamp_s=begin_s + 5)], shown, [on]))
            writer.add(at(begin_s + 8, "battery", "battery at 40 %"))
        writer.add(at(begin_s + 10, "speech", "thank you"))
        writer.end_episode(episode_id, ns(begin_s + 20))
    tell(teller_of(writer, past), ns(MORNING_S + 15 * DAY_S))
    return HistoryTree(past, BERLIN)


def _root(tree: HistoryTree) -> Branch:
    root = tree.root()
    assert root is not None
    return root


def _below(tree: HistoryTree, *numbers: int) -> Branch:
    """The node on a way down from the root, by the number of each child."""
    node = _root(tree)
    for number in numbers:
        node = tree.children(node.node_id)[number]
    return node


def test_nothing_told_has_no_root(past: Past) -> None:
    assert HistoryTree(past, BERLIN).root() is None


def test_the_root_has_all_that_is_below_nothing_else(tree: HistoryTree) -> None:
    assert [node.unit for node in tree.children(_root(tree).node_id)] == ["day", "day"]


def test_an_event_has_its_chunks_and_what_was_observed_meanwhile(tree: HistoryTree) -> None:
    event = _below(tree, 0, 0, 0)
    assert (event.unit, event.level) == ("event", 2)
    below = tree.children(event.node_id)
    assert [(node.node_id, node.unit, node.level) for node in below] == [
        ("observation_1", "observation", 0),
        ("chunk_1", "chunk", 1),
        ("observation_2", "observation", 0),
    ]
    assert below[1].text == "scene with kettle_1, shelf_1; kettle_1 on shelf_1"
    assert below[2].text == "battery: battery at 40 %"


def test_a_chunk_has_its_pictures_and_these_have_nothing(tree: HistoryTree) -> None:
    (picture,) = tree.children("chunk_1")
    assert (picture.node_id, picture.unit) == ("keyframe_1", "keyframe")
    assert "images/1.jpg" in picture.text
    assert tree.children("keyframe_1") == []
    assert tree.children("observation_1") == []


def test_each_node_is_found_by_its_id(tree: HistoryTree) -> None:
    for node_id in (_root(tree).node_id, "chunk_1", "keyframe_1", "observation_1"):
        assert tree.node(node_id).node_id == node_id


@pytest.mark.parametrize(
    "node_id", ["history_999", "chunk_9", "keyframe_9", "thing", "", "chunk_x"]
)
def test_an_unknown_id_is_an_input_error(tree: HistoryTree, node_id: str) -> None:
    with pytest.raises(InputError):
        tree.node(node_id)
    with pytest.raises(InputError):
        tree.children(node_id)


def test_a_line_says_as_much_of_the_time_as_is_new(tree: HistoryTree) -> None:
    day, goal = _below(tree, 0), _below(tree, 0, 0)
    assert tree.line(day) == (
        f"{day.node_id} [Mon 7 Sep 2026] Tasks: make tea (08:00), water the fern (09:00). "
        "Saw: kettle, shelf."
    )
    assert tree.line(goal).startswith(f"{goal.node_id} [08:00] Tasks: make tea.")


def test_the_path_leads_from_the_root_to_a_node(tree: HistoryTree) -> None:
    event = _below(tree, 0, 0, 0)
    assert [node.unit for node in tree.path(event.node_id)] == ["root", "day", "goal"]
    assert tree.path(_root(tree).node_id) == []


def test_words_find_goals_by_themselves_or_by_their_events(tree: HistoryTree) -> None:
    root_id = _root(tree).node_id
    (fern,) = tree.search(root_id, "when did you water the ferns?")
    assert fern.node_id == _below(tree, 0, 1).node_id
    assert [each.start_ns for each in tree.search(root_id, "make tea")] == [
        ns(MORNING_S),
        ns(MORNING_S + 14 * DAY_S),
    ]
    assert len(tree.search(root_id, "make tea", limit=1)) == 1
    assert tree.search(root_id, "what is the elephant?") == []
    assert tree.search(_below(tree, 1).node_id, "fern") == []


def test_the_name_of_a_task_finds_that_task_alone(writer: Writer, past: Past) -> None:
    for number, (name, action) in enumerate(
        [("clean the table", "wipe"), ("set the table", "clean the forks"), ("rest", "wipe")]
    ):
        writer.start_episode(name, "", ns(MORNING_S + 600 * number))
        writer.add(at(MORNING_S + 600 * number, "action", action))
        writer.end_episode("", ns(MORNING_S + 600 * number + 60))
    tell(teller_of(writer, past), ns(MORNING_S + DAY_S))
    tree = HistoryTree(past, BERLIN)
    found = {
        query: [each.start_ns for each in tree.search(_root(tree).node_id, query)]
        for query in ("clean the table", "wipe")
    }
    first, third = ns(MORNING_S), ns(MORNING_S + 1200)
    assert found == {"clean the table": [first], "wipe": [first, third]}


def test_a_whole_name_is_found_before_one_that_has_it_in_it(writer: Writer, past: Past) -> None:
    for number, seen in enumerate(("bowl, lamp", "fruit bowl, lamp")):
        writer.add(at(MORNING_S + 3600 * number, "detections", seen))
    tell(teller_of(writer, past), ns(MORNING_S + DAY_S))
    tree = HistoryTree(past, BERLIN)
    found = {
        query: [each.start_ns for each in tree.search(_root(tree).node_id, query)]
        for query in ("where was the bowl?", "the fruit bowl", "lamp")
    }
    first, second = ns(MORNING_S), ns(MORNING_S + 3600)
    assert found == {
        "where was the bowl?": [first],
        "the fruit bowl": [second],
        "lamp": [first, second],
    }


def test_goals_are_found_by_their_time(tree: HistoryTree) -> None:
    root_id = _root(tree).node_id
    found = tree.within(root_id, ns(MORNING_S + 20), ns(MORNING_S + 3600))
    assert [goal.start_ns for goal in found] == [ns(MORNING_S), ns(MORNING_S + 3600)]
    assert tree.within(root_id, ns(MORNING_S + 21), ns(MORNING_S + 3599)) == []


def test_the_goals_before_and_after_a_node_are_beside_it(tree: HistoryTree) -> None:
    before, after = tree.beside(_below(tree, 0, 1).node_id)
    assert before == _below(tree, 0, 0)
    assert after == _below(tree, 1, 0)
    assert tree.beside(_below(tree, 0, 0).node_id)[0] is None


def test_units_are_named_as_in_the_records(tree: HistoryTree) -> None:
    assert _root(tree).unit == HistoryUnit.ROOT.value
