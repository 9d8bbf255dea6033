"""What a memory is told and asked, and when. Source: eMEM, section on eMEM-Bench: schedules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

PointM: TypeAlias = tuple[float, float]
"""On the floor of the map."""
Tool: TypeAlias = Literal["semantic_search", "spatial_query", "temporal_query", "locate"]
"""Of the ten recall tools, those that the paradigms need; every system has them."""


@dataclass(frozen=True)
class Told:
    """One observation, made where the robot stands."""

    stamp_ns: int
    layer: str
    text: str
    at_m: PointM


@dataclass(frozen=True)
class Episode:
    """Something that the robot does from beginning to end; then it may be consolidated."""

    name: str
    told: tuple[Told, ...]


@dataclass(frozen=True)
class Wait:
    """Nothing happens until then, and there is time to consolidate and to archive."""

    until_ns: int


@dataclass(frozen=True)
class Call:
    """A recall tool and what it is called with; None and empty: not given."""

    tool: Tool
    text: str = ""
    layer: str = ""
    since_ns: int | None = None
    until_ns: int | None = None
    near_m: PointM | None = None
    radius_m: float = 0.0


@dataclass(frozen=True)
class Expected:
    """What the first thing found must be; all of it."""

    says: tuple[str, ...] = ()
    says_not: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    """On one of these."""
    near_m: tuple[PointM, ...] = ()
    """At most REACH_M from one of these."""
    span_ns: tuple[int, int] | None = None
    is_absent: bool = False
    """Never seen: nothing is found, or nothing that says ``says_not``."""


@dataclass(frozen=True)
class Probe:
    """A question with one right answer."""

    kind: str
    """Of its paradigm."""
    call: Call
    expected: Expected


@dataclass(frozen=True)
class Asked:
    """Probes of one moment."""

    now_ns: int
    probes: tuple[Probe, ...]


Step: TypeAlias = Episode | Wait | Asked


@dataclass(frozen=True)
class Schedule:
    """One life of a memory, which begins empty."""

    paradigm: str
    steps: tuple[Step, ...]

    @property
    def probes(self) -> tuple[Probe, ...]:
        """All of them, in the order in which they are asked."""
        return tuple(
            probe for step in self.steps if isinstance(step, Asked) for probe in step.probes
        )


@dataclass(frozen=True)
class Finding:
    """The first thing that a tool gave."""

    text: str
    layer: str = ""
    at_m: PointM | None = None
    span_ns: tuple[int, int] | None = None
