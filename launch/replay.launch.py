"""Plays a rosbag2 recording to the suite, which makes a memory of it as on the robot.

Besides its own arguments it takes those of memory.launch.py. `memory_cli replay` does the same
faster than real time and without ROS (docs/cli.md).
"""

from __future__ import annotations

from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import (
    DeclareLaunchArgument,
    ExecuteProcess,
    IncludeLaunchDescription,
    LogInfo,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.conditions import IfCondition, UnlessCondition
from launch.event_handlers import OnProcessExit
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch.substitutions import LaunchConfiguration

SUITE = str(Path(__file__).with_name("memory.launch.py"))
CLOCK_HZ = "100"


def generate_launch_description() -> LaunchDescription:
    """The arguments with their meaning, the suite, and the player."""
    return LaunchDescription(
        [
            *_arguments(),
            IncludeLaunchDescription(
                PythonLaunchDescriptionSource(SUITE),
                launch_arguments={"use_sim_time": "true"}.items(),
            ),
            OpaqueFunction(function=_player),
        ]
    )


def _arguments() -> list[DeclareLaunchArgument]:
    return [
        DeclareLaunchArgument("bag", description="Full path of the recording"),
        DeclareLaunchArgument("rate", default_value="1.0", description="So many times real time"),
        DeclareLaunchArgument(
            "start_offset", default_value="0.0", description="Seconds of it to leave out"
        ),
        DeclareLaunchArgument(
            "delay",
            default_value="5.0",
            description="Seconds to wait for the nodes before it is played",
        ),
        DeclareLaunchArgument(
            "end_with_bag",
            default_value="false",
            description="End the nodes with it; what still waits for the model then is on disk, "
            "and is done when they start again",
        ),
    ]


def _player(context: LaunchContext) -> list[Action]:
    """Raises RuntimeError where there is nothing to play it with."""
    try:
        get_package_prefix("ros2bag")
    except PackageNotFoundError as error:
        cure = "sudo apt install ros-$ROS_DISTRO-ros2bag ros-$ROS_DISTRO-rosbag2"
        raise RuntimeError(f"ros2bag is not installed, nothing plays the bag; {cure}") from error
    bag = LaunchConfiguration("bag")
    player = ExecuteProcess(
        cmd=[
            *("ros2", "bag", "play", bag, "--clock", CLOCK_HZ),
            *("--rate", LaunchConfiguration("rate")),
            *("--start-offset", LaunchConfiguration("start_offset")),
            *("--delay", LaunchConfiguration("delay")),
            "--disable-keyboard-controls",
        ],
        name="bag",
        output="screen",
    )
    ends = LaunchConfiguration("end_with_bag")
    played = OnProcessExit(
        target_action=player,
        on_exit=[
            Shutdown(reason="the recording has ended", condition=IfCondition(ends)),
            LogInfo(
                msg="the recording has ended; Ctrl-C ends the nodes, which still answer",
                condition=UnlessCondition(ends),
            ),
        ],
    )
    return [RegisterEventHandler(played), player]
