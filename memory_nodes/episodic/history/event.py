"""L2: what happens until the scene, the action, the goal or the place changes, or speech comes.

Source: H-EMV, section III-A.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.facts import Facts, Section, clean
from memory_nodes.episodic.history.items import MAX_OBJECTS, Item, Kind, seconds

NOTHING = "Nothing noted."
EVENT_CHARS = {
    Section.TASKS: 80,
    Section.STEPS: 120,
    Section.SAID: 120,
    Section.NOTES: 80,
    Section.PLACES: 40,
    Section.OBJECTS: 100,
}
_SECTIONS = {
    Kind.GOAL: Section.TASKS,
    Kind.ACTION: Section.STEPS,
    Kind.SPEECH: Section.SAID,
    Kind.PLACE: Section.PLACES,
    Kind.NOTE: Section.NOTES,
}
_LASTING = (Kind.GOAL, Kind.ACTION, Kind.PLACE)


@dataclass(frozen=True)
class State:
    """What holds until something else is told: goal, action and place, where they are known."""

    goal: Item | None = None
    action: Item | None = None
    place: Item | None = None

    @property
    def item_ids(self) -> frozenset[str]:
        held = (self.goal, self.action, self.place)
        return frozenset(item.item_id for item in held if item is not None)

    def now(self, kind: Kind) -> Item | None:
        return {Kind.GOAL: self.goal, Kind.ACTION: self.action, Kind.PLACE: self.place}[kind]

    def after(self, item: Item) -> State:
        """With what an item tells."""
        if item.kind is Kind.GOAL:
            return replace(self, goal=item)
        if item.kind is Kind.ACTION:
            return replace(self, action=item)
        return replace(self, place=item) if item.kind is Kind.PLACE else self

    def elsewhere(self) -> State:
        """In another goal: the robot is still where it is."""
        return State(place=self.place)


class EventDraft:
    """An event that is not over yet."""

    def __init__(self, start_ns: int, state: State, config: HistoryConfig) -> None:
        self.start_ns = start_ns
        self.end_ns = start_ns
        self.state = state
        self._config = config
        self._items: list[Item] = []
        self._objects: dict[str, None] = {}
        self.first_chunk: int | None = None
        self.first_observation: int | None = None
        """Of those in it the first that arrived, by key."""

    def is_ended_by(self, item: Item) -> bool:
        """Whether an item belongs to the next event."""
        age_ns = item.start_ns - self.start_ns
        if age_ns < seconds(self._config.min_event_s):
            return False
        return age_ns >= seconds(self._config.max_event_s) or self._changes(item)

    def take(self, item: Item) -> None:
        self.end_ns = max(self.end_ns, item.end_ns)
        if item.is_chunk:
            self.first_chunk = _first(self.first_chunk, item.key)
        else:
            self.first_observation = _first(self.first_observation, item.key)
        if item.kind in _LASTING and not self._changes(item):
            return
        self.state = self.state.after(item)
        if item.kind is not Kind.SCENE or item.is_chunk:
            self._items.append(item)
        for name in filter(None, map(clean, item.objects)):
            if len(self._objects) < MAX_OBJECTS:
                self._objects[name] = None

    def text(self) -> str:
        facts = Facts()
        for item in self._told():
            if item.kind in _SECTIONS:
                facts.add(_SECTIONS[item.kind], item.text)
        for name in self._objects:
            facts.add(Section.OBJECTS, name)
        return facts.text(EVENT_CHARS) or NOTHING

    def evidence(self) -> tuple[str, ...]:
        """Its chunks, and what was said, done, aimed at and where; what still holds comes first."""
        told = (item for item in self._told(with_goal=True) if item.kind is not Kind.NOTE)
        return tuple(dict.fromkeys(item.item_id for item in told))

    def _told(self, *, with_goal: bool = False) -> list[Item]:
        """What holds from before, where the event has nothing newer, and what it brings.

        A goal is told by the event that it came with: the node above has its name.
        """
        own = {item.kind for item in self._items}
        lasting = [
            held
            for kind in _LASTING
            if kind not in own and (with_goal or kind is not Kind.GOAL)
            for held in (self.state.now(kind),)
            if held is not None
        ]
        return [*lasting, *self._items]

    def _changes(self, item: Item) -> bool:
        if item.kind in _LASTING:
            held = self.state.now(item.kind)
            return held is None or held.text != item.text
        if item.kind is Kind.SCENE:
            fresh = [name for name in item.objects if clean(name) not in self._objects]
            share = len(fresh) / len(item.objects) if item.objects else 0.0
            return bool(self._objects) and share >= self._config.event_scene_change
        return item.kind is Kind.SPEECH


def _first(known: int | None, key: int) -> int:
    return key if known is None else min(known, key)
