"""The retention benchmark asks for what was seen on one day in one room, and for what never was."""

from __future__ import annotations

from collections import defaultdict

import pytest

from benchmark.retention import _names, life
from benchmark.retention.household import ABSENT, SEEN
from memory_nodes.episodic.things import name_key, things
from memory_nodes.records import ItemKind, Observation
from memory_nodes.store.hits import Hit

NAMES = [name for names in SEEN.values() for name in names]


def _rooms(seen: list[Observation]) -> dict[str, set[str]]:
    """In which rooms each thing is detected."""
    rooms: dict[str, set[str]] = defaultdict(set)
    places = {item.stamp_ns: item.text for item in seen if item.layer == "place"}
    for item in seen:
        for name in things(item.text) if item.layer == "detections" else ():
            rooms[name].add(places[item.stamp_ns])
    return rooms


def test_things_are_seen_on_the_first_day_in_their_own_room_only() -> None:
    rooms = _rooms(list(life.tour()))
    assert {name: rooms[name] for name in NAMES} == {
        name: {room} for room, names in SEEN.items() for name in names
    }
    later = [item for day in (1, 2, 365) for item in life.round_of(day)]
    assert not _rooms(later).keys() & set(NAMES)
    assert {item.stamp_ns for item in life.tour()}.isdisjoint(item.stamp_ns for item in later)


def test_absent_things_are_as_many_and_nowhere() -> None:
    assert len(ABSENT) == len(set(ABSENT)) == len(NAMES)
    everything = [*life.tour(), *life.round_of(1)]
    assert not _rooms(everything).keys() & set(ABSENT)
    assert {name_key(name) for name in ABSENT}.isdisjoint(map(name_key, NAMES))


def _hit(kind: ItemKind, text: str, layer: str = "") -> Hit:
    return Hit(kind, "an_id", text, 1.0, 0, 0, "map", None, layer=layer)


@pytest.mark.parametrize(
    ("hit", "is_named"),
    [
        (_hit(ItemKind.ENTITY, "keys"), True),
        (_hit(ItemKind.ENTITY, "key chain"), False),
        (_hit(ItemKind.OBSERVATION, "door, keys", "detections"), True),
        (_hit(ItemKind.OBSERVATION, "door, key hook", "detections"), False),
        (_hit(ItemKind.OBSERVATION, "keys", "speech"), False),
        (_hit(ItemKind.GIST, "Today. Place: hall. Seen: door (2 times), key. Battery: 4."), True),
        (_hit(ItemKind.GIST, "Today. Place: hall. Seen: door, key chain. Heard: keys."), False),
    ],
)
def test_hit_names_what_is_called_so(hit: Hit, is_named: bool) -> None:
    assert _names(hit, "key") == is_named
