"""Imports run one way, and the library works on a machine without ROS."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_test_support.child import PROJECT, run_python

PACKAGE = PROJECT / "memory_nodes"
DOORS = ("nodes", "ros")
"""The only rooms that may know ROS."""

ROS_MODULES = (
    *("rclpy", "robot_memory", "tf2_ros", "tf2_py", "tf2_geometry_msgs", "cv_bridge", "launch"),
    *("launch_ros", "diagnostic_updater", "ament_index_python", "rosidl_runtime_py"),
    *("builtin_interfaces", "unique_identifier_msgs", "std_srvs", "rcl_interfaces"),
)

FOUNDATION = ("errors", "geometry", "parameters", "records", "vectors", "words")
"""What everything may import, and what itself imports nothing else."""

STAGES = ("perception", "association", "episodic", "retrieval", "answering", "navigation")


def _module_of(path: Path) -> str:
    """memory_nodes.store.reader for memory_nodes/store/reader.py."""
    parts = path.relative_to(PROJECT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def _imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


def _room(module: str) -> str:
    """The part after memory_nodes: nodes, store, records ..."""
    return module.split(".")[1] if "." in module else ""


def _rooms_imported(module: str) -> set[str]:
    own = (name for name in _imported(MODULES[module]) if name.split(".")[0] == "memory_nodes")
    return {_room(name) for name in own} - {"", "__version__"}


def _is_ros(name: str) -> bool:
    top = name.split(".")[0]
    return top in ROS_MODULES or top.startswith("launch") or top.endswith("_msgs")


LIBRARY = [module for module in MODULES if _room(module) not in DOORS]


def _of(*rooms: str) -> list[str]:
    return [module for module in MODULES if _room(module) in rooms]


@pytest.mark.parametrize(
    "name", ["rclpy.node", "sensor_msgs.msg", "launch_ros", "robot_memory.msg"]
)
def test_names_of_ros_are_recognised(name: str) -> None:
    assert _is_ros(name)


def test_there_is_something_to_check() -> None:
    assert {"memory_nodes.records", "memory_nodes.store.writer"} <= set(LIBRARY)
    assert "memory_nodes.errors" in set(_imported(MODULES["memory_nodes.store.writer"]))


@pytest.mark.parametrize("module", LIBRARY)
def test_library_knows_no_ros(module: str) -> None:
    assert [name for name in _imported(MODULES[module]) if _is_ros(name)] == []


@pytest.mark.parametrize("module", LIBRARY)
def test_only_doors_import_doors(module: str) -> None:
    assert _rooms_imported(module).isdisjoint(DOORS)


@pytest.mark.parametrize("module", _of("ros"))
def test_ros_does_not_import_nodes(module: str) -> None:
    assert "nodes" not in _rooms_imported(module)


@pytest.mark.parametrize("module", _of(*FOUNDATION))
def test_foundation_imports_only_itself(module: str) -> None:
    assert _rooms_imported(module) <= set(FOUNDATION)


@pytest.mark.parametrize("module", _of("models"))
def test_models_import_no_stage_and_no_store(module: str) -> None:
    assert _rooms_imported(module).isdisjoint({*STAGES, "store"})


def test_rooms_of_the_library_do_not_import_in_a_circle() -> None:
    edges = {room: set[str]() for room in map(_room, LIBRARY)}
    for module in LIBRARY:
        edges[_room(module)] |= _rooms_imported(module) - {_room(module)}
    while free := [room for room, needs in edges.items() if not needs & edges.keys()]:
        for room in free:
            del edges[room]
    assert edges == {}


_IMPORT_ALL = """
import importlib, sys

class NoRos:
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top in BLOCKED or top.endswith("_msgs"):
            raise ImportError(f"{name} is blocked")

BLOCKED = sys.argv[1].split()
sys.meta_path.insert(0, NoRos())
for module in sys.argv[2:]:
    importlib.import_module(module)
"""


def test_every_library_module_imports_without_ros() -> None:
    child = run_python(_IMPORT_ALL, " ".join(ROS_MODULES), *LIBRARY)
    assert child.returncode == 0, child.stderr
