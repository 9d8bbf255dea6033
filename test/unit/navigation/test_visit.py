"""One candidate after the other, and a true word at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from memory_nodes.geometry import Pose
from memory_nodes.navigation.arrival import Presence, Sighted
from memory_nodes.navigation.candidates import Candidate, Target
from memory_nodes.navigation.outcomes import Cause, Ending, Outcome
from memory_nodes.navigation.visit import visit
from memory_test_support.records import keyframe, point

MUG = Target("mug_1", "the mug")
YES, NO, UNSURE = (Sighted(presence) for presence in Presence)


class ScriptedTrip:
    """A trip on which each step ends as a test says; it keeps what was driven to and looked at."""

    def __init__(
        self,
        checks: dict[int, Candidate | Ending] | None = None,
        drives: dict[int, Cause] | None = None,
        looks: dict[int, Sighted | Ending] | None = None,
    ) -> None:
        """By the id of the keyframe; free, arrived and there are the defaults."""
        self._checks, self._drives, self._looks = checks or {}, drives or {}, looks or {}
        self.driven: list[int] = []
        self.looked: list[int] = []

    async def check(self, candidate: Candidate) -> Candidate | Ending:
        return self._checks.get(candidate.keyframe.keyframe_id, candidate)

    async def drive(self, candidate: Candidate, number: int) -> Ending:
        self.driven.append(candidate.keyframe.keyframe_id)
        assert number == len(self.driven)
        return Ending.of(self._drives.get(self.driven[-1], Cause.ARRIVED))

    async def look(self, candidate: Candidate) -> Sighted | Ending:
        self.looked.append(candidate.keyframe.keyframe_id)
        return self._looks.get(self.looked[-1], YES)


def candidate(keyframe_id: int, target: Target = MUG, moved_m: float = 0.0) -> Candidate:
    shown = keyframe(keyframe_id)
    return Candidate(shown, shown.map_from_base, target, moved_m)


def visited(
    trip: ScriptedTrip, candidates: Sequence[Candidate], max_drives: int = 3, verifies: bool = True
) -> Ending:
    return asyncio.run(visit(candidates, trip, max_drives, verifies=verifies))


THREE = [candidate(1), candidate(2), candidate(3)]


def test_arrival_without_a_look_is_not_called_verified() -> None:
    trip = ScriptedTrip()
    ending = visited(trip, THREE, verifies=False)
    assert (ending.outcome, ending.message) == (Outcome.ARRIVED, "I have arrived.")
    assert (trip.driven, trip.looked) == ([1], [])


def test_thing_that_is_seen_is_verified() -> None:
    ending = visited(ScriptedTrip(), THREE)
    assert ending.outcome is Outcome.VERIFIED
    assert ending.message == "I have arrived, and the mug is here."


def test_thing_that_was_moved_is_found_at_the_second_place() -> None:
    trip = ScriptedTrip(looks={1: NO})
    ending = visited(trip, THREE)
    assert ending.outcome is Outcome.VERIFIED
    assert trip.driven == [1, 2]
    assert "not at the place where I looked first" in ending.message


def test_thing_that_is_nowhere_is_not_found_and_the_number_of_places_is_true() -> None:
    trip = ScriptedTrip(looks={1: NO, 2: NO, 3: NO})
    ending = visited(trip, THREE)
    assert ending.outcome is Outcome.NOT_FOUND
    assert "the mug" in ending.message and "3 places" in ending.message


def test_no_more_drives_than_allowed() -> None:
    trip = ScriptedTrip(looks={1: NO, 2: NO, 3: NO})
    assert visited(trip, THREE, max_drives=2).outcome is Outcome.NOT_FOUND
    assert trip.driven == [1, 2]


def test_candidate_that_is_not_driven_to_takes_no_drive_away() -> None:
    trip = ScriptedTrip(checks={1: Ending.of(Cause.OCCUPIED), 2: Ending.of(Cause.UNREACHABLE)})
    assert visited(trip, THREE, max_drives=1).outcome is Outcome.VERIFIED
    assert trip.driven == [3]


def test_place_looked_at_in_vain_is_not_looked_at_again() -> None:
    """Two keyframes show the same known place, a third shows another."""
    place = Target("mug_1", "the mug", position=point(3.0, 0.0, 1.0))
    same = [candidate(1, place), candidate(2, place)]
    away = keyframe(3, base=Pose.planar(9.0, 0.0, 0.0))  # the place is behind it
    other = Candidate(away, away.map_from_base, place)
    trip = ScriptedTrip(looks={1: NO})
    assert visited(trip, [*same, other]).outcome is Outcome.VERIFIED
    assert trip.driven == [1, 3]


@pytest.mark.parametrize("cause", [cause for cause in Cause if cause.tries_next])
def test_next_is_tried_where_that_may_help(cause: Cause) -> None:
    trip = ScriptedTrip(drives={1: cause})
    assert visited(trip, THREE).outcome is Outcome.VERIFIED
    assert trip.driven == [1, 2]


@pytest.mark.parametrize(
    "cause",
    [
        *(Cause.SERVER_ABSENT, Cause.INACTIVE, Cause.UNANSWERED, Cause.GONE, Cause.TF_LOST),
        *(Cause.SILENT, Cause.CANCELED, Cause.STOPPED, Cause.REPLACED, Cause.TAKEN_OVER),
        Cause.DRY_RUN,
    ],
)
def test_after_anything_else_nothing_drives(cause: Cause) -> None:
    trip = ScriptedTrip(drives={1: cause})
    assert visited(trip, THREE) == Ending.of(cause)
    assert trip.driven == [1]


def test_last_failure_is_told_when_all_fail() -> None:
    trip = ScriptedTrip(drives={1: Cause.REJECTED, 2: Cause.ABORTED, 3: Cause.ABORTED})
    assert visited(trip, THREE).cause is Cause.ABORTED


def test_look_in_vain_is_told_although_a_later_place_was_not_reached() -> None:
    trip = ScriptedTrip(looks={1: NO}, drives={2: Cause.ABORTED, 3: Cause.ABORTED})
    ending = visited(trip, THREE)
    assert ending.outcome is Outcome.NOT_FOUND
    assert "could not get to" in ending.message


def test_unsure_look_is_arrived_and_says_so() -> None:
    trip = ScriptedTrip(looks={1: Sighted(Presence.UNSURE, "it is dark")})
    ending = visited(trip, THREE)
    assert ending.outcome is Outcome.ARRIVED
    assert "cannot tell" in ending.message and "it is dark" in ending.message
    assert trip.driven == [1]


def test_drive_that_is_called_off_while_looking_ends() -> None:
    trip = ScriptedTrip(looks={1: Ending.of(Cause.STOPPED)})
    assert visited(trip, THREE) == Ending.of(Cause.STOPPED)


def test_pose_beside_the_remembered_one_is_told() -> None:
    moved = candidate(1, moved_m=0.4)
    trip = ScriptedTrip(checks={1: moved})
    ending = visited(trip, THREE, verifies=False)
    assert ending.outcome is Outcome.ARRIVED
    assert "0.4 m beside" in ending.message


def test_every_sentence_can_be_said() -> None:
    """Details fit in, and no brace is left over."""
    make: Callable[[Cause], Ending] = Ending.of
    for cause in Cause:
        message = make(cause).message
        assert message[0].isupper() and "{" not in message
