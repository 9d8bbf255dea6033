"""Where an object is, by words or by id."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_nodes.answering.locating import locate_objects
from memory_nodes.errors import InputError
from memory_nodes.retrieval.retriever import RetrievalConfig
from memory_nodes.retrieval.snapshot import Snapshot
from memory_test_support.records import box, descriptor, keyframe, view

KEYFRAMES = {number: keyframe(number) for number in range(1, 5)}
SNAPSHOT = Snapshot(
    (
        descriptor("mug_1", view(1), view(2, box(side_px=20)), color="red"),
        descriptor("mug_2", view(3), color="blue"),
        descriptor("mug_3", view(4), color="blue"),
        descriptor("sofa_1", view(4)),
    ),
    (),
    KEYFRAMES,
)


def _ids(text: str = "", object_id: str = "", max_objects: int = 5) -> list[str]:
    located = locate_objects(SNAPSHOT, text, object_id, 0.25, max_objects)
    return [item.descriptor.object_id for item in located]


def test_best_object_comes_first_and_the_latest_seen_among_equals() -> None:
    assert _ids("blue mug") == ["mug_3", "mug_2", "mug_1"]


def test_number_of_objects_is_bounded() -> None:
    assert _ids("mug", max_objects=2) == ["mug_3", "mug_2"]


def test_id_of_an_object_that_was_merged_into_another_finds_that() -> None:
    mug = replace(descriptor("mug_1", view(1)), aliases=("cup_1",))
    located = locate_objects(Snapshot((mug,), (), KEYFRAMES), "", "cup_1", 0.25, 5)
    assert [item.descriptor.object_id for item in located] == ["mug_1"]


def test_name_that_a_person_gave_finds_the_object_before_those_of_its_type() -> None:
    sofa = replace(descriptor("sofa_1", view(4)), name="the mug", wordings=("the mug", "sofa"))
    mugs = Snapshot((descriptor("cup_1", view(1), description="a mug"), sofa), (), KEYFRAMES)
    located = locate_objects(mugs, "mug", "", 0.0, 5)
    assert [item.descriptor.object_id for item in located] == ["sofa_1", "cup_1"]


def test_id_wins_over_words() -> None:
    assert _ids("sofa", object_id="mug_1") == ["mug_1"]


def test_what_was_never_seen_is_an_empty_list() -> None:
    assert _ids("elephant") == _ids(object_id="mug_99") == []


def test_keyframe_is_the_one_that_shows_the_object_best() -> None:
    located = locate_objects(SNAPSHOT, "", "mug_1", 0.25, 5)
    assert located[0].keyframe.keyframe.keyframe_id == 1
    assert located[0].keyframe.object_ids == ("mug_1",)


def test_neither_words_nor_id_is_refused() -> None:
    with pytest.raises(InputError, match="a text or an object_id"):
        _ids("  ")


def test_what_only_mentions_a_thing_is_not_where_it_is() -> None:
    sign = descriptor("sign_1", view(1), description="a sign pointing to the stairs")
    known = Snapshot((sign,), (), KEYFRAMES)
    assert locate_objects(known, "the stairs", "", RetrievalConfig().min_score, 5) == []
