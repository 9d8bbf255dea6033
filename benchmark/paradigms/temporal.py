"""Order, change and delay: serial position, interference, retention."""

from __future__ import annotations

import random

from benchmark.paradigms.schedule import (
    Asked,
    Call,
    Episode,
    Expected,
    Probe,
    Schedule,
    Step,
    Wait,
)
from benchmark.paradigms.walk import (
    DAY_NS,
    HOUR_NS,
    START_NS,
    STRANGERS,
    THINGS,
    VIEW_NS,
    Walk,
    middle_m,
)
from benchmark.retention.household import EVERYWHERE, ROOMS

DELAYS_NS = {
    "1 hour": HOUR_NS,
    "1 day": DAY_NS,
    "1 week": 7 * DAY_NS,
    "1 month": 30 * DAY_NS,
    "1 year": 365 * DAY_NS,
}
_LATEST_NS = 10 * VIEW_NS
"""After the end of a walk, when it is asked about."""


def serial_position(chance: random.Random) -> Schedule:
    """One new thing a view: what was seen when, and when was it seen; at both ends and between."""
    walk, names = Walk(chance), chance.sample(THINGS, 24)
    stamps_ns = [
        walk.see(ROOMS[number // 2], (name, *chance.sample(EVERYWHERE, 2)))
        for number, name in enumerate(names)
    ]
    positions = {"first": range(4), "middle": range(10, 14), "last": range(20, 24)}
    probes = [
        probe
        for kind, places in positions.items()
        for place in places
        for probe in _at_position(kind, names, place, stamps_ns[place])
    ]
    return Schedule(
        "serial_position",
        (Episode("tour", walk.told), Asked(walk.now_ns + _LATEST_NS, tuple(probes))),
    )


def _at_position(kind: str, names: list[str], place: int, stamp_ns: int) -> tuple[Probe, Probe]:
    name, others = names[place], tuple(names[:place] + names[place + 1 :])
    span_ns = (stamp_ns - VIEW_NS // 4, stamp_ns + VIEW_NS // 4)
    then = Call("temporal_query", layer="detections", since_ns=span_ns[0], until_ns=span_ns[1])
    return (
        Probe(f"{kind}: what then", then, Expected(says=(name,), says_not=others)),
        Probe(
            f"{kind}: when", Call("semantic_search", name), Expected(says=(name,), span_ns=span_ns)
        ),
    )


def interference(chance: random.Random) -> Schedule:
    """Things change their rooms from day to day, others stay: where now, and where then?"""
    days, moved, rest = 3, chance.sample(THINGS, 5), 4
    stays = chance.sample([name for name in THINGS if name not in moved], rest)
    rooms = {name: chance.sample(ROOMS, days) for name in moved}
    rooms |= {name: [chance.choice(ROOMS)] * days for name in stays}
    steps: list[Step] = []
    for day in range(days):
        walk = Walk(chance, START_NS + day * DAY_NS)
        for room in ROOMS:
            walk.pass_by(room)
            for name in (name for name, where in rooms.items() if where[day] == room):
                walk.see(room, (name, *chance.sample(EVERYWHERE, 2)))
        steps += [Episode(f"round of day {day + 1}", walk.told), Wait(walk.now_ns + 2 * HOUR_NS)]
    now_ns = START_NS + (days - 1) * DAY_NS + 6 * HOUR_NS
    probes = [_where(name, "now" if name in moved else "stayed", rooms[name][-1]) for name in rooms]
    probes += [_found_where(name, rooms[name][-1]) for name in moved]
    for day in range(days - 1):
        since_ns = START_NS + day * DAY_NS
        span_ns = (since_ns, since_ns + 3 * HOUR_NS)
        probes += [_where(name, "then", rooms[name][day], span_ns) for name in moved]
    return Schedule("interference", (*steps, Asked(now_ns, tuple(probes))))


def _where(name: str, kind: str, room: str, span_ns: tuple[int, int] | None = None) -> Probe:
    since_ns, until_ns = span_ns if span_ns is not None else (None, None)
    call = Call("locate", name, since_ns=since_ns, until_ns=until_ns)
    return Probe(kind, call, Expected(near_m=(middle_m(room),)))


def _found_where(name: str, room: str) -> Probe:
    """Where the best of what is found is: another way to ask where a thing is now."""
    expected = Expected(near_m=(middle_m(room),))
    return Probe("now, searched", Call("semantic_search", name), expected)


def retention(chance: random.Random) -> Schedule:
    """Was it ever seen? An hour to a year after the only time, among as many that never were."""
    tour, names = Walk(chance), chance.sample(THINGS, 24)
    for number, name in enumerate(names):
        tour.see(ROOMS[number // 2], (name, *chance.sample(EVERYWHERE, 2)))
    steps: list[Step] = [Episode("tour", tour.told)]
    absent = chance.sample(STRANGERS, len(names))
    for number, (delay, delay_ns) in enumerate(DELAYS_NS.items()):
        now_ns = START_NS + delay_ns
        asked = slice(number, None, len(DELAYS_NS))
        seen = [_was_seen(name, f"{delay}: seen", is_absent=False) for name in names[asked]]
        never = [_was_seen(name, f"{delay}: never", is_absent=True) for name in absent[asked]]
        steps += [Wait(now_ns), Asked(now_ns, (*seen, *never))]
        later = Walk(chance, now_ns + HOUR_NS)
        for room in ROOMS:
            later.pass_by(room)
        steps.append(Episode(f"round after {delay}", later.told))
    return Schedule("retention", tuple(steps))


def _was_seen(name: str, kind: str, *, is_absent: bool) -> Probe:
    if is_absent:
        return Probe(kind, Call("locate", name), Expected(says_not=(name,), is_absent=True))
    return Probe(kind, Call("locate", name), Expected(says=(name,)))
