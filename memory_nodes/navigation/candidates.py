"""Which remembered poses may be driven to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from memory_nodes.geometry import Pose
from memory_nodes.parameters import parameter
from memory_nodes.records import Keyframe


class Outcome(IntEnum):
    """As in NavigateToMemory.action."""

    ARRIVED = 0
    VERIFIED = 1
    NOT_FOUND = 2
    OTHER_MAP = 3
    NO_VALID_GOAL = 4
    NAV_UNAVAILABLE = 5
    NAV_REJECTED = 6
    NAV_ABORTED = 7
    CANCELED = 8
    SUPERSEDED = 9
    TIMEOUT = 10
    FAILED = 11


@dataclass(frozen=True)
class NavigationConfig:
    """How goals are sent."""

    navigate_action: str = parameter(
        "/navigate_to_pose", "name of the NavigateToPose action of Nav2"
    )
    max_candidates: int = parameter(3, "keyframes to try, best first", low=1, high=20)
    server_timeout_s: float = parameter(
        5.0, "wall time to wait for Nav2 to be there and to accept", unit="s", low=0.1, high=120.0
    )
    recall_timeout_s: float = parameter(
        30.0, "wall time to wait for the query node", unit="s", low=0.1, high=600.0
    )
    drive_timeout_s: float = parameter(
        600.0, "wall time for one drive", unit="s", low=0.1, high=86400.0
    )


@dataclass(frozen=True)
class Candidate:
    """A pose to drive to: the base of a keyframe on the floor of its map."""

    keyframe: Keyframe
    map_from_goal: Pose


@dataclass(frozen=True)
class Choice:
    """The poses that may be driven to, best first, or why there is none."""

    candidates: tuple[Candidate, ...]
    refusal: Outcome | None
    message: str


def choose(keyframes: Iterable[Keyframe], map_id: str, max_candidates: int) -> Choice:
    """Keeps what may be driven to; whatever is doubtful is refused here, before Nav2 hears of it.

    A pose of another map means nothing in this one, and a pose that is not finite or whose
    quaternion is not of unit length came from a defect.

    Source: VL-KnG, section 8.4 (goal frames with SLAM poses).
    """
    listed = list(keyframes)
    if not listed:
        return Choice((), Outcome.NOT_FOUND, "I have not seen that.")
    here = [keyframe for keyframe in listed if keyframe.map_id == map_id]
    if not here:
        return Choice((), Outcome.OTHER_MAP, "I have seen that only on another map.")
    valid = [
        keyframe for keyframe in here if keyframe.is_localized and keyframe.map_from_base.is_valid
    ]
    if not valid:
        return Choice((), Outcome.NO_VALID_GOAL, "I have seen that, but was not sure where I was.")
    candidates = tuple(
        Candidate(keyframe, keyframe.map_from_base.on_floor())
        for keyframe in valid[:max_candidates]
    )
    return Choice(candidates, None, "")
