"""What the memory knows of things: when and where they were seen, how often and with what.

It holds before and after archiving: what is consolidated is known by its entities, which keep the
times and places of their observations, and what is not yet by the lists of its detections.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from memory_nodes.answering.naming import meant
from memory_nodes.episodic.lines import DETECTIONS
from memory_nodes.episodic.things import name_key, things
from memory_nodes.records import Observation
from memory_nodes.store.filters import Filter
from memory_nodes.store.sightings import Sighting, Sightings

ANYTIME_ANYWHERE = Filter()


class Recall:
    """Answers from a memory without a language model. Source: eMEM, recall tools."""

    def __init__(self, sightings: Sightings) -> None:
        self._sightings = sightings

    def names(self) -> list[str]:
        """Of all things that are known, each once."""
        known = {name_key(name): name for name in self._sightings.names()}
        for seen in self._waiting():
            known.setdefault(name_key(seen.name), seen.name)
        return sorted(known.values())

    def sightings(self, phrase: str, wanted: Filter = ANYTIME_ANYWHERE) -> list[Sighting]:
        """When and where a thing was seen, by time; one for each observation that names it.

        Of the filter its times, map and place are used.
        """
        found = self._sightings.of(meant(phrase, self._sightings.names()))
        waiting = [item for item in self._waiting() if meant(phrase, [item.name])]
        by_observation = {
            item.observation_id: item
            for item in sorted((*found, *waiting), key=lambda item: item.stamp_ns)
            if _is_wanted(item, wanted)
        }
        return list(by_observation.values())

    def seen(self, wanted: Filter) -> dict[str, int]:
        """What was seen in a time, on a map, from around a place, and in how many observations;
        most frequent first.
        """
        waiting = (item for item in self._waiting() if _is_wanted(item, wanted))
        names: dict[tuple[str, ...], str] = {}
        pairs = {
            (names.setdefault(name_key(item.name), item.name), item.observation_id)
            for item in (*self._sightings.within(wanted), *waiting)
        }
        counts = Counter(name for name, _ in pairs)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def together_with(self, phrase: str) -> dict[str, int]:
        """What was seen in one view with a thing, and in how many views; most frequent first."""
        return self._sightings.together_with(meant(phrase, self._sightings.names()))

    def count(self, phrase: str) -> int:
        """How many things of this name are told apart."""
        found = self.sightings(phrase)
        consolidated = {item.entity_id for item in found if item.entity_id}
        return max(len(consolidated), 1) if found else 0

    def _waiting(self) -> list[Sighting]:
        return [
            replace(_sighting(observation), name=name)
            for observation in self._sightings.waiting(DETECTIONS)
            for name in things(observation.text)
        ]


def _sighting(observation: Observation) -> Sighting:
    return Sighting(
        name="",
        observation_id=observation.observation_id,
        stamp_ns=observation.stamp_ns,
        map_id=observation.map_id,
        position_map_m=observation.map_from_base.position_m,
    )


def _is_wanted(item: Sighting, wanted: Filter) -> bool:
    return (
        (wanted.since_ns is None or item.stamp_ns >= wanted.since_ns)
        and (wanted.until_ns is None or item.stamp_ns <= wanted.until_ns)
        and (not wanted.map_id or item.map_id == wanted.map_id)
        and wanted.accepts_point(item.position_map_m)
    )
