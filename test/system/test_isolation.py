"""Two runs on one machine leave each other alone, and one that is killed leaves nothing behind."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from memory_test_support.child import start_python
from memory_test_support.domain import own_domain

SHARED_MEMORY = Path("/dev/shm")
LINES = 20

# Says its name on a topic, and prints each name that it hears there.
NODE = """
import os, sys
import rclpy
from rclpy.node import Node
from std_msgs.msg import String

os.environ["ROS_DOMAIN_ID"] = sys.argv[2]
rclpy.init()
node = Node("speaker_" + sys.argv[1])
names = node.create_publisher(String, "names", 10)
node.create_subscription(String, "names", lambda m: print(m.data, flush=True), 10)
node.create_timer(0.05, lambda: names.publish(String(data=sys.argv[1])))
rclpy.spin(node)
"""


@contextmanager
def speaking(name: str, domain_id: int) -> Iterator[subprocess.Popen[str]]:
    """A node in a process of its own; killed at the end, if it is not before."""
    process = start_python(NODE, name, str(domain_id))
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def heard(process: subprocess.Popen[str], is_enough: Callable[[list[str]], bool]) -> list[str]:
    """What a node prints, until that is enough; the test's timeout is the deadline."""
    assert process.stdout is not None
    lines: list[str] = []
    while not is_enough(lines):
        line = process.stdout.readline()
        assert line, "the node has ended"
        lines.append(line.strip())
    return lines


def segments() -> set[str]:
    """What Fast DDS has in shared memory, such as fastdds_<id> and sem.fastdds_port<number>."""
    return {path.name for path in SHARED_MEMORY.iterdir() if "fast" in path.name}


def segments_of(pid: int) -> set[str]:
    """Those that a running process has mapped."""
    maps = Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").splitlines()
    paths = [Path(line.split()[-1]) for line in maps if f" {SHARED_MEMORY}/" in line]
    return {path.name for path in paths if "fast" in path.name}


def test_nodes_of_one_domain_hear_each_other() -> None:
    """What makes the next test mean something."""
    with own_domain() as domain_id, speaking("a", domain_id) as a, speaking("b", domain_id) as b:
        assert "b" in heard(a, lambda lines: "b" in lines)
        assert "a" in heard(b, lambda lines: "a" in lines)


def test_nodes_of_two_domains_at_once_do_not_hear_each_other() -> None:
    with ExitStack() as stack:
        first, second = (stack.enter_context(own_domain()) for _ in range(2))
        a = stack.enter_context(speaking("a", first))
        b = stack.enter_context(speaking("b", second))
        # They run side by side for two seconds and more; nodes of one domain meet sooner.
        assert set(heard(a, lambda lines: len(lines) >= LINES)) == {"a"}
        assert set(heard(b, lambda lines: len(lines) >= 2 * LINES)) == {"b"}
        assert set(heard(a, lambda lines: len(lines) >= 2 * LINES)) == {"a"}


@pytest.mark.skipif(not SHARED_MEMORY.is_dir(), reason="there is no /dev/shm here")
def test_killed_node_leaves_nothing_in_shared_memory(ros_domain: int) -> None:
    before = segments()
    with speaking("a", ros_domain) as process:
        heard(process, lambda lines: len(lines) >= LINES)
        mapped = segments_of(process.pid)
        process.kill()
        process.wait(10.0)
    assert mapped == set()
    assert segments() - before == set()
