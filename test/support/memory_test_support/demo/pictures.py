"""The pictures that the demo leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

from PIL import Image, ImageDraw, ImageFont

from memory_nodes.drawing.answer_picture import answer_picture
from memory_nodes.drawing.map_picture import save_map
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.ros.conversions import keyframe_from_msg, retrieved_from_msg
from memory_nodes.store.reader import Reader

TITLE = "What robot_memory remembers of a walk through an office"
FONT_SIZE_PX = 18
MARGIN_PX = 12
Font: TypeAlias = ImageFont.FreeTypeFont | ImageFont.ImageFont
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
    with_words(picture, answer.question, answer.text).save(path)


def with_words(picture: Image.Image, question: str, answer: str) -> Image.Image:
    """The picture, enlarged, with all of the question and the answer below it."""
    width, height = picture.width * ENLARGED, picture.height * ENLARGED
    font = ImageFont.load_default(size=FONT_SIZE_PX)
    lines = [
        (line, color)
        for text, color in ((question, "black"), (answer, "#3d5f87"))
        for line in _wrapped(text, font, width - 2 * MARGIN_PX)
    ]
    line_px = FONT_SIZE_PX + MARGIN_PX
    sheet = Image.new("RGB", (width, height + len(lines) * line_px + MARGIN_PX), "white")
    sheet.paste(picture.resize((width, height), Image.Resampling.LANCZOS))
    draw = ImageDraw.Draw(sheet)
    for number, (line, color) in enumerate(lines):
        top = height + MARGIN_PX + number * line_px
        draw.text((MARGIN_PX, top), line, fill=color, font=font)
    return sheet


def _wrapped(text: str, font: Font, width_px: float) -> list[str]:
    """Lines no wider than that; a word that is wider alone is cut."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if font.getlength(longer) <= width_px:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if font.getlength(lines[-1] + character) > width_px:
                lines.append("")
            lines[-1] += character
    return lines
