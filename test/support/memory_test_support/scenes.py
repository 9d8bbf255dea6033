"""Records of a scene: a small kitchen by hand, and large ones by chance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from memory_nodes.records import (
    AttributeValue,
    Keyframe,
    ObjectDescriptor,
    ObjectStatus,
    Relation,
)
from memory_test_support.records import descriptor, keyframe, point, view

KEYFRAMES = tuple(keyframe(number) for number in (1, 2, 3))
MUG = descriptor("mug_1", view(1), view(2), color="red", position=point(1.0, 2.0))
DESK = descriptor("desk_1", view(1), view(2), view(3))
LAMP = descriptor("lamp_1", view(3), status=ObjectStatus.MOVED)
KITCHEN = (MUG, DESK, LAMP)
RELATIONS = (
    Relation("mug_1", "on", "desk_1", (1, 2)),
    Relation("lamp_1", "left of", "desk_1", (3,)),
)

SLY = (
    *("", " a ", "Tasse für Kaffee ☕ 冷蔵庫 😀", "l1\nl2\r\nl3\tend", 'it\'s "so" `called`'),
    *("C:\\users\\new", "\\u0027 \\\\u0060 \\U0001F600", "\x00\x1b\x7f\x85\u2028\u2029\ufeff"),
    *("<![CDATA[ & ]]> <data/>", "'}) DETACH DELETE o; //", "\u202eevil", "\U000e0041\ud800"),
)
"""Texts that a model may write, to break what they are written into."""


def sly_records() -> tuple[list[ObjectDescriptor], list[Relation], tuple[Keyframe, ...]]:
    """Each of the texts as every text of an object, as id and as predicate."""
    objects = [
        replace(
            MUG,
            object_id=f"{text}_{number}",
            type=text,
            name=text,
            description=text,
            attributes={text: text, "color": text},
            attribute_history={text: (AttributeValue(text, None), AttributeValue(text, number))},
            affordances=(text, text),
        )
        for number, text in enumerate(SLY)
    ]
    relations = [
        Relation(item.object_id, item.type or "on", objects[0].object_id, (1, 2))
        for item in objects[1:]
    ]
    return objects, relations, KEYFRAMES


def random_records(
    objects: int, views: int, relations: int, keyframes: int, seed: int = 7
) -> tuple[list[ObjectDescriptor], list[Relation], list[Keyframe]]:
    """Objects with about views / objects views each; relations of objects in one keyframe."""
    rng = np.random.default_rng(seed)
    shown: list[list[int]] = [[] for _ in range(objects)]
    in_keyframe: list[list[int]] = [[] for _ in range(keyframes)]
    for number, key in enumerate(rng.integers(keyframes, size=views).tolist()):
        if key not in shown[number % objects]:
            shown[number % objects].append(key)
            in_keyframe[key].append(number % objects)
    items = [
        descriptor(
            f"object_{number}",
            *(view(key) for key in sorted(keys)),
            position=point(*rng.normal(size=2)),
        )
        for number, keys in enumerate(shown)
    ]
    words = ("on", "under", "inside", "left of", "behind", "near", "supports", "facing")
    found: dict[tuple[int, str, int], set[int]] = {}
    while len(found) < relations:
        key = int(rng.integers(keyframes))
        if len(in_keyframe[key]) > 1:
            one, other = rng.choice(in_keyframe[key], 2, replace=False).tolist()
            found.setdefault((one, words[rng.integers(len(words))], other), set()).add(key)
    return (
        items,
        [
            Relation(f"object_{one}", word, f"object_{other}", tuple(sorted(keys)))
            for (one, word, other), keys in found.items()
        ],
        [keyframe(key) for key in range(keyframes)],
    )
