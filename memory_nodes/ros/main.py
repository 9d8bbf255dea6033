"""Runs nodes until they are told to stop."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Sequence

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.logging import get_logger
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from memory_nodes.errors import RobotMemoryError
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.unknown_parameters import unknown_parameters

WAKE_S = 0.5


def run(*kinds: Callable[[], MemoryNode]) -> int:
    """Runs nodes in one process with one executor; gives the exit code.

    One thread is enough: whatever takes time runs in threads of its own.
    """
    _read_command_line(kinds)
    # Our own handlers: rclpy's would shut the context before the nodes could say goodbye to Nav2.
    rclpy.init(args=sys.argv, signal_handler_options=SignalHandlerOptions.NO)
    # Both signals, also where a script that runs us in the background has SIGINT ignored.
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.default_int_handler)
    executor = SingleThreadedExecutor()
    nodes: list[MemoryNode] = []
    try:
        for kind in kinds:
            nodes.append(kind())
            executor.add_node(nodes[-1])
        tell_unknown_parameters(nodes, sys.argv)
        if not all(_started(node) for node in nodes if node.suite.autostart):
            return 1
        while rclpy.ok():
            # A signal does not end a wait of rcl: an idle node would never see it.
            executor.spin_once(timeout_sec=WAKE_S)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except RobotMemoryError as error:
        get_logger("robot_memory").fatal(str(error))
        return 1
    finally:
        _end(nodes, executor)
    return 0


def _read_command_line(kinds: Sequence[Callable[[], MemoryNode]]) -> None:
    """Answers --help; anything else but ROS arguments is a mistake."""
    parser = argparse.ArgumentParser(
        description="\n".join(f"{kind.__name__}: {kind.__doc__}" for kind in kinds),
        epilog="Parameters: --ros-args -p NAME:=VALUE or --params-file FILE; docs/parameters.md "
        "lists them. Namespace: --ros-args -r __ns:=/memory.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args(remove_ros_args(sys.argv)[1:])


def tell_unknown_parameters(nodes: Sequence[MemoryNode], arguments: Sequence[str]) -> None:
    """Each in the log and the diagnostics of the first node that gets it."""
    told: set[str] = set()
    for node in nodes:
        own = node.list_parameters([], 0).names
        lines = set(unknown_parameters(arguments, node.get_fully_qualified_name(), own)) - told
        node.trouble("; ".join(sorted(lines)) or None, "parameters")
        told |= lines


def _started(node: MemoryNode) -> bool:
    success = TransitionCallbackReturn.SUCCESS
    return node.trigger_configure() == success and node.trigger_activate() == success


def _end(nodes: Sequence[MemoryNode], executor: SingleThreadedExecutor) -> None:
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)  # impatience must not cut the goodbye short
    for node in reversed(nodes):
        node.stop()  # quick: a robot that drives is stopped before anybody tidies up
    for node in nodes:
        node.destroy_node()
    executor.shutdown()
    rclpy.try_shutdown()
