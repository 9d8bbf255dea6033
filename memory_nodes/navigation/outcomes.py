"""How a way to something remembered can end, and what is said then."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

from memory_nodes.geometry import Pose


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


class Cause(Enum):
    """Why it ended: the outcome, and the sentence, with places for details.

    docs/goals.md tells what each one means.
    """

    # nothing was sent
    NEVER_SEEN = (Outcome.NOT_FOUND, "I have not seen that.")
    NOT_REMEMBERED = (Outcome.NOT_FOUND, "I cannot remember: {detail}")
    MEMORY_SILENT = (Outcome.TIMEOUT, "I cannot remember: the memory does not answer.")
    OTHER_MAP = (Outcome.OTHER_MAP, "I have seen that only on another map.")
    MAP_UNKNOWN = (Outcome.NO_VALID_GOAL, "I do not know yet on which map I am.")
    UNSURE_PLACE = (Outcome.NO_VALID_GOAL, "I have seen that, but was not sure where I was.")
    STALE = (Outcome.NO_VALID_GOAL, "I have seen that, but the map has moved since.")
    MAP_FORBIDDEN = (Outcome.NO_VALID_GOAL, "I am not allowed to drive on this map.")
    KEPT_OUT = (Outcome.NO_VALID_GOAL, "I know where that is, but I am not allowed to go there.")
    TOO_OLD = (Outcome.NO_VALID_GOAL, "My memory of that is too old to drive on.")
    OCCUPIED = (Outcome.NO_VALID_GOAL, "There is no free place from which I could see that.")
    UNREACHABLE = (Outcome.NO_VALID_GOAL, "I know where that is, but there is no way to it.")
    DRY_RUN = (Outcome.NAV_UNAVAILABLE, "I know where that is, but am set up not to drive.")
    # by navigation
    SERVER_ABSENT = (Outcome.NAV_UNAVAILABLE, "I cannot drive: navigation is not running.")
    INACTIVE = (Outcome.NAV_UNAVAILABLE, "I cannot drive: navigation is not active.")
    UNANSWERED = (Outcome.NAV_UNAVAILABLE, "I cannot drive: navigation does not answer.")
    GONE = (Outcome.NAV_UNAVAILABLE, "Navigation is gone in the middle of the drive.")
    REJECTED = (Outcome.NAV_REJECTED, "Navigation refused to drive there.")
    ABORTED = (Outcome.NAV_ABORTED, "Navigation gave up{detail}.")
    STOPPED_SHORT = (Outcome.NAV_ABORTED, "Navigation stopped {detail} m away from there.")
    TF_LOST = (Outcome.NAV_ABORTED, "I no longer know where I am, so I have stopped.")
    MAP_CHANGED = (Outcome.OTHER_MAP, "The map has changed under way, so I have stopped.")
    SILENT = (Outcome.TIMEOUT, "I gave up: the drive took too long.")
    # by somebody
    CANCELED = (Outcome.CANCELED, "The drive was called off.")
    STOPPED = (Outcome.CANCELED, "I was told to stop.")
    REPLACED = (Outcome.SUPERSEDED, "I was sent elsewhere.")
    TAKEN_OVER = (Outcome.SUPERSEDED, "Somebody else has sent the robot elsewhere.")
    # there
    ARRIVED = (Outcome.ARRIVED, "I have arrived.")
    VERIFIED = (Outcome.VERIFIED, "I have arrived, and {thing} is here.")
    UNSURE = (Outcome.ARRIVED, "I have arrived, but cannot tell whether {thing} is here{detail}.")
    NOT_THERE = (Outcome.NOT_FOUND, "I looked where I had seen {thing}, and it was not there.")
    ERROR = (Outcome.FAILED, "I gave up: internal error {detail}")

    def __init__(self, outcome: Outcome, sentence: str) -> None:
        self.outcome = outcome
        self.sentence = sentence

    @property
    def word(self) -> str:
        """What the action calls it: programs may rely on it."""
        return self.name.lower()

    @property
    def tries_next(self) -> bool:
        """Another keyframe may do; after any other cause it is over."""
        return self in _TRIES_NEXT


_TRIES_NEXT = frozenset(
    (
        *(Cause.KEPT_OUT, Cause.OCCUPIED, Cause.UNREACHABLE),
        *(Cause.REJECTED, Cause.ABORTED, Cause.STOPPED_SHORT),
    )
)


@dataclass(frozen=True)
class Reached:
    """Where the base was when something was last heard of it."""

    map_from_base: Pose
    stamp_ns: int
    map_frame: str


@dataclass(frozen=True)
class Ending:
    """How it ended, in a sentence that can be spoken."""

    cause: Cause
    message: str
    reached: Reached | None = None

    @classmethod
    def of(
        cls, cause: Cause, detail: str = "", thing: str = "it", reached: Reached | None = None
    ) -> Ending:
        return cls(cause, cause.sentence.format(detail=detail, thing=thing), reached)

    @property
    def outcome(self) -> Outcome:
        return self.cause.outcome
