"""The suite under a lifecycle manager, over the services that nav2_lifecycle_manager uses.

Its part is played here as the manager of Nav2 plays it with bond_timeout 0: each transition is
asked for by change_state and looked up by get_state, up in the order of the list, down in reverse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState

from memory_nodes.nodes.association_node import AssociationNode
from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.marker_node import MarkerNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_nodes.store.writer import Writer
from memory_test_support.node_bench import NodeBench

KINDS = (EpisodicNode, DetectorNode, AssociationNode, QueryNode, GoalNode, MarkerNode)
NAMES = tuple(kind.__module__.rpartition(".")[2] for kind in KINDS)
GOAL_OF = {
    Transition.TRANSITION_CONFIGURE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_ACTIVATE: State.PRIMARY_STATE_ACTIVE,
    Transition.TRANSITION_DEACTIVATE: State.PRIMARY_STATE_INACTIVE,
    Transition.TRANSITION_CLEANUP: State.PRIMARY_STATE_UNCONFIGURED,
    Transition.TRANSITION_UNCONFIGURED_SHUTDOWN: State.PRIMARY_STATE_FINALIZED,
}


class Manager:
    """Drives the nodes of the suite; a stand-in for nav2_lifecycle_manager."""

    def __init__(self, bench: NodeBench) -> None:
        self._bench = bench

    def up(self, *transitions: int) -> None:
        for transition in transitions:
            self._change(NAMES, transition)

    def down(self, *transitions: int) -> None:
        for transition in transitions:
            self._change(reversed(NAMES), transition)

    def change(self, name: str, transition: int) -> bool:
        request = ChangeState.Request(transition=Transition(id=transition))
        return bool(self._bench.call(ChangeState, f"{name}/change_state", request).success)

    def state(self, name: str) -> int:
        request = GetState.Request()
        return int(self._bench.call(GetState, f"{name}/get_state", request).current_state.id)

    def _change(self, names: Iterable[str], transition: int) -> None:
        for name in names:
            assert self.change(name, transition), (name, transition)
            assert self.state(name) == GOAL_OF[transition], (name, transition)


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        for kind in KINDS:
            made.make(kind, autostart=False)
        yield made


def services(bench: NodeBench) -> set[str]:
    return {name for name, _ in bench.user.get_service_names_and_types()}


def test_manager_starts_pauses_resumes_resets_and_shuts_the_suite_down(bench: NodeBench) -> None:
    manager, query = Manager(bench), f"/memory/{endpoints.QUERY}"
    manager.up(Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE)
    bench.until(lambda: query in services(bench), "the suite to answer")
    manager.down(Transition.TRANSITION_DEACTIVATE)
    bench.until(lambda: query not in services(bench), "the suite to be paused")
    manager.up(Transition.TRANSITION_ACTIVATE)
    bench.until(lambda: query in services(bench), "the suite to answer again")
    manager.down(Transition.TRANSITION_DEACTIVATE, Transition.TRANSITION_CLEANUP)
    Writer(bench.memory_dir).close()  # nobody holds the memory any more
    manager.up(Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE)
    manager.down(
        Transition.TRANSITION_DEACTIVATE,
        Transition.TRANSITION_CLEANUP,
        Transition.TRANSITION_UNCONFIGURED_SHUTDOWN,
    )


def test_manager_is_told_of_a_node_that_cannot_be_configured_and_may_try_again(
    bench: NodeBench,
) -> None:
    manager, writer = Manager(bench), Writer(bench.memory_dir)
    assert not manager.change("episodic_node", Transition.TRANSITION_CONFIGURE)
    assert manager.state("episodic_node") == State.PRIMARY_STATE_UNCONFIGURED
    writer.close()
    assert manager.change("episodic_node", Transition.TRANSITION_CONFIGURE)
    assert manager.state("episodic_node") == State.PRIMARY_STATE_INACTIVE
