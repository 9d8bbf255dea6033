"""All six nodes in one process: for small machines, and where `launch` is absent."""

from __future__ import annotations

from memory_nodes.nodes.association_node import AssociationNode
from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.marker_node import MarkerNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros.main import run


def main() -> int:
    return run(EpisodicNode, DetectorNode, AssociationNode, QueryNode, GoalNode, MarkerNode)
