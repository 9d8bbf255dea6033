"""What package.xml, the workflows and the Dockerfile name is there, and nothing is left out."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

PROJECT = Path(__file__).resolve().parents[2]
PACKAGE_XML = (PROJECT / "package.xml").read_text(encoding="utf-8")
WORKFLOWS = sorted((PROJECT / ".github" / "workflows").glob("*.yaml"))
KEYS = {"pillow": "python3-pil", "opencv-python-headless": "python3-opencv"}
"""Of rosdep, where they are not python3- and the name on PyPI."""

EXECUTED = {"tf2_ros": "tf2_ros_py"}
"""Packages of ROS by the Python module they bring, where that has another name."""

OURS = {"robot_memory"}


def _declared(*kinds: str) -> set[str]:
    tree = ElementTree.fromstring(PACKAGE_XML)
    return {item.text or "" for kind in kinds for item in tree.findall(kind)}


def test_every_requirement_has_its_key_or_is_named_as_of_pip() -> None:
    keys = _declared("exec_depend")
    comments = " ".join(re.findall(r"<!--(.*?)-->", PACKAGE_XML, re.DOTALL))
    for name in ("library", "agents", "bags", "completion"):
        lines = (PROJECT / "requirements" / f"{name}.in").read_text(encoding="utf-8")
        for package in re.findall(r"^([a-z0-9-]+)", lines, re.MULTILINE):
            bare = package.removeprefix("python-")
            found = {KEYS.get(package, f"python3-{bare}"), f"python3-{bare}-pip"} & keys
            assert bool(found) != bool(re.search(rf"\b{package}\b", comments)), package


@pytest.mark.parametrize("room", ["nodes", "ros"])
def test_every_ros_package_that_is_imported_is_a_dependency(room: str) -> None:
    trees = [
        ast.parse(path.read_text(encoding="utf-8"))
        for path in (PROJECT / "memory_nodes" / room).rglob("*.py")
    ]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {
        *(node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)),
        *(name.name for node in nodes if isinstance(node, ast.Import) for name in node.names),
    }
    tops = {name.partition(".")[0] for name in imported}
    of_ros = {name for name in tops if re.search(r"_msgs$|_srvs$|_interfaces$|^rcl|^tf2", name)}
    assert of_ros
    wanted = {EXECUTED.get(name, name) for name in of_ros - OURS}
    assert wanted <= _declared("exec_depend", "depend")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflow_runs_commands_that_are_there(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", action) for action in used)
    script = "\n".join(step.get("run", "") for step in steps)
    known = re.findall(r"^    ([a-z]+)\)", (PROJECT / "dev").read_text(encoding="utf-8"), re.M)
    assert set(re.findall(r"\./dev (\w+)", script)) <= set(known)
    for name in re.findall(r"-r ([a-z]+\.in)", script):
        assert (PROJECT / "requirements" / name).is_file()


def test_dockerfile_copies_what_is_there() -> None:
    text = (PROJECT / "Dockerfile").read_text(encoding="utf-8")
    copied = {name for line in re.findall(r"^COPY (.+) \S+$", text, re.M) for name in line.split()}
    files = set(re.findall(r"robot_memory/(requirements/\w+\.in)", text))
    kept = re.findall(r"^!(.+)$", (PROJECT / ".dockerignore").read_text(encoding="utf-8"), re.M)
    assert all((PROJECT / name).exists() for name in {*copied, *files, *kept})
    assert {"CMakeLists.txt", "memory_nodes", "msg", "srv", "action", "launch"} <= set(kept)
