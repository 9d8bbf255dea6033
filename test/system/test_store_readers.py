"""Any number of readers, in threads and processes, see whole commits while one process writes."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from memory_nodes.store.search import Found, Search
from memory_nodes.store.writer import Writer
from memory_test_support import grouped, numbered
from memory_test_support.child import start_python

WRITING_S = 20.0
READER_THREADS = 4
READER_PROCESSES = 2
END_NS = 2**62
LAST = 197
"""Of two hundred rows but two: one with a vector."""
START_NS = numbered.stamp_ns(LAST - 1)

_READER = """
import json
import sys
import threading
from pathlib import Path
from memory_nodes.store.search import Search
from memory_test_support import grouped
memory_dir, stop = Path(sys.argv[1]), threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
search = Search(memory_dir)
seen = grouped.read_until(memory_dir, search, stop, int(sys.argv[2]))
search.close()
print(json.dumps(vars(seen)))
"""


@contextmanager
def _reader_process(memory_dir: Path, seed: int) -> Iterator[subprocess.Popen[str]]:
    process = start_python(_READER, memory_dir, str(seed))
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _ended(process: subprocess.Popen[str]) -> grouped.Seen:
    """Tells a reader to look once more, and gives what it has seen."""
    out, err = process.communicate("", timeout=60)
    assert process.returncode == 0, err
    return grouped.Seen(**json.loads(out))


def test_readers_in_threads_and_processes_see_whole_commits_only(tmp_path: Path) -> None:
    writer, search, stop = Writer(tmp_path, grouped.CONFIG), Search(tmp_path), threading.Event()
    writer.use_embedding_model(grouped.MODEL)
    groups = 0
    with ExitStack() as stack:
        processes = [
            stack.enter_context(_reader_process(tmp_path, seed)) for seed in range(READER_PROCESSES)
        ]
        pool = stack.enter_context(ThreadPoolExecutor(READER_THREADS))
        stack.callback(stop.set)
        threads = [
            pool.submit(grouped.read_until, tmp_path, search, stop, 10 + seed)
            for seed in range(READER_THREADS)
        ]
        end_s = time.monotonic() + WRITING_S
        while time.monotonic() < end_s:
            grouped.add_group(writer, groups)
            groups += 1
        stop.set()
        seen = [future.result() for future in threads] + [_ended(each) for each in processes]
    final = writer.counts()
    assert (final.observations, final.gists) == (groups * grouped.SIZE, groups)
    for each in seen:
        assert each.rounds > 1
        assert (each.sequence, each.groups, each.gists) == (final.sequence, groups, groups)
    writer.close()
    search.close()
    numbered.assert_whole(tmp_path)
    again = Search(tmp_path)
    assert again.count(grouped.OBSERVATIONS) == final.observations
    assert again.problems == ()  # though several wrote the caches
    again.close()


@pytest.mark.parametrize(
    "ask",
    [
        lambda search: search.words(numbered.word(LAST), 2),
        lambda search: search.near(numbered.place_map_m(LAST), 0.3, 2),
        lambda search: search.between(START_NS, END_NS, 2),
        lambda search: search.between(START_NS, END_NS, 2, numbered.OBSERVATIONS),
        lambda search: search.semantic(numbered.vector(LAST), 2),
        lambda search: search.hybrid(numbered.word(LAST), numbered.vector(LAST), 2),
    ],
    ids=["words", "near", "between", "between filtered", "semantic", "hybrid"],
)
def test_next_answer_knows_a_hundred_rows_that_came_since_the_last(
    tmp_path: Path, ask: Callable[[Search], Found]
) -> None:
    writer, search = Writer(tmp_path), Search(tmp_path)
    writer.use_embedding_model(numbered.MODEL)
    numbered.add(writer, range(98))
    assert numbered.observation(LAST).text not in {hit.text for hit in ask(search).hits}
    ids = numbered.add(writer, range(98, 198))
    assert {hit.item_id for hit in ask(search).hits} == {ids[LAST - 1], ids[LAST]}
    search.close()
    writer.close()


def test_count_of_an_open_reader_knows_a_hundred_rows_that_came_since(tmp_path: Path) -> None:
    writer, search = Writer(tmp_path), Search(tmp_path)
    writer.use_embedding_model(numbered.MODEL)
    numbered.add(writer, range(98))
    assert search.count(numbered.OBSERVATIONS) == 98
    numbered.add(writer, range(98, 198))
    assert search.count(numbered.OBSERVATIONS) == 198
    search.close()
    writer.close()
