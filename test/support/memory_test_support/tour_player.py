"""Plays the recorded tour as a robot's camera, /clock and /tf: a stand-in for a robot.

Publishes, with the tour's stamps at a chosen speed, `image`, `camera_info` and `depth`, the chain
map -> odom -> base_link -> camera_link -> camera_optical, and /clock. After the last image the
clock runs on, and the robot stands still until another node publishes /tf.

With wait_for_subscriber, time stands still while nobody takes the images. A subscriber that was
killed counts for 20 s more, until DDS gives it up: before a kill, call the `pause` service.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from typing import Any

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.utilities import remove_ros_args
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Int32
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage

from memory_nodes.parameters import parameter
from memory_test_support.poses import LINK_FROM_OPTICAL
from memory_test_support.ros_messages import (
    IMAGES,
    LATCHED,
    OPTICAL_FRAME,
    STATIC_TF,
    TF,
    camera_info_message,
    compressed_image_message,
    depth_message,
    raw_image_message,
    time_message,
    transform_message,
)
from memory_test_support.stand_in_parameters import ParameterError, declare, help_of
from memory_test_support.tour import TourFrame, load_tour
from memory_test_support.tour_timeline import MAP_FROM_ODOM, Timeline, TransformSample

TICK_S = 0.01  # wall time
# A node's endpoints are discovered one by one: after the one for images, its /tf may take longer.
SETTLE_S = 0.5


@dataclass(frozen=True)
class PlayerOptions:
    """The node's parameters; frames are indices into the tour, both ends included."""

    speed: float = parameter(10.0, "stamped time in wall time", unit="s/s", low=0.0)
    first_frame: int = parameter(0, "index of the first frame of the tour", low=0)
    last_frame: int = parameter(-1, "index of the last frame; -1: the tour's last", low=-1)
    publish_depth: bool = parameter(True, "publish depth images")
    wait_for_subscriber: bool = parameter(True, "time stands still while nobody takes the images")
    raw: bool = parameter(False, "sensor_msgs/Image instead of CompressedImage")
    hold: bool = parameter(True, "keep the clock running; false: end soon after the last image")
    stamp_offset_s: float = parameter(0.0, "added to every stamp", unit="s")


class TourPlayer(Node):
    """A robot that walks the tour; pauses while nobody looks at its images."""

    def __init__(self, **node_options: Any) -> None:
        super().__init__("tour_player", **node_options)
        self._options = declare(self, PlayerOptions)
        tour = load_tour()
        frames = _chosen(tour.frames, self._options)
        self._timeline = Timeline(frames, round(self._options.stamp_offset_s * 1e9))
        self._intrinsics = tour.intrinsics
        self._now_ns = self._timeline.start_ns
        self._published = 0
        self._paused = False
        self._settled_at_s: float | None = None
        self._wall_s = time.monotonic()
        self._open_endpoints()
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # its own pace, not the clock it makes
        self._timer = self.create_timer(TICK_S, self._tick, clock=steady)

    @property
    def published(self) -> int:
        """Frames so far."""
        return self._published

    @property
    def finished(self) -> bool:
        """All frames are out, and transforms past the last stamp with them."""
        end_ns = self._timeline.stamps_ns[-1] + 500_000_000
        return self._published == len(self._timeline.frames) and self._now_ns > end_ns

    @property
    def ends(self) -> bool:
        """Finished and asked not to hold the clock."""
        return self.finished and not self._options.hold

    def _open_endpoints(self) -> None:
        image_type = Image if self._options.raw else CompressedImage
        clock_qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
        self._clock_out = self.create_publisher(ClockMessage, "/clock", clock_qos)
        self._tf_out = self.create_publisher(TFMessage, "/tf", TF)
        self._static_out = self.create_publisher(TFMessage, "/tf_static", STATIC_TF)
        self._image_out = self.create_publisher(image_type, "image", IMAGES)
        self._info_out = self.create_publisher(CameraInfo, "camera_info", IMAGES)
        self._depth_out = self.create_publisher(Image, "depth", IMAGES)
        self._count_out = self.create_publisher(Int32, "frames_published", LATCHED)
        self._pause_service = self.create_service(SetBool, "pause", self._on_pause)
        link = transform_message("camera_link", OPTICAL_FRAME, self._now_ns, LINK_FROM_OPTICAL)
        self._static_out.publish(TFMessage(transforms=[link]))
        self._count_out.publish(Int32(data=0))

    def _on_pause(self, request: Any, response: Any) -> Any:
        self._paused = request.data
        response.success = True
        response.message = f"{self._published} frames published"
        return response

    def _tick(self) -> None:
        """Moves stamped time on by what has passed, unless paused or nobody looks."""
        wall_s = time.monotonic()
        passed_s, self._wall_s = wall_s - self._wall_s, wall_s
        if not self._paused:
            self._advance(self._now_ns + round(passed_s * self._options.speed * 1e9))
        # Also while time stands still: a node that has just come up asks what time it is.
        self._clock_out.publish(ClockMessage(clock=time_message(self._now_ns)))

    def _advance(self, until_ns: int) -> None:
        """Image by image up to a stamp, unless there is an image left that nobody would get."""
        if self._published < len(self._timeline.frames) and not self._is_watched():
            return
        for stamp_ns in self._timeline.stamps_ns[self._published :]:
            if stamp_ns > until_ns:
                break
            self._move_to(stamp_ns)
            self._publish_frame(stamp_ns)
        self._move_to(until_ns)

    def _is_watched(self) -> bool:
        """True once an image subscriber has been there long enough to have the other topics."""
        if not self._options.wait_for_subscriber:
            return True
        if self._image_out.get_subscription_count() == 0:
            self._settled_at_s = None
            return False
        if self._settled_at_s is None:
            self._settled_at_s = self._wall_s + SETTLE_S
        return self._wall_s >= self._settled_at_s

    def _move_to(self, until_ns: int) -> None:
        """Time first, then the transforms that lie in it."""
        self._clock_out.publish(ClockMessage(clock=time_message(until_ns)))
        if not self.finished or self.count_publishers("/tf") == 1:
            for sample in self._timeline.samples(self._now_ns, until_ns):
                self._publish_transforms(sample)
        self._now_ns = until_ns

    def _publish_transforms(self, sample: TransformSample) -> None:
        links = [
            ("map", "odom", MAP_FROM_ODOM),
            ("odom", "base_link", sample.odom_from_base),
            ("base_link", "camera_link", sample.base_from_link),
        ]
        self._tf_out.publish(
            TFMessage(
                transforms=[
                    transform_message(parent, child, sample.stamp_ns, pose)
                    for parent, child, pose in links
                ]
            )
        )

    def _publish_frame(self, stamp_ns: int) -> None:
        frame = self._timeline.frames[self._published]
        to_image = raw_image_message if self._options.raw else compressed_image_message
        self._info_out.publish(camera_info_message(self._intrinsics, stamp_ns))
        if self._options.publish_depth:
            self._depth_out.publish(depth_message(frame, stamp_ns))
        self._image_out.publish(to_image(frame, stamp_ns))
        self._published += 1
        self._count_out.publish(Int32(data=self._published))


def _chosen(frames: tuple[TourFrame, ...], options: PlayerOptions) -> tuple[TourFrame, ...]:
    """The frames to play. Raises ParameterError when there are none of them."""
    end = len(frames) - 1
    last = end if options.last_frame == -1 else options.last_frame
    if last > end:
        raise ParameterError(f"last_frame is {last}, give -1 to {end}")
    if options.first_frame > last:
        raise ParameterError(f"first_frame is {options.first_frame}, give 0 to {last} (last_frame)")
    return frames[options.first_frame : last + 1]


def main(arguments: list[str] | None = None) -> int:
    """Plays until it ends or is told to."""
    arguments = sys.argv if arguments is None else arguments
    parser = argparse.ArgumentParser(
        prog="tour_player",
        description=__doc__,
        epilog=help_of(PlayerOptions),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args(remove_ros_args(arguments)[1:])
    rclpy.init(args=arguments)
    try:
        node = TourPlayer()
    except ParameterError as error:
        rclpy.try_shutdown()
        print(f"tour_player: {error}", file=sys.stderr)
        return 1
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        while rclpy.ok() and not node.ends:
            executor.spin_once(timeout_sec=0.1)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
    return 0
