"""What a camera on a robot that stands at the origin of the map sends."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import TransformStamped
from sensor_msgs.msg import CameraInfo, CompressedImage
from tf2_msgs.msg import TFMessage

FRAME = "camera_optical"
CAMERA_INFO = CameraInfo(k=[500.0, 0.0, 270.0, 0.0, 500.0, 180.0, 0.0, 0.0, 1.0])


def transforms_at(stamp: Any) -> TFMessage:
    """From the map to the camera."""
    transforms = TFMessage()
    for parent, child in (("map", "base_link"), ("base_link", FRAME)):
        item = TransformStamped(child_frame_id=child)
        item.header.frame_id, item.header.stamp = parent, stamp
        item.transform.rotation.w = 1.0
        transforms.transforms.append(item)
    return transforms


def image_at(stamp: Any, jpeg: bytes) -> CompressedImage:
    image = CompressedImage(format="jpeg", data=jpeg)
    image.header.frame_id, image.header.stamp = FRAME, stamp
    return image
