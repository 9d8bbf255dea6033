"""A ChatModel that tells identities from the truth of the house, with errors."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memory_nodes.models.ports import Prompt, Reply
from memory_test_support.house.detector import DetectedChunk
from memory_test_support.model_server.association import Associator
from memory_test_support.model_server.options import ServerOptions
from memory_test_support.tour import View

WORDS_TO_TOKENS = 1.3
MS_NS = 1_000_000


class AssociatingModel:
    """Answers association prompts about the chunks that it was shown.

    ``error_rate``: share of identities that it loses or swaps. Prompt tokens are words x 1.3.
    """

    def __init__(self, error_rate: float, seed: int = 0) -> None:
        self._views: dict[int, list[View]] = {}
        options = ServerOptions(seed=seed, association_error_rate=error_rate)
        self._associator = Associator(self._views_at, options)

    def show(self, chunk: DetectedChunk) -> None:
        """From now on it knows what the boxes of this chunk are."""
        stamps_ns = {taken.keyframe_id: taken.stamp_ns for taken in chunk.graph.chunk.keyframes}
        for (keyframe_id, box), name in chunk.thing_of.items():
            view = View(name, (box.x0_px, box.y0_px, box.x1_px, box.y1_px), "")
            self._views.setdefault(stamps_ns[keyframe_id], []).append(view)

    async def complete(self, prompt: Prompt, deadline_s: float) -> Reply:
        text = json.dumps(self._associator.reply(json.loads(prompt.text)))
        words = len(prompt.system.split()) + len(prompt.text.split())
        return Reply(text, True, "stand-in:house", round(words * WORDS_TO_TOKENS), 0)

    def _views_at(self, stamp_ns: int) -> Sequence[View]:
        """Prompts tell times to a millisecond."""
        nearest_ns = min(self._views, key=lambda other: abs(other - stamp_ns), default=None)
        if nearest_ns is None or abs(nearest_ns - stamp_ns) > MS_NS:
            return ()
        return self._views[nearest_ns]
