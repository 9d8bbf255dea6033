"""Which remembered poses may be driven to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from memory_nodes.geometry import PointEstimate, Pose
from memory_nodes.navigation.arrival import looks_of
from memory_nodes.navigation.outcomes import Cause
from memory_nodes.navigation.safety import Rules
from memory_nodes.navigation.standoff import standoff_pose
from memory_nodes.parameters import parameter
from memory_nodes.records import Keyframe, ObjectDescriptor

CUT_OFF = 0.25
"""The middle of a thing may lie so far beside a picture that shows a part of it, as a share."""


@dataclass(frozen=True)
class CandidatesConfig:
    """Which poses are tried."""

    max_candidates: int = parameter(
        3, "poses to drive to, best first", low=1, high=20, is_dynamic=True
    )
    standoff_m: float = parameter(
        1.0,
        "how far from a thing to stop, facing it, where its place is known well; 0: stand where "
        "it was seen from",
        unit="m",
        low=0.0,
        high=10.0,
        is_dynamic=True,
    )
    standoff_max_sigma_m: float = parameter(
        0.3, "of a place that is known well", unit="m", low=0.0, high=1.0
    )


@dataclass(frozen=True)
class Target:
    """What is looked for."""

    object_id: str
    words: str
    """For a sentence: the red mug."""
    looks: str = ""
    """For the model that looks for it."""
    position: PointEstimate | None = None
    """In the present map."""


@dataclass(frozen=True)
class Sight:
    """A keyframe, and what it shows of interest."""

    keyframe: Keyframe
    target: Target | None = None


@dataclass(frozen=True)
class Candidate:
    """A pose to drive to, on the floor of the map."""

    keyframe: Keyframe
    map_from_goal: Pose
    target: Target | None = None
    moved_m: float = 0.0
    """How far it is from the pose that memory gave, where that one is not free."""

    @property
    def shown_position(self) -> PointEstimate | None:
        """Where the target is, if its known place is the one that the keyframe shows."""
        position = self.target.position if self.target is not None else None
        if position is None or not self.keyframe.holds(np.array(position.point_m), CUT_OFF):
            return None
        return position

    def looks_where(self, other: Candidate) -> bool:
        """Whether both are to show one thing in one place: then one look is enough."""
        if self.keyframe.keyframe_id == other.keyframe.keyframe_id:
            return True
        here, there = self.shown_position, other.shown_position
        return here is not None and here == there


@dataclass(frozen=True)
class Choice:
    """The poses that may be driven to, best first, or why there is none."""

    candidates: tuple[Candidate, ...]
    refusal: Cause | None


def choose(
    sights: Iterable[Sight], rules: Rules, now_ns: int, config: CandidatesConfig | None = None
) -> Choice:
    """Keeps what may be driven to; whatever is doubtful is refused here, before Nav2 hears of it.

    Source: VL-KnG, section 8.4 (goal frames with SLAM poses).

    Args:
        config: says where to stand before a thing; None: only where it was seen from.
    """
    candidates: list[Candidate] = []
    refusals: list[Cause] = []
    for sight in sights:
        refusal = rules.refusal_of(sight.keyframe, now_ns)
        if refusal is not None:
            refusals.append(refusal)
            continue
        for pose in _poses(sight, config):
            if rules.forbids(pose):
                refusals.append(Cause.KEPT_OUT)
            else:
                candidates.append(Candidate(sight.keyframe, pose, sight.target))
    if candidates:
        return Choice(tuple(candidates), None)
    # That a thing was seen here, too, tells more than that it was seen elsewhere.
    here = [cause for cause in refusals if cause is not Cause.OTHER_MAP]
    return Choice((), next(iter((*here, *refusals)), Cause.NEVER_SEEN))


def _poses(sight: Sight, config: CandidatesConfig | None) -> Iterator[Pose]:
    """Before the thing where that can be told, then where it was seen from."""
    keyframe, target = sight.keyframe, sight.target
    if config is not None and target is not None and target.position is not None:
        shown = Candidate(keyframe, keyframe.map_from_base, target).shown_position
        if shown is not None and shown.sigma_m <= config.standoff_max_sigma_m:
            pose = standoff_pose(keyframe.map_from_base, shown.point_m, config.standoff_m)
            if pose is not None:
                yield pose
    yield keyframe.map_from_base.on_floor()


def target_of(
    descriptor: ObjectDescriptor, keyframes: Mapping[int, Keyframe], map_id: str
) -> Target:
    """An object to look for.

    Args:
        keyframes: all those that show it.
    """
    newest = keyframes[descriptor.views[-1].keyframe_id]
    position = descriptor.position  # of the map of the newest view
    is_known = newest.map_id == map_id and position is not None and not position.is_rough
    return Target(
        descriptor.object_id,
        descriptor.name or f"the {descriptor.type}",
        looks_of(descriptor),
        position if is_known else None,
    )
