"""Reads the history tree from its root down to what was seen and heard."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory_nodes.dates import Dates
from memory_nodes.episodic.history.facts import Section, read
from memory_nodes.episodic.history.items import scene_item
from memory_nodes.episodic.history.tops import TOP_UNITS
from memory_nodes.episodic.history.wording import when
from memory_nodes.errors import InputError
from memory_nodes.records import HistoryNode, HistoryUnit, Keyframe
from memory_nodes.store.past import ObservationInEpisode, Past, Scene
from memory_nodes.words import STOP_WORDS, stem, stems, words

MAX_OBSERVATIONS = 500
"""Of one event."""
MAX_FOUND = 12
_NAMES = (Section.TASKS, Section.PLACES, Section.OBJECTS)
_CHUNK = re.compile(r"chunk_(\d{1,18})")
_KEYFRAME = re.compile(r"keyframe_(\d{1,18})")


_EVENT_LEVEL = 2


@dataclass(frozen=True)
class Branch:
    """A node of any level: of the history, a chunk, a keyframe or an observation."""

    node_id: str
    """``history_7``, ``chunk_3``, ``keyframe_12``, or the id of an observation."""
    unit: str
    level: int
    """0 for keyframes and observations, 1 for chunks."""
    start_ns: int
    end_ns: int
    text: str
    is_open: bool = False
    object_ids: tuple[str, ...] = ()
    """That a chunk shows."""
    keyframe_id: int | None = None
    """Of a keyframe."""


class HistoryTree:
    """What is below what. Source: H-EMV, section III-A (L0 to L4+)."""

    def __init__(self, past: Past, dates: Dates) -> None:
        self._past = past
        self._dates = dates

    def root(self) -> Branch | None:
        """The top of it all; None while nothing is told."""
        roots = self._past.parentless([HistoryUnit.ROOT])
        return _of_node(roots[0]) if roots else None

    def node(self, node_id: str) -> Branch:
        """Any node by its id. Raises InputError for an unknown one."""
        if node_id.startswith("history_"):
            return _of_node(self._past.history([node_id])[0])
        scene = self._scene(node_id)
        if scene is not None:
            return _of_scene(scene)
        keyframe = self._keyframe(node_id)
        if keyframe is not None:
            return _of_keyframe(keyframe)
        found = self._past.observations([node_id])
        if not found:
            raise InputError(
                f"no node {node_id[:80]!r}: give an id like history_7, chunk_3, keyframe_12 or "
                "observation_5"
            )
        return _of_observation(found[0])

    def down_to_events(
        self, branches: Iterable[Branch], depth: int = 0
    ) -> Iterator[tuple[Branch, int]]:
        """Nodes, each before what is below it down to the events, and how deep each is."""
        for branch in branches:
            yield branch, depth
            if branch.level > _EVENT_LEVEL:
                yield from self.down_to_events(self.children(branch.node_id), depth + 1)

    def children(self, node_id: str) -> list[Branch]:
        """What is right below a node, by time; none below a keyframe or an observation.

        An event has its chunks, and what was observed while it lasted. Raises InputError for an
        unknown id.
        """
        if not node_id.startswith("history_"):
            scene = self._scene(node_id)
            if scene is None:
                self.node(node_id)
                return []
            return [_of_keyframe(keyframe) for keyframe in scene.keyframes]
        (node,) = self._past.history([node_id])
        if node.unit is HistoryUnit.ROOT:
            return [_of_node(child) for child in self._past.parentless(TOP_UNITS)]
        below = [_of_node(child) for child in self._past.children(node_id)]
        if node.unit is HistoryUnit.EVENT:
            below += self._evidence(node)
        return sorted(below, key=lambda branch: (branch.start_ns, branch.level))

    def path(self, node_id: str) -> list[Branch]:
        """The nodes above one of the history, from the root down. Raises InputError."""
        root = self.root()
        (node,) = self._past.history([node_id])
        above: list[Branch] = []
        while node.parent_id:
            (node,) = self._past.history([node.parent_id])
            above.insert(0, _of_node(node))
        return above if root is None or root.node_id == node.node_id else [root, *above]

    def beside(self, node_id: str) -> tuple[Branch | None, Branch | None]:
        """The goals right before and right after a node of the history. Raises InputError."""
        (node,) = self._past.history([node_id])
        before, after = self._past.history_beside(node.start_ns, node.end_ns, HistoryUnit.GOAL)
        return (
            None if before is None else _of_node(before),
            None if after is None else _of_node(after),
        )

    def within(
        self, node_id: str, since_ns: int, until_ns: int, limit: int = MAX_FOUND
    ) -> list[Branch]:
        """The goals below a node that overlap a time, both ends included; by time, the first so
        many. Raises InputError for an unknown id.
        """
        (node,) = self._past.history([node_id])
        found = self._past.history_between(
            max(since_ns, node.start_ns), min(until_ns, node.end_ns), [HistoryUnit.GOAL]
        )
        return [_of_node(goal) for goal in found[:limit]]

    def search(self, node_id: str, query: str, limit: int = MAX_FOUND) -> list[Branch]:
        """The goals below a node that share most words with a query, by themselves or in their
        events; those with its rarer words first. Where these are whole names of tasks, places or
        objects ("bowl", and not "fruit bowl"), or else words of tasks, the goals with these alone.
        Raises InputError for an unknown id.

        Source: H-EMV, section III-B (tree search).
        """
        (node,) = self._past.history([node_id])
        asked = {stem(word) for word in words(query) if word not in STOP_WORDS}
        parts = [each[: max(3, len(each) - 1)] for each in asked]  # "happily" has the stem happili
        shared: dict[str, set[str]] = {}
        whole: dict[str, set[str]] = {}
        tasks: dict[str, set[str]] = {}
        for unit in (HistoryUnit.GOAL, HistoryUnit.EVENT):
            texts = self._past.history_texts(node.start_ns, node.end_ns, unit, parts)
            for found_id, parent_id, text in texts:
                goal_id = found_id if unit is HistoryUnit.GOAL else parent_id
                shared.setdefault(goal_id, set()).update(asked.intersection(stems(text)))
                whole.setdefault(goal_id, set()).update(*_whole_names(text, asked))
                if unit is HistoryUnit.GOAL:
                    tasks[goal_id] = asked.intersection(stems(" ".join(read(text)[Section.TASKS])))
        shared.pop("", None)
        counts = Counter(word for each in shared.values() for word in each)
        most = max(map(len, shared.values()), default=0)
        best = [goal_id for goal_id, each in shared.items() if len(each) == most > 0]
        for names in (whole, tasks):
            named = [goal_id for goal_id in best if names.get(goal_id) == shared[goal_id]]
            if named:
                best = named
                break
        best.sort(key=lambda goal_id: sum(counts[word] for word in shared[goal_id]))
        return [_of_node(each) for each in self._past.history(best[:limit])]

    def line(self, branch: Branch, above: Branch | None = None) -> str:
        """A node on one line: its id, when it was, and its text.

        ``above``: the node whose line stands above it; what that says of the time is left out.
        """
        text = " ".join(branch.text.split())
        return f"{branch.node_id} [{self.when(branch, above)}] {text}"

    def when(self, branch: Branch, above: Branch | None = None) -> str:
        """As much of the time as is not said above it: a day's goals have the time of day."""
        said = None if above is None else (above.start_ns, above.end_ns)
        return when(branch.unit, branch.start_ns, branch.end_ns, self._dates, said)

    def _evidence(self, event: HistoryNode) -> list[Branch]:
        scenes = (self._scene(each) for each in event.evidence)
        seen = self._past.observations_between(event.start_ns, event.end_ns, MAX_OBSERVATIONS)
        return [
            *(_of_scene(scene) for scene in scenes if scene is not None),
            *(_of_observation(each) for each in seen),
        ]

    def _scene(self, node_id: str) -> Scene | None:
        """None for what is no chunk, or is forgotten."""
        matched = _CHUNK.fullmatch(node_id)
        scene = None if matched is None else self._past.scene(int(matched[1]))
        return scene if scene is not None and scene.keyframes else None

    def _keyframe(self, node_id: str) -> Keyframe | None:
        matched = _KEYFRAME.fullmatch(node_id)
        return None if matched is None else self._past.keyframe(int(matched[1]))


def _whole_names(text: str, asked: set[str]) -> Iterator[set[str]]:
    """The words of each name in a text that is asked for as a whole."""
    facts = read(text)
    for section in _NAMES:
        for name in facts[section]:
            named = {stem(word) for word in words(name) if word not in STOP_WORDS}
            if named <= asked:
                yield named


def _of_node(node: HistoryNode) -> Branch:
    return Branch(
        node.node_id,
        node.unit.value,
        node.level,
        node.start_ns,
        node.end_ns,
        node.text,
        node.is_open,
    )


def _of_scene(scene: Scene) -> Branch:
    item = scene_item(scene)
    relations = [f"{subject} {name} {other}" for subject, name, other in scene.relations]
    shown = ", ".join(scene.object_ids) or "nothing known"
    text = "; ".join([f"scene with {shown}", *relations])
    return Branch(
        item.item_id,
        "chunk",
        1,
        item.start_ns,
        item.end_ns,
        text,
        object_ids=scene.object_ids,
    )


def _of_keyframe(keyframe: Keyframe) -> Branch:
    x_m, y_m, _ = keyframe.map_from_base.position_m
    picture = keyframe.image_path or "(dropped)"
    text = f"picture {picture}, taken at {x_m:.1f} {y_m:.1f} m on {keyframe.map_id}"
    return Branch(
        f"keyframe_{keyframe.keyframe_id}",
        "keyframe",
        0,
        keyframe.stamp_ns,
        keyframe.stamp_ns,
        text,
        keyframe_id=keyframe.keyframe_id,
    )


def _of_observation(seen: ObservationInEpisode) -> Branch:
    said = seen.observation
    text = f"{said.layer}: {said.text or '(archived)'}"
    return Branch(said.observation_id, "observation", 0, said.stamp_ns, said.stamp_ns, text)
