"""What is forgotten is told nowhere any more; what is left is told again, where it belongs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memory_nodes.models.ports import Prompt, Reply
from memory_nodes.records import HistoryUnit
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import graph, keyframe, observation
from memory_test_support.told import DAY_S, at, ns, shape, tell, teller_of

MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""
END_NS = ns(MORNING_S + 2 * DAY_S)
EVENT: list[object] = ["event", []]


def _told(past: Past) -> str:
    """All texts and all evidence of the history."""
    nodes = past.history_between(0, 2**62, list(HistoryUnit))
    return "\n".join(f"{node.text} {' '.join(node.evidence)}" for node in nodes)


def _texts(past: Past, unit: HistoryUnit) -> list[str]:
    return [node.text for node in past.history_between(0, 2**62, [unit])]


def _remember(writer: Writer, without: int = -1) -> list[str]:
    """Two episodes and a stretch, without one of the things; the ids of the others."""
    layers = ("place", "action", "speech", "text")
    ids: list[str] = []
    for begin_s, name in ((0, "make tea"), (600, "water the plants"), (5000, "")):
        if name:
            writer.start_episode(name, "", ns(MORNING_S + begin_s))
        for number in range(8):
            if len(ids) != without:
                said = at(
                    MORNING_S + begin_s + 7 * number, layers[number % 4], f"thing {len(ids):02}"
                )
                ids.append(writer.add(said))
            else:
                ids.append("")
        if name:
            writer.end_episode("", ns(MORNING_S + begin_s + 60))
    return ids


@pytest.mark.parametrize("number", range(0, 24, 3))
def test_it_is_told_as_if_the_forgotten_had_never_been(tmp_path: Path, number: int) -> None:
    told = []
    for without in (-1, number):
        memory_dir = tmp_path / str(without)
        writer, past = Writer(memory_dir), Past(memory_dir)
        ids = _remember(writer, without)
        teller = teller_of(writer, past)
        tell(teller, END_NS)
        if without < 0:
            writer.forget(Forget((ids[number],)))
            assert ids[number] not in _told(past).split()
            assert f"thing {number:02}" not in _told(past)
            tell(teller, END_NS)
        told.append([_texts(past, unit) for unit in (HistoryUnit.GOAL, HistoryUnit.DAY)])
        past.close()
        writer.close()
    assert told[0] == told[1]


def test_events_come_under_the_goal_of_their_episode_again(writer: Writer, past: Past) -> None:
    writer.start_episode("make tea", "", ns(MORNING_S))
    ids = [writer.add(at(MORNING_S + 20 * n, "action", f"step {n}")) for n in range(10)]
    writer.end_episode("", ns(MORNING_S + 300))
    tell(teller_of(writer, past), END_NS)
    writer.forget(Forget((ids[5],)))
    tell(teller_of(writer, past), END_NS)
    assert shape(past) == [["day", [["goal", [EVENT] * 9]]]]
    assert _texts(past, HistoryUnit.DAY) == ["Tasks: make tea (08:00)."]


def test_of_many_notes_in_an_event_only_the_forgotten_is_lost(writer: Writer, past: Past) -> None:
    ids = [writer.add(at(MORNING_S + 20 * n, "text", f"note {n}")) for n in range(6)]
    tell(teller_of(writer, past), END_NS)
    writer.forget(Forget((ids[2],)))
    tell(teller_of(writer, past), END_NS)
    expected = "Noted: note 0, note 1, note 3, note 4, note 5."
    assert _texts(past, HistoryUnit.EVENT) == [expected]


@pytest.mark.parametrize("is_live", [True, False])
def test_a_place_that_lasted_is_forgotten_by_all_that_told_of_it(
    writer: Writer, past: Past, is_live: bool
) -> None:
    seen = observation(
        "cellar: left; dark", stamp_s=MORNING_S, layer="place", at_map_m=(50.0, 0.0, 0.0)
    )
    place_id = writer.add(seen)
    teller = teller_of(writer, past)
    for name in ("sweep", "mop"):
        begin_s = MORNING_S + (60 if name == "sweep" else 600)
        writer.start_episode(name, "", ns(begin_s))
        writer.add(at(begin_s, "action", name))
        writer.end_episode("", ns(begin_s + 20))
    tell(teller, ns(MORNING_S + 800))
    assert _told(past).count("cellar left dark") > 4
    writer.forget(Forget(center_map_m=(50.0, 0.0, 0.0), radius_m=1.0))
    assert "cellar" not in _told(past)
    writer.add(at(MORNING_S + 900, "action", "rest"))
    teller = teller if is_live else teller_of(writer, past)
    tell(teller, ns(MORNING_S + 1000))
    tell(teller, END_NS)
    assert "cellar" not in _told(past)
    assert place_id not in _told(past).split()
    assert _texts(past, HistoryUnit.DAY) == ["Tasks: sweep (08:01), mop (08:10)."]


def test_a_text_is_forgotten_as_the_history_tells_it(writer: Writer, past: Past) -> None:
    writer.add(at(MORNING_S, "speech", "the code is 1, 2; 3: go"))
    tell(teller_of(writer, past), END_NS)
    assert "the code is 1 2 3 go" in _told(past)
    with writer.database.transaction() as connection:  # only the history is left of it
        connection.execute("DELETE FROM observation")
    writer.forget(Forget(text="Code is 1, 2; 3"))
    assert "code" not in _told(past)


class AskedWhileForgetting:
    """A model in whose call something is forgotten."""

    def __init__(self, writer: Writer, item_id: str) -> None:
        self._writer = writer
        self._item_id = item_id

    async def complete(self, prompt: Prompt, timeout_s: float) -> Reply:
        if self._item_id:
            await asyncio.to_thread(self._writer.forget, Forget((self._item_id,)))
            self._item_id = ""
            return Reply('{"summary": "A secret was told."}', True, "model")
        return Reply('{"summary": "It was calm."}', True, "model")


def test_what_is_forgotten_while_the_model_tells_of_it_is_not_written(
    writer: Writer, past: Past
) -> None:
    secret = writer.add(at(MORNING_S, "speech", "a secret"))
    writer.add(at(MORNING_S + 20, "speech", "good morning"))
    tell_again = teller_of(writer, past, AskedWhileForgetting(writer, secret))
    tell(tell_again, END_NS)
    tell(tell_again, END_NS)
    assert "secret" not in _told(past)
    assert _texts(past, HistoryUnit.GOAL) == ["It was calm."]


def test_a_forgotten_episode_leaves_the_chunks_of_its_time(writer: Writer, past: Past) -> None:
    episode_id = writer.start_episode("make tea", "", ns(MORNING_S))
    writer.add(at(MORNING_S, "action", "walk"))
    writer.commit_chunk(graph(1, [keyframe(1, stamp_s=MORNING_S + 30)]))
    writer.end_episode("", ns(MORNING_S + 60))
    tell(teller_of(writer, past), END_NS)
    writer.forget(Forget((episode_id,)))
    tell(teller_of(writer, past), END_NS)
    assert "tea" not in _told(past)
    assert shape(past) == [["day", [["goal", [EVENT]]]]]
    assert past.last_events(1)[0].evidence == ("chunk_1",)
