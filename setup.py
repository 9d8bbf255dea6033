"""Makes the library installable with pip on a machine without ROS; colcon uses CMakeLists.txt."""

from pathlib import Path
from xml.etree import ElementTree

from setuptools import find_packages, setup

HERE = Path(__file__).parent


def package_version() -> str:
    """The version in package.xml, the only place it is written."""
    version = ElementTree.parse(HERE / "package.xml").findtext("version")
    assert version is not None
    return version


def requirements(name: str) -> list[str]:
    """The requirements of a file in requirements/ without its comments."""
    lines = (HERE / "requirements" / f"{name}.in").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


setup(
    name="robot-memory",
    version=package_version(),
    description="A memory for a mobile robot",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.10",
    packages=find_packages(include=["memory_nodes", "memory_nodes.*"]),
    package_data={"memory_nodes": ["py.typed", "**/*.txt", "**/*.sql"]},
    install_requires=requirements("library"),
    extras_require={name: requirements(name) for name in ("agents", "bags", "completion")},
    # Without ROS there are no nodes. What is given here goes before setup.cfg, from which colcon
    # makes the executables of the nodes, and the command as memory_cli.
    entry_points={"console_scripts": ["memory = memory_nodes.cli.main:main"]},
)
