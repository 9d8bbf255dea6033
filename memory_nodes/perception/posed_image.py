"""An image and the place from which it was taken."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from memory_nodes.errors import ImageError
from memory_nodes.geometry import Intrinsics, Pose
from memory_nodes.perception.images import UPRIGHT, exif_orientation

_QUARTER_TURNS = {UPRIGHT: 0, 6: 1, 3: 2, 8: 3}
"""Clockwise turns that make an image of this Exif orientation upright."""
_MIRRORED = (2, 4, 5, 7)

_Z_BY_MINUS_90_DEG = Pose((0.0, 0.0, 0.0), (0.0, 0.0, -math.sqrt(0.5), math.sqrt(0.5)))


@dataclass(frozen=True)
class PosedImage:
    """An image with the poses at its stamp."""

    stamp_ns: int
    image: Image.Image
    encoded: bytes | None
    """The bytes as they came, where they were compressed."""
    map_frame: str
    map_from_base: Pose
    map_from_camera: Pose
    intrinsics: Intrinsics | None
    """Of the image as it came."""
    depth_m: NDArray[np.float32] | None = None
    """Shape (H, W), registered to the image, 0 = no return."""
    is_localized: bool = True


def upright(posed: PosedImage) -> PosedImage:
    """The image as its Exif orientation wants it shown, and its camera turned along with it.

    camera_info and the optical frame describe the pixels as they were sent. A model names things
    best in an upright image, so that pixels, depth, intrinsics and optical frame turn together:
    each pixel keeps its ray in the map.

    Raises ImageError for a mirrored image, which no turned camera could have taken.
    """
    orientation = exif_orientation(posed.image)
    if orientation in _MIRRORED:
        raise ImageError(f"Exif orientation {orientation} is a mirrored image: mend the driver")
    for _ in range(_QUARTER_TURNS[orientation]):
        posed = _turned_clockwise(posed)
    return posed


def _turned_clockwise(posed: PosedImage) -> PosedImage:
    """By a quarter: what was at column u, row v is at column height - 1 - v, row u."""
    turned = posed.image.transpose(Image.Transpose.ROTATE_270)
    turned.info.pop("exif", None)
    lens, depth_m = posed.intrinsics, posed.depth_m
    if lens is not None:
        last_row_px = posed.image.height - 1.0
        lens = Intrinsics(lens.fy_px, lens.fx_px, last_row_px - lens.cy_px, lens.cx_px)
    return replace(
        posed,
        image=turned,
        encoded=None,
        map_from_camera=posed.map_from_camera @ _Z_BY_MINUS_90_DEG,
        intrinsics=lens,
        depth_m=None if depth_m is None else np.rot90(depth_m, -1),
    )
