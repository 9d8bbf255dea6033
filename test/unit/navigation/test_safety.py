"""Where nothing may be sent, whatever is remembered."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from memory_nodes.errors import ConfigurationError
from memory_nodes.geometry import Pose
from memory_nodes.navigation.outcomes import Cause
from memory_nodes.navigation.safety import KeepOut, Rules, SafetyConfig
from memory_nodes.records import NS_PER_S, Keyframe
from memory_test_support.records import keyframe

L_SHAPE = "0 0, 4 0, 4 2, 2 2, 2 4, 0 4"
HERE = Rules("map")


@pytest.mark.parametrize(
    ("x_m", "y_m", "is_inside"),
    [
        *((1.0, 1.0, True), (3.0, 1.0, True), (1.0, 3.0, True)),
        (3.0, 3.0, False),  # in the notch of the L
        *((-0.1, 1.0, False), (4.1, 1.0, False), (1.0, 4.1, False)),
        *((2.0, 3.0, True), (0.0, 0.0, True), (4.0, 1.0, True)),  # the border is kept out, too
    ],
)
def test_polygon_holds_what_is_in_it_and_its_border(
    x_m: float, y_m: float, is_inside: bool
) -> None:
    assert KeepOut.parsed(L_SHAPE).holds(x_m, y_m) is is_inside


@pytest.mark.parametrize(
    "text", ["0 0, 1 1", "0 0, 1 1, 2", "0 0, 1 1, x 2", "nan 0, 1 1, 2 2", "0 0 0, 1 1 1, 2 2 2"]
)
def test_what_is_no_polygon_is_told_before_anything_drives(text: str) -> None:
    with pytest.raises(ConfigurationError, match="keep_out"):
        Rules.of(SafetyConfig(keep_out=(text,)), "map")


def test_defaults_forbid_nothing_on_the_present_map() -> None:
    rules = Rules.of(SafetyConfig(), "map")
    assert rules.refusal_of(keyframe(1), 10**18) is None
    assert not rules.forbids(Pose.planar(0.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("remembered", "cause"),
    [
        (keyframe(1, map_id="other"), Cause.OTHER_MAP),
        (keyframe(1, map_id=""), Cause.OTHER_MAP),
        (replace(keyframe(1), is_localized=False), Cause.UNSURE_PLACE),
        (
            replace(keyframe(1), map_from_base=Pose((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0))),
            Cause.UNSURE_PLACE,
        ),
        (
            replace(keyframe(1), map_from_base=Pose((0.0, 0.0, 0.0), (math.nan, 0.0, 0.0, 1.0))),
            Cause.UNSURE_PLACE,
        ),
        (
            replace(keyframe(1), map_from_base=Pose((0.0, math.inf, 0.0), (0.0, 0.0, 0.0, 1.0))),
            Cause.UNSURE_PLACE,
        ),
    ],
)
def test_doubtful_keyframe_is_refused(remembered: Keyframe, cause: Cause) -> None:
    assert HERE.refusal_of(remembered, NS_PER_S) is cause


def test_pose_in_another_frame_than_goals_are_sent_in_is_of_another_map() -> None:
    rules = Rules.of(SafetyConfig(), "map", "odom")
    assert rules.refusal_of(keyframe(1), NS_PER_S) is Cause.OTHER_MAP
    rules = Rules.of(SafetyConfig(), "map", "map")
    assert rules.refusal_of(keyframe(1), NS_PER_S) is None


def test_pose_that_may_be_off_by_more_than_allowed_is_refused() -> None:
    rules = Rules.of(SafetyConfig(max_stale_m=0.4), "map")
    assert rules.refusal_of(replace(keyframe(1), stale_m=0.4), NS_PER_S) is None
    assert rules.refusal_of(replace(keyframe(1), stale_m=0.41), NS_PER_S) is Cause.STALE


def test_map_that_is_not_allowed_is_refused_whatever_was_seen_there() -> None:
    rules = Rules.of(SafetyConfig(allowed_maps=("kitchen", "hall")), "cellar")
    assert rules.refusal_of(keyframe(1, map_id="cellar"), NS_PER_S) is Cause.MAP_FORBIDDEN
    rules = Rules.of(SafetyConfig(allowed_maps=("kitchen", "hall")), "hall")
    assert rules.refusal_of(keyframe(1, map_id="hall"), NS_PER_S) is None


def test_memory_that_is_too_old_is_refused_and_just_old_enough_is_not() -> None:
    rules = Rules.of(SafetyConfig(max_memory_age_s=60.0), "map")
    seen = keyframe(1, stamp_s=100.0)
    assert rules.refusal_of(seen, 160 * NS_PER_S) is None
    assert rules.refusal_of(seen, 160 * NS_PER_S + 1) is Cause.TOO_OLD


def test_memory_from_after_now_is_of_no_known_age() -> None:
    """The clock was set back, to 1970 for instance where its battery was empty."""
    rules = Rules.of(SafetyConfig(max_memory_age_s=60.0), "map")
    seen = keyframe(1, stamp_s=100.0)
    assert rules.refusal_of(seen, 99 * NS_PER_S) is None
    assert rules.refusal_of(seen, 0) is Cause.TOO_OLD


def test_keyframe_at_time_zero_has_an_age() -> None:
    rules = Rules.of(SafetyConfig(max_memory_age_s=60.0), "map")
    assert rules.refusal_of(keyframe(1, stamp_s=0.0), 61 * NS_PER_S) is Cause.TOO_OLD


@pytest.mark.parametrize("strip", ["1 -1, 1.1 -1, 1.1 1, 1 1", "1.2 -1, 1.2 1, 1.2 0"])
def test_way_does_not_step_over_a_narrow_forbidden_place(strip: str) -> None:
    """Its poses may be farther apart than that is wide: a strip, or a line."""
    rules = Rules.of(SafetyConfig(keep_out=(strip,)), "map")
    along = [Pose.planar(0.3 + 0.5 * number, 0.0, 0.0) for number in range(6)]
    assert not any(map(rules.forbids, along))
    assert rules.forbids_way(along)
    assert not rules.forbids_way([Pose.planar(0.3 + 0.5 * n, 1.5, 0.0) for n in range(6)])
    assert not rules.forbids_way([Pose.planar(0.0, 0.5 * n, 0.0) for n in range(6)])


def test_way_may_leave_a_forbidden_place_but_not_enter_one() -> None:
    rules = Rules.of(SafetyConfig(keep_out=("1 -1, 2 -1, 2 1, 1 1",)), "map")
    along = [Pose.planar(0.5 * number, 0.0, 0.0) for number in range(6)]
    assert rules.forbids_way(along)
    assert not rules.forbids_way(along[2:])  # from 1.0, inside, to 2.5
    assert not rules.forbids_way([Pose.planar(0.0, 0.5 * n, 0.0) for n in range(6)])
