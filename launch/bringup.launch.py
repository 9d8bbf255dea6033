"""Starts a whole robot around the suite: SLAM, Nav2, a camera and RViz, where they are installed.

Besides its own arguments it takes those of memory.launch.py.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory
from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import (
    DeclareLaunchArgument,
    GroupAction,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    SetLaunchConfiguration,
)
from launch.conditions import IfCondition
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

SUITE = str(Path(__file__).with_name("memory.launch.py"))


class Part(NamedTuple):
    """Another package's launch file, and what it is given."""

    package: str
    file: str
    what_without: str
    params_argument: str
    """The launch argument here that names its parameter file; an empty one: as in the package."""
    params_name: str
    """That argument's name there."""


PARTS = {
    "slam": Part(
        "slam_toolbox",
        "online_async_launch.py",
        "nothing makes a map",
        "slam_params_file",
        "slam_params_file",
    ),
    "nav2": Part(
        "nav2_bringup",
        "navigation_launch.py",
        "the robot drives nowhere",
        "nav2_params_file",
        "params_file",
    ),
}
# Topics of each camera, which memory.launch.py is given where no others are asked for.
CAMERA_TOPICS = {
    "realsense": {
        "image_topic": "/camera/camera/color/image_raw/compressed",
        "camera_info_topic": "/camera/camera/color/camera_info",
        "depth_topic": "/camera/camera/aligned_depth_to_color/image_raw",
        "use_depth": "true",
    },
    "usb": {
        "image_topic": "/camera/image_raw/compressed",
        "camera_info_topic": "/camera/camera_info",
    },
    "none": {},
}
# Drivers of a USB camera, the first that is installed, with their executable and frame parameter.
USB_DRIVERS = {
    "usb_cam": ("usb_cam_node_exe", "frame_id"),
    "v4l2_camera": ("v4l2_camera_node", "camera_frame_id"),
}


def generate_launch_description() -> LaunchDescription:
    """The arguments with their meaning, the parts around the suite, and the suite."""
    return LaunchDescription(
        [
            *_arguments(),
            OpaqueFunction(function=_parts),
            OpaqueFunction(function=_camera),
            OpaqueFunction(function=_rviz),
            IncludeLaunchDescription(PythonLaunchDescriptionSource(SUITE)),
        ]
    )


def _arguments() -> list[DeclareLaunchArgument]:
    return [
        DeclareLaunchArgument(
            "use_sim_time",
            default_value="false",
            description="Use the clock of /clock, in all parts",
        ),
        DeclareLaunchArgument(
            "slam", default_value="true", description="Start slam_toolbox where it is installed"
        ),
        DeclareLaunchArgument(
            "slam_params_file",
            default_value="",
            description="Full path of slam_toolbox's parameters; empty: its own",
        ),
        DeclareLaunchArgument(
            "nav2", default_value="true", description="Start Nav2 where it is installed"
        ),
        DeclareLaunchArgument(
            "nav2_params_file",
            default_value="",
            description="Full path of Nav2's parameters; empty: its own",
        ),
        DeclareLaunchArgument(
            "camera",
            default_value="none",
            choices=list(CAMERA_TOPICS),
            description="Driver to start: realsense2_camera, or usb_cam or v4l2_camera for usb",
        ),
        DeclareLaunchArgument(
            "camera_frame",
            default_value="camera_optical_frame",
            description="TF frame of a usb camera's images, which the robot's description has",
        ),
        DeclareLaunchArgument(
            "rviz", default_value="true", description="Start RViz where it is installed"
        ),
    ]


def _parts(context: LaunchContext) -> list[Action]:
    """Those that are asked for and installed; a word on each that is not installed."""
    actions: list[Action] = []
    for name, part in PARTS.items():
        if not _is_asked_for(name, context):
            continue
        if not _is_installed(part.package):
            actions.append(LogInfo(msg=_missing(part.package, part.what_without)))
            continue
        arguments = {"use_sim_time": LaunchConfiguration("use_sim_time")}
        if context.launch_configurations[part.params_argument]:
            arguments[part.params_name] = LaunchConfiguration(part.params_argument)
        actions.append(_included(part.package, part.file, arguments))
    return actions


def _camera(context: LaunchContext) -> list[Action]:
    """The driver that is asked for, and its topics for the suite.

    Raises RuntimeError where it is not installed: a memory without images is not what was meant.
    """
    camera = context.launch_configurations["camera"]
    topics: list[Action] = [
        SetLaunchConfiguration(name, value)
        for name, value in CAMERA_TOPICS[camera].items()
        if name not in context.launch_configurations
    ]
    if camera == "realsense":
        if not _is_installed("realsense2_camera"):
            raise RuntimeError(_missing("realsense2_camera", "camera:=realsense cannot start"))
        arguments = {"align_depth.enable": "true", "enable_sync": "true"}
        return [_included("realsense2_camera", "rs_launch.py", arguments), *topics]
    if camera == "usb":
        return [_usb_camera(), *topics]
    return topics


def _usb_camera() -> Node:
    package = next((name for name in USB_DRIVERS if _is_installed(name)), None)
    if package is None:
        raise RuntimeError(_missing("usb_cam", "nor v4l2_camera: camera:=usb cannot start"))
    executable, frame = USB_DRIVERS[package]
    return Node(
        package=package,
        executable=executable,
        namespace="camera",
        parameters=[{frame: LaunchConfiguration("camera_frame")}],
        output="screen",
    )


def _rviz(context: LaunchContext) -> list[Action]:
    if not _is_asked_for("rviz", context) or _is_installed("rviz2"):
        return []
    word = LogInfo(msg=_missing("rviz2", "nothing is shown"))
    return [word, SetLaunchConfiguration("rviz", "false")]


def _included(package: str, file: str, arguments: Mapping[str, object]) -> GroupAction:
    """A launch file of another package; its arguments and ours of the same name stay apart."""
    path = str(Path(get_package_share_directory(package)) / "launch" / file)
    return GroupAction(
        [IncludeLaunchDescription(PythonLaunchDescriptionSource(path))],
        scoped=True,
        forwarding=False,
        launch_configurations=arguments,
    )


def _is_asked_for(name: str, context: LaunchContext) -> bool:
    return bool(IfCondition(LaunchConfiguration(name)).evaluate(context))


def _is_installed(package: str) -> bool:
    try:
        get_package_share_directory(package)
    except PackageNotFoundError:
        return False
    return True


def _missing(package: str, consequence: str) -> str:
    name = f"ros-{os.environ.get('ROS_DISTRO', '<distro>')}-{package.replace('_', '-')}"
    return f"{package} is not installed, {consequence}; sudo apt install {name}"
