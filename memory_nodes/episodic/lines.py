"""What a piece says, layer by layer, each text once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.episodic.things import name_key, things
from memory_nodes.store.past import ObservationInEpisode

DETECTIONS = "detections"
PLACE = "place"
SPOKEN_LAYERS = ("speech", "action", "goal")
"""On which things are spoken of that need not be there."""
ORDER = (
    *(PLACE, DETECTIONS, "description", "human_presence", "speech", "goal", "action"),
    *("text", "diagnostics", "battery"),
)
"""Of layers in a gist; others come after them."""


@dataclass(frozen=True)
class Line:
    """One text of one layer, and all observations that say it, by time."""

    layer: str
    text: str
    items: tuple[ObservationInEpisode, ...]


def lines_of(piece: Sequence[ObservationInEpisode]) -> list[Line]:
    """By layer, and in it the most frequent text first, of equally frequent ones the earliest."""
    said: dict[tuple[str, str], list[ObservationInEpisode]] = {}
    for item in piece:
        text = " ".join(item.observation.text.split())
        said.setdefault((item.observation.layer, text), []).append(item)
    found = [Line(layer, text, tuple(items)) for (layer, text), items in said.items()]
    found.sort(key=lambda line: (*layer_rank(line.layer), -len(line.items)))
    return found


def things_in(lines: Sequence[Line]) -> dict[str, tuple[ObservationInEpisode, ...]]:
    """What the lists of the detections name, and which observations do; most frequent first."""
    found: dict[str, tuple[ObservationInEpisode, ...]] = {}
    by_key: dict[tuple[str, ...], str] = {}
    for line in lines:
        for name in things(line.text) if line.layer == DETECTIONS else ():
            known = by_key.setdefault(name_key(name), name)
            found[known] = (*found.get(known, ()), *line.items)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def layer_rank(layer: str) -> tuple[int, str]:
    """By which layers are sorted: as in ``ORDER``, then by name."""
    return (ORDER.index(layer) if layer in ORDER else len(ORDER), layer)
