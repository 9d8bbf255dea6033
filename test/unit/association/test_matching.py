"""Identity without a model, by hand numbers."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from memory_nodes.association.matching import match, nearness, shortlist, text_likeness
from memory_nodes.records import ObjectDescriptor
from memory_test_support.records import descriptor, point


def _mug(number: int, x_m: float | None, color: str = "red") -> ObjectDescriptor:
    position = None if x_m is None else point(x_m, 0.0)
    return descriptor(f"mug_{number}", color=color, position=position)


def test_same_words_at_the_same_place_are_one_object() -> None:
    assert match([_mug(1, 0.0)], [_mug(7, 0.1)]) == {"mug_1": "mug_7"}


def test_same_words_far_away_are_another_object() -> None:
    assert match([_mug(1, 0.0)], [_mug(7, 4.0)]) == {}


def test_other_words_at_the_same_place_are_another_object() -> None:
    lamp = descriptor("lamp_1", color="black", position=point(0.0, 0.0))
    assert match([_mug(1, 0.0)], [replace(lamp, position=point(0.6, 0.0))]) == {}


def test_twins_stay_two() -> None:
    local = [_mug(1, 0.0), _mug(2, 0.5)]
    known = [_mug(8, 0.52), _mug(9, 0.02)]
    assert match(local, known) == {"mug_1": "mug_9", "mug_2": "mug_8"}
    assert match(local, [_mug(8, 0.2)]) == {"mug_1": "mug_8"}


def test_without_places_only_almost_equal_words_are_one_object() -> None:
    assert match([_mug(1, None)], [_mug(7, None)]) == {"mug_1": "mug_7"}
    assert match([_mug(1, None)], [_mug(7, None, color="blue")]) == {}


def test_words_count_by_type_and_by_the_rest() -> None:
    one = descriptor("office_chair_1", color="black")
    other = descriptor("chair_1", color="grey")
    # type: {office, chair} and {chair} share all of the smaller; texts {black}, {grey} nothing
    assert text_likeness(one, other) == pytest.approx(0.6)


def test_earlier_wording_of_a_type_counts() -> None:
    sofa = replace(descriptor("sofa_1"), wordings=("couch", "sofa"))
    assert text_likeness(descriptor("couch_1"), sofa) >= 0.6


def test_nearness_by_hand() -> None:
    # sigma^2 = 0.4^2 + 0.1^2 + 0.1^2 = 0.18
    assert nearness(point(0.0, 0.0), point(0.3, 0.0)) == pytest.approx(math.exp(-0.09 / 0.18))
    assert nearness(point(0.0, 0.0), point(3.01 * math.sqrt(0.18), 0.0)) == 0.0


def test_uncertain_place_reaches_farther() -> None:
    assert nearness(point(0.0, 0.0, sigma_m=1.0), point(2.0, 0.0)) > 0.0
    assert nearness(point(0.0, 0.0), point(2.0, 0.0)) == 0.0


def test_shortlist_holds_the_most_alike_and_the_nearest() -> None:
    far_mugs = [_mug(number, 50.0 + number) for number in range(20)]
    near_plant = descriptor("plant_1", color="green", position=point(0.1, 0.0))
    far_plant = descriptor("plant_2", color="green", position=point(90.0, 0.0))
    chosen = shortlist([_mug(1, 0.0)], [*far_mugs, near_plant, far_plant], 3)
    assert [item.object_id for item in chosen] == ["mug_0", "mug_1", "mug_2", "plant_1"]


def test_nothing_matches_nothing() -> None:
    assert match([], [_mug(1, 0.0)]) == match([_mug(1, 0.0)], []) == {}
    assert shortlist([_mug(1, 0.0)], [], 3) == []
