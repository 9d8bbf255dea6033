"""One chunk of images in, one chunk graph out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import ChunkTooLarge, ModelRejected, ModelUnavailable, ReplyError
from memory_nodes.models.ports import ChatModel, Reply
from memory_nodes.parameters import parameter
from memory_nodes.perception.boxes import BBOX_FORMATS, BoxFormat
from memory_nodes.perception.depth_grid import depth_grid
from memory_nodes.perception.format_check import FormatCheck
from memory_nodes.perception.images import depth_from_png
from memory_nodes.perception.positions import locate, surface_point
from memory_nodes.perception.prompt import PROMPT_VERSION, detection_prompt
from memory_nodes.perception.reply import Detections, read_detections
from memory_nodes.records import Chunk, ChunkGraph, ObjectDescriptor, ObjectView


@dataclass(frozen=True)
class DetectorConfig:
    """How chunks are looked at."""

    chunk_size: int = parameter(8, "keyframes in one model call", low=1, high=32, is_dynamic=True)
    chunk_flush_s: float = parameter(
        10.0,
        "wall time without a keyframe after which a part of a chunk goes",
        unit="s",
        low=0.1,
        is_dynamic=True,
    )
    bbox_format: str = parameter("xyxy_pixels", "how the model writes boxes", choices=BBOX_FORMATS)
    bbox_reference_width_px: int = parameter(
        0, "width of the image that pixel boxes are of; 0 = the image sent", unit="px", low=0
    )
    bbox_reference_height_px: int = parameter(
        0, "height of the image that pixel boxes are of; 0 = the image sent", unit="px", low=0
    )
    temperature: float = parameter(
        0.1, "of the detecting model", low=0.0, high=2.0, is_dynamic=True
    )
    max_reply_tokens: int = parameter(
        8192, "longest reply to ask for", unit="tokens", low=256, is_dynamic=True
    )
    max_bad_replies: int = parameter(
        3,
        "unreadable replies or refusals after which a chunk is kept without objects",
        low=1,
        high=100,
    )
    retry_s: float = parameter(
        5.0,
        "wall time to wait for a model that does not answer",
        unit="s",
        low=0.1,
        high=3600.0,
        is_dynamic=True,
    )
    resend_s: float = parameter(
        5.0,
        "wall time after which an unstored chunk is sent again",
        unit="s",
        low=0.1,
        high=600.0,
        is_dynamic=True,
    )


class ChunkDetector:
    """Asks a vision-language model what a chunk shows. Source: VL-KnG, section 6.1."""

    def __init__(
        self, model: ChatModel, memory_dir: Path, config: DetectorConfig, call_timeout_s: float
    ) -> None:
        self._model = model
        self._memory_dir = memory_dir
        self._config = config
        self._call_timeout_s = call_timeout_s
        self._box_format = BoxFormat(
            config.bbox_format, config.bbox_reference_width_px, config.bbox_reference_height_px
        )
        self._format_check = FormatCheck(self._box_format)
        self._max_images: int | None = None
        self._has_read = False

    @property
    def format_problem(self) -> str | None:
        """What is wrong with `bbox_format`, as far as the first replies tell."""
        return self._format_check.problem

    async def detect(self, chunk: Chunk, depth_pngs: Mapping[int, bytes]) -> ChunkGraph:
        """The chunk's graph, ids local to the chunk.

        A reply that cannot be read or was cut off is asked for again. After `max_bad_replies` the
        most that was whole in one of them is kept; where nothing was, or an image is gone from the
        disk, the keyframes are kept without objects. `problems` says so: one poisoned chunk must
        not stop all.

        Args:
            depth_pngs: by keyframe id, as images.depth_to_png writes them.

        Raises:
            ModelUnavailable: the model does not answer, or has refused every request so far.
            ChunkTooLarge: the server takes fewer images, or less text, in one prompt.
        """
        self._check_size(chunk)
        problems: list[str] = []
        salvaged, salvaged_from = Detections(), ""
        for _ in range(self._config.max_bad_replies):
            try:
                reply = await self._ask(chunk)
                found = self._read(reply, chunk, problems)
            except ModelRejected as error:
                self._learn(error, chunk)
                problems.append(str(error))
                continue
            except ReplyError as error:
                problems.append(f"{error.code}: {error}")
                continue
            except OSError as error:
                problems.append(f"an image of the chunk cannot be read: {error}")
                break
            if found.is_complete:
                return _graph(chunk, found, reply.model, problems, depth_pngs)
            problems.append(f"truncated: a reply was cut off after {len(found.objects)} objects")
            if len(found.objects) > len(salvaged.objects):
                salvaged, salvaged_from = found, reply.model
        return _graph(chunk, salvaged, salvaged_from, problems, depth_pngs)

    def _check_size(self, chunk: Chunk) -> None:
        size = self._max_images
        if size is not None and len(chunk.keyframes) > size:
            raise ChunkTooLarge(f"one prompt may hold {size} images", size)

    def _learn(self, refusal: ModelRejected, chunk: Chunk) -> None:
        """A refusal may tell the server's limit; one that meets everything is not the chunk's."""
        count = len(chunk.keyframes)
        if refusal.is_too_large and count > 1:
            self._max_images = min(refusal.max_images or count // 2, count - 1)
            self._check_size(chunk)
        if not self._has_read:
            raise ModelUnavailable(f"every request so far was refused: {refusal}") from refusal

    def _read(self, reply: Reply, chunk: Chunk, problems: list[str]) -> Detections:
        first = chunk.keyframes[0]
        if self._format_check.look(reply, first.width_px, first.height_px):
            problems.append(f"bbox_format: {self._format_check.problem}")
        self._has_read = True
        return read_detections(reply, chunk, self._box_format)

    async def _ask(self, chunk: Chunk) -> Reply:
        first = chunk.keyframes[0]
        prompt = detection_prompt(
            [(self._memory_dir / keyframe.image_path).read_bytes() for keyframe in chunk.keyframes],
            self._box_format,
            first.width_px,
            first.height_px,
            self._config.max_reply_tokens,
        )
        prompt = replace(prompt, temperature=self._config.temperature)
        return await self._model.complete(prompt, self._call_timeout_s)


def _graph(
    chunk: Chunk,
    found: Detections,
    model: str,
    problems: list[str],
    depth_pngs: Mapping[int, bytes],
) -> ChunkGraph:
    seen = [item for item in found.objects if item.views]  # what has no place cannot be remembered
    seen_ids = {item.object_id for item in seen}
    relations = (item for item in found.relations if {item.subject_id, item.object_id} <= seen_ids)
    depths_m = {keyframe_id: depth_from_png(png) for keyframe_id, png in depth_pngs.items()}
    keyframes = tuple(
        replace(item, depth_grid=depth_grid(depths_m[item.keyframe_id]))
        if item.keyframe_id in depths_m
        else item
        for item in chunk.keyframes
    )
    return ChunkGraph(
        chunk=replace(chunk, keyframes=keyframes),
        objects=tuple(_located(seen, chunk, depths_m)),
        relations=tuple(relations),
        prompt_version=PROMPT_VERSION,
        model=model,
        problems=(*problems, *found.problems),
        scene=found.scene,
        place=found.place,
    )


def _located(
    objects: list[ObjectDescriptor], chunk: Chunk, depths_m: Mapping[int, NDArray[np.float32]]
) -> list[ObjectDescriptor]:
    """The objects with measured points in their views and positions from these."""
    keyframes = {keyframe.keyframe_id: keyframe for keyframe in chunk.keyframes}

    def measured(view: ObjectView) -> ObjectView:
        depth_m = depths_m.get(view.keyframe_id)
        if depth_m is None:
            return view
        point = surface_point(depth_m, view.box, keyframes[view.keyframe_id])
        return replace(view, point_map_m=point)

    located = []
    for descriptor in objects:
        views = tuple(map(measured, descriptor.views))
        located.append(replace(descriptor, views=views, position=locate(views, keyframes)))
    return located
