"""One-image replies in a form that is easy to compare.

All boxes are written for an image of 640 x 480 px. ``A`` is the object (mug, 100 120 300 320).
"""

from __future__ import annotations

from memory_nodes.models.ports import Reply
from memory_nodes.perception.reply import read_frames
from memory_test_support.records import keyframe

Found = tuple[str, bool, int]
"""Objects as "label x0 y0 x1 y1; ...", complete, dropped."""

MUG = '{"label": "mug", "bbox": [100, 120, 300, 320]}'
RUG = '{"label": "rug", "bbox": [10, 20, 30, 40]}'
A = "mug 100 120 300 320"
B = "rug 10 20 30 40"
AB = f"{A}; {B}"


def read(raw: str, bbox_format: str = "xyxy_pixels", finish_reason: str | None = "stop") -> Found:
    reply = Reply(raw, finish_reason not in ("length", "content_filter"))
    found = read_frames(reply, {0: keyframe(1)}, bbox_format)
    objects = []
    for item in found.objects:
        box = item.views[0].box if item.views else None
        sides = (box.x0_px, box.y0_px, box.x1_px, box.y1_px) if box else ()
        objects.append(" ".join((item.type, *(f"{side:g}" for side in sides))))
    return "; ".join(objects), found.is_complete, found.dropped
