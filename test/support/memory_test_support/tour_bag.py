"""The recorded tour as a rosbag2 recording, written without ROS: what a robot would have recorded.

Transforms and messages are those of the tour player, in the order of their stamps; as on a robot,
each image is recorded a little before the transform that comes after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from memory_test_support.poses import LINK_FROM_OPTICAL, Pose
from memory_test_support.tour import Tour, TourFrame
from memory_test_support.tour_timeline import MAP_FROM_ODOM, Timeline

IMAGE, CAMERA_INFO, DEPTH = "/camera/image/compressed", "/camera/camera_info", "/camera/depth"
RAW_IMAGE = "/camera/image"
OPTICAL_FRAME = "camera_optical"
TAIL_NS = 500_000_000
_STORE = get_typestore(Stores.ROS2_JAZZY)


@dataclass(frozen=True)
class BagOptions:
    """What is recorded besides transforms and images."""

    is_mcap: bool = True
    is_raw: bool = False
    has_depth: bool = True
    has_camera_info: bool = True
    has_transforms: bool = True


class TourBag:
    """Writes a recording of some frames of the tour."""

    def __init__(self, path: Path, tour: Tour, options: BagOptions) -> None:
        self._tour, self._options = tour, options
        plugin = StoragePlugin.MCAP if options.is_mcap else StoragePlugin.SQLITE3
        self._writer = Writer(path, version=9, storage_plugin=plugin)
        self._connections: dict[str, Any] = {}

    def write(self, frames: tuple[TourFrame, ...]) -> None:
        timeline = Timeline(frames)
        with self._writer:
            link = _transform("camera_link", OPTICAL_FRAME, timeline.start_ns, LINK_FROM_OPTICAL)
            self._put("/tf_static", timeline.start_ns, _tf([link]))
            by_stamp = dict(zip(timeline.stamps_ns, frames, strict=True))
            end_ns = timeline.stamps_ns[-1] + TAIL_NS
            for sample in timeline.samples(timeline.start_ns - 1, end_ns):
                if sample.stamp_ns in by_stamp:
                    self._see(by_stamp[sample.stamp_ns])
                if self._options.has_transforms:
                    links = (
                        ("map", "odom", MAP_FROM_ODOM),
                        ("odom", "base_link", sample.odom_from_base),
                        ("base_link", "camera_link", sample.base_from_link),
                    )
                    moved = [_transform(p, c, sample.stamp_ns, pose) for p, c, pose in links]
                    self._put("/tf", sample.stamp_ns, _tf(moved))

    def _see(self, frame: TourFrame) -> None:
        stamp_ns = frame.stamp_ns
        if self._options.has_camera_info:
            self._put(CAMERA_INFO, stamp_ns, self._camera_info(stamp_ns))
        if self._options.has_depth:
            with Image.open(frame.depth_path) as image:
                depth_mm = np.asarray(image).astype(np.uint16)
            self._put(DEPTH, stamp_ns, _image(depth_mm, "16UC1", stamp_ns))
        if self._options.is_raw:
            with Image.open(frame.image_path) as image:
                pixels = np.asarray(image.convert("RGB"))
            self._put(RAW_IMAGE, stamp_ns, _image(pixels, "rgb8", stamp_ns))
        else:
            data = np.frombuffer(frame.image_path.read_bytes(), np.uint8)
            compressed = _STORE.types["sensor_msgs/msg/CompressedImage"]
            self._put(IMAGE, stamp_ns, compressed(_header(stamp_ns), "jpeg", data))

    def _camera_info(self, stamp_ns: int) -> Any:
        camera, types = self._tour.intrinsics, _STORE.types
        top, middle = [camera.fx_px, 0.0, camera.cx_px], [0.0, camera.fy_px, camera.cy_px]
        return types["sensor_msgs/msg/CameraInfo"](
            _header(stamp_ns),
            height=camera.height_px,
            width=camera.width_px,
            distortion_model="plumb_bob",
            d=np.zeros(5),
            k=np.array([*top, *middle, 0.0, 0.0, 1.0]),
            r=np.eye(3).ravel(),
            p=np.array([*top, 0.0, *middle, 0.0, 0.0, 0.0, 1.0, 0.0]),
            binning_x=0,
            binning_y=0,
            roi=types["sensor_msgs/msg/RegionOfInterest"](0, 0, 0, 0, False),
        )

    def _put(self, topic: str, stamp_ns: int, message: Any) -> None:
        kind = message.__msgtype__
        if topic not in self._connections:
            self._connections[topic] = self._writer.add_connection(topic, kind, typestore=_STORE)
        data = _STORE.serialize_cdr(message, kind)
        # A recording has no stamps before 1970, where the lead of the tour begins.
        self._writer.write(self._connections[topic], stamp_ns + TAIL_NS, data)


def write_tour_bag(
    path: Path, tour: Tour, frames: tuple[TourFrame, ...], options: BagOptions | None = None
) -> Path:
    """Writes the recording, and gives its directory."""
    TourBag(path, tour, options if options is not None else BagOptions()).write(frames)
    return path


def _header(stamp_ns: int, frame_id: str = OPTICAL_FRAME) -> Any:
    seconds, nanoseconds = divmod(stamp_ns, 10**9)
    stamp = _STORE.types["builtin_interfaces/msg/Time"](seconds, nanoseconds)
    return _STORE.types["std_msgs/msg/Header"](stamp, frame_id)


def _tf(transforms: list[Any]) -> Any:
    return _STORE.types["tf2_msgs/msg/TFMessage"](transforms)


def _transform(parent: str, child: str, stamp_ns: int, parent_from_child: Pose) -> Any:
    types = _STORE.types
    place = types["geometry_msgs/msg/Vector3"](*parent_from_child.position_m)
    turn = types["geometry_msgs/msg/Quaternion"](*parent_from_child.quaternion_xyzw)
    return types["geometry_msgs/msg/TransformStamped"](
        _header(stamp_ns, parent), child, types["geometry_msgs/msg/Transform"](place, turn)
    )


def _image(pixels: Any, encoding: str, stamp_ns: int) -> Any:
    height, width = pixels.shape[:2]
    return _STORE.types["sensor_msgs/msg/Image"](
        _header(stamp_ns),
        height=height,
        width=width,
        encoding=encoding,
        is_bigendian=0,
        step=pixels.strides[0],
        data=np.frombuffer(pixels.tobytes(), np.uint8),
    )
