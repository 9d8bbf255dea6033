"""A vector of each object's picture, before its chunk goes on."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from memory_nodes.errors import ConfigurationError, ImageError, ModelError, ModelRejected
from memory_nodes.models.ports import VisualEmbedder
from memory_nodes.parameters import parameter
from memory_nodes.perception.crops import crops
from memory_nodes.records import Box, ChunkGraph, Keyframe, ObjectDescriptor, ObjectView
from memory_nodes.vectors import packed

WITHOUT_VECTORS = "without visual vectors"
"""Begins the problem line of a graph some of whose views have got no vector."""

Vectors: TypeAlias = dict[tuple[str, int], bytes]
"""By object id and keyframe id."""


@dataclass(frozen=True)
class ViewEmbedderConfig:
    """Which part of an image stands for an object, and how long its vector may take."""

    visual_crop_margin: float = parameter(
        0.1, "part of a box added on each side of a crop", unit="-", low=0.0, high=1.0
    )
    visual_timeout_s: float = parameter(
        120.0, "wall time for the vectors of one chunk", unit="s", low=0.1, high=3600.0
    )


class ViewEmbedder:
    """Puts vectors into the views of chunk graphs. Source: VL-KnG, section 6.4 (GER)."""

    def __init__(self, model: VisualEmbedder, memory_dir: Path, config: ViewEmbedderConfig) -> None:
        self._model = model
        self._memory_dir = memory_dir
        self._config = config

    async def embed(self, graph: ChunkGraph) -> ChunkGraph:
        """The same graph with a vector in each view.

        Whatever fails, the graph comes back: with fewer vectors or none, and a line in
        `problems` that begins with WITHOUT_VECTORS.
        """
        vectors: Vectors = {}
        problems: list[str] = []
        boxes = _boxes_by_keyframe(graph)
        over_s = time.monotonic() + self._config.visual_timeout_s
        for keyframe in graph.chunk.keyframes:
            seen = boxes[keyframe.keyframe_id]
            if not seen:
                continue
            try:
                vectors |= await self._of_keyframe(keyframe, seen, over_s - time.monotonic())
            except ImageError as error:
                problems.append(f"{WITHOUT_VECTORS}: {error}")
            except (ModelError, ConfigurationError) as error:
                problems.append(f"{WITHOUT_VECTORS}: {error}")
                break
        return replace(
            graph,
            objects=tuple(_with_vectors(item, vectors) for item in graph.objects),
            problems=(*graph.problems, *problems),
            embedding_model=self._model.model_id if vectors else "",
        )

    async def _of_keyframe(
        self, keyframe: Keyframe, boxes: Mapping[str, Box], deadline_s: float
    ) -> Vectors:
        """One image at a time, so that the crops of a chunk are never in memory together."""
        path = self._memory_dir / keyframe.image_path
        margin = self._config.visual_crop_margin
        cut = await asyncio.to_thread(crops, path, list(boxes.values()), margin)
        rows = await self._model.embed_images(cut, max(deadline_s, 0.0))
        if len(rows) != len(cut) or not np.isfinite(rows).all():
            raise ModelRejected(f"{self._model.model_id} gave no usable vectors")
        return {
            (object_id, keyframe.keyframe_id): packed(row)
            for object_id, row in zip(boxes, rows, strict=True)
        }


def _boxes_by_keyframe(graph: ChunkGraph) -> defaultdict[int, dict[str, Box]]:
    boxes: defaultdict[int, dict[str, Box]] = defaultdict(dict)
    for item in graph.objects:
        for view in item.views:
            boxes[view.keyframe_id][item.object_id] = view.box
    return boxes


def _with_vectors(item: ObjectDescriptor, vectors: Vectors) -> ObjectDescriptor:
    def filled(view: ObjectView) -> ObjectView:
        return replace(view, embedding=vectors.get((item.object_id, view.keyframe_id), b""))

    return replace(item, views=tuple(map(filled, item.views)))
