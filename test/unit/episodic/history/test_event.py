"""An event lasts until the scene, the action, the goal or the place changes, or speech comes."""

from __future__ import annotations

from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.event import NOTHING, EventDraft, State
from memory_nodes.episodic.history.items import Item, Kind
from memory_nodes.records import NS_PER_S

CONFIG = HistoryConfig(min_event_s=3.0, max_event_s=100.0, event_scene_change=0.5)


def _item(second: int, kind: Kind, text: str = "", *objects: str, key: int = 1) -> Item:
    stamp_ns = second * NS_PER_S
    name = f"chunk_{key}" if kind is Kind.SCENE and not text else f"observation_{key}"
    return Item(name, key, kind, stamp_ns, stamp_ns, text, objects)


def _event(*items: Item, state: State | None = None) -> EventDraft:
    draft = EventDraft(items[0].start_ns, state if state is not None else State(), CONFIG)
    for item in items:
        draft.take(item)
    return draft


def test_another_action_goal_or_place_ends_an_event() -> None:
    for kind in (Kind.ACTION, Kind.GOAL, Kind.PLACE):
        event = _event(_item(0, kind, "one"))
        assert event.is_ended_by(_item(10, kind, "two"))
        assert not event.is_ended_by(_item(10, kind, "one"))


def test_speech_always_ends_an_event() -> None:
    event = _event(_item(0, Kind.SPEECH, "hello"))
    assert event.is_ended_by(_item(10, Kind.SPEECH, "hello"))
    assert not event.is_ended_by(_item(10, Kind.NOTE, "a dim room"))


def test_a_scene_ends_an_event_when_half_of_it_is_new() -> None:
    event = _event(_item(0, Kind.SCENE, "", "mug", "table", "chair"))
    assert not event.is_ended_by(_item(10, Kind.SCENE, "", "mug", "table", "cat"))
    assert event.is_ended_by(_item(10, Kind.SCENE, "", "mug", "table", "cat", "dog"))
    assert not event.is_ended_by(_item(10, Kind.SCENE))


def test_the_first_scene_of_an_event_ends_nothing() -> None:
    event = _event(_item(0, Kind.ACTION, "walk"))
    assert not event.is_ended_by(_item(10, Kind.SCENE, "", "mug"))


def test_what_changes_at_once_is_of_one_event() -> None:
    event = _event(_item(0, Kind.GOAL, "make tea"))
    assert not event.is_ended_by(_item(2, Kind.ACTION, "walk"))
    assert event.is_ended_by(_item(3, Kind.ACTION, "walk"))


def test_a_long_event_is_cut_by_whatever_comes() -> None:
    event = _event(_item(0, Kind.NOTE, "a dim room"))
    assert not event.is_ended_by(_item(99, Kind.NOTE, "a dim room"))
    assert event.is_ended_by(_item(100, Kind.NOTE, "a dim room"))


def test_text_and_evidence_tell_what_holds_from_before() -> None:
    state = State(
        goal=_item(0, Kind.GOAL, "make tea", key=1),
        action=_item(1, Kind.ACTION, "walk to the kitchen", key=2),
        place=_item(1, Kind.PLACE, "kitchen", key=3),
    )
    scene = _item(9, Kind.SCENE, "", "kettle", key=7)
    event = _event(scene, _item(10, Kind.NOTE, "steam", key=9), state=state)
    assert event.text() == "Did: walk to the kitchen. Noted: steam. At: kitchen. Saw: kettle."
    assert event.evidence() == ("observation_1", "observation_2", "observation_3", "chunk_7")


def test_what_an_event_brings_takes_the_place_of_what_held() -> None:
    state = State(action=_item(1, Kind.ACTION, "walk", key=2))
    event = _event(_item(9, Kind.ACTION, "grasp", key=5), state=state)
    assert event.text() == "Did: grasp."
    assert event.evidence() == ("observation_5",)
    assert event.state.action is not None
    assert event.state.action.text == "grasp"


def test_an_empty_scene_says_so() -> None:
    assert _event(_item(0, Kind.SCENE)).text() == NOTHING
