"""Killed at any commit, the teller goes on, and nothing is told twice or lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.errors import InputError
from memory_nodes.records import HistoryNode, HistoryUnit
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.child import run_python
from memory_test_support.records import graph, keyframe
from memory_test_support.told import DAY_S, at, ns, outline, tell, teller_of

MORNING_S = 1_788_760_800
"""Mon 7 Sep 2026, 8:00 in Berlin."""
END_NS = ns(MORNING_S + 9 * DAY_S)


class Crash(Exception):
    """Stands for the end of the process."""


class CrashingWriter(Writer):
    """Ends at one of its commits of the history, before or after it is durable."""

    commits = 0
    crash_at = -1
    is_before = False

    def put_history(
        self,
        nodes: Sequence[HistoryNode],
        remove_ids: Sequence[str] = (),
        told: ToldUpTo | None = None,
    ) -> list[str]:
        self.commits += 1
        if self.commits == self.crash_at and self.is_before:
            raise Crash
        ids = super().put_history(nodes, remove_ids, told)
        if self.commits == self.crash_at:
            raise Crash
        return ids


def remember(writer: Writer) -> None:
    """Eight days, one of them busy, with something outside of episodes."""
    for day, hours in ((0, (0, 1)), (1, range(8)), (8, (0,))):
        for hour in hours:
            begin_s = MORNING_S + day * DAY_S + hour * 3600
            episode_id = writer.start_episode(f"task {hour}", "", ns(begin_s))
            for second in (0, 20, 40):
                writer.add(at(begin_s + second, "action", f"step {second}"))
            writer.end_episode(episode_id, ns(begin_s + 60))
            writer.add(at(begin_s + 900, "place", "dock"))


def _untroubled(memory_dir: Path) -> list[dict[str, object]]:
    writer, past = Writer(memory_dir), Past(memory_dir)
    remember(writer)
    tell(teller_of(writer, past), END_NS)
    tree = outline(past)
    past.close()
    writer.close()
    return tree


@pytest.mark.parametrize("is_before", [True, False])
def test_a_crash_at_any_commit_changes_nothing(tmp_path: Path, is_before: bool) -> None:
    expected = _untroubled(tmp_path / "untroubled")
    writer, past = CrashingWriter(tmp_path / "crashing"), Past(tmp_path / "crashing")
    remember(writer)
    writer.is_before = is_before
    crashes = 0
    while True:
        writer.commits, writer.crash_at = 0, 2  # one commit of progress, then the end
        try:
            tell(teller_of(writer, past), END_NS)
            break
        except Crash:
            crashes += 1
    assert crashes > 10
    assert outline(past) == expected
    past.close()
    writer.close()


_KILLED = """
import asyncio, json, os, signal, sys
from pathlib import Path
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.records import graph, keyframe
from memory_test_support.told import outline, tell, teller_of

memory_dir, end_ns = Path(sys.argv[1]), int(sys.argv[2])


class Killed(Writer):
    commits = 0

    def put_history(self, *arguments, **named):
        ids = super().put_history(*arguments, **named)
        self.commits += 1
        if self.commits == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return ids


kills = 0
while True:
    child = os.fork()
    if child == 0:
        writer, past = Killed(memory_dir), Past(memory_dir)
        tell(teller_of(writer, past), end_ns)
        os._exit(0)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
        break
    kills += 1
    assert kills < 100
past = Past(memory_dir)
print(json.dumps([kills, outline(past)]))
"""


def test_kill_9_again_and_again_changes_nothing(tmp_path: Path) -> None:
    expected = _untroubled(tmp_path / "untroubled")
    writer = Writer(tmp_path / "killed")
    remember(writer)
    writer.close()
    child = run_python(_KILLED, tmp_path / "killed", str(END_NS))
    assert child.returncode == 0, child.stderr
    kills, tree = json.loads(child.stdout)
    assert kills >= 5
    assert tree == json.loads(json.dumps(expected))


def test_what_forgetting_has_left_alone_is_told_again_above(tmp_path: Path) -> None:
    writer, past = Writer(tmp_path), Past(tmp_path)
    remember(writer)
    teller = teller_of(writer, past)
    tell(teller, END_NS)
    first_ns = ns(MORNING_S)
    writer.forget(Forget(since_ns=first_ns, until_ns=first_ns + ns(30)))
    tell(teller, END_NS)
    tops = past.parentless(list(HistoryUnit))
    assert [node.unit.value for node in tops if node.unit is not HistoryUnit.ROOT] == [
        "week",
        "day",
    ]
    goals = past.history_between(0, 2**62, [HistoryUnit.GOAL])
    assert all(goal.parent_id for goal in goals)
    told = [seen for goal in goals for seen in past.children(goal.node_id)]
    assert len({event.start_ns for event in told}) == len(told)
    past.close()
    writer.close()


def test_forgetting_while_an_episode_goes_on_stops_nothing(tmp_path: Path) -> None:
    writer, past = Writer(tmp_path), Past(tmp_path)
    writer.start_episode("make tea", "", ns(MORNING_S))
    for second in (0, 20, 40):
        writer.add(at(MORNING_S + second, "action", f"step {second}"))
    teller = teller_of(writer, past)
    tell(teller, ns(MORNING_S + 100))
    writer.forget(Forget(since_ns=ns(MORNING_S), until_ns=ns(MORNING_S + 5)))
    writer.add(at(MORNING_S + 60, "action", "step 60"))
    tell(teller, ns(MORNING_S + 200))
    texts = [node.text for node in past.history_between(0, 2**62, [HistoryUnit.EVENT])]
    assert texts.count("Did: step 40.") == 1
    assert texts.count("Did: step 60.") == 1
    past.close()
    writer.close()


def test_a_restart_after_what_a_chunk_said_goes_on(tmp_path: Path) -> None:
    writer, past = Writer(tmp_path), Past(tmp_path)
    said = replace(at(MORNING_S, "place", "kitchen"), observation_id="chunk_1.place")
    writer.commit_chunk(graph(1, [keyframe(1, stamp_s=MORNING_S)]), [said])
    writer.add(at(MORNING_S + 10, "speech", "hello"))
    tell(teller_of(writer, past), ns(MORNING_S + 100))
    writer.add(at(MORNING_S + 20, "speech", "good-bye"))
    tell(teller_of(writer, past), ns(MORNING_S + 100))
    events = past.history_between(0, 2**62, [HistoryUnit.EVENT])
    assert [event.evidence[0] for event in events] == ["chunk_1.place"] * 3
    assert len({event.parent_id for event in events}) == 1
    past.close()
    writer.close()


def test_telling_all_takes_a_bounded_number_of_steps(tmp_path: Path) -> None:
    writer, past = Writer(tmp_path), Past(tmp_path)
    remember(writer)
    teller = teller_of(writer, past)

    async def steps() -> int:
        count = 0
        while await teller.step(END_NS) == 0.0:
            count += 1
        return count

    # one batch, 11 goals and 11 stretches, 3 groupings at most, 3 days, a week, and the root
    assert asyncio.run(steps()) < 35
    past.close()
    writer.close()


class ForgetfulWriter(Writer):
    """Someone forgets a node right before it is written, once."""

    is_forgotten = False

    def put_history(
        self,
        nodes: Sequence[HistoryNode],
        remove_ids: Sequence[str] = (),
        told: ToldUpTo | None = None,
    ) -> list[str]:
        if told is None and not self.is_forgotten:
            self.is_forgotten = True
            raise InputError("no history node 'history_1'")
        return super().put_history(nodes, remove_ids, told)


def test_a_node_that_is_forgotten_before_it_is_closed_waits_for_the_next_step(
    tmp_path: Path,
) -> None:
    expected = _untroubled(tmp_path / "untroubled")
    writer, past = ForgetfulWriter(tmp_path / "forgetful"), Past(tmp_path / "forgetful")
    remember(writer)
    teller = teller_of(writer, past)
    tell(teller, END_NS)
    assert teller.problem == "the history waits: no history node 'history_1'"
    tell(teller, END_NS)
    assert teller.problem is None
    assert outline(past) == expected
    past.close()
    writer.close()
