"""One pose after the other, until the thing is found or there is nothing left to try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from memory_nodes.navigation.arrival import Presence, Sighted
from memory_nodes.navigation.candidates import Candidate
from memory_nodes.navigation.outcomes import Cause, Ending

TOLD_MOVED_M = 0.05
"""Nearer to the remembered pose nobody needs to be told."""


class Trip(Protocol):
    """What a robot can do on its way."""

    async def check(self, candidate: Candidate) -> Candidate | Ending:
        """The candidate at a pose that can be driven to, or why there is none."""
        ...

    async def drive(self, candidate: Candidate, number: int) -> Ending:
        """Drives; ends with ARRIVED, or with what came between.

        Args:
            number: of this drive, from 1.
        """
        ...

    async def look(self, candidate: Candidate) -> Sighted | Ending:
        """Whether the thing is there, as seen from where the robot has arrived."""
        ...


async def visit(
    candidates: Sequence[Candidate], trip: Trip, max_drives: int, *, verifies: bool
) -> Ending:
    """Drives to candidates, best first; where it is to be verified, until the thing is there.

    After a look in vain other poses that show the same place are passed over.
    """
    empty: list[Candidate] = []
    failed: Ending | None = None
    drives = 0
    for candidate in candidates:
        if drives == max_drives:
            break
        if any(candidate.looks_where(other) for other in empty):
            continue
        checked = await trip.check(candidate)
        if isinstance(checked, Candidate):
            drives += 1
            ending = await trip.drive(checked, drives)
        else:
            ending = checked
        if ending.cause is Cause.ARRIVED and isinstance(checked, Candidate):
            ending = _with_way(ending, checked)
            if not verifies:
                return ending
            ending = await _looked(trip, checked, ending)
            if ending.cause is Cause.NOT_THERE:
                empty.append(checked)
                continue
        if not ending.cause.tries_next:
            return _with_past(ending, empty)
        failed = ending
    return _given_up(empty, failed)


async def _looked(trip: Trip, candidate: Candidate, arrived: Ending) -> Ending:
    """What a look makes of an arrival."""
    seen = await trip.look(candidate)
    if isinstance(seen, Ending):
        return seen
    causes = {Presence.YES: Cause.VERIFIED, Presence.NO: Cause.NOT_THERE}
    cause = causes.get(seen.presence, Cause.UNSURE)
    detail = f": {seen.reason}" if seen.reason else ""
    ending = Ending.of(cause, detail, _thing(candidate), arrived.reached)
    return _with_way(ending, candidate)


def _with_way(ending: Ending, candidate: Candidate) -> Ending:
    """Says so where the robot does not stand where memory told it to."""
    if candidate.moved_m < TOLD_MOVED_M:
        return ending
    told = f" The place I remember is not free: this is {candidate.moved_m:.1f} m beside it."
    return replace(ending, message=ending.message + told)


def _with_past(ending: Ending, empty: Sequence[Candidate]) -> Ending:
    """Says where the robot looked in vain before."""
    if not empty:
        return ending
    places = "the place" if len(empty) == 1 else f"the {len(empty)} places"
    told = f" It was not at {places} where I looked first."
    return replace(ending, message=ending.message + told)


def _given_up(empty: Sequence[Candidate], failed: Ending | None) -> Ending:
    if not empty:
        return failed if failed is not None else Ending.of(Cause.OCCUPIED)
    ending = Ending.of(Cause.NOT_THERE, thing=_thing(empty[0]))
    places = "" if len(empty) == 1 else f" I looked at {len(empty)} places."
    unreached = "" if failed is None else " There is another place that I could not get to."
    return replace(ending, message=ending.message + places + unreached)


def _thing(candidate: Candidate) -> str:
    return candidate.target.words if candidate.target is not None else "it"
