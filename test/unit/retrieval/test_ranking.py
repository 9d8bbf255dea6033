"""Which objects a question is about, and which keyframes show them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from memory_nodes.records import ObjectDescriptor, Relation
from memory_nodes.retrieval.ranking import best_views, rank, score_objects, view_quality
from memory_nodes.retrieval.snapshot import Snapshot
from memory_test_support.records import box, descriptor, keyframe, view

KEYFRAMES = {number: keyframe(number) for number in range(1, 9)}
OFFICE = (
    descriptor("mug_1", view(1), color="red", affordances=("drink coffee",)),
    descriptor("mug_2", view(2), color="blue"),
    descriptor("desk_1", view(1), view(2), color="white"),
    descriptor("desk_2", view(3), color="white"),
    descriptor("sofa_1", view(4), color="red"),
    descriptor("potted_plant_1", view(3), description="a tall plant in a white pot"),
)
ON = Relation("mug_1", "on", "desk_1", (1,))


def _snapshot(
    objects: Sequence[ObjectDescriptor] = OFFICE, relations: Sequence[Relation] = ()
) -> Snapshot:
    return Snapshot(tuple(objects), tuple(relations), KEYFRAMES)


def _best(question: str) -> str:
    scores = score_objects(question, _snapshot())
    return max(scores, key=scores.__getitem__)


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("Where is the red mug?", "mug_1"),
        ("Show me the blue mugs", "mug_2"),
        ("Can I sit on the red sofa?", "sofa_1"),
        ("Where can I drink?", "mug_1"),
        ("Is there any tall plant?", "potted_plant_1"),
    ],
)
def test_object_that_carries_most_of_the_question_is_best(question: str, best: str) -> None:
    assert _best(question) == best


def test_rare_word_wins_over_a_frequent_one() -> None:
    scores = score_objects("white sofa", _snapshot())
    assert scores["sofa_1"] > scores["desk_1"] > 0.0


def test_score_by_hand() -> None:
    """Two words, six objects: 'sofa' is in one, 'white' in three (the pot's too)."""
    sofa = math.log(1.0 + 7.0 / 2.0)
    white = math.log(1.0 + 7.0 / 4.0)
    scores = score_objects("white sofa", _snapshot())
    assert scores["sofa_1"] == pytest.approx(1.3 * sofa / (sofa + white))
    assert scores["desk_1"] == pytest.approx(white / (sofa + white))


@pytest.mark.parametrize(
    "question",
    ["Where is the elephant?", "Is there a fire extinguisher?", "the the the", "?!"],
)
def test_object_that_was_never_seen_scores_nothing(question: str) -> None:
    assert rank(question, _snapshot(), 5).best_score < 0.25


def test_unknown_word_weighs_most() -> None:
    """Most of 'white elephant trunk' is nowhere: the white desk must not pass for it."""
    assert rank("white elephant trunk", _snapshot(), 5).best_score < 0.25


def test_thing_of_the_same_colour_is_no_evidence() -> None:
    """By hand: 'red' is in two of six objects, 'bicycle' in none; half of it counts."""
    red, bicycle = math.log(1.0 + 7.0 / 3.0), math.log(1.0 + 7.0)
    ranking = rank("Where is the red bicycle?", _snapshot(), 5)
    assert ranking.best_score == pytest.approx(0.5 * red / (red + bicycle))


def test_place_that_is_there_is_no_evidence_for_what_stands_on_it() -> None:
    assert rank("Where is the elephant on the white desk?", _snapshot(), 5).best_score == 0.0
    assert rank("Where is the mug on the white desk?", _snapshot(), 5).best_score > 1.0


def test_thing_beside_what_is_named_wins_over_its_likes() -> None:
    lamps = [descriptor(f"lamp_{number}", view(number)) for number in (1, 2, 3)]
    sofa = descriptor("sofa_1", view(2), view(4))
    relation = Relation("lamp_2", "next to", "sofa_1", (2,))
    scores = score_objects("lamp next to the sofa", _snapshot((*lamps, sofa), (relation,)))
    assert scores["lamp_2"] > max(scores["lamp_1"], scores["lamp_3"])


def test_relation_that_is_asked_for_wins_over_another_one() -> None:
    things = [descriptor("box_1", view(1)), descriptor("box_2", view(2))]
    bed = descriptor("bed_1", view(1), view(2))
    relations = (Relation("box_1", "on", "bed_1", (1,)), Relation("box_2", "under", "bed_1", (2,)))
    snapshot = _snapshot((*things, bed), relations)
    for question, first in (("box under the bed", 2), ("box on the bed", 1)):
        assert rank(question, snapshot, 5).keyframes[0].keyframe.keyframe_id == first


def test_relation_is_read_from_its_other_end_too() -> None:
    """A lamp that is above the desk has the desk below it."""
    desks = [descriptor("desk_1", view(1)), descriptor("desk_2", view(2))]
    lamp = descriptor("lamp_1", view(1), view(2))
    snapshot = _snapshot((*desks, lamp), (Relation("lamp_1", "above", "desk_2", (2,)),))
    scores = score_objects("desk below the lamp", snapshot)
    assert scores["desk_2"] > scores["desk_1"]


def test_picture_that_fits_puts_its_object_and_keyframe_first() -> None:
    lamp = descriptor("lamp_1", view(1), view(2))
    other = descriptor("lamp_2", view(3))
    seen = {"lamp_1": {1: 1.0, 2: 0.5}, "gone_1": {1: 1.0}}
    ranking = rank("lamp", _snapshot((lamp, other)), 5, seen=seen)
    assert [hit.keyframe.keyframe_id for hit in ranking.keyframes] == [1, 2, 3]
    assert ranking.best_score == rank("lamp", _snapshot((lamp, other)), 5).best_score


def test_neighbour_in_a_relation_counts_a_little() -> None:
    on_desk = score_objects("mug desk", _snapshot(relations=[ON]))
    assert on_desk["mug_1"] > on_desk["mug_2"]


def test_keyframe_of_the_best_object_comes_first() -> None:
    ranking = rank("Where is the blue mug?", _snapshot(), 5)
    assert ranking.keyframes[0].keyframe.keyframe_id == 2
    assert ranking.keyframes[0].object_ids[0] == "mug_2"
    assert ranking.keyframes[0].views[0] == view(2)


def test_each_box_is_of_its_object_in_its_keyframe() -> None:
    for hit in rank("red mug on a white desk", _snapshot(relations=[ON]), 8).keyframes:
        for object_id, shown in zip(hit.object_ids, hit.views, strict=True):
            assert shown in _snapshot().objects_by_id[object_id].views
            assert shown.keyframe_id == hit.keyframe.keyframe_id


def test_keyframe_that_shows_the_relation_wins_when_a_place_is_asked() -> None:
    mug = descriptor("mug_1", view(1), view(2), color="red")
    desk = descriptor("desk_1", view(1), view(2), color="white")
    relation = Relation("mug_1", "on", "desk_1", (1,))
    snapshot = _snapshot((mug, desk), (relation,))
    assert [hit.keyframe.keyframe_id for hit in rank("mug on the desk", snapshot, 5).keyframes] == [
        1,
        2,
    ]
    # without a word of place the newer of two equals comes first
    assert [hit.keyframe.keyframe_id for hit in rank("mug and desk", snapshot, 5).keyframes] == [
        2,
        1,
    ]


def test_crowded_keyframe_of_half_matches_does_not_win() -> None:
    crowd = [descriptor(f"red_box_{number}", view(5)) for number in range(12)]
    snapshot = _snapshot((*crowd, descriptor("mug_1", view(1), color="red")))
    assert rank("red mug", snapshot, 5).keyframes[0].keyframe.keyframe_id == 1


def test_number_of_keyframes_is_bounded() -> None:
    mug = descriptor("mug_1", *map(view, KEYFRAMES))
    assert len(rank("mug", _snapshot((mug,)), 3).keyframes) == 3


def test_empty_memory_ranks_nothing() -> None:
    ranking = rank("mug", Snapshot((), (), {}), 5)
    assert (ranking.best_score, ranking.keyframes) == (0.0, ())


def test_view_quality_by_hand() -> None:
    # 0.08 of 640 x 480 px is a square of 156.8 px: larger views are no better
    assert view_quality(view(1, box(200, 150, 200)), keyframe(1)) == pytest.approx(1.0)
    # a square of 78.4 px is a quarter of that: sqrt(1/4) = 0.5
    assert view_quality(view(1, box(200, 150, 78.384)), keyframe(1)) == pytest.approx(
        0.75, abs=1e-4
    )
    assert view_quality(view(1, box(0, 150, 200)), keyframe(1)) == pytest.approx(0.8)


def test_views_of_an_object_are_best_where_large_and_whole() -> None:
    mug = descriptor("mug_1", view(1, box(side_px=30)), view(2), view(3, box(0.0, 0.0)))
    order = [hit.keyframe.keyframe_id for hit in best_views(mug, _snapshot((mug,)))]
    assert order == [2, 3, 1]


def test_newest_of_equal_views_comes_first() -> None:
    mug = descriptor("mug_1", view(1), view(4), view(2))
    assert best_views(mug, _snapshot((mug,)))[0].keyframe.keyframe_id == 4


def test_keyframe_with_most_on_the_table_answers_what_is_on_it() -> None:
    things = [descriptor(f"thing_{number}", view(1), view(2)) for number in (1, 2, 3)]
    table = descriptor("table_1", view(1), view(2))
    relations = [
        Relation("thing_1", "on", "table_1", (1, 2)),
        Relation("thing_2", "on", "table_1", (1,)),
        Relation("thing_3", "on", "table_1", (1,)),
    ]
    snapshot = _snapshot((*things, table), relations)
    ranking = rank("What is on the table?", snapshot, 5)
    assert [hit.keyframe.keyframe_id for hit in ranking.keyframes] == [1, 2]
