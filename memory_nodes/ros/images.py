"""Images to image messages."""

from __future__ import annotations

from array import array

from PIL import Image as PilImage
from sensor_msgs.msg import Image


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
