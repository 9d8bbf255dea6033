"""What the memory knows of things: when and where they were seen, how often and with what.

It holds before and after archiving: what is consolidated is known by its entities, which keep the
times and places of their observations, and what is not yet, or never, by the lists of its
detections.
"""

from __future__ import annotations

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
        for seen in self._without_gist():
            known.setdefault(name_key(seen.name), seen.name)
        return sorted(known.values())

    def sightings(self, phrase: str, wanted: Filter = ANYTIME_ANYWHERE) -> list[Sighting]:
        """When and where a thing was seen, by time; one for each observation that names it.

        Of the filter its times, map, place and layers are used.
        """
        found = self._sightings.of(meant(phrase, self._sightings.names()))
        untold = [item for item in self._without_gist() if meant(phrase, [item.name])]
        by_observation = {
            item.observation_id: item
            for item in sorted((*found, *untold), key=lambda item: item.stamp_ns)
            if _is_wanted(item, wanted)
        }
        return list(by_observation.values())

    def things(self, wanted: Filter, phrase: str = "") -> list[list[Sighting]]:
        """The sightings of each thing by itself, by time; the thing that was seen last first.

        ``phrase``: only of what it names. What is not consolidated yet is told apart by its name.
        """
        found = self.sightings(phrase, wanted) if phrase else self._all(wanted)
        groups: dict[object, list[Sighting]] = {}
        for item in sorted(found, key=lambda item: item.stamp_ns):
            groups.setdefault(item.entity_id or name_key(item.name), []).append(item)
        return sorted(groups.values(), key=lambda group: -group[-1].stamp_ns)

    def together_with(self, phrase: str) -> dict[str, int]:
        """What was seen in one view with a thing, and in how many views; most frequent first."""
        return self._sightings.together_with(meant(phrase, self._sightings.names()))

    def _all(self, wanted: Filter) -> list[Sighting]:
        found = (*self._sightings.within(wanted), *self._without_gist())
        return [item for item in found if _is_wanted(item, wanted)]

    def _without_gist(self) -> list[Sighting]:
        return [
            replace(_sighting(observation), name=name)
            for observation in self._sightings.without_gist(DETECTIONS)
            for name in things(observation.text)
        ]


def _sighting(observation: Observation) -> Sighting:
    return Sighting(
        name="",
        observation_id=observation.observation_id,
        stamp_ns=observation.stamp_ns,
        map_id=observation.map_id,
        position_map_m=observation.map_from_base.position_m,
        layer=observation.layer,
    )


def _is_wanted(item: Sighting, wanted: Filter) -> bool:
    return (
        (wanted.since_ns is None or item.stamp_ns >= wanted.since_ns)
        and (wanted.until_ns is None or item.stamp_ns <= wanted.until_ns)
        and (not wanted.map_id or item.map_id == wanted.map_id)
        and (not wanted.layers or item.layer in wanted.layers)
        and wanted.accepts_point(item.position_map_m)
    )
