"""Every node goes through its life cycle, twice, and leaves nothing behind."""

from __future__ import annotations

import threading
from collections.abc import Callable
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
from memory_test_support.node_bench import NodeBench

NODES = (DetectorNode, AssociationNode, EpisodicNode, QueryNode, GoalNode, MarkerNode)


@pytest.mark.parametrize("kind", NODES)
def test_node_goes_through_its_life_cycle_twice_without_leaking_threads(
    kind: Callable[..., Any], ros_domain: int, tmp_path: Path
) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        node = bench.make(kind)
        threads = threading.active_count()
        for _ in range(2):
            for step in ("configure", "activate", "deactivate", "cleanup"):
                assert str(getattr(node, f"trigger_{step}")()).endswith("SUCCESS"), step
        assert threading.active_count() == threads


@pytest.mark.parametrize("kind", NODES)
def test_node_name_is_its_file_name(
    kind: Callable[..., Any], ros_domain: int, tmp_path: Path
) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        assert bench.make(kind).get_name() == kind.__module__.rpartition(".")[2]


def test_second_writer_is_refused_at_configuration(ros_domain: int, tmp_path: Path) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        bench.start(EpisodicNode)
        assert str(bench.make(EpisodicNode).trigger_configure()).endswith("FAILURE")


def test_detector_without_a_model_is_refused_at_configuration(
    ros_domain: int, tmp_path: Path
) -> None:
    with NodeBench(ros_domain, tmp_path) as bench:
        assert str(bench.make(DetectorNode, base_url="").trigger_configure()).endswith("FAILURE")


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
