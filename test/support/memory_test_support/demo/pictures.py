"""The pictures that the demo leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from memory_nodes.drawing.answer_picture import answer_picture
from memory_nodes.drawing.map_picture import save_map
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.ros.conversions import keyframe_from_msg, retrieved_from_msg
from memory_nodes.store.reader import Reader

TITLE = "What robot_memory remembers of a walk through an office"
FONT_SIZE_PX = 18
MARGIN_PX = 12
ENLARGED = 2


def save_map_of(memory_dir: Path, driven_to: Any, candidate: int, path: Path) -> None:
    """The memory from above, with the goal and the target of a MemoryAnswer that was driven to."""
    reader = Reader(memory_dir)
    try:
        snapshot = SnapshotCache(reader).current()
    finally:
        reader.close()
    goal = keyframe_from_msg(driven_to.keyframes[candidate - 1].keyframe).map_from_base.on_floor()
    targets = [item.object_id for item in driven_to.objects[:1]]
    save_map(path, snapshot, goal, targets, TITLE)


def save_answer(memory_dir: Path, answer: Any, path: Path) -> None:
    """The best keyframe of a MemoryAnswer with its boxes, question and answer below it."""
    picture = answer_picture(memory_dir, retrieved_from_msg(answer.keyframes[0]))
    width, height = picture.width * ENLARGED, picture.height * ENLARGED
    line_px = FONT_SIZE_PX + MARGIN_PX
    sheet = Image.new("RGB", (width, height + 2 * line_px + MARGIN_PX), "white")
    sheet.paste(picture.resize((width, height), Image.Resampling.LANCZOS))
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=FONT_SIZE_PX)
    draw.text((MARGIN_PX, height + MARGIN_PX), answer.question, fill="black", font=font)
    draw.text((MARGIN_PX, height + MARGIN_PX + line_px), answer.text, fill="#3d5f87", font=font)
    sheet.save(path)
