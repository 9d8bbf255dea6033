"""The reply to an association request: which local object is which known one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from memory_nodes.records import NS_PER_S
from memory_test_support.model_server.chance import draw, pick
from memory_test_support.model_server.errors import BadRequestError
from memory_test_support.model_server.options import ServerOptions
from memory_test_support.tour import SOURCE_STEP_NS, Tour, Truth, View

SMALLEST_IOU = 0.3
Box = tuple[float, float, float, float]
ViewsAt: TypeAlias = Callable[[int], Sequence[View]]
"""The true views in the picture of a stamp, ns; none where there is no such picture."""


def views_on_tour(tour: Tour, truth: Truth, stamp_offset_s: float = 0.0) -> ViewsAt:
    """The annotated views of the frame of a stamp, within half the shortest step of the tour."""

    def views_at(stamp_ns: int) -> Sequence[View]:
        tour_ns = stamp_ns - round(stamp_offset_s * 1e9)
        nearest = min(tour.frames, key=lambda frame: abs(frame.stamp_ns - tour_ns))
        close = abs(nearest.stamp_ns - tour_ns) < SOURCE_STEP_NS / 2
        return truth.views[nearest.index] if close else ()

    return views_at


class Associator:
    """Knows each object by where it was seen: the true box under its view."""

    def __init__(self, views_at: ViewsAt, options: ServerOptions) -> None:
        self._views_at, self._options = views_at, options

    def reply(self, payload: dict[str, Any]) -> dict[str, Any]:
        """A known id, or null for a new object, for each object of the chunk."""
        stamps_ns = _stamps_ns(payload)
        known_of: dict[str, str] = {}
        for entry in _entries(payload, "known"):
            instance = self._recognize(entry, stamps_ns)
            if instance is not None:
                known_of.setdefault(instance, entry["id"])
        mapping = []
        for entry in _entries(payload, "chunk"):
            instance = self._recognize(entry, stamps_ns)
            known_id = known_of.get(instance) if instance is not None else None
            key = (stamps_ns.get(entry.get("frame")), entry.get("box_px"))
            known_id = self._err(entry["id"], key, known_id, sorted(known_of.values()))
            mapping.append({"local_id": entry["id"], "known_id": known_id})
        return {"mapping": mapping}

    def _err(
        self, local_id: str, view: object, known_id: str | None, all_known: list[str]
    ) -> str | None:
        """Now and then an identity is lost, or mistaken for another known object's."""
        key = (self._options.seed, local_id, view, "association")
        if draw(*key) >= self._options.association_error_rate:
            return known_id
        others = [other for other in all_known if other != known_id]
        if known_id is None or (others and draw(*key, "swap") < 0.5):
            return pick(others, *key, "other") if others else known_id
        return None

    def _recognize(self, entry: dict[str, Any], stamps_ns: dict[Any, int]) -> str | None:
        """The true instance that the box of an entry overlaps most."""
        seen = _view(entry, stamps_ns)
        if seen is None:
            return None
        stamp_ns, box_px = seen
        views = self._views_at(stamp_ns)
        best = max(views, key=lambda view: overlap(view.box_px, box_px), default=None)
        if best is None or overlap(best.box_px, box_px) <= SMALLEST_IOU:
            return None
        return best.instance_id


def overlap(first: Box, second: Box) -> float:
    """Intersection over union of two boxes x0, y0, x1, y1."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (first, second))
    return shared / (areas - shared)


def _entries(payload: dict[str, Any], name: str) -> list[dict[str, Any]]:
    entries = payload.get(name)
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("id"), str) for entry in entries
    ):
        raise BadRequestError(f"{name!r} is not a list of objects with an id")
    return entries


def _stamps_ns(payload: dict[str, Any]) -> dict[Any, int]:
    """Of the frames, which are told by their age at the end of the chunk, to a millisecond."""
    try:
        end_ns = int(payload.get("end_ns", 0))
        ages_s = payload.get("frames", {}).items()
        return {int(key): end_ns - round(float(age_s) * NS_PER_S) for key, age_s in ages_s}
    except (AttributeError, TypeError, ValueError) as error:
        raise BadRequestError(f"end_ns and frames are unreadable: {error!r}") from error


def _view(entry: dict[str, Any], stamps_ns: dict[Any, int]) -> tuple[int, Box] | None:
    """Stamp and box of an entry's newest view, if it has one."""
    if "frame" not in entry:
        return None
    try:
        x0, y0, x1, y1 = (float(side) for side in entry["box_px"].split())
        return stamps_ns[entry["frame"]], (x0, y0, x1, y1)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadRequestError(f"the view of {entry['id']} is unreadable: {error!r}") from error
