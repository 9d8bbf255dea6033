"""Nodes that are killed in the middle of the tour leave the same memory as an undisturbed run."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from std_srvs.srv import SetBool

from memory_nodes.perception.spool import SPOOL_NAME
from memory_nodes.store.database import DATABASE_NAME
from memory_test_support.domain import own_domain
from memory_test_support.hand_camera import EVERY_IMAGE
from memory_test_support.model_server import ModelServer, ServerOptions
from memory_test_support.node_bench import NodeBench
from memory_test_support.programs import Program
from memory_test_support.tour_player import TourPlayer

SUITE = ("episodic_node", "detector_node", "association_node")
CHUNK_SIZE = 8
LAST_FRAME = 5 * CHUNK_SIZE - 1
PAUSE_AFTER = 20  # in the middle of the third chunk
TABLES = ("keyframe", "chunk", "object", "object_state", "view", "relation")
TIMEOUT_S = 180.0
OUTAGE_S = float(os.environ.get("MEMORY_TEST_OUTAGE_S", "5"))


class Run:
    """The recording half of the suite in processes of its own, and a tour player to pause."""

    def __init__(self, bench: NodeBench, memory_dir: Path, server: ModelServer) -> None:
        self._bench = bench
        self._memory_dir = memory_dir
        self._server = server
        self._parameters = {
            "use_sim_time": True,
            "memory_dir": memory_dir,
            "base_url": server.base_url,
            "use_depth": True,
            "chunk_size": CHUNK_SIZE,
            "chunk_flush_s": 120.0,
            "resend_s": 0.5,
            "retry_s": 0.2,
            "pose_timeout_s": TIMEOUT_S,  # what is late on a busy machine is not lost
            **EVERY_IMAGE,
        }
        self.programs: dict[str, Program] = {}
        for name in SUITE:
            self.start(name)
        self._await_connections()
        self._player = bench.make(TourPlayer, last_frame=LAST_FRAME, speed=10.0)

    def start(self, name: str) -> None:
        self.programs[name] = Program(name, self._memory_dir / "logs", self._parameters)

    def play(self, killed: Sequence[str]) -> None:
        """Plays all frames; kills and restarts nodes while the first ones are on their way."""
        self._until(lambda: self._player.published >= PAUSE_AFTER, "the first frames")
        self._pause(True)
        shown = self._player.published
        # What was published but is not on disk yet belongs to nobody: it is waited for.
        self._until(lambda: self.recorded() >= shown, "the frames to be on disk")
        gone = self._endpoints_of(killed)
        for name in killed:
            self.programs[name].kill()
            self.start(name)
        self._await_connections(gone)
        self._pause(False)
        self._until(lambda: self.stored() == LAST_FRAME + 1, "all keyframes in the memory")

    def play_through_an_outage(self, outage_s: float) -> None:
        """The model is away from the middle of the tour on; the detector is killed twice.

        It goes while no chunk is on its way: one that was detected with the model and resolved
        without it may have other identities.
        """
        self._until(lambda: self._player.published >= PAUSE_AFTER // 2, "the first frames")
        self._pause(True)
        self._until(lambda: self.stored() == CHUNK_SIZE, "the first chunk in the memory")
        self._server.fail_with(503)
        self._pause(False)
        ends_s = time.monotonic() + outage_s
        self._kill_detector()
        self._until(lambda: self._player.published >= PAUSE_AFTER, "the frames after")
        self._kill_detector()
        everything = LAST_FRAME + 1
        self._until(lambda: self.recorded() == everything, "all frames on disk")
        self._until(lambda: time.monotonic() > ends_s, "the outage to end", outage_s + TIMEOUT_S)
        assert self.stored() < everything
        self._server.restore()
        self._until(lambda: self.stored() == everything, "all keyframes in the memory")

    def _kill_detector(self) -> None:
        """When all it was shown is on disk: what is on its way to a dead node is lost."""
        self._pause(True)
        shown = self._player.published
        self._until(lambda: self.recorded() >= shown, "the frames to be on disk")
        gone = self._endpoints_of(["detector_node"])
        self.programs["detector_node"].kill()
        self.start("detector_node")
        self._await_connections(gone)
        self._pause(False)

    def kill_all(self) -> None:
        for program in self.programs.values():
            program.kill()

    def recorded(self) -> int:
        """Keyframes in the spool or in the memory, by the highest id given."""
        query = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'keyframe'"
        return _number(self._memory_dir / SPOOL_NAME, query)

    def stored(self) -> int:
        return _number(self._memory_dir / DATABASE_NAME, "SELECT count(*) FROM keyframe")

    def _pause(self, is_paused: bool) -> None:
        self._bench.call(SetBool, "pause", SetBool.Request(data=is_paused))

    def _await_connections(self, gone: frozenset[bytes] = frozenset()) -> None:
        """All nodes are up and have been found; a killed one is still listed for some seconds."""
        user = self._bench.user
        listeners = {
            "/memory/image": user.get_subscriptions_info_by_topic,
            "/memory/camera_info": user.get_subscriptions_info_by_topic,
            "/memory/depth": user.get_subscriptions_info_by_topic,
            "/tf": user.get_subscriptions_info_by_topic,
            "/memory/chunk_detections": user.get_publishers_info_by_topic,
            "/memory/chunk_graphs": user.get_publishers_info_by_topic,
            "/memory/store_updates": user.get_publishers_info_by_topic,
        }
        for topic, find in listeners.items():
            self._until(partial(_is_there, find, topic, gone), f"{topic} to be connected")

    def _endpoints_of(self, names: Sequence[str]) -> frozenset[bytes]:
        """The topics that nodes, about to be killed, publish and listen to."""
        user = self._bench.user
        return frozenset(
            bytes(found.endpoint_gid)
            for topic, _ in user.get_topic_names_and_types()
            for find in (user.get_publishers_info_by_topic, user.get_subscriptions_info_by_topic)
            for found in find(topic)
            if found.node_name in names
        )

    def _until(
        self, condition: Callable[[], bool], what: str, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._bench.until(condition, what, timeout_s)


def _is_there(find: Callable[[str], Any], topic: str, gone: frozenset[bytes]) -> bool:
    return any(bytes(found.endpoint_gid) not in gone for found in find(topic))


def _number(path: Path, query: str) -> int:
    if not path.is_file():
        return 0
    with sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True) as connection:
        try:
            return int(connection.execute(query).fetchone()[0])
        except sqlite3.OperationalError:
            return 0


_TEXT = "(SELECT text FROM text t WHERE t.text_key = object.text_key)"


def _contents(memory_dir: Path) -> dict[str, list[Any]]:
    """Every row of the memory, by table."""
    with sqlite3.connect(memory_dir / DATABASE_NAME) as connection:
        return {table: _rows(connection, table) for table in TABLES}


def _rows(connection: sqlite3.Connection, table: str) -> list[tuple[Any, ...]]:
    """But for the number of the commit, which a restart moves on, and with texts for their keys,
    which depend on what else was said before.
    """
    columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    listed = ", ".join(
        _TEXT if name == "text_key" else name for name in columns if name != "changed"
    )
    return sorted(connection.execute(f"SELECT {listed} FROM {table}").fetchall(), key=str)


def _assert_equal(found: dict[str, list[Any]], expected: dict[str, list[Any]]) -> None:
    """Names the first rows that differ: whole tables would fill a thousand lines."""
    for table in TABLES:
        missing = [row for row in expected[table] if row not in found[table]]
        surplus = [row for row in found[table] if row not in expected[table]]
        assert (missing[:3], surplus[:3]) == ([], []), table
        assert len(found[table]) == len(expected[table]), table


@contextmanager
def _running(domain_id: int, memory_dir: Path) -> Iterator[Run]:
    with ExitStack() as stack:
        # A slow model: chunks are on their way when nodes are killed.
        server = stack.enter_context(ModelServer(ServerOptions(latency_s=0.5)))
        bench = stack.enter_context(NodeBench(domain_id, memory_dir))
        run = Run(bench, memory_dir, server)
        stack.callback(run.kill_all)
        yield run


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    memory_dir = tmp_path_factory.mktemp("undisturbed")
    with own_domain() as domain_id, _running(domain_id, memory_dir) as run:
        run.play(killed=())
    return _contents(memory_dir)


@pytest.mark.timeout(600)
def test_model_that_was_away_and_a_detector_killed_twice_leave_the_same_memory(
    undisturbed: dict[str, list[Any]], ros_domain: int, tmp_path: Path
) -> None:
    with _running(ros_domain, tmp_path) as run:
        run.play_through_an_outage(OUTAGE_S)
    _assert_equal(_contents(tmp_path), undisturbed)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "killed",
    [("episodic_node",), ("detector_node",), ("association_node",), SUITE],
    ids=["episodic", "detector", "association", "all"],
)
def test_nodes_killed_in_the_middle_of_the_tour_leave_the_same_memory(
    killed: Sequence[str],
    undisturbed: dict[str, list[Any]],
    ros_domain: int,
    tmp_path: Path,
) -> None:
    with _running(ros_domain, tmp_path) as run:
        run.play(killed)
    assert len(undisturbed["keyframe"]) == LAST_FRAME + 1
    _assert_equal(_contents(tmp_path), undisturbed)
