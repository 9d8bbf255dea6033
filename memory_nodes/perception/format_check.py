"""Whether the declared box format can be what the model writes."""

from __future__ import annotations

from collections import Counter

from memory_nodes.models.ports import Reply
from memory_nodes.perception.boxes import BBOX_FORMATS, BoxFormat
from memory_nodes.perception.reply_records import read_contents
from memory_nodes.perception.reply_views import view_in_record, views_of

MIN_BOXES = 12
MAX_BOXES = 200
"""After so many the declared format is settled, and no reply is looked at any more."""
MAX_VALID_SHARE = 0.5
"""Of the boxes under an impossible format."""
MIN_VALID_SHARE = 0.9
"""Of the boxes under the one to propose."""


class FormatCheck:
    """Looks at the boxes of the first replies under every format.

    A format is impossible when most boxes are no boxes under it while nearly all are under
    another. A possible one may still be wrong: fractions of a thousand can pass for pixels.
    """

    def __init__(self, declared: BoxFormat) -> None:
        self._declared = declared
        self._candidates = [declared, *(BoxFormat(n) for n in BBOX_FORMATS if n != declared.name)]
        self._valid: Counter[str] = Counter()
        self._count = 0
        self.problem: str | None = None
        """What is wrong and what to set instead, once it is known."""

    def look(self, reply: Reply, width_px: int, height_px: int) -> bool:
        """Takes in one reply; True when it settles that the declared format is impossible."""
        if self.problem is not None or self._count >= MAX_BOXES or not reply.text.strip():
            return False
        for numbers in self._boxes(reply):
            self._count += 1
            for candidate in self._candidates:
                if candidate.to_pixels(numbers, width_px, height_px) is not None:
                    self._valid[candidate.name] += 1
        self.problem = self._judgement()
        return self.problem is not None

    def _boxes(self, reply: Reply) -> list[object]:
        """The boxes of a reply as written, those with four numbers."""
        is_y_first = self._declared.is_y_first
        found: list[object] = []
        for record in read_contents(reply).records:
            views = views_of(record, is_y_first)
            if views is None:
                views = [view_in_record(record, is_y_first)[0]]
            found += [box for view in views for box in view.boxes]
        return [box for box in found if isinstance(box, tuple) and len(box) == 4]

    def _judgement(self) -> str | None:
        if self._count < MIN_BOXES:
            return None
        name = self._declared.name
        valid = self._valid[name]
        most = max(self._valid.values(), default=0)
        if valid > MAX_VALID_SHARE * self._count or most < MIN_VALID_SHARE * self._count:
            return None
        possible = [other.name for other in self._candidates if self._valid[other.name] == most]
        cure = f"set bbox_format to {' or '.join(possible)}"
        if len(possible) > 1:
            cure += ", whichever puts the boxes of a picture where the objects are"
        if name == "xyxy_pixels":
            cure += (
                "; or, for pixels of a resized image, set bbox_reference_width_px and _height_px"
            )
        return (
            f"bbox_format {name} cannot be what the model writes: {self._count - valid} of its "
            f"first {self._count} boxes are impossible, and {most} are possible otherwise; {cure}"
        )
