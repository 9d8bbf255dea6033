"""Where one is, and how one knows: context-dependent retrieval, source monitoring."""

from __future__ import annotations

import random

from benchmark.paradigms.schedule import Asked, Call, Episode, Expected, Probe, Schedule
from benchmark.paradigms.walk import HOUR_NS, THINGS, Walk, middle_m
from benchmark.retention.household import EVERYWHERE, ROOMS

SHADES = [
    *("red", "orange", "yellow", "green", "blue", "purple"),
    *("pink", "brown", "black", "white", "grey", "golden"),
]
"""One for each room."""
HERE_M = 3.5
"""Around the middle of a room: all that is seen in it, and nothing of the next."""
_VIEWS = 5
_READ = "A note on the wall says: the {thing} is in the {room}."
_HEARD = "Someone said that the {thing} is in the {room}."


def context_dependent(chance: random.Random) -> Schedule:
    """Every room has its lamp and its chair: which one is the one here?"""
    shades = dict(zip(ROOMS, chance.sample(SHADES, len(ROOMS)), strict=True))
    special = dict(zip(ROOMS, chance.sample(THINGS, len(ROOMS)), strict=True))
    walk = Walk(chance)
    for room in ROOMS:
        for _ in range(_VIEWS):
            walk.see(room, (f"{shades[room]} lamp", f"{shades[room]} chair", special[room]))
    probes = []
    for room in chance.sample(ROOMS, 6):
        here = Call("semantic_search", "lamp", near_m=middle_m(room), radius_m=HERE_M)
        others = tuple(f"{shade} lamp" for shade in SHADES if shade != shades[room])
        lamp = Expected(says=(f"{shades[room]} lamp",), says_not=others)
        around = Call("spatial_query", layer="detections", near_m=middle_m(room), radius_m=HERE_M)
        rest = tuple(name for name in special.values() if name != special[room])
        thing = Expected(says=(special[room],), says_not=rest)
        probes += [Probe("which one here", here, lamp), Probe("what is here", around, thing)]
    return Schedule(
        "context_dependent",
        (Episode("tour", walk.told), Asked(walk.now_ns + HOUR_NS // 4, tuple(probes))),
    )


def source_monitoring(chance: random.Random) -> Schedule:
    """Seen, heard or read? And what was said of a thing that was seen elsewhere?"""
    names = chance.sample(THINGS, 16)
    seen, heard, read, both = names[:4], names[4:8], names[8:12], names[12:]
    rooms = {name: chance.sample(ROOMS, 2) for name in names}
    walk = Walk(chance)
    for name in chance.sample(names, len(names)):
        room, elsewhere = rooms[name]
        if name in seen + both:
            walk.see(room, (name, *chance.sample(EVERYWHERE, 2)))
        if name in heard + both:
            walk.sense(chance.choice(ROOMS), "speech", _HEARD.format(thing=name, room=elsewhere))
        if name in read:
            walk.sense(chance.choice(ROOMS), "text", _READ.format(thing=name, room=elsewhere))
    probes = [
        *(_source("seen", name, ("description", "detections")) for name in seen),
        *(_source("heard", name, ("speech",)) for name in heard),
        *(_source("read", name, ("text",)) for name in read),
    ]
    for name in both:
        room, elsewhere = rooms[name]
        probes += [
            _told_by("seen, and heard of elsewhere", name, "description", room, elsewhere),
            _told_by("heard of, and seen elsewhere", name, "speech", elsewhere, room),
        ]
    return Schedule(
        "source_monitoring",
        (Episode("tour", walk.told), Asked(walk.now_ns + HOUR_NS // 4, tuple(probes))),
    )


def _source(kind: str, name: str, layers: tuple[str, ...]) -> Probe:
    return Probe(kind, Call("semantic_search", name), Expected(says=(name,), layers=layers))


def _told_by(kind: str, name: str, layer: str, room: str, other: str) -> Probe:
    expected = Expected(says=(name, room), says_not=(other,))
    return Probe(kind, Call("semantic_search", name, layer=layer), expected)
