"""What the fields of a record mean: its name, its box, its other geometry.

The keys are those that models use for one and the same thing. A key never says how numbers are
meant: that is the declared box format's to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from memory_nodes.models.json_tokens import number_of
from memory_nodes.models.json_values import JsonList, JsonObject, Value

Pair = tuple[str, Value]

LABEL_KEYS = (
    *("label", "labels", "object_name", "object_label", "class_name", "class_label", "class"),
    *("category_name", "category", "type", "object_type", "name", "names", "object", "item"),
    *("item_name", "entity", "entity_name", "title", "tag", "text", "text_content", "phrase"),
    *("caption", "ref", "thing", "noun", "concept", "target"),
)
_LANGUAGES = "en english de zh cn chinese fr es it ja jp ko ru".split()
_LANGUAGE = re.compile(rf"_({'|'.join(_LANGUAGES)})$|^({'|'.join(_LANGUAGES)})_")
_NAME_ENDS = ("name", "label", "class", "category")

_BOX_WORDS = frozenset(
    "box bbox boxes bboxes bndbox boundingbox xyxy xywh yxyx cxcywh ltrb tlbr rect rectangle "
    "roi bounding".split()
)
_PLACE_WORDS = frozenset(
    "coordinates coordinate coords coord position location loc region bounds area det extent "
    "geometry grounding".split()
)
_GEOMETRY_WORDS = frozenset(
    "point points polygon polygons keypoint keypoints center centre centroid segmentation contour "
    "vertices quad line 3d cuboid obb".split()
)
_SLOTS = (
    "x x0 x1 xmin x_min min_x left x_left left_x xtl tlx top_left_x cx center_x x_center "
    "centre_x x_centre xc x_c x_0 x_1 xcenter x_start start_x",
    "y y0 y1 ymin y_min min_y top y_top top_y ytl tly top_left_y cy center_y y_center "
    "centre_y y_centre yc y_c y_0 y_1 ycenter y_start start_y",
    "x2 xmax x_max max_x right x_right right_x xbr brx bottom_right_x x_2 w width x_end end_x",
    "y2 ymax y_max max_y bottom y_bottom bottom_y ybr bry bottom_right_y y_2 h height y_end end_y",
)
_SLOT_OF = {name: index for index, names in enumerate(_SLOTS) for name in names.split()}
_CORNERS = (
    *(("top_left", "bottom_right"), ("upper_left", "lower_right"), ("min", "max")),
    *(("tl", "br"), ("lt", "rb"), ("start", "end"), ("p1", "p2")),
)
_SECOND_IF_ZERO = {"x1": "x0", "y1": "y0", "x_1": "x_0", "y_1": "y_0"}
_PLAIN_NUMBERS = re.compile(r"[\s\d+\-.,;eE()\[\]]*")
_TAG = re.compile(r"<[|/]{0,2}\w{1,20}\|?>")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
CONFLICT = "two different boxes"
"""Stands for the numbers of a box that was given twice and not alike."""


@dataclass(frozen=True)
class Boxes:
    """The boxes of one record, as written: each a list of what should be four numbers."""

    numbers: tuple[object, ...]
    is_other_geometry: bool = False
    """A point, a polygon or a box in space stands where a box was asked for."""


@lru_cache(maxsize=4096)
def normal(key: str) -> str:
    """A key in snake case: "Bounding Box", "boundingBox" and "bounding-box" are one."""
    spaced = _CAMEL.sub("_", key) if not key.islower() else key
    return re.sub(r"[^0-9a-z\u0080-\uffff]+", "_", spaced.lower()).strip("_")


def is_label_key(key: str) -> bool:
    return _label_rank(key) is not None


def label_of(pairs: Iterable[Pair]) -> str:
    """What a record names; English where it names it in several languages; empty if nothing."""
    best: tuple[tuple[int, int], str] | None = None
    for key, value in pairs:
        rank, text = _label_rank(key), _label_text(value)
        if rank is not None and text and (best is None or rank < best[0]):
            best = (rank, text)
    return best[1] if best is not None else ""


@lru_cache(maxsize=4096)
def _label_rank(key: str) -> tuple[int, int] | None:
    name = normal(key)
    language = _LANGUAGE.search(name)
    foreign = 0
    if language is not None:
        foreign = 0 if (language.group(1) or language.group(2)) in ("en", "english") else 1
        name = _LANGUAGE.sub("", name)
    name = re.sub(r"_?\d+$", "", name)
    if name in LABEL_KEYS:
        return LABEL_KEYS.index(name), foreign
    return (len(LABEL_KEYS), foreign) if name.endswith(_NAME_ENDS) else None


def _label_text(value: Value) -> str:
    if isinstance(value, JsonObject):
        texts = {normal(key): item for key, item in value.pairs if isinstance(item, str)}
        if len(texts) < len(value.pairs):
            return ""  # a record of its own
        value = next((texts[name] for name in ("en", "english") if name in texts), None)
        value = value if value is not None else next(iter(texts.values()), None)
    if isinstance(value, JsonList) and len(value.items) == 1:
        value = value.items[0]
    return value.strip() if isinstance(value, str) else ""


def box_role(key: str, value: Value) -> str:
    """What a field says about the place: "box", "geometry", "slot", or nothing."""
    name = normal(key)
    if _slot_name(key) in _SLOT_OF and not isinstance(value, JsonList | JsonObject):
        return "slot"
    words = set(name.split("_"))
    if words & _GEOMETRY_WORDS:
        return "geometry" if isinstance(value, JsonList | JsonObject) else ""
    if words & _BOX_WORDS or "bbox" in name:
        return "box"
    is_numbers = is_number_list(value) or (isinstance(value, JsonObject) and bool(_slots(value)))
    return "box" if (words & _PLACE_WORDS or not name) and is_numbers else ""


def boxes_of(pairs: list[Pair], is_y_first: bool) -> Boxes:
    """The boxes of a record; none where it says nothing of a box, or null."""
    written = [value for key, value in pairs if box_role(key, value) == "box" and value is not None]
    found: list[tuple[object, ...]] = []
    for value in written:
        numbers = tuple(numbers_of(value, is_y_first))
        if numbers not in found:
            found.append(numbers)
    slots = _slots(JsonObject(pairs))
    corners = _corners(pairs)
    if not written and corners:
        found.append((corners,))
    elif not written and len(slots) > 1 and not {0, 1}.isdisjoint(slots):  # not a mere size
        found.append((_from_slots(slots, is_y_first),))
    if len(found) > 1:
        return Boxes((CONFLICT,))
    if found:
        return Boxes(found[0])
    return Boxes((), any(box_role(key, value) == "geometry" for key, value in pairs))


def numbers_of(value: Value, is_y_first: bool) -> list[object]:
    """The boxes in one field: mostly one; what is no box comes back as it is."""
    if isinstance(value, JsonObject):
        slots = _slots(value)
        return [_from_slots(slots, is_y_first) if slots else _corners(value.pairs)]
    if isinstance(value, str):
        value = _TAG.sub(" ", value).strip()
    if isinstance(value, str) and value and _PLAIN_NUMBERS.fullmatch(value):
        return [tuple(map(_number, re.findall(r"[+-]?[\d.]+(?:[eE][+-]?\d+)?", value)))]
    if not isinstance(value, JsonList):
        return [str(value)]
    items = [_point(item) or item for item in value.items]
    if not items or not all(isinstance(item, JsonList) for item in items):
        return [_flat(value)]
    if len(items) == 1:
        return numbers_of(items[0], is_y_first)
    rows = [_flat(item) for item in items]
    if len(rows) == 2 and all(len(row) == 2 for row in rows):
        return [(*rows[0], *rows[1])]
    if all(len(row) == 4 for row in rows):
        return list(rows)
    return [tuple(map(str, rows))]


def _corners(pairs: list[Pair]) -> tuple[object, ...]:
    """The numbers of two opposite corners; empty where there are none."""
    named = {normal(key): _point(value) for key, value in pairs}
    for first, second in _CORNERS:
        one, other = named.get(first), named.get(second)
        if one is not None and other is not None:
            return (*_flat(one), *_flat(other))
    return ()


def _point(value: Value) -> JsonList | None:
    """A list of two numbers, also from ``{"x": 1, "y": 2}``."""
    if isinstance(value, JsonObject):
        slots = _slots(value)
        numbers = [slots[slot] for slot in (0, 1) if slot in slots]
        value = JsonList([item for item in numbers if isinstance(item, int | float)])
    return value if isinstance(value, JsonList) and len(value.items) == 2 else None


def is_number_list(value: Value) -> bool:
    """A list of numbers, or of lists of numbers, one of them at least."""
    return (
        isinstance(value, JsonList)
        and bool(value.items)
        and all(
            (isinstance(item, int | float) and not isinstance(item, bool)) or is_number_list(item)
            for item in value.items
        )
    )


def _flat(value: Value) -> tuple[object, ...]:
    assert isinstance(value, JsonList)
    return tuple(_number(item) for item in value.items)


def _number(value: Value) -> object:
    """A number; one in quotes is one too; anything else as a text, which no box format takes."""
    if isinstance(value, str):
        number = number_of(value.strip())
        return number if number is not None else value
    return value if isinstance(value, int | float) else str(value)


def _slots(record: JsonObject) -> dict[int, object]:
    """Numbers by what their fields name: first x, first y, second x (or width), second y."""
    names = {_slot_name(key) for key, _ in record.pairs}
    slots: dict[int, object] = {}
    for key, value in record.pairs:
        name = _slot_name(key)
        if name not in _SLOT_OF or isinstance(value, JsonList | JsonObject):
            continue
        slot = _SLOT_OF[name] + (2 if _SECOND_IF_ZERO.get(name) in names else 0)
        number = _number(value)
        slots[slot] = number if slots.get(slot, number) == number else CONFLICT
    return slots


def _slot_name(key: str) -> str:
    return re.sub(r"^(bbox|box|bb)_", "", normal(key))


def _from_slots(slots: dict[int, object], is_y_first: bool) -> tuple[object, ...]:
    order = (1, 0, 3, 2) if is_y_first else (0, 1, 2, 3)
    return tuple(slots[slot] for slot in order if slot in slots)
