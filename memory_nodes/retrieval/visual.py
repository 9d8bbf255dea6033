"""Which remembered pictures of objects are most like a picture or a text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from memory_nodes.errors import ConfigurationError
from memory_nodes.geometry import Array
from memory_nodes.vectors import ViewVectors


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
