"""Starts the six nodes of the suite: `ros2 launch robot_memory memory.launch.py --show-args`."""

from __future__ import annotations

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
# rviz/memory.rviz shows these in /memory; another namespace is remapped.
SHOWN_TOPICS = ("markers", "trail", "retrieved_image", "goal")


def generate_launch_description() -> LaunchDescription:
    """The arguments with their meaning, and the nodes."""
    return LaunchDescription([*_arguments(), OpaqueFunction(function=_nodes), _rviz()])


def _arguments() -> list[DeclareLaunchArgument]:
    as_in_file = "; empty: as in params_file"
    declared: list[tuple[str, object, str]] = [
        ("namespace", "memory", "Namespace of the whole suite"),
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
        ("use_respawn", "false", "Start a node again when it has crashed, after 2 s"),
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
    ]
    return [
        DeclareLaunchArgument(name, default_value=default, description=description)
        for name, default, description in declared
    ]


def _nodes(context: LaunchContext) -> list[Action]:
    """The nodes, once it is known which arguments were given."""

    def is_given(name: str) -> bool:
        return bool(context.launch_configurations[name])

    overrides = {
        name: ParameterValue(LaunchConfiguration(name), value_type=kind)
        for name, kind in OVERRIDES.items()
        if is_given(name)
    }
    return [
        Node(
            package=PACKAGE,
            executable=name,
            name=name,
            namespace=LaunchConfiguration("namespace"),
            parameters=[
                ParameterFile(LaunchConfiguration("params_file")),
                *([overrides] if overrides else []),
            ],
            remappings=[
                (own, LaunchConfiguration(argument))
                for argument, own in TOPICS.items()
                if is_given(argument)
            ],
            ros_arguments=["--log-level", LaunchConfiguration("log_level")],
            respawn=LaunchConfiguration("use_respawn"),
            respawn_delay=RESPAWN_DELAY_S,
            output="screen",
        )
        for name in NODES
    ]


def _rviz() -> Node:
    return Node(
        package="rviz2",
        executable="rviz2",
        name="memory_rviz",
        namespace=LaunchConfiguration("namespace"),
        arguments=["-d", PathJoinSubstitution([SHARE, "rviz", "memory.rviz"])],
        remappings=[(f"/memory/{topic}", topic) for topic in SHOWN_TOPICS],
        condition=IfCondition(LaunchConfiguration("rviz")),
        output="screen",
    )
