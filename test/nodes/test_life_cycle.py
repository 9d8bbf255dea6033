"""Every node goes through its life cycle, twice, and leaves nothing behind."""

from __future__ import annotations

import gc
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.errors import ConfigurationError
from memory_nodes.nodes.association_node import AssociationNode
from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.marker_node import MarkerNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.schema import MIGRATIONS
from memory_nodes.store.writer import Writer
from memory_test_support.node_bench import NodeBench

NODES = (DetectorNode, AssociationNode, EpisodicNode, QueryNode, GoalNode, MarkerNode)
ROUND = ("configure", "activate", "deactivate", "cleanup")
WAYS_TO_SHUTDOWN = ((), ("configure",), ("configure", "activate"))
"""From each primary state: unconfigured, inactive, active."""


@pytest.fixture(autouse=True)
def no_earlier_contexts() -> None:
    """Those of earlier tests hold file handles until they are collected."""
    gc.collect()


def held() -> dict[str, int]:
    """What this process holds: threads, file handles, mapped shared memory, of SQLite's WAL too."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return {
        "threads": threading.active_count(),
        "file handles": len(list(Path("/proc/self/fd").iterdir())),
        "shared memory": sum("/dev/shm/" in line or line.endswith("-shm") for line in maps),
    }


def go(node: Any, *steps: str) -> None:
    for step in steps:
        assert str(getattr(node, f"trigger_{step}")()).endswith("SUCCESS"), step


def refused(node: Any) -> bool:
    """Whether it cannot be configured, and is as it was before."""
    return str(node.trigger_configure()).endswith("FAILURE") and state_of(node) == "unconfigured"


def state_of(node: Any) -> str:
    return str(node._state_machine.current_state[1])


def set_schema(memory_dir: Path, version: int) -> None:
    with closing(sqlite3.connect(memory_dir / DATABASE_NAME)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


def entities(node: Any) -> dict[str, set[Any]]:
    """What the executor waits for on behalf of a node."""
    kinds = ("subscriptions", "timers", "services", "clients", "waitables", "publishers")
    return {kind: set(getattr(node, kind)) for kind in kinds}


@pytest.mark.parametrize("kind", NODES)
def test_node_goes_through_its_life_cycle_twice_and_leaves_nothing_behind(
    kind: Callable[..., Any], ros_domain: int, tmp_path: Path
) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        node = bench.make(kind)
        before = held()
        for _ in range(2):
            go(node, *ROUND)
        assert held() == before


@pytest.mark.parametrize("kind", NODES)
def test_node_shut_down_in_any_state_leaves_nothing_behind(
    kind: Callable[..., Any], ros_domain: int, tmp_path: Path
) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        for steps in WAYS_TO_SHUTDOWN:
            for _ in range(2):
                node = bench.make(kind)
                before = held()
                go(node, *steps, "shutdown")
                assert (held(), state_of(node)) == (before, "finalized")
                bench.stop(node)


@pytest.mark.parametrize("kind", NODES)
def test_inactive_node_has_no_topics_timers_or_services_of_its_own(
    kind: Callable[..., Any], ros_domain: int, tmp_path: Path
) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        node = bench.make(kind)
        unconfigured = entities(node)
        go(node, "configure")
        assert entities(node) == unconfigured
        go(node, "activate")
        assert len(entities(node)["publishers"]) > len(unconfigured["publishers"])
        go(node, "deactivate")
        assert entities(node) == unconfigured


@pytest.mark.parametrize("kind", NODES)
def test_node_is_refused_a_memory_of_a_newer_version_until_that_is_cured(
    kind: Callable[..., Any], ros_domain: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    Writer(tmp_path).close()
    set_schema(tmp_path, 999)
    with NodeBench(ros_domain, tmp_path) as bench:
        node = bench.make(kind)
        before = held()
        assert refused(node)
        assert refused(node)
        assert held() == before
        assert "cannot be configured: the memory has schema 999" in capfd.readouterr().err
        set_schema(tmp_path, len(MIGRATIONS))
        go(node, "configure")


@pytest.mark.parametrize("kind", [EpisodicNode, DetectorNode])
def test_directory_that_cannot_be_written_refuses_configuration_until_that_is_cured(
    kind: Callable[..., Any], ros_domain: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    in_the_way = tmp_path / "memory"
    in_the_way.write_text("no directory")
    with NodeBench(ros_domain, in_the_way) as bench:
        node = bench.make(kind)
        before = held()
        assert refused(node)
        assert refused(node)
        assert held() == before
        assert "check that the directory is writable" in capfd.readouterr().err
        in_the_way.unlink()
        go(node, "configure")


def test_failure_late_in_configuration_lets_go_of_the_memory(
    ros_domain: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ConfigurationError("the embedder is not there")

    with NodeBench(ros_domain, tmp_path) as bench:
        node = bench.make(EpisodicNode)
        before = held()
        with monkeypatch.context() as patched:
            patched.setattr("memory_nodes.nodes.episodic_node.embedder_for", fail)
            assert refused(node)
        assert held() == before
        Writer(tmp_path).close()
        go(node, "configure")


@pytest.mark.parametrize("kind", NODES)
def test_node_name_is_its_file_name(
    kind: Callable[..., Any], ros_domain: int, tmp_path: Path
) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        assert bench.make(kind).get_name() == kind.__module__.rpartition(".")[2]


def test_second_writer_is_refused_at_configuration(ros_domain: int, tmp_path: Path) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        bench.start(EpisodicNode)
        assert refused(bench.make(EpisodicNode))


def test_detector_without_a_model_is_refused_at_configuration_with_the_reason(
    ros_domain: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        assert refused(bench.make(DetectorNode, base_url=""))
        assert "base_url is empty" in capfd.readouterr().err


def test_whole_number_is_taken_for_a_parameter_in_seconds(ros_domain: int, tmp_path: Path) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        assert bench.make(DetectorNode, pose_timeout_s=3).camera.pose_timeout_s == 3.0


def test_text_for_a_parameter_in_seconds_is_refused_by_name(
    ros_domain: int, tmp_path: Path
) -> None:
    with (
        NodeBench(ros_domain, tmp_path) as bench,
        pytest.raises(ConfigurationError, match="pose_timeout_s"),
    ):
        bench.make(DetectorNode, pose_timeout_s="soon")
