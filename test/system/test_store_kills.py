"""What was acknowledged survives kill -9 at any moment, and nothing is half written."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_nodes.records import EpisodeStatus
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support import numbered
from memory_test_support.child import start_python

KILLS = 50
MAX_ACKNOWLEDGED = 40
ROUND = 10_000
"""Numbers of one round at most: none is used again."""

# Forks a child for each round: it need not import anything, and is killed by its parent.
_LAUNCHER = """
import os
import signal
import sys
import traceback
from pathlib import Path

from memory_nodes.store.writer import Writer, WriterConfig
from memory_test_support import numbered


def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # one write: never half a line


def ingest(memory_dir, first):
    writer = Writer(memory_dir, WriterConfig(batch_size=4, batch_delay_s=0.005))
    writer.use_embedding_model(numbered.MODEL)
    episode_id = ""
    for number in range(first, first + 5000):
        if number % 23 == 0:
            episode_id = writer.start_episode(f"round {number}", "", numbered.stamp_ns(number))
            say("episode", episode_id)
        elif number % 23 == 9 and episode_id:
            writer.end_episode(episode_id, numbered.stamp_ns(number))
        vector = numbered.vector(number) if numbered.has_vector(number) else None
        if number % 3 == 0:
            say("observation", number, writer.add(numbered.observation(number), vector))
        else:
            future = writer.submit(numbered.observation(number), vector)
            future.add_done_callback(lambda f, n=number: say("observation", n, f.result()))


for line in sys.stdin:
    child = os.fork()
    if child == 0:
        try:
            ingest(Path(sys.argv[1]), int(line))
        except BaseException:
            traceback.print_exc()
        os._exit(1)
    sys.stdin.readline()
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    say("killed" if os.WIFSIGNALED(status) else "failed")
"""


@contextmanager
def _running(program: str, memory_dir: Path) -> Iterator[subprocess.Popen[str]]:
    process = start_python(program, memory_dir)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _tell(process: subprocess.Popen[str], line: object) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def _hear(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.stderr.read() if process.stderr is not None else ""
    return line.split()


def _killed_after(
    launcher: subprocess.Popen[str], first: int, acknowledged: int
) -> tuple[dict[int, str], set[str]]:
    """Ids of observations by number, and of episodes, that one child had acknowledged."""
    observations: dict[int, str] = {}
    episodes: set[str] = set()
    _tell(launcher, first)
    is_told = False
    while True:
        if len(observations) + len(episodes) >= acknowledged and not is_told:
            _tell(launcher, "kill")
            is_told = True
        what, *rest = _hear(launcher)
        if what == "observation":
            observations[int(rest[0])] = rest[1]
        elif what == "episode":
            episodes.add(rest[0])
        else:
            assert what == "killed", "the child ended by itself"
            return observations, episodes


def test_kill_9_at_50_moments_of_ingest_loses_nothing_acknowledged(tmp_path: Path) -> None:
    moments = random.Random(7)
    everything: dict[int, str] = {}
    episodes: set[str] = set()
    with _running(_LAUNCHER, tmp_path) as launcher:
        for kill in range(1, KILLS + 1):
            wanted = moments.randrange(MAX_ACKNOWLEDGED)
            observations, started = _killed_after(launcher, kill * ROUND, wanted)
            everything |= observations
            episodes |= started
            if not everything:  # killed before there was a memory
                continue
            search = Search(tmp_path)
            for number, observation_id in observations.items():
                numbered.assert_found(search, number, observation_id)
            search.close()
            numbered.assert_whole(tmp_path)
    writer, search = Writer(tmp_path), Search(tmp_path)
    assert len(set(everything.values())) == len(everything) > KILLS
    for number, observation_id in everything.items():
        numbered.assert_found(search, number, observation_id)
    assert episodes <= _episode_ids(writer)
    # at most one commit was on its way at each kill: 4 rows, or one alone
    assert 0 <= writer.counts().observations - len(everything) <= 4 * KILLS
    search.close()
    writer.close()


def _episode_ids(writer: Writer) -> set[str]:
    """Of all episodes; none is active any more."""
    with writer.database.reading() as connection:
        found = connection.execute("SELECT episode_key, status FROM episode").fetchall()
    assert EpisodeStatus.ACTIVE not in {row["status"] for row in found}
    return {f"episode_{row['episode_key']}" for row in found}


_CONTENDER = """
import sys
from pathlib import Path
from memory_nodes.errors import StoreLocked
from memory_nodes.store.writer import Writer
for line in sys.stdin:
    try:
        writer = Writer(Path(sys.argv[1]))
    except StoreLocked:
        print("locked", flush=True)
        sys.stdin.readline()
    else:
        print("open", flush=True)
        sys.stdin.readline()
        writer.close()
    print("closed", flush=True)
"""


def test_of_two_processes_that_open_at_once_exactly_one_writes(tmp_path: Path) -> None:
    with _running(_CONTENDER, tmp_path) as one, _running(_CONTENDER, tmp_path) as other:
        for _ in range(20):
            for line in ("open", "close"):
                for process in (one, other):
                    _tell(process, line)
                heard = sorted(_hear(process)[0] for process in (one, other))
                assert heard == (["locked", "open"] if line == "open" else ["closed", "closed"])


def test_memory_of_a_killed_writer_opens_for_the_next(tmp_path: Path) -> None:
    with _running(_CONTENDER, tmp_path) as process:
        _tell(process, "open")
        assert _hear(process) == ["open"]
        process.kill()
        process.wait(timeout=30)
        writer = Writer(tmp_path)
    writer.use_embedding_model(numbered.MODEL)
    assert numbered.add(writer, range(3)).keys() == {0, 1, 2}
    assert Reader(tmp_path).counts().observations == 3
    writer.close()
