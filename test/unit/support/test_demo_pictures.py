"""The picture of an answer holds all of its words; skipped without ROS."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("robot_memory.msg")

from memory_test_support.demo.pictures import MARGIN_PX, with_words

PICTURE = Image.new("RGB", (150, 100), "black")


def inked(answer: str) -> tuple[int, int]:
    """Height of the sheet, and the columns right of the text that are not white."""
    sheet = np.asarray(with_words(PICTURE, "Where?", answer))
    return sheet.shape[0], int((sheet[200:, -MARGIN_PX:] < 255).any(axis=2).sum())


@pytest.mark.parametrize("answer", ["On the desk. " * 20, "desk" * 60, "a " + "desk" * 40 + " b"])
def test_long_answer_is_wrapped_and_the_sheet_grows(answer: str) -> None:
    height, outside = inked(answer)
    assert outside == 0
    assert height > inked("On the desk.")[0] + 50


def test_nothing_of_an_answer_is_lost() -> None:
    """As much ink as the words have one by one, each on a sheet of its own."""

    def ink(text: str) -> int:
        return int((255 - np.asarray(with_words(PICTURE, "", text).convert("L"))[200:]).sum())

    words = "the red mug stands on the desk beside a grey keyboard and behind two books".split()
    assert ink(" ".join(words)) == pytest.approx(sum(map(ink, words)), rel=0.05)


def test_empty_answer_is_a_picture_too() -> None:
    assert with_words(PICTURE, "Where?", "").width == 2 * PICTURE.width
