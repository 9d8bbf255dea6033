"""Which frame of the tour a picture shows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from memory_test_support.tour import Tour

THUMBNAIL_PX = (32, 24)
# Mean grey difference (0..255). Frames of the tour differ by 7.6 and more; one that was halved
# without filtering and re-encoded at quality 40 differs from itself by 3.6 at most.
LARGEST_DIFFERENCE = 5.5


class FrameRecognizer:
    """Compares small grey thumbnails; neither size nor compression of the picture matter."""

    def __init__(self, tour: Tour) -> None:
        thumbnails = []
        for frame in tour.frames:
            with Image.open(frame.image_path) as image:
                thumbnails.append(_thumbnail(image))
        self._thumbnails = np.stack(thumbnails)

    def recognize(self, image: Image.Image) -> int | None:
        """The index of the frame, or None for a picture that is not of the tour."""
        differences = np.abs(self._thumbnails - _thumbnail(image)).mean(axis=(1, 2))
        nearest = int(differences.argmin())
        return nearest if differences[nearest] < LARGEST_DIFFERENCE else None


def _thumbnail(image: Image.Image) -> NDArray[np.float64]:
    small = image.convert("L").resize(THUMBNAIL_PX, Image.Resampling.BOX)
    return np.asarray(small, dtype=np.float64)
