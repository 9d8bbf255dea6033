"""What is reached over relations, and what stands in which relation to what."""

from __future__ import annotations

import numpy as np
import pytest

from memory_nodes.errors import InputError
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.graph.search import Step
from memory_nodes.records import Relation
from memory_test_support.records import descriptor, keyframe, view
from memory_test_support.scenes import random_records


def _scene(*phrases: str) -> SceneGraph:
    """Relations as "mug_1 on desk_1", the n-th of them seen in keyframe n."""
    relations = []
    for number, phrase in enumerate(phrases, start=1):
        subject, *words, target = phrase.split()
        relations.append(Relation(subject, " ".join(words), target, (number,)))
    ids = {end for item in relations for end in (item.subject_id, item.object_id)}
    keyframes = [keyframe(number) for number in range(1, len(phrases) + 1)]
    return SceneGraph([descriptor(key, view(1)) for key in sorted(ids)], relations, keyframes)


CHAIN = _scene("mug_1 on desk_1", "desk_1 left of door_1", "key_1 attached to door_1")


def test_neighbours_are_at_either_end_of_a_relation() -> None:
    assert CHAIN.neighbours("desk_1") == {"mug_1": 1, "door_1": 1}


def test_each_hop_goes_one_relation_further_nearest_first() -> None:
    assert CHAIN.neighbours("mug_1", hops=2) == {"desk_1": 1, "door_1": 2}
    assert list(CHAIN.neighbours("mug_1", hops=9)) == ["desk_1", "door_1", "key_1"]


def test_only_relations_that_say_the_predicate_are_followed() -> None:
    scene = _scene("mug_1 on desk_1", "desk_1 supports lamp_1", "door_1 near desk_1")
    assert scene.neighbours("desk_1", "on top of") == {"mug_1": 1, "lamp_1": 1}
    assert scene.neighbours("mug_1", "on", hops=2) == {"desk_1": 1, "lamp_1": 2}
    assert scene.neighbours("door_1", "on") == {}


@pytest.mark.parametrize("hops", [0, -1])
def test_less_than_one_hop_is_refused(hops: int) -> None:
    with pytest.raises(InputError, match=f"{hops} hops"):
        CHAIN.neighbours("mug_1", hops=hops)


def test_distances_and_paths_are_those_of_powers_of_the_adjacency_matrix() -> None:
    records = random_records(40, 90, 45, 30)
    scene = SceneGraph(*records)
    ids = [item.object_id for item in records[0]]
    matrix = np.eye(40, dtype=np.int64)
    for item in records[1]:
        one, other = ids.index(item.subject_id), ids.index(item.object_id)
        matrix[one, other] = matrix[other, one] = 1
    reached = [np.linalg.matrix_power(matrix.astype(object), hops) > 0 for hops in range(41)]
    expected = np.where(reached[40], sum(~within for within in reached), -1)
    assert {-1, 1, 3} <= set(expected.ravel().tolist())
    for one, from_id in enumerate(ids):
        near = scene.neighbours(from_id, hops=2)
        assert near == {
            ids[other]: hops for other, hops in enumerate(expected[one].tolist()) if 0 < hops <= 2
        }
        for other, to_id in enumerate(ids):
            path = scene.path(from_id, to_id)
            assert (-1 if path is None else len(path)) == expected[one, other]


def test_path_is_told_both_ways() -> None:
    assert CHAIN.path("mug_1", "key_1") == (
        Step(
            Relation("mug_1", "on", "desk_1", (1,)),
            forward="mug_1 on desk_1",
            backward="desk_1 under mug_1",
        ),
        Step(
            Relation("desk_1", "left of", "door_1", (2,)),
            forward="desk_1 left of door_1",
            backward="door_1 right of desk_1",
        ),
        # no word of ours says what the door is to the key
        Step(
            Relation("key_1", "attached to", "door_1", (3,)),
            forward="key_1 attached to door_1",
            backward="key_1 attached to door_1",
        ),
    )


def test_path_back_is_the_same_path_turned() -> None:
    there, back = CHAIN.path("mug_1", "key_1"), CHAIN.path("key_1", "mug_1")
    assert there is not None
    assert back is not None
    assert [step.forward for step in back] == [step.backward for step in reversed(there)]


def test_path_to_itself_is_empty_and_to_the_unconnected_none() -> None:
    scene = _scene("mug_1 on desk_1", "lamp_1 near door_1")
    assert scene.path("mug_1", "mug_1") == ()
    assert scene.path("mug_1", "lamp_1") is None


def test_of_several_relations_a_path_takes_the_one_seen_last() -> None:
    scene = _scene("mug_1 on desk_1", "desk_1 above mug_1", "door_1 near wall_1")
    path = scene.path("mug_1", "desk_1")
    assert path is not None
    assert path[0].forward == "mug_1 below desk_1"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("on", {"mug_1", "lamp_1"}),
        ("on_top_of", {"mug_1", "lamp_1"}),
        ("under", {"box_1", "rug_1"}),
        ("in", {"pen_1", "key_1"}),
        ("left", {"bin_1", "bed_1"}),
        ("right of", set()),
        ("facing", {"chair_1"}),
    ],
)
def test_what_stands_in_a_relation_is_found_from_both_ends(asked: str, expected: set[str]) -> None:
    scene = _scene(
        *("mug_1 on desk_1", "desk_1 supports lamp_1", "box_1 under desk_1", "desk_1 on rug_1"),
        *("pen_1 inside desk_1", "desk_1 contains key_1", "bin_1 left of desk_1"),
        *("desk_1 right of bed_1", "chair_1 facing desk_1", "desk_1 facing door_1"),
    )
    assert set(scene.related(asked, "desk_1")) == expected


def test_relation_that_was_seen_last_is_the_evidence_and_comes_first() -> None:
    scene = _scene("mug_1 on desk_1", "lamp_1 on desk_1", "desk_1 supports mug_1")
    assert list(scene.related("on", "desk_1").items()) == [
        ("mug_1", Relation("desk_1", "supports", "mug_1", (3,))),
        ("lamp_1", Relation("lamp_1", "on", "desk_1", (2,))),
    ]


def test_nothing_stands_in_relation_to_itself() -> None:
    assert _scene("mug_1 near mug_1").related("near", "mug_1") == {}
    assert _scene("mug_1 near mug_1").neighbours("mug_1") == {}
