"""A keyframe of an answer with its objects boxed: the evidence as one sees it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from memory_nodes.errors import ImageError
from memory_nodes.perception.images import from_compressed
from memory_nodes.records import Box, RetrievedKeyframe

COLORS = ("#e6007e", "#009fe3", "#ffb000", "#3aaa35", "#ff6f3c", "#8e5bd9")
"""The best object has the first; they stand out on most pictures."""


def answer_picture(
    memory_dir: Path, hit: RetrievedKeyframe, names: Mapping[str, str] | None = None
) -> Image.Image:
    """The stored image of a keyframe with the boxes of its objects, RGB.

    Args:
        names: what to write at the box of each object id; default: the id.

    Raises ImageError when the image is gone, kept no longer or damaged.
    """
    if not hit.keyframe.image_path:
        raise ImageError(f"the image of keyframe {hit.keyframe.keyframe_id} is kept no longer")
    path = memory_dir / hit.keyframe.image_path
    try:
        image = from_compressed(path.read_bytes()).convert("RGB")
    except OSError as error:
        raise ImageError(
            f"the image of keyframe {hit.keyframe.keyframe_id} is gone: {error}"
        ) from error
    labels = [(names or {}).get(object_id, object_id) for object_id in hit.object_ids]
    draw_boxes(image, [(view.box, label) for view, label in zip(hit.views, labels, strict=True)])
    return image


def draw_boxes(image: Image.Image, boxes: list[tuple[Box, str]]) -> None:
    """Draws labelled boxes into an image, the first one on top."""
    draw = ImageDraw.Draw(image)
    unit_px = max(1, round(min(image.size) / 250))
    font = ImageFont.load_default(size=10 + 4 * unit_px)
    for index in reversed(range(len(boxes))):
        box, label = boxes[index]
        _draw_box(draw, box, label, COLORS[index % len(COLORS)], unit_px, font)


def _draw_box(
    draw: ImageDraw.ImageDraw,
    box: Box,
    label: str,
    color: str,
    unit_px: int,
    font: ImageFont.FreeTypeFont | ImageFont.ImageFont,
) -> None:
    """The label stands on the box, or in it where the picture ends above."""
    edges = (box.x0_px, box.y0_px, box.x1_px, box.y1_px)
    draw.rectangle(edges, outline=color, width=2 * unit_px)
    left, top, right, bottom = draw.textbbox((0, 0), label, font=font)
    width, height = right - left + 4 * unit_px, bottom - top + 4 * unit_px
    x = max(0.0, min(box.x0_px, draw.im.size[0] - width))
    y = box.y0_px - height if box.y0_px >= height else box.y0_px
    draw.rectangle((x, y, x + width, y + height), fill=color)
    draw.text((x + 2 * unit_px - left, y + 2 * unit_px - top), label, fill="white", font=font)
