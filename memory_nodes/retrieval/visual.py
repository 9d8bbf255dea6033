"""Visual grounding: which remembered pictures of objects are most like a picture or a text."""

from __future__ import annotations

import threading
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from memory_nodes.errors import ConfigurationError
from memory_nodes.geometry import Array
from memory_nodes.models.ports import VisualEmbedder
from memory_nodes.store.reader import Reader
from memory_nodes.vectors import ViewVectors

Sightings: TypeAlias = Mapping[str, Mapping[int, float]]
"""For each object id and keyframe id how well the picture fits, 0 to 1; what is not there: 0."""

GROUNDING_HITS = 64
"""So many of the nearest pictures speak for their objects."""


@dataclass(frozen=True)
class ViewHit:
    """One sighting of an object and how well it fits."""

    object_id: str
    keyframe_id: int
    cosine: float


def nearest(query: Array, model_id: str, known: ViewVectors, count: int) -> list[ViewHit]:
    """The views whose vectors have the largest cosine with a query's, exact, best first.

    Source: VL-KnG, section 6.4 (GER).

    Args:
        query: of any length but 0, shape (D,).
        model_id: of the model that made the query.
        count: the most hits to give.

    Raises ConfigurationError when another model has made the known vectors.
    """
    if model_id != known.model_id:
        raise ConfigurationError(
            f"vectors of {model_id} cannot be compared with those of {known.model_id}: set "
            "visual_model and visual_weights as they were when the memory was made"
        )
    if not known.object_ids:
        return []
    direction = (query / np.linalg.norm(query)).astype(np.float32)
    cosines = known.matrix @ direction
    best = np.argsort(-cosines, kind="stable")[:count]
    return [ViewHit(known.object_ids[i], known.keyframe_ids[i], float(cosines[i])) for i in best]


def sightings(hits: Sequence[ViewHit]) -> Sightings:
    """The best picture at 1, the last one at 0.

    Cosines of pictures with texts are small and crowded, and differ from model to model: only
    their order and their distances tell anything.
    """
    if not hits:
        return {}
    last, best = hits[-1].cosine, hits[0].cosine
    found: dict[str, dict[int, float]] = {}
    for hit in hits:
        share = (hit.cosine - last) / (best - last) if best > last else 1.0
        found.setdefault(hit.object_id, {})[hit.keyframe_id] = share
    return found


class Grounding:
    """Finds what a text looks like among the stored pictures of objects. Safe in threads.

    Source: VL-KnG, section 6.4.
    """

    def __init__(self, embedder: VisualEmbedder, reader: Reader, call_timeout_s: float) -> None:
        self._embedder = embedder
        self._reader = reader
        self._call_timeout_s = call_timeout_s
        self._lock = threading.Lock()
        self._sequence = -1
        self._known = ViewVectors("", (), (), np.zeros((0, 0), np.float32))

    async def look_for(self, text: str, keyframe_ids: Container[int] | None = None) -> Sightings:
        """What fits a text, in these keyframes or in all; nothing where there are no vectors.

        Raises as VisualEmbedder.embed_texts does.
        """
        vectors = await self._embedder.embed_texts([text], self._call_timeout_s)
        known = self._known_views(self._embedder.model_id)
        if keyframe_ids is not None:
            known = _only(known, keyframe_ids)
        return sightings(nearest(vectors[0], known.model_id, known, GROUNDING_HITS))

    def _known_views(self, model_id: str) -> ViewVectors:
        """Read again only when the memory has changed."""
        with self._lock:
            sequence = self._reader.counts().sequence
            if (sequence, model_id) != (self._sequence, self._known.model_id):
                self._known = self._reader.embeddings(model_id)
                self._sequence = sequence
            return self._known


def _only(known: ViewVectors, keyframe_ids: Container[int]) -> ViewVectors:
    """The vectors of the views in these keyframes."""
    rows = [row for row, key in enumerate(known.keyframe_ids) if key in keyframe_ids]
    return ViewVectors(
        known.model_id,
        tuple(known.object_ids[row] for row in rows),
        tuple(known.keyframe_ids[row] for row in rows),
        known.matrix[rows],
    )
