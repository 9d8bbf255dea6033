"""bringup.launch.py against the real launch, with stand-ins for the packages around the suite."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("launch.launch_context")
pytest.importorskip("launch_ros.actions")

from memory_test_support import launch_files
from memory_test_support.launch_files import PARAMS_FILE, Started

FILE = "bringup.launch.py"
ARGUMENTS = {
    *("use_sim_time", "slam", "slam_params_file", "nav2", "nav2_params_file"),
    *("camera", "camera_frame", "rviz"),
}
SLAM, NAV2 = "slam_toolbox/online_async_launch.py", "nav2_bringup/navigation_launch.py"
REALSENSE = "realsense2_camera/rs_launch.py"

# Says what it was given; a launch file of its own, with arguments of its own.
STAND_IN = """
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, LogInfo
from launch.substitutions import LaunchConfiguration

NAMES = ("use_sim_time", "params_file", "slam_params_file", "align_depth.enable", "log_level")

def generate_launch_description():
    arguments = [DeclareLaunchArgument(name, default_value="own") for name in NAMES]
    given = [part for name in NAMES for part in (f" {name}=", LaunchConfiguration(name))]
    return LaunchDescription([*arguments, LogInfo(msg=["started PACKAGE", *given])])
"""

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Makes packages that ament finds, each with a launch file if one is named."""
    monkeypatch.setenv(
        "AMENT_PREFIX_PATH", f"{tmp_path}{os.pathsep}{os.environ.get('AMENT_PREFIX_PATH', '')}"
    )

    def make(*names: str) -> None:
        for name in names:
            package, _, file = name.partition("/")
            index = tmp_path / "share" / "ament_index" / "resource_index" / "packages" / package
            index.parent.mkdir(parents=True, exist_ok=True)
            index.touch()
            share = tmp_path / "share" / package / "launch"
            share.mkdir(parents=True)
            if file:
                text = STAND_IN.replace("PACKAGE", package)
                (share / file).write_text(text, encoding="utf-8")

    return make


def started(**arguments: str) -> Started:
    return launch_files.started(FILE, **arguments)


def word(found: Started, start: str) -> str:
    (line,) = (line for line in found.words if line.startswith(start))
    return line


def test_arguments_are_those_of_the_interface_and_each_says_what_it_is() -> None:
    arguments = launch_files.own_arguments(FILE)
    assert set(arguments) == ARGUMENTS
    for argument in arguments.values():
        assert len(argument.description) > 10
        assert argument.default_value is not None


def test_what_is_not_installed_is_named_with_its_cure_and_the_suite_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ROS_DISTRO", "jazzy")
    found = started()
    assert "ros-jazzy-slam-toolbox" in word(found, "slam_toolbox is not installed")
    assert "ros-jazzy-nav2-bringup" in word(found, "nav2_bringup is not installed")
    assert "ros-jazzy-rviz2" in word(found, "rviz2 is not installed")
    assert len(found.nodes) == 6


def test_part_that_is_switched_off_is_neither_started_nor_missed(install: Install) -> None:
    install(SLAM)
    found = started(slam="false", nav2="false", rviz="false")
    assert found.words == []
    assert len(found.nodes) == 6


def test_installed_parts_start_with_the_time_and_the_parameters_that_they_are_given(
    install: Install,
) -> None:
    install(SLAM, NAV2, "rviz2")
    found = started(use_sim_time="true", slam_params_file="/slam.yaml", nav2_params_file="/n.yaml")
    slam, nav2 = word(found, "started slam_toolbox"), word(found, "started nav2_bringup")
    assert "use_sim_time=true" in slam
    assert "slam_params_file=/slam.yaml" in slam
    assert "use_sim_time=true params_file=/n.yaml" in nav2
    assert "/memory/memory_rviz" in found.nodes


def test_arguments_of_the_suite_are_not_taken_for_those_of_a_part(install: Install) -> None:
    install(SLAM, NAV2)
    found = started(log_level="debug")
    assert "params_file=own" in word(found, "started nav2_bringup")
    assert "log_level=own" in word(found, "started slam_toolbox")
    detector = found.nodes["/memory/detector_node"]
    assert (str(PARAMS_FILE), True) in detector._Node__expanded_parameter_arguments


def test_realsense_is_aligned_and_the_suite_takes_its_depth(install: Install) -> None:
    install(REALSENSE)
    found = started(camera="realsense")
    assert "align_depth.enable=true" in word(found, "started realsense2_camera")
    remapped = dict(found.nodes["/memory/detector_node"].expanded_remapping_rules)
    assert remapped["image"] == "/camera/camera/color/image_raw/compressed"
    assert remapped["depth"] == "/camera/camera/aligned_depth_to_color/image_raw"
    assert found.context.launch_configurations["use_depth"] == "true"


def test_topic_that_is_given_wins_over_that_of_the_camera(install: Install) -> None:
    install(REALSENSE)
    found = started(camera="realsense", image_topic="/rectified/compressed")
    remapped = dict(found.nodes["/memory/detector_node"].expanded_remapping_rules)
    assert remapped["image"] == "/rectified/compressed"


@pytest.mark.parametrize(
    ("installed", "executable"),
    [
        (("usb_cam", "v4l2_camera"), "usb_cam_node_exe"),
        (("v4l2_camera",), "v4l2_camera_node"),
    ],
)
def test_usb_camera_is_driven_by_what_is_installed(
    install: Install, installed: tuple[str, ...], executable: str
) -> None:
    install(*installed)
    found = started(camera="usb")
    assert found.nodes[executable].expanded_node_namespace == "/camera"
    remapped = dict(found.nodes["/memory/detector_node"].expanded_remapping_rules)
    assert remapped["camera_info"] == "/camera/camera_info"


@pytest.mark.parametrize("camera", ["realsense", "usb"])
def test_camera_that_is_asked_for_and_not_installed_is_refused(camera: str) -> None:
    with pytest.raises(RuntimeError, match="is not installed"):
        started(camera=camera)


def test_camera_that_does_not_exist_is_refused() -> None:
    with pytest.raises(RuntimeError, match="realsense"):
        started(camera="pinhole")
