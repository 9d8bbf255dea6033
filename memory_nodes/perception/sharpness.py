"""Of frames that are close in time, the sharpest."""

from __future__ import annotations

from typing import Generic, TypeVar

import cv2
import numpy as np
from PIL import Image

from memory_nodes.records import NS_PER_S

Item = TypeVar("Item")

MEASURED_SIDE_PX = 480
"""Images of all sizes are measured at this longest side, where noise of single pixels is gone."""


def sharpness(image: Image.Image) -> float:
    """The variance of the Laplacian of the grey image; higher is sharper.

    Only images of one scene compare. Source: Pech-Pacheco et al., Diatom autofocusing in
    brightfield microscopy: a comparative study, ICPR 2000.
    """
    grey = np.asarray(image.convert("L"))
    factor = MEASURED_SIDE_PX / max(grey.shape)
    if factor < 1.0:
        grey = cv2.resize(grey, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    return float(cv2.Laplacian(grey, cv2.CV_64F).var())


class SharpnessWindow(Generic[Item]):
    """Holds the sharpest of the items whose stamps lie within a time after the first one's.

    A window of length 0 gives each item back at once.
    """

    def __init__(self, length_s: float) -> None:
        self._length_ns = round(length_s * NS_PER_S)
        self._first_ns = 0
        self._best: tuple[float, Item] | None = None

    @property
    def is_open(self) -> bool:
        return self._best is not None

    def leave(self, stamp_ns: int) -> Item | None:
        """The sharpest, if an item of this stamp comes too late for it, or from before it."""
        waited_ns = stamp_ns - self._first_ns
        return None if 0 <= waited_ns <= self._length_ns else self.take()

    def offer(self, item: Item, stamp_ns: int, sharpness: float) -> Item | None:
        """Takes an item in; gives the sharpest where none later can belong to this window."""
        if self._best is None:
            self._first_ns = stamp_ns
        if self._best is None or sharpness > self._best[0]:
            self._best = (sharpness, item)
        return self.take() if stamp_ns - self._first_ns >= self._length_ns else None

    def take(self) -> Item | None:
        """The sharpest, if there is one; the next item opens a new window."""
        best, self._best = self._best, None
        return best[1] if best is not None else None
