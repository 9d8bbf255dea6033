"""Houses with questions: as large as WalkieKnowledge, and their answers are true."""

from __future__ import annotations

import statistics
from collections import Counter

import pytest

from benchmark.retrieval.memory import KEYFRAMES
from memory_nodes.records import ObjectDescriptor
from memory_test_support.asked_house import UNANSWERABLE, AskedHouse, ask, build
from memory_test_support.asked_house.kinds import FURNITURE, THINGS


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "distractors"])
def house(request: pytest.FixtureRequest) -> AskedHouse:
    return build(3, 300, 86, has_distractors=request.param)


def _by_id(house: AskedHouse) -> dict[str, ObjectDescriptor]:
    return {item.object_id: item for item in house.objects}


def test_house_has_the_size_that_was_asked_for(house: AskedHouse) -> None:
    assert (len(house.objects), len(house.keyframes)) == (300, 86)
    assert all(item.views for item in house.objects)


def test_median_of_the_houses_is_that_of_the_paper() -> None:
    assert statistics.median(KEYFRAMES) == 86


def test_twins_stand_side_by_side_only_where_there_are_distractors() -> None:
    for has_distractors in (False, True):
        made = build(3, 300, 86, has_distractors=has_distractors)
        kinds = [Counter(made.kind_of[key] for key in spot.object_ids) for spot in made.spots]
        assert any(max(found.values()) > 1 for found in kinds) == has_distractors


def test_same_seed_gives_the_same_house_and_questions() -> None:
    one, other = (build(5, 100, 30, has_distractors=True) for _ in range(2))
    assert one == other
    assert ask(one, 1, 3) == ask(other, 1, 3)


def test_four_types_of_questions_and_as_many_without_an_answer(house: AskedHouse) -> None:
    kinds = Counter(question.kind for question in ask(house, 0, 6))
    assert set(kinds.values()) == {6}
    assert set(kinds) == {
        *("object_search", "scene_description", "spatial_relation", "action_place"),
        UNANSWERABLE,
    }


def test_keyframes_that_answer_show_what_was_asked_for(house: AskedHouse) -> None:
    shown = {key: {view.keyframe_id for view in item.views} for key, item in _by_id(house).items()}
    for question in ask(house, 0, 6):
        if question.answerable:
            assert question.ground_truth_frames
            for key in question.ground_truth_frames:
                assert any(key in shown[target] for target in question.target_ids)


def test_kinds_that_are_asked_for_in_vain_are_nowhere(house: AskedHouse) -> None:
    assert not {item.type for item in house.objects} & {kind.name for kind in house.absent}
    assert {kind.name for kind in house.absent} <= {kind.name for kind in THINGS}


def test_paraphrases_name_no_kind_as_the_memory_does(house: AskedHouse) -> None:
    for kind in (*FURNITURE, *THINGS):
        assert kind.name != kind.spoken


def test_relations_hold_between_things_of_one_spot(house: AskedHouse) -> None:
    spot_of = {key: number for number, spot in enumerate(house.spots) for key in spot.object_ids}
    for relation in house.relations:
        assert spot_of[relation.subject_id] == spot_of[relation.object_id]
        assert relation.keyframe_ids
