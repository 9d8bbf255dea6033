"""Messages that the stand-ins publish, made from plain records."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from builtin_interfaces.msg import Duration, Time
from geometry_msgs.msg import PoseStamped, TransformStamped
from PIL import Image as PillowImage
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from memory_test_support.drive import FloorPose
from memory_test_support.poses import Pose, make_pose
from memory_test_support.tour import Intrinsics, TourFrame

OPTICAL_FRAME = "camera_optical"
LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
STATIC_TF = LATCHED
TF = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
IMAGES = QoSProfile(depth=100, reliability=ReliabilityPolicy.RELIABLE)


def time_message(stamp_ns: int) -> Any:
    """A stamp in nanoseconds as builtin_interfaces/Time."""
    return Time(sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9)


def transform_message(parent: str, child: str, stamp_ns: int, parent_from_child: Pose) -> Any:
    """A stamped transform, metres and xyzw."""
    message = TransformStamped()
    message.header.stamp = time_message(stamp_ns)
    message.header.frame_id = parent
    message.child_frame_id = child
    translation, rotation = message.transform.translation, message.transform.rotation
    translation.x, translation.y, translation.z = parent_from_child.position_m
    rotation.x, rotation.y, rotation.z, rotation.w = parent_from_child.quaternion_xyzw
    return message


def floor_pose_message(pose: FloorPose, stamp_ns: int) -> Any:
    """geometry_msgs/PoseStamped in the map frame, z = 0."""
    message = PoseStamped()
    message.header.frame_id = "map"
    message.header.stamp = time_message(stamp_ns)
    message.pose.position.x, message.pose.position.y = pose.x_m, pose.y_m
    message.pose.orientation.z = math.sin(pose.yaw_rad / 2)
    message.pose.orientation.w = math.cos(pose.yaw_rad / 2)
    return message


def floor_pose_of(pose: Any) -> FloorPose | None:
    """A geometry_msgs/Pose on the floor; None if a number is not finite or the turn is zero."""
    position = np.array([pose.position.x, pose.position.y, pose.position.z])
    turn = pose.orientation
    quaternion = np.array([turn.x, turn.y, turn.z, turn.w])
    if not np.isfinite([*position, *quaternion]).all() or np.linalg.norm(quaternion) < 1e-6:
        return None
    placed = make_pose(position, quaternion)
    return FloorPose(placed.position_m[0], placed.position_m[1], placed.yaw_rad)


def duration_message(seconds: float) -> Any:
    """A time span that is not negative as builtin_interfaces/Duration."""
    whole = int(seconds)
    return Duration(sec=whole, nanosec=int((seconds - whole) * 1e9))


def pose_of_transform(transform: Any) -> Pose:
    """The Pose of a geometry_msgs/Transform; its quaternion must not be zero."""
    shift, turn = transform.translation, transform.rotation
    return make_pose(
        np.array([shift.x, shift.y, shift.z]), np.array([turn.x, turn.y, turn.z, turn.w])
    )


def compressed_image_message(frame: TourFrame, stamp_ns: int) -> Any:
    """The recorded JPEG, byte for byte."""
    message = CompressedImage(format="rgb8; jpeg compressed bgr8")
    _stamp(message, stamp_ns)
    message.data = frame.image_path.read_bytes()
    return message


def raw_image_message(frame: TourFrame, stamp_ns: int) -> Any:
    """The decoded picture, rgb8."""
    with PillowImage.open(frame.image_path) as image:
        pixels = np.asarray(image.convert("RGB"))
    return _image(pixels, "rgb8", stamp_ns)


def depth_message(frame: TourFrame, stamp_ns: int) -> Any:
    """The depth picture, 16UC1 in millimetres, 0 = no depth."""
    with PillowImage.open(frame.depth_path) as image:
        depth_mm = np.asarray(image).astype(np.uint16)
    return _image(depth_mm, "16UC1", stamp_ns)


def camera_info_message(camera: Intrinsics, stamp_ns: int) -> Any:
    """The pinhole without distortion, pixels."""
    message = CameraInfo(width=camera.width_px, height=camera.height_px)
    _stamp(message, stamp_ns)
    message.distortion_model = "plumb_bob"
    message.d = [0.0] * 5
    top, middle = [camera.fx_px, 0.0, camera.cx_px], [0.0, camera.fy_px, camera.cy_px]
    message.k = [*top, *middle, 0.0, 0.0, 1.0]
    message.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    message.p = [*top, 0.0, *middle, 0.0, 0.0, 0.0, 1.0, 0.0]
    return message


def _image(pixels: Any, encoding: str, stamp_ns: int) -> Any:
    height, width = pixels.shape[:2]
    message = Image(height=height, width=width, encoding=encoding)
    _stamp(message, stamp_ns)
    message.is_bigendian = int(sys.byteorder == "big")
    message.step = pixels.strides[0]
    message.data = pixels.tobytes()
    return message


def _stamp(message: Any, stamp_ns: int) -> None:
    message.header.stamp = time_message(stamp_ns)
    message.header.frame_id = OPTICAL_FRAME
