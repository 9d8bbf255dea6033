"""Which objects of a chunk are known ones, by looks, places and the word of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from memory_nodes.association.known_objects import Known
from memory_nodes.association.looks import looks_of
from memory_nodes.association.matching import match
from memory_nodes.geometry import PointEstimate
from memory_nodes.records import NS_PER_S, ObjectDescriptor, ObjectStatus
from memory_nodes.store.moves import Elsewhere
from memory_nodes.store.object_changes import KnownObject
from memory_test_support.records import descriptor, point, view

DAY_NS = 86_400 * NS_PER_S


def _seen(
    object_id: str, x_m: float | None, color: str = "red", at_ns: int = 0, sigma_m: float = 0.1
) -> ObjectDescriptor:
    position = None if x_m is None else point(x_m, 0.0, sigma_m=sigma_m)
    made = descriptor(object_id, color=color, position=position)
    return replace(made, first_seen_ns=at_ns, last_seen_ns=at_ns)


def _known(
    object_id: str,
    x_m: float | None,
    color: str = "red",
    *,
    position: PointEstimate | None = None,
    status: ObjectStatus = ObjectStatus.PRESENT,
    clear_looks: int = 0,
) -> Known:
    """Seen last at time 0."""
    item = KnownObject(
        object_key=int(object_id.rpartition("_")[2]),
        object_id=object_id,
        types=(object_id.rpartition("_")[0].replace("_", " "),),
        texts=(color,),
        attributes={"color": color},
        position=position or (None if x_m is None else point(x_m, 0.0)),
        map_id="map",
        status=status,
        clear_looks=clear_looks,
    )
    return Known(item, looks_of(item))


def _elsewhere(x_m: float, after_ns: int = DAY_NS, sigma_m: float = 2.0) -> Elsewhere:
    return Elsewhere(point(x_m, 0.0, sigma_m=sigma_m), after_ns)


def _match(
    local: Sequence[ObjectDescriptor],
    known: Sequence[Known],
    claims: Mapping[str, str | None] | None = None,
    map_id: str = "map",
) -> dict[str, str]:
    """Any local object may be any known one."""
    return match(local, map_id, {seen.object_id: known for seen in local}, claims)


def test_same_looks_at_the_same_place_are_one_object() -> None:
    assert _match([_seen("mug_1", 0.0)], [_known("mug_7", 0.1)]) == {"mug_1": "mug_7"}


def test_same_looks_far_away_moments_later_are_another_object() -> None:
    assert _match([_seen("mug_1", 0.0)], [_known("mug_7", 4.0)]) == {}


def test_same_looks_where_the_newest_view_shows_it_are_one_object_moments_later() -> None:
    """That view tells little more than the direction: 1.5 m off, with 2 m of uncertainty."""
    seen, known = _seen("mug_1", 0.0), _known("mug_7", 4.0)
    assert _match([seen], [replace(known, elsewhere=_elsewhere(1.5))]) == {"mug_1": "mug_7"}
    assert _match([seen], [replace(known, elsewhere=_elsewhere(-20.0))]) == {}


@pytest.mark.parametrize(("after_ns", "is_same"), [(DAY_NS, True), (NS_PER_S, False)])
def test_view_elsewhere_says_less_moments_after_one_in_place(after_ns: int, is_same: bool) -> None:
    """Seen 5 m from there, with 2 m of uncertainty."""
    known = replace(_known("mug_7", 4.0), elsewhere=_elsewhere(-5.0, after_ns))
    assert _match([_seen("mug_1", 0.0)], [known]) == ({"mug_1": "mug_7"} if is_same else {})


def test_object_in_its_place_is_not_another_one_that_was_seen_about_there() -> None:
    known = [
        replace(_known("mug_7", 4.0), elsewhere=_elsewhere(0.0)),
        _known("mug_8", 0.0),
    ]
    assert _match([_seen("mug_1", 0.0)], known) == {"mug_1": "mug_8"}


def test_place_where_it_was_seen_elsewhere_on_another_map_says_nothing() -> None:
    seen = _seen("mug_1", 0.0, color="blue")
    known = replace(_known("mug_7", 4.0), elsewhere=_elsewhere(0.0, sigma_m=0.5))
    assert _match([seen], [known], map_id="map") == {"mug_1": "mug_7"}
    assert _match([seen], [known], map_id="upstairs") == {}


def test_same_looks_far_away_days_later_are_an_object_that_was_moved() -> None:
    assert _match([_seen("mug_1", 0.0, at_ns=2 * DAY_NS)], [_known("mug_7", 4.0)]) == {
        "mug_1": "mug_7"
    }


@pytest.mark.parametrize(
    "known",
    [
        _known("mug_7", 4.0, clear_looks=1),
        _known("mug_7", 4.0, status=ObjectStatus.MISSING),
    ],
    ids=["seen absent", "missing"],
)
def test_object_whose_place_was_seen_empty_may_be_elsewhere_at_once(known: Known) -> None:
    assert _match([_seen("mug_1", 0.0)], [known]) == {"mug_1": "mug_7"}


def test_object_that_stays_fits_better_than_one_that_would_have_moved() -> None:
    known = [_known("mug_7", 4.0, clear_looks=1), _known("mug_8", 0.1)]
    assert _match([_seen("mug_1", 0.0, at_ns=2 * DAY_NS)], known) == {"mug_1": "mug_8"}


def test_other_looks_beside_it_are_another_object() -> None:
    assert _match([_seen("mug_1", 0.0)], [_known("lamp_7", 0.5, color="black")]) == {}


def test_other_color_is_another_object_beside_it_and_an_error_at_the_same_place() -> None:
    assert _match([_seen("mug_1", 0.0)], [_known("mug_7", 0.8, color="blue")]) == {}
    assert _match([_seen("mug_1", 0.0)], [_known("mug_7", 0.05, color="blue")]) != {}


def test_synonym_at_the_same_place_is_one_object() -> None:
    """No word of the types in common; colour and place speak."""
    assert _match([_seen("couch_1", 0.0)], [_known("sofa_7", 0.05)]) == {"couch_1": "sofa_7"}


def test_synonym_farther_away_is_one_object_where_the_meaning_is_the_same() -> None:
    local, known = _seen("couch_1", 0.0, color=""), _known("sofa_7", 0.6, color="")
    shortlists = {"couch_1": [known]}
    assert match([local], "map", shortlists) == {}
    meant = {"couch_1": {"sofa_7": 0.9}}
    assert match([local], "map", shortlists, meant=meant) == {"couch_1": "sofa_7"}


def test_another_kind_of_thing_is_another_object_whatever_place_and_model_say() -> None:
    local, known = _seen("cat_1", 0.0, color=""), _known("sofa_7", 0.0, color="")
    assert _match([local], [known], {"cat_1": "sofa_7"}) == {}
    assert _match([replace(local, type="settee")], [known], {"cat_1": "sofa_7"}) != {}


def test_twins_stay_two() -> None:
    local = [_seen("mug_1", 0.0), _seen("mug_2", 0.5)]
    assert _match(local, [_known("mug_8", 0.52), _known("mug_9", 0.02)]) == {
        "mug_1": "mug_9",
        "mug_2": "mug_8",
    }
    assert len(_match(local, [_known("mug_8", 0.2)])) == 1


def test_two_that_share_no_keyframe_are_one_only_where_looks_and_place_agree_closely() -> None:
    """Without a word of the model: 0.02 m and 0.6 m from the known one."""
    known = [_known("mug_7", 0.0)]
    near, beside = (replace(_seen("mug_2", x_m), views=(view(2),)) for x_m in (0.02, 0.6))
    assert _match([_seen("mug_1", 0.0), near], known) == {"mug_1": "mug_7", "mug_2": "mug_7"}
    assert _match([_seen("mug_1", 0.0), beside], known) == {"mug_1": "mug_7"}
    same_frame = replace(near, views=(view(1),))
    assert len(_match([_seen("mug_1", 0.0), same_frame], known)) == 1


def test_all_together_are_likeliest_though_one_alone_would_choose_otherwise() -> None:
    """Both are nearest to mug_8; if mug_1 took it, mug_2 would be 1.3 m away from what is left."""
    local = [_seen("mug_1", 0.3), _seen("mug_2", 0.75)]
    assert _match(local, [_known("mug_8", 0.5), _known("mug_9", -0.1)]) == {
        "mug_1": "mug_9",
        "mug_2": "mug_8",
    }


def test_objects_that_are_sure_tell_the_shift_of_a_chunk_and_with_it_the_twins() -> None:
    """Chairs one metre apart, and all places 0.55 m too far: each is nearer to its neighbour."""
    shift_m = 0.55
    sure = ("lamp", "plant", "globe", "fan", "vase", "kettle")
    known = [_known("chair_1", 0.0), _known("chair_2", 1.0)]
    known += [_known(f"{name}_1", 5.0 * n) for n, name in enumerate(sure, start=1)]
    chairs = [_seen("chair_8", 0.0 + shift_m), _seen("chair_9", 1.0 + shift_m)]
    local = [_seen(f"{name}_9", 5.0 * n + shift_m) for n, name in enumerate(sure, start=1)]
    assert _match([*chairs[:1], *local], known)["chair_8"] == "chair_1"
    assert _match(chairs[:1], known)["chair_8"] == "chair_2"


def test_rough_place_is_no_evidence_against_what_lies_on_its_ray() -> None:
    ray = PointEstimate((2.5, 0.0, 0.5), (4.0, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01))
    seen = replace(_seen("mug_1", None), position=ray)
    assert _match([seen], [_known("mug_7", 5.0)]) == {"mug_1": "mug_7"}
    beside = _known("mug_7", None, position=point(2.5, 2.5))
    assert _match([seen], [beside]) == {}


def test_without_places_only_the_same_looks_are_one_object() -> None:
    assert _match([_seen("mug_1", None)], [_known("mug_7", None)]) == {"mug_1": "mug_7"}
    assert _match([_seen("mug_1", None)], [_known("mug_7", None, color="blue")]) == {}


def test_place_on_another_map_says_nothing() -> None:
    assert _match([_seen("mug_1", 0.0)], [_known("mug_7", 77.0)], map_id="cellar") == {
        "mug_1": "mug_7"
    }


def test_model_decides_where_looks_and_places_do_not() -> None:
    """Two twins without a place, and one that is like none of them."""
    local = [_seen("mug_1", None), _seen("cup_2", None, color="white")]
    known = [_known("mug_7", None), _known("mug_8", None), _known("bowl_9", None, color="white")]
    assert _match(local, known, {"mug_1": "mug_8", "cup_2": "bowl_9"}) == {
        "mug_1": "mug_8",
        "cup_2": "bowl_9",
    }


def test_model_finds_an_object_again_that_was_carried_away() -> None:
    known = [_known("mug_7", 4.0)]
    assert _match([_seen("mug_1", 0.0, at_ns=60 * NS_PER_S)], known) == {}
    claims = {"mug_1": "mug_7"}
    assert _match([_seen("mug_1", 0.0, at_ns=60 * NS_PER_S)], known, claims) == claims


def test_nothing_is_carried_away_in_a_few_seconds_whatever_the_model_says() -> None:
    """Elsewhere moments later is another one that looks the same."""
    seen, claims = _seen("mug_1", 0.0, at_ns=8 * NS_PER_S), {"mug_1": "mug_7"}
    assert _match([seen], [_known("mug_7", 4.0)], claims) == {}
    assert _match([seen], [_known("mug_7", 4.0, clear_looks=1)], claims) == claims


def test_word_of_the_model_does_not_stand_against_looks_and_place_together() -> None:
    known = [_known("mug_7", 0.02), _known("lamp_8", 3.0, color="black")]
    assert _match([_seen("mug_1", 0.0)], known, {"mug_1": "lamp_8"}) == {"mug_1": "mug_7"}
    assert _match([_seen("mug_1", 0.0)], known, {"mug_1": None}) == {"mug_1": "mug_7"}
    assert _match([_seen("mug_1", 0.0)], known[1:], {"mug_1": "lamp_8"}) == {}


def test_new_object_stays_new_where_the_model_says_so_and_little_speaks_against_it() -> None:
    known = [_known("mug_7", None)]
    assert _match([_seen("mug_1", None)], known, {"mug_1": None}) == {}


def test_model_may_name_a_known_object_from_the_shortlist_of_another() -> None:
    local = [_seen("mug_1", None), _seen("bowl_2", None)]
    shortlists = {"mug_1": [_known("mug_7", None)], "bowl_2": [_known("mug_8", None)]}
    claims = {"mug_1": "mug_8", "bowl_2": None}
    assert match(local, "map", shortlists, claims) == {"mug_1": "mug_8"}


def test_nothing_matches_nothing() -> None:
    assert _match([], [_known("mug_7", 0.0)]) == _match([_seen("mug_1", 0.0)], []) == {}
