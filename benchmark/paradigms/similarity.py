"""What is alike: pattern separation, pattern completion, lures (Deese, Roediger, McDermott)."""

from __future__ import annotations

import random

from benchmark.paradigms.schedule import Asked, Call, Episode, Expected, Probe, Schedule, Wait
from benchmark.paradigms.walk import HOUR_NS, STRANGERS, THINGS, Walk, middle_m
from benchmark.retention.household import EVERYWHERE, ROOMS

COLOURS = ("red", "blue", "green", "white")
ALIKE = ("mug", "backpack", "vase", "armchair", "bucket")
TWICE = ("fire extinguisher", "plant", "clock", "mirror", "rug", "waste bin")
LURES = {
    "mattress": ("bed", "pillow", "blanket", "alarm clock", "night light", "bedside table"),
    "laptop": ("office chair", "printer", "keyboard", "monitor", "desk lamp", "stapler"),
    "stove": ("kettle", "frying pan", "oven mitt", "cutting board", "fridge", "toaster"),
    "shower": ("bathtub", "towel rail", "shampoo bottle", "sink", "toothbrush", "weighing scale"),
    "screwdriver": ("hammer", "toolbox", "vise", "drill press", "nails", "sawhorse"),
    "bookcase": ("reading lamp", "armchair", "encyclopedia", "novel", "globe", "atlas"),
}
"""Each with what is seen in its stead: things that bring it to mind (Roediger, McDermott 1995)."""


def pattern_separation(chance: random.Random) -> Schedule:
    """Things of one name in several rooms, told apart by colour or by nothing."""
    rooms = {name: chance.sample(ROOMS, len(COLOURS)) for name in ALIKE}
    twice = {name: chance.sample(ROOMS, 2) for name in chance.sample(TWICE, 4)}
    walk = Walk(chance)
    for room in ROOMS:
        walk.pass_by(room)
        for name, where in rooms.items():
            if room in where:
                alike = f"{COLOURS[where.index(room)]} {name}"
                walk.see(room, (alike, *chance.sample(EVERYWHERE, 2)))
        for name in (name for name, where in twice.items() if room in where):
            walk.see(room, (name, *chance.sample(EVERYWHERE, 2)))
    probes: list[Probe] = []
    for name in ALIKE:
        colour = chance.choice(COLOURS)
        probes += _told_apart(f"{colour} {name}", rooms[name][COLOURS.index(colour)], name)
    for name, where in twice.items():
        either = Expected(near_m=tuple(map(middle_m, where)))
        probes.append(Probe("where, one of two", Call("locate", name), either))
    return Schedule(
        "pattern_separation",
        (Episode("tour", walk.told), Asked(walk.now_ns + HOUR_NS // 4, tuple(probes))),
    )


def _told_apart(asked: str, room: str, name: str) -> tuple[Probe, Probe]:
    others = tuple(f"{colour} {name}" for colour in COLOURS if f"{colour} {name}" != asked)
    what = Expected(says=(asked,), says_not=others, near_m=(middle_m(room),))
    where = Expected(near_m=(middle_m(room),))
    return (
        Probe("which", Call("semantic_search", asked), what),
        Probe("where", Call("locate", asked), where),
    )


def pattern_completion(chance: random.Random) -> Schedule:
    """Two of three things that were seen together bring back the third, though each of the two was
    seen with other things as well.
    """
    walk, names = Walk(chance), chance.sample(THINGS, 24)
    cues, thirds = names[:8], names[8:]
    pairs = chance.sample([(a, b) for a in cues for b in cues if a < b], len(thirds))
    scenes = [
        (pair, third, chance.choice(ROOMS)) for pair, third in zip(pairs, thirds, strict=True)
    ]
    for pair, third, room in scenes:
        walk.see(room, (*pair, third))
    probes = []
    for (one, other), third, _ in chance.sample(scenes, 12):
        rest = tuple(name for name in thirds if name != third)
        cue = Call("semantic_search", f"{one} and {other}")
        probes.append(Probe("third of three", cue, Expected(says=(third,), says_not=rest)))
    return Schedule(
        "pattern_completion",
        (Episode("tour", walk.told), Asked(walk.now_ns + HOUR_NS // 4, tuple(probes))),
    )


def lures(chance: random.Random) -> Schedule:
    """Was it seen? Things that were, what they bring to mind, and what has nothing to do with it;
    after consolidation, whose summaries might make it up.
    """
    walk = Walk(chance)
    for (_, seen), room in zip(LURES.items(), chance.sample(ROOMS, len(LURES)), strict=True):
        listed = chance.sample(seen, len(seen))
        walk.see(room, listed[:3])
        walk.see(room, listed[3:])
        walk.pass_by(room)
    studied = [chance.choice(seen) for seen in LURES.values()]
    unrelated = chance.sample([name for name in STRANGERS if name not in LURES], len(LURES))
    probes = [Probe("studied", Call("locate", name), Expected(says=(name,))) for name in studied]
    probes += [_never("lure", name) for name in LURES]
    probes += [_never("unrelated", name) for name in unrelated]
    now_ns = walk.now_ns + 12 * HOUR_NS
    return Schedule(
        "lures", (Episode("tour", walk.told), Wait(now_ns), Asked(now_ns, tuple(probes)))
    )


def _never(kind: str, name: str) -> Probe:
    return Probe(kind, Call("locate", name), Expected(says_not=(name,), is_absent=True))
