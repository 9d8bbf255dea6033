"""Which things share a colour in a picture."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.records import ObjectDescriptor
from memory_nodes.words import stems


@dataclass(frozen=True)
class ObjectGroup:
    """Things of one kind, and their colour as #rrggbb."""

    name: str
    color: str
    words: frozenset[str]


def _group(name: str, color: str, words: str) -> ObjectGroup:
    return ObjectGroup(name, color, frozenset(stems(words)))


# What stands last in a type says what the thing is: a coffee table is a table, a table lamp a lamp.
OBJECT_GROUPS = (
    _group("seats", "#1f77b4", "chair stool sofa couch bench armchair seat beanbag chairs"),
    _group(
        "tables, shelves",
        "#8c564b",
        "table desk counter cabinet cupboard shelf rack drawer wardrobe worktop football",
    ),
    _group("plants", "#2ca02c", "plant palm tree flower monstera"),
    _group("doors, windows", "#7f7f7f", "door window curtain drape blind gate radiator heater"),
    _group(
        "kitchen",
        "#d62728",
        "machine maker microwave oven fridge refrigerator dishwasher sink tap dispenser kettle "
        "cup cups mug bowl basket plate bottle jar fruit food",
    ),
    _group("lamps", "#bcbd22", "lamp light"),
    _group("signs, pictures", "#9467bd", "poster picture sign sticker sheet code paper screen"),
)
OTHER_GROUP = ObjectGroup("other things", "#ff7f0e", frozenset())


def group_of(descriptor: ObjectDescriptor) -> ObjectGroup:
    """The group that the last known word of an object's type names."""
    for word in reversed(stems(descriptor.type.replace("_", " "))):
        for group in OBJECT_GROUPS:
            if word in group.words:
                return group
    return OTHER_GROUP
