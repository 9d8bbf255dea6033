"""What messages of a camera say, whatever has read them: rclpy, or a library that reads bags.

They are given as they are, with the fields that their message definitions name.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from memory_nodes.geometry import Intrinsics, Pose
from memory_nodes.perception.encodings import from_raw
from memory_nodes.perception.images import depth_from_raw, from_compressed
from memory_nodes.perception.transforms import TransformBuffer
from memory_nodes.records import NS_PER_S


def stamp_of(message: Any) -> int:
    """The stamp of its header, ns."""
    stamp = message.header.stamp
    return int(stamp.sec) * NS_PER_S + int(stamp.nanosec)


def image_of(message: Any) -> tuple[Image.Image, bytes | None]:
    """The image of a sensor_msgs Image or CompressedImage, and its bytes where it came compressed.

    Raises ImageError.
    """
    data = bytes(message.data)
    if hasattr(message, "format"):
        return from_compressed(data, message.format), data
    image = from_raw(
        data,
        message.encoding,
        message.width,
        message.height,
        message.step,
        is_bigendian=bool(message.is_bigendian),
    )
    return image, None


def depth_of(message: Any) -> NDArray[np.float32]:
    """Of a sensor_msgs/Image: shape (H, W), metres, 0 = no return. Raises ImageError."""
    return depth_from_raw(
        bytes(message.data),
        message.encoding,
        message.width,
        message.height,
        message.step,
        is_bigendian=bool(message.is_bigendian),
    )


def intrinsics_of(message: Any) -> Intrinsics | None:
    """Of a sensor_msgs/CameraInfo: the pinhole of a rectified image.

    None for an uncalibrated camera, whose K is zero.
    """
    fx_px, _, cx_px, _, fy_px, cy_px, *_ = map(float, message.k)
    return Intrinsics(fx_px, fy_px, cx_px, cy_px) if fx_px > 0.0 and fy_px > 0.0 else None


def take_transforms(buffer: TransformBuffer, message: Any, *, is_static: bool) -> None:
    """Those of a tf2_msgs/TFMessage; one that is no rigid transform is left out."""
    for item in message.transforms:
        place, turn = item.transform.translation, item.transform.rotation
        pose = Pose((place.x, place.y, place.z), (turn.x, turn.y, turn.z, turn.w))
        if pose.is_valid:
            buffer.add(
                item.header.frame_id.lstrip("/"),
                item.child_frame_id.lstrip("/"),
                stamp_of(item),
                pose,
                is_static=is_static,
            )
