"""What a household robot does: tasks with their steps, rooms and objects."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One action in a room, and what shows there."""

    action: str
    room: str
    objects: tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """What a person asks for, in order."""

    name: str
    command: str
    steps: tuple[Step, ...]


_FURNITURE = {
    "kitchen": ("counter", "sink", "fridge", "stove", "cupboard"),
    "living room": ("sofa", "coffee table", "lamp", "shelf", "armchair"),
    "dining room": ("dining table", "chair", "sideboard"),
    "bedroom": ("bed", "nightstand", "wardrobe"),
    "bathroom": ("bathtub", "toilet", "mirror"),
    "office": ("desk", "monitor", "bookcase"),
    "hall": ("coat rack", "shoe cabinet"),
}
_THINGS = {
    "fork": "dining room",
    "spoon": "kitchen",
    "mug": "living room",
    "book": "bedroom",
    "newspaper": "hall",
    "remote control": "living room",
    "pillow": "living room",
    "towel": "bathroom",
    "candle": "dining room",
    "pencil": "office",
    "credit card": "hall",
    "laptop": "office",
    "wallet": "bedroom",
    "soap bar": "bathroom",
    "salt shaker": "dining room",
    "vase": "dining room",
}
_BOXES = {
    "drawer": "kitchen",
    "box": "living room",
    "bookcase": "office",
    "basket": "bathroom",
    "nightstand": "bedroom",
    "sideboard": "dining room",
}
_FIXED: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    ("make coffee", "kitchen", "mug", "coffee machine", ("fill the mug", "switch the machine on")),
    ("water the plant", "living room", "watering can", "fern", ("pour water on the plant",)),
    ("clean the table", "dining room", "sponge", "dining table", ("wipe the table",)),
    ("prepare breakfast", "kitchen", "plate", "toaster", ("toast the bread", "slice an apple")),
    ("make a salad", "kitchen", "bowl", "lettuce", ("slice the lettuce", "slice a tomato")),
    ("make a sandwich", "kitchen", "plate", "bread", ("slice the bread", "toast a slice")),
    ("boil potatoes", "kitchen", "pot", "potato", ("fill the pot", "switch the stove on")),
    ("cook an egg", "kitchen", "pan", "egg", ("crack the egg", "switch the stove on")),
    ("wash the dishes", "kitchen", "dish sponge", "sink", ("rinse the plates", "dry the plates")),
    ("feed the cat", "hall", "cat food", "cat bowl", ("open the can", "fill the bowl")),
    ("vacuum the carpet", "living room", "vacuum cleaner", "carpet", ("vacuum the carpet",)),
    ("make the bed", "bedroom", "blanket", "bed", ("straighten the blanket",)),
    ("take out the trash", "kitchen", "trash bag", "bin", ("tie the bag", "carry the bag out")),
    ("check the windows", "office", "window handle", "window", ("close the window",)),
    ("fold the laundry", "bedroom", "laundry basket", "shirt", ("fold a shirt", "fold a towel")),
    ("serve tea", "living room", "teapot", "tea cup", ("pour the tea",)),
)


def random_task(rng: random.Random) -> Task:
    """Half of the time one of the fixed tasks, else some things to put away or to bring."""
    if rng.random() < 0.5:
        return _fixed(rng)
    thing, room = rng.choice(sorted(_THINGS.items()))
    if rng.random() < 0.6:
        return _put_all(thing, room, rng)
    return _bring(thing, room, rng)


def _fixed(rng: random.Random) -> Task:
    name, room, tool, target, work = rng.choice(_FIXED)
    steps = [
        _step(f"walk to the {room}", room, (), rng),
        _step(f"pick up the {tool}", room, (tool,), rng),
        *(_step(each, room, (tool, target), rng) for each in work),
        _step(f"put down the {tool}", room, (tool, target), rng),
    ]
    return Task(name, f"please {name}", tuple(steps))


def _put_all(thing: str, room: str, rng: random.Random) -> Task:
    box, other = rng.choice(sorted(_BOXES.items()))
    steps = []
    for _ in range(rng.randint(2, 4)):
        steps += [
            _step(f"walk to the {room}", room, (), rng),
            _step(f"pick up a {thing}", room, (thing,), rng),
            _step(f"walk to the {other}", other, (thing,), rng),
            _step(f"put the {thing} in the {box}", other, (thing, box), rng),
        ]
    name = f"put all {thing}s in the {box}"
    return Task(name, f"can you {name}", tuple(steps))


def _bring(thing: str, room: str, rng: random.Random) -> Task:
    other = rng.choice(sorted(set(_FURNITURE) - {room}))
    steps = (
        _step(f"walk to the {room}", room, (), rng),
        _step(f"pick up the {thing}", room, (thing,), rng),
        _step(f"walk to the {other}", other, (thing,), rng),
        _step(f"hand over the {thing}", other, (thing,), rng),
    )
    return Task(f"bring the {thing} to the {other}", f"bring me the {thing}", steps)


def _step(action: str, room: str, objects: tuple[str, ...], rng: random.Random) -> Step:
    furniture = _FURNITURE.get(room, _FURNITURE["hall"])
    around = rng.sample(furniture, min(2, len(furniture)))
    return Step(action, room, tuple(dict.fromkeys((*objects, *around))))
