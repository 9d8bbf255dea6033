"""Starts the six nodes of the suite: `ros2 launch robot_memory memory.launch.py --show-args`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from launch import LaunchContext, LaunchDescription
from launch.action import Action
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.descriptions import ParameterFile
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

PACKAGE = "robot_memory"
SHARE = FindPackageShare(PACKAGE)
NODES = (
    "detector_node",
    "association_node",
    "episodic_node",
    "query_node",
    "goal_node",
    "marker_node",
)
ALL_IN_ONE = "memory"
"""The executable with all six."""
RESPAWN_DELAY_S = 2.0

# Launch arguments that are parameters of all nodes; an empty one leaves params_file its word.
OVERRIDES = {
    "use_sim_time": bool,
    "autostart": bool,
    "memory_dir": str,
    "base_url": str,
    "model": str,
    "use_depth": bool,
}
# Launch arguments that name topics outside the suite, and the suite's own names for them.
TOPICS = {"image_topic": "image", "camera_info_topic": "camera_info", "depth_topic": "depth"}
# What the robot itself has, by the names that parameters have for it: robot_namespace moves these.
ROBOT_NAMES = (
    "/tf",
    "/tf_static",
    "/diagnostics",
    "/battery_state",
    "/clicked_point",
    "/slam_toolbox/graph_visualization",
    "/slam_toolbox/get_parameters",
    "/global_costmap/get_cost_global_costmap",
    "/bt_navigator/get_state",
)
ROBOT_ACTIONS = ("/navigate_to_pose", "/compute_path_to_pose")
# ROS remaps the topics and services of an action one by one.
ACTION_ENDS = ("send_goal", "cancel_goal", "get_result", "feedback", "status")
# rviz/memory.rviz shows these in /memory; another namespace is remapped.
SHOWN = (
    "markers",
    "trail",
    "retrieved_image",
    "goal",
    "object_menus/update",
    "object_menus/feedback",
    "object_menus/get_interactive_markers",
)
SHOWN_OF_ROBOT = ("/map", "/map_updates", "/initialpose", "/goal_pose")


def generate_launch_description() -> LaunchDescription:
    """The arguments with their meaning, and the nodes."""
    return LaunchDescription([*_arguments(), OpaqueFunction(function=_nodes)])


def _arguments() -> list[DeclareLaunchArgument]:
    as_in_file = "; empty: as in params_file"
    declared: list[tuple[str, object, str]] = [
        ("namespace", "memory", "Namespace of the whole suite"),
        (
            "robot_namespace",
            "",
            "Namespace of the robot's SLAM, Nav2 and transforms, where they have one",
        ),
        ("use_sim_time", "", f"Use the clock of /clock, true or false{as_in_file}"),
        (
            "params_file",
            PathJoinSubstitution([SHARE, "config", "memory.yaml"]),
            "Full path of the parameter file that all nodes read",
        ),
        (
            "autostart",
            "",
            "Configure and activate the nodes at start; false leaves that to a lifecycle "
            f"manager{as_in_file}",
        ),
        ("use_composition", "false", "Run all six nodes in one process"),
        ("use_respawn", "false", "Start a process again when it has ended, after 2 s"),
        ("log_level", "info", "Log level of all nodes: debug, info, warn, error or fatal"),
        ("memory_dir", "", f"Directory of the memory; ~ is the home directory{as_in_file}"),
        ("image_topic", "image", "Topic of the camera's images; relative ones are in namespace"),
        ("camera_info_topic", "camera_info", "Topic of the camera's calibration"),
        (
            "depth_topic",
            "depth",
            "Topic of depth images registered to the camera's images; needs use_depth",
        ),
        ("use_depth", "", f"Take positions from depth_topic, true or false{as_in_file}"),
        ("base_url", "", f"OpenAI-compatible endpoint of the models{as_in_file}"),
        ("model", "", f"Name of the model at that endpoint{as_in_file}"),
        ("rviz", "false", "Start RViz with the displays of the suite"),
        (
            "rviz_config",
            PathJoinSubstitution([SHARE, "rviz", "memory.rviz"]),
            "Full path of the displays that RViz shows",
        ),
    ]
    return [
        DeclareLaunchArgument(name, default_value=default, description=description)
        for name, default, description in declared
    ]


def _nodes(context: LaunchContext) -> list[Action]:
    """The nodes, once it is known which arguments were given.

    Raises RuntimeError where params_file is none: launch would go on without it.
    """
    given = {name: value for name, value in context.launch_configurations.items() if value}
    if not Path(given.get("params_file", "")).is_file():
        raise RuntimeError(f"params_file: {given.get('params_file', '')!r} is no file")
    is_composed = IfCondition(LaunchConfiguration("use_composition")).evaluate(context)
    executables = (ALL_IN_ONE,) if is_composed else NODES
    return [*(_node(name, given) for name in executables), _rviz(given)]


def _node(executable: str, given: dict[str, str]) -> Node:
    return Node(
        package=PACKAGE,
        executable=executable,
        # In one process each keeps the name that it has of itself.
        name=None if executable == ALL_IN_ONE else executable,
        namespace=LaunchConfiguration("namespace"),
        parameters=[
            ParameterFile(LaunchConfiguration("params_file")),
            *_overrides(given, OVERRIDES),
        ],
        remappings=[
            *((own, given[argument]) for argument, own in TOPICS.items() if argument in given),
            *_moved(ROBOT_NAMES, given),
            *_moved(
                (f"{action}/_action/{end}" for action in ROBOT_ACTIONS for end in ACTION_ENDS),
                given,
            ),
        ],
        ros_arguments=["--log-level", LaunchConfiguration("log_level")],
        respawn=LaunchConfiguration("use_respawn"),
        respawn_delay=RESPAWN_DELAY_S,
        output="screen",
    )


def _rviz(given: dict[str, str]) -> Node:
    # RViz shows the raw images, and asks the same camera for them.
    image = given.get("image_topic", "image").removesuffix("/compressed")
    return Node(
        package="rviz2",
        executable="rviz2",
        name="memory_rviz",
        namespace=LaunchConfiguration("namespace"),
        arguments=["-d", LaunchConfiguration("rviz_config")],
        parameters=_overrides(given, ("use_sim_time",)),
        remappings=[
            *((f"/memory/{name}", name) for name in SHOWN),
            ("/memory/image", image),
            *_moved(("/tf", "/tf_static", "/clicked_point", *SHOWN_OF_ROBOT), given),
        ],
        condition=IfCondition(LaunchConfiguration("rviz")),
        output="screen",
    )


def _overrides(given: dict[str, str], names: Iterable[str]) -> list[dict[str, ParameterValue]]:
    """What is set after the parameter file: nothing where no argument asks for it."""
    overrides = {
        name: ParameterValue(LaunchConfiguration(name), value_type=OVERRIDES[name])
        for name in names
        if name in given
    }
    return [overrides] if overrides else []


def _moved(names: Iterable[str], given: dict[str, str]) -> list[tuple[str, str]]:
    """Remappings of the robot's names into its namespace, where it has one."""
    namespace = given.get("robot_namespace", "").strip("/")
    return [(name, f"/{namespace}{name}") for name in names] if namespace else []
