"""What episodic_node perceives besides chunks: layers, goals, and where the robot is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from memory_nodes.episodic.auto_episodes import GOAL_LAYER, AutoEpisodes, AutoEpisodesConfig
from memory_nodes.episodic.layers.layer import Layer
from memory_nodes.geometry import Pose
from memory_nodes.records import Observation
from memory_nodes.ros.goal_listener import GoalListener
from memory_nodes.ros.layers import LayerListener
from memory_nodes.ros.memory_node import MemoryNode
from memory_nodes.ros.places import Places

LOOK_PERIOD_S = 1.0


class Senses:
    """Hands on observations, and tells the episodes what happens. To be made while a node starts.

    Args:
        take: takes an observation.
        in_order: takes work for the thread that writes.
        write: as in_order, and the memory's new state is announced.
    """

    def __init__(
        self,
        node: MemoryNode,
        layers: Iterable[Layer],
        pose_timeout_s: float,
        config: AutoEpisodesConfig,
        episodes: AutoEpisodes,
        *,
        take: Callable[[Observation], None],
        in_order: Callable[[Callable[[], Any]], None],
        write: Callable[[Callable[[], Any]], None],
    ) -> None:
        self._episodes = episodes
        self._take, self._in_order, self._write = take, in_order, write
        self.places = Places(node, pose_timeout_s)
        if config.auto_episodes:
            actions = [name for name in config.goal_actions if name]
            silence_s = config.goal_silence_s
            GoalListener(node, self.places, actions, silence_s, self._on_goal, self._on_goal_end)
            self._look: Callable[[None, int], None] = self.places.placing_all(self._on_look)
            node.every(LOOK_PERIOD_S, lambda: self._look(None, node.now_ns()))
            node.on_jump_back(lambda: in_order(episodes.clock_jumped))
        LayerListener(node, self.places, layers, self._on_heard, self._on_observed)

    def _on_heard(self, layer: str, text: str, stamp_ns: int) -> None:
        if layer == GOAL_LAYER:
            self._in_order(partial(self._episodes.goal_said, text, stamp_ns))

    def _on_observed(self, observation: Observation) -> None:
        self._take(observation)
        self._is_at(observation.stamp_ns, observation.map_from_base)

    def _on_goal(self, action: str, goal_id: str, stamp_ns: int) -> None:
        self._write(partial(self._episodes.goal_begins, action, goal_id, stamp_ns))

    def _on_goal_end(self, goal_id: str, outcome: str, stamp_ns: int, where: Pose | None) -> None:
        self._write(partial(self._episodes.goal_ends, goal_id, outcome, stamp_ns, where))

    def _on_look(self, _: None, stamp_ns: int, where: Pose | None) -> None:
        """Motion is what counts; where nobody knows of any, there is none."""
        if where is not None:
            self._is_at(stamp_ns, where)

    def _is_at(self, stamp_ns: int, map_from_base: Pose) -> None:
        self._in_order(partial(self._episodes.at, stamp_ns, map_from_base))
