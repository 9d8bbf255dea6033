"""Consolidation killed at any moment loses no observation and summarises none twice."""

from __future__ import annotations

import random
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.records import NS_PER_S
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.writer import Writer
from memory_test_support import numbered, roaming
from memory_test_support.child import start_python

OBSERVATIONS = 600
MIN_KILLS = 12
MAX_STATEMENTS = 1200
"""That a child writes before it dies: more than the largest piece takes, so that each may end."""
NOW_NS = roaming.START_NS + 10**6 * NS_PER_S

# Forks a child for each line, which kills itself right before the n-th statement that it writes:
# so it dies in every phase, between two transactions and within one.
_LAUNCHER = """
import asyncio
import os
import signal
import sys
import traceback
from pathlib import Path

from memory_nodes.episodic.consolidator import IDLE_S, ConsolidationConfig, Consolidator
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.recorded_models import RecordedChat, Silence

memory_dir, now_ns, kind = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
config = ConsolidationConfig(archive_after_s=0.0)


def die_before(statement):
    left = statement

    def count(_):
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    return count


def model():
    if kind == "hanging":
        return RecordedChat(Silence.HANG)
    if kind == "nonsense":
        return RecordedChat("", "no JSON", '{"gist": "Xyzzy."}', '{"gist": "", "entities": 7}')
    return None


def consolidate(statement):
    writer = Writer(memory_dir)
    writer.database.connection.set_trace_callback(die_before(statement))
    consolidator = Consolidator(writer, Past(memory_dir), model(), None, config, timeout_s=0.02)

    async def work():
        while await consolidator.step(now_ns) != IDLE_S:
            pass

    asyncio.run(work())


for line in sys.stdin:
    child = os.fork()
    if child == 0:
        try:
            consolidate(int(line))
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print("killed" if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), flush=True)
"""


@contextmanager
def _launcher(memory_dir: Path, kind: str) -> Iterator[subprocess.Popen[str]]:
    process = start_python(_LAUNCHER, memory_dir, str(NOW_NS), kind)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _ended(process: subprocess.Popen[str], statement: int) -> str:
    """How a child ended that was to die before a statement; 0: it never dies."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{statement}\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def _life(memory_dir: Path) -> None:
    """Two episodes, one within the other, and a time outside of any."""
    writer = Writer(memory_dir)
    outer = inner = ""
    for number, observation in enumerate(roaming.observations(OBSERVATIONS)):
        if number == 0:
            outer = writer.start_episode("outer", "", observation.stamp_ns)
        elif number == OBSERVATIONS // 4:
            inner = writer.start_episode("inner", outer, observation.stamp_ns)
        elif number == OBSERVATIONS // 2:
            writer.end_episode(inner, observation.stamp_ns)
            writer.end_episode(outer, observation.stamp_ns)
        writer.submit(observation)
    writer.flush()
    writer.close()


def _query(memory_dir: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(memory_dir / DATABASE_NAME)
    rows = connection.execute(query).fetchall()
    connection.close()
    return rows


_SUMMARIES = """
SELECT observation_key, text_key IS NULL,
       (SELECT count(*) FROM link WHERE kind = 'SUMMARIZES' AND to_key = observation_key)
FROM observation ORDER BY observation_key
"""
_GISTS = """
SELECT text, observation_count, source, episode_key, start_ns, end_ns, x, y, radius_m
FROM gist JOIN text USING (text_key) ORDER BY gist_key
"""
_ENTITIES = """
SELECT e.entity_key, text, x, y, weight, first_seen_ns, last_seen_ns, observation_count,
       (SELECT group_concat(to_key) FROM (SELECT to_key FROM link WHERE kind = 'OBSERVED_IN'
        AND from_key = e.entity_key ORDER BY to_key)),
       (SELECT total(weight) FROM link WHERE kind = 'COOCCURS_WITH' AND from_key = e.entity_key)
FROM entity e JOIN text USING (text_key) ORDER BY entity_key
"""


def _assert_nothing_lost_or_doubled(memory_dir: Path) -> int:
    """How many observations have a gist by now."""
    summaries = _query(memory_dir, _SUMMARIES)
    assert [key for key, _, _ in summaries] == list(range(1, OBSERVATIONS + 1))
    assert all(count <= 1 for _, _, count in summaries)
    return sum(count for _, _, count in summaries)


@pytest.mark.parametrize("kind", ["none", "hanging", "nonsense"])
def test_kill_9_in_every_phase_loses_and_doubles_nothing(tmp_path: Path, kind: str) -> None:
    memory_dir, undisturbed_dir = tmp_path / "memory", tmp_path / "undisturbed"
    _life(memory_dir)
    _life(undisturbed_dir)
    moments = random.Random(3)
    with _launcher(memory_dir, kind) as launcher:
        told = kills = 0
        while _ended(launcher, moments.randrange(1, MAX_STATEMENTS)) == "killed":
            kills += 1
            now_told = _assert_nothing_lost_or_doubled(memory_dir)
            assert now_told >= told
            told = now_told
            numbered.assert_whole(memory_dir)
        assert kills >= MIN_KILLS
        assert _ended(launcher, 0) == "0"
    with _launcher(undisturbed_dir, "none") as launcher:
        assert _ended(launcher, 0) == "0"
    told = _assert_nothing_lost_or_doubled(memory_dir)
    assert told == OBSERVATIONS
    assert all(is_archived for _, is_archived, _ in _query(memory_dir, _SUMMARIES))
    for query in (_SUMMARIES, _GISTS, _ENTITIES):
        assert _query(memory_dir, query) == _query(undisturbed_dir, query)
