"""The detection prompt: one chunk of images, one JSON reply."""

from __future__ import annotations

from collections.abc import Sequence

from memory_nodes.models.ports import JsonSchema, Picture, Prompt
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.reply_schema import array_of, closed_object
from memory_nodes.perception.boxes import BoxFormat

PROMPT_VERSION = "detect_v2"
TASK = "chunk_detection"

_BBOX_MEANING = {
    "xyxy_pixels": "[left, top, right, bottom] in pixels of a {width_px} x {height_px} image",
    "xyxy_norm1000": "[left, top, right, bottom], each from 0 to 1000 across the image",
    "yxyx_norm1000": "[top, left, bottom, right], each from 0 to 1000 across the image",
    "xyxy_norm1": "[left, top, right, bottom], each from 0 to 1 across the image",
    "xywh_pixels": "[left, top, width, height] in pixels of a {width_px} x {height_px} image",
    "cxcywh_norm1": "[centre x, centre y, width, height], each from 0 to 1 across the image",
}


def detection_prompt(
    jpegs: Sequence[bytes], box_format: BoxFormat, width_px: int, height_px: int, max_tokens: int
) -> Prompt:
    """Asks what a chunk of images shows; frames are numbered from 0 in their order.

    Source: VL-KnG, section 6.1 and 6.2 (step 1, chunk detection, at temperature 0.1).
    """
    template = prompt_text(__package__, PROMPT_VERSION)
    meaning = _BBOX_MEANING[box_format.name].format(
        width_px=box_format.reference_width_px or width_px,
        height_px=box_format.reference_height_px or height_px,
    )
    return Prompt(
        task=TASK,
        system=template.format(bbox_format=box_format.name, bbox_meaning=meaning),
        text=f"task: {TASK}\nFrames 0 to {len(jpegs) - 1} follow.",
        reply_schema=_schema(),
        pictures=tuple(Picture(f"Frame {index}", jpeg) for index, jpeg in enumerate(jpegs)),
        temperature=0.1,
        max_tokens=max_tokens,
    )


def _schema() -> JsonSchema:
    text: JsonSchema = {"type": "string"}
    frame: JsonSchema = {"type": "integer"}
    view = closed_object(frame=frame, bbox=array_of({"type": "number"}))
    attributes = closed_object(
        color=text, material=text, size=text, state=text, affordances=array_of(text)
    )
    item = closed_object(
        id=text, type=text, description=text, attributes=attributes, views=array_of(view)
    )
    relation = closed_object(subject=text, predicate=text, object=text, frames=array_of(frame))
    return closed_object(
        scene=text, place=text, objects=array_of(item), relations=array_of(relation)
    )
