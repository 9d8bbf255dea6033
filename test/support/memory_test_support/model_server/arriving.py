"""The reply to a look on arrival: whether a thing shows in a picture, by the annotation."""

from __future__ import annotations

from typing import Any

from memory_test_support.model_server.errors import BadRequestError
from memory_test_support.model_server.frames import FrameRecognizer
from memory_test_support.model_server.messages import SentImage
from memory_test_support.tour import Truth


class ArrivalChecker:
    """Knows a thing by the words that the stand-in uses for it; all that look alike are it."""

    def __init__(self, truth: Truth, recognizer: FrameRecognizer) -> None:
        self._truth, self._recognizer = truth, recognizer

    def reply(self, payload: dict[str, Any], images: list[SentImage]) -> dict[str, str]:
        """Unsure of a picture that is not of the tour, and of a thing that it never spoke of."""
        thing = payload.get("thing")
        if not isinstance(thing, str) or len(images) != 1:
            raise BadRequestError("a look needs a thing, as a string, and one image")
        frame = self._recognizer.recognize(images[0].image)
        meant = self._meant(thing)
        if frame is None or not meant:
            return {"present": "unsure", "reason": "I do not know this place or thing."}
        shown = [view.instance_id for view in self._truth.views[frame]]
        found = next((instance for instance in shown if instance in meant), None)
        if found is None:
            return {"present": "no", "reason": "Its place is in the picture without it."}
        return {"present": "yes", "reason": f"I see the {self._truth.instances[found].kind}."}

    def _meant(self, thing: str) -> set[str]:
        """Instances that some wording of the stand-in calls so: type and description."""
        parts = {part.strip() for part in thing.split(";")}
        return {
            member
            for look in self._truth.looks
            if any(parts >= set(variant) for variant in look.variants)
            for member in look.members
        }
