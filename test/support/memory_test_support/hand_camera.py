"""A camera and its transforms by hand, for tests of the detector."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import TransformStamped
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, CompressedImage
from tf2_msgs.msg import TFMessage

from memory_nodes.errors import TransformError, TransformUnknown
from memory_nodes.ros import endpoints
from memory_test_support.node_bench import NodeBench
from memory_test_support.tour import Tour

EVERY_IMAGE = {
    "min_interval_s": 0.0,
    "min_translation_m": 0.0,
    "min_rotation_rad": 0.0,
    "sharpness_window_s": 0.0,
    **{
        f"qos_overrides./memory/{topic}.subscription.{policy}": value
        for topic in ("image", "depth", "camera_info")
        for policy, value in (("reliability", "reliable"), ("depth", 100))
    },
}
RELIABLE = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE)


class Camera:
    """A camera and its transforms by hand."""

    def __init__(self, bench: NodeBench, tour: Tour, sends_images: bool = True) -> None:
        self._tour = tour
        if sends_images:
            self._images = bench.publisher(CompressedImage, endpoints.IMAGE, RELIABLE)
        self._info = bench.publisher(CameraInfo, endpoints.CAMERA_INFO, RELIABLE)
        self._tf = bench.publisher(TFMessage, "/tf")

    def shoot(self, stamp_s: int, data: bytes | None = None, format_text: str = "jpeg") -> None:
        self.inform()
        image = CompressedImage(
            format=format_text, data=data or self._tour.frames[0].image_path.read_bytes()
        )
        image.header.frame_id = "camera_optical"
        image.header.stamp.sec = stamp_s
        self._images.publish(image)

    def inform(self) -> None:
        info = CameraInfo(k=[500.0, 0.0, 270.0, 0.0, 500.0, 180.0, 0.0, 0.0, 1.0])
        self._info.publish(info)

    def stand_at(self, stamp_s: int, x_m: float) -> None:
        message = TFMessage()
        for parent, child, place in (
            ("map", "base_link", x_m),
            ("base_link", "camera_optical", 0.0),
        ):
            item = TransformStamped(child_frame_id=child)
            item.header.frame_id = parent
            item.header.stamp.sec = stamp_s
            item.transform.translation.x = place
            item.transform.rotation.w = 1.0
            message.transforms.append(item)
        self._tf.publish(message)


def knows_the_camera(node: Any) -> bool:
    try:
        node.images.poses.lookup("map", "camera_optical", 9 * 10**9)
    except TransformUnknown:
        return False
    except TransformError:
        pass
    return True


def clock_message(seconds: int) -> Clock:
    message = Clock()
    message.clock.sec = seconds
    return message
