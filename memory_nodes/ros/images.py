"""Image messages to images."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PilImage
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from memory_nodes.geometry import Intrinsics
from memory_nodes.perception.encodings import from_raw
from memory_nodes.perception.images import depth_from_raw, from_compressed


def image_from_msg(message: Image | CompressedImage) -> tuple[PilImage.Image, bytes | None]:
    """The image, and its bytes where it came compressed. Raises ImageError."""
    if isinstance(message, CompressedImage):
        data = bytes(message.data)
        return from_compressed(data, message.format), data
    image = from_raw(
        bytes(message.data),
        message.encoding,
        message.width,
        message.height,
        message.step,
        is_bigendian=bool(message.is_bigendian),
    )
    return image, None


def depth_from_msg(message: Image) -> NDArray[np.float32]:
    """Shape (H, W), metres, 0 = no return. Raises ImageError."""
    return depth_from_raw(
        bytes(message.data),
        message.encoding,
        message.width,
        message.height,
        message.step,
        is_bigendian=bool(message.is_bigendian),
    )


def intrinsics_from_msg(message: CameraInfo) -> Intrinsics | None:
    """The pinhole of a rectified image; None for an uncalibrated camera, whose K is zero."""
    k = message.k
    return Intrinsics(k[0], k[4], k[2], k[5]) if k[0] > 0.0 and k[4] > 0.0 else None


def raw_msg(image: PilImage.Image) -> Image:
    """An rgb8 message without a header."""
    rgb = image.convert("RGB")
    return Image(
        height=rgb.height,
        width=rgb.width,
        encoding="rgb8",
        step=3 * rgb.width,
        data=array("B", rgb.tobytes()),
    )
