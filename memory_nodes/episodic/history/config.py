"""How the history is told."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.parameters import parameter


@dataclass(frozen=True)
class HistoryConfig:
    """How the history tree is cut and how its texts are written."""

    history_settle_s: float = parameter(
        60.0,
        "so long after its stamp something is told: chunks come later than observations",
        unit="s",
        low=0.0,
        high=86_400.0,
    )
    history_pause_s: float = parameter(
        1800.0,
        "nothing happens for so long outside of an episode: what follows is told apart",
        unit="s",
        low=1.0,
        high=86_400.0,
    )
    min_event_s: float = parameter(
        3.0, "what changes so soon is of the same event", unit="s", low=0.0, high=600.0
    )
    max_event_s: float = parameter(
        1800.0, "an event is cut after so long", unit="s", low=1.0, high=86_400.0
    )
    event_scene_change: float = parameter(
        0.5, "share of the objects in view that are new where an event begins", low=0.01, high=1.0
    )
    max_stretch_events: int = parameter(
        40, "events outside of an episode that are told as one stretch", low=2, high=1000
    )
    max_ungrouped_goals: int = parameter(
        6, "goals of a day that are not grouped yet", low=2, high=100
    )
    tell_goals_by_model: bool = parameter(
        True,
        "the model tells each goal and its events too, not only days and what is above; one call "
        "a goal",
    )


BATCH_SIZE = 500
"""Observations, and chunks, that are read at once."""
MAX_SUMMARY_CHARS = 400
"""Of what a model writes about one node."""
MAX_EVENT_CHARS = 120
