"""The objects of a reply, each with the views of it that can be used."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from memory_nodes.models.json_values import JsonList, JsonObject, Value
from memory_nodes.perception.boxes import BoxFormat
from memory_nodes.perception.frame_numbers import Frames
from memory_nodes.perception.reply_fields import label_of
from memory_nodes.perception.reply_records import Record
from memory_nodes.perception.reply_views import ViewText, view_in_record, views_of
from memory_nodes.records import Keyframe, ObjectDescriptor, ObjectView

ATTRIBUTES = ("color", "material", "size", "state")
MAX_TEXT_CHARS = 500
MAX_OBJECTS = 200


@dataclass(frozen=True)
class Draft:
    """One object before it has an id of its own."""

    given_id: str
    """Empty where the reply gives none."""
    descriptor: ObjectDescriptor
    is_flat: bool = False
    """A name and a box; a loop may count its ids up."""

    @property
    def identity(self) -> tuple[object, ...]:
        """Equal for exact repeats."""
        given_id = "" if self.is_flat else self.given_id
        return given_id, self.descriptor.type, self.descriptor.views


@dataclass
class Drafts:
    """The objects that could be read, and what was dropped."""

    kept: list[Draft] = field(default_factory=list)
    dropped_ids: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    """One line each, which begins with a code and a colon."""
    dropped: int = 0
    dropped_views: int = 0


def read_objects(records: Iterable[Record], frames: Frames, box_format: BoxFormat) -> Drafts:
    """One bad object or view goes, with a line in `problems`; the others stay."""
    reader = _ObjectReader(frames, box_format)
    seen: set[tuple[object, ...]] = set()
    for record in records:
        for draft in reader.read(record):
            if draft.identity in seen:
                continue  # a model in a loop names one object again and again
            seen.add(draft.identity)
            if len(reader.drafts.kept) < MAX_OBJECTS:
                reader.drafts.kept.append(draft)
            else:
                reader.drafts.dropped += 1
    if len(seen) > MAX_OBJECTS:
        reader.problem("too_many_objects", f"{len(seen)} in one reply: {MAX_OBJECTS} are kept")
    return reader.drafts


class _ObjectReader:
    def __init__(self, frames: Frames, box_format: BoxFormat) -> None:
        self._frames = frames
        self._format = box_format
        self.drafts = Drafts()

    def read(self, record: Record) -> list[Draft]:
        label = label_of(record.pairs)
        kind = bounded(label or record.name.strip())
        given_id = id_of(record.value("id", "object_id")) or id_of(record.name if label else "")
        if not kind or record.is_ambiguous:
            what = "names and boxes that are not in turn" if kind else "no type or label"
            self._drop(given_id, "unnamed_object", what)
            return []
        written = views_of(record, self._format.is_y_first)
        if written is None:
            return self._read_flat(record, kind, given_id)
        views = self._views(kind, written)
        if written and not views:
            self._drop(given_id)
            return []
        if not views:
            self.problem("no_view", f"{kind}: listed without any view")
        return [Draft(given_id, self._descriptor(record, kind, views))]

    def _read_flat(self, record: Record, kind: str, given_id: str) -> list[Draft]:
        """A record without views: its boxes are in the frame it names, or in the only one."""
        view, is_other_geometry = view_in_record(record, self._format.is_y_first)
        if is_other_geometry:
            self._drop(given_id, "no_box", f"{kind}: a point or polygon instead of a box")
            return []
        if not view.boxes:
            self.problem("no_view", f"{kind}: listed without a box")
            return [Draft(given_id, self._descriptor(record, kind, []), is_flat=True)]
        drafts: list[Draft] = []
        for box in view.boxes:
            views = self._views(kind, [ViewText(view.frame, (box,))])
            if views:
                descriptor = self._descriptor(record, kind, views)
                drafts.append(Draft(given_id if not drafts else "", descriptor, is_flat=True))
            else:
                self._drop(given_id)
        return drafts

    def _views(self, kind: str, written: Sequence[ViewText]) -> list[ObjectView]:
        """The usable views, one a keyframe, ascending."""
        views: dict[int, ObjectView] = {}
        for view in written:
            keyframe = self._keyframe(view)
            if keyframe is None:
                self.problem("unknown_frame", f"{kind}: a view of frame {view.frame!r:.40}")
                self.drafts.dropped_views += 1
                continue
            numbers = view.boxes[0] if len(view.boxes) == 1 else view.boxes
            box = self._format.to_pixels(numbers, keyframe.width_px, keyframe.height_px)
            if box is None:
                self.problem("impossible_box", f"{kind}: {numbers!r:.80}")
                self.drafts.dropped_views += 1
                continue
            views.setdefault(keyframe.keyframe_id, ObjectView(keyframe.keyframe_id, box))
        return [views[keyframe_id] for keyframe_id in sorted(views)]

    def _keyframe(self, view: ViewText) -> Keyframe | None:
        if view.frame is None and len(self._frames.by_number) == 1:
            return next(iter(self._frames.by_number.values()))
        return self._frames.at(view.frame)

    def _descriptor(self, record: Record, kind: str, views: list[ObjectView]) -> ObjectDescriptor:
        details = record.value("attributes")
        pairs = [*record.pairs, *(details.pairs if isinstance(details, JsonObject) else [])]
        described = Record(pairs)
        stamps = {item.keyframe_id: item.stamp_ns for item in self._frames.by_number.values()}
        return ObjectDescriptor(
            object_id="",
            type=kind,
            description=text_of(described.value("description")),
            attributes={
                name: text for name in ATTRIBUTES if (text := text_of(described.value(name)))
            },
            affordances=_texts(described.value("affordances")),
            views=tuple(views),
            first_seen_ns=stamps[views[0].keyframe_id] if views else 0,
            last_seen_ns=stamps[views[-1].keyframe_id] if views else 0,
            view_count=len(views),
        )

    def problem(self, code: str, detail: str) -> None:
        self.drafts.problems.append(f"{code}: {detail}")

    def _drop(self, given_id: str, code: str = "", detail: str = "") -> None:
        self.drafts.dropped += 1
        self.drafts.dropped_ids.add(given_id)
        if code:
            self.problem(code, detail)


def with_ids(
    drafts: Sequence[Draft], problems: list[str]
) -> tuple[list[ObjectDescriptor], set[str]]:
    """The objects under ids of their own, and the ids that were given to different things.

    The same id and type in other frames is the same object, listed frame by frame. Anything else
    under an id that is taken is another object.
    """
    taken = {draft.given_id for draft in drafts}
    objects: dict[str, ObjectDescriptor] = {}
    ambiguous: set[str] = set()
    for draft in drafts:
        object_id, descriptor = draft.given_id, draft.descriptor
        if not object_id:
            object_id = id_of(descriptor.type)
            object_id = object_id if object_id not in taken else _fresh_id(object_id, taken)
        elif object_id in objects:
            merged = _merged(objects[object_id], descriptor)
            if merged is not None:
                objects[object_id] = merged
                continue
            ambiguous.add(object_id)
            fresh = _fresh_id(object_id, taken)
            problems.append(f"duplicate_id: {object_id} also names a {descriptor.type}: {fresh}")
            object_id = fresh
        taken.add(object_id)
        objects[object_id] = replace(descriptor, object_id=object_id)
    return list(objects.values()), ambiguous


def _merged(one: ObjectDescriptor, other: ObjectDescriptor) -> ObjectDescriptor | None:
    """Both as one, where they have one type and no frame in common."""
    frames = {view.keyframe_id for view in one.views}
    if one.type.casefold() != other.type.casefold():
        return None
    if any(view.keyframe_id in frames and view not in one.views for view in other.views):
        return None
    added = tuple(view for view in other.views if view.keyframe_id not in frames)
    views = tuple(sorted((*one.views, *added), key=lambda view: view.keyframe_id))
    seen = [item for item in (one, other) if item.views]
    return replace(
        one,
        views=views,
        view_count=len(views),
        first_seen_ns=min((item.first_seen_ns for item in seen), default=0),
        last_seen_ns=max((item.last_seen_ns for item in seen), default=0),
    )


def _fresh_id(object_id: str, taken: set[str]) -> str:
    stem = re.sub(r"_\d+$", "", object_id)
    number = 1
    while f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"


def id_of(value: Value) -> str:
    """An id as it is compared: trimmed, white space as underscores; empty where there is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = f"{value:.9g}"
    return re.sub(r"\s+", "_", text_of(value))


def text_of(value: Value) -> str:
    """A text; of a list of texts, as for two colours, all of them."""
    if isinstance(value, JsonList) and all(isinstance(item, str) for item in value.items):
        value = ", ".join(str(item).strip() for item in value.items)
    return bounded(value.strip()) if isinstance(value, str) else ""


def bounded(text: str) -> str:
    return text[:MAX_TEXT_CHARS]


def _texts(value: Value) -> tuple[str, ...]:
    """A list of texts; models also write "sit, rest"."""
    items = value.items if isinstance(value, JsonList) else []
    if isinstance(value, str):
        items = list(value.split(","))
    return tuple(text for item in items if (text := text_of(item)))
