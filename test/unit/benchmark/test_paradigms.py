"""The schedules of the paradigms are true, and both memories go through them."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import pytest

from benchmark.paradigms import PARADIGMS
from benchmark.paradigms.ours import findings
from benchmark.paradigms.peer import peer
from benchmark.paradigms.schedule import (
    Asked,
    Call,
    Episode,
    Expected,
    Finding,
    Probe,
    Schedule,
    Told,
    Wait,
)
from benchmark.peer_python import PYTHON_VARIABLE, PeerPython, peer_python
from memory_nodes.episodic.things import is_said_in
from memory_nodes.errors import ExtraMissing
from memory_nodes.records import NS_PER_S
from memory_test_support.recorded_models import HashedEmbedder

HOUR_NS = 3600 * NS_PER_S
MOVED = Schedule(
    "interference",
    (
        Episode("first", (Told(HOUR_NS, "detections", "mug", (0.0, 0.0)),)),
        Wait(4 * HOUR_NS),
        Episode("second", (Told(5 * HOUR_NS, "detections", "mug", (8.0, 0.0)),)),
        Asked(
            6 * HOUR_NS,
            (
                Probe("now", Call("locate", "mug"), Expected(near_m=((8.0, 0.0),))),
                Probe("never", Call("locate", "lamp"), Expected(says_not=("lamp",))),
                Probe(
                    "which",
                    Call("semantic_search", "mug", layer="detections"),
                    Expected(says=("mug",)),
                ),
            ),
        ),
    ),
)


def _schedule(name: str, seed: int = 0) -> Schedule:
    return PARADIGMS[name](random.Random(seed))


def _told(schedule: Schedule) -> list[Told]:
    return [item for step in schedule.steps if isinstance(step, Episode) for item in step.told]


@pytest.mark.parametrize("name", PARADIGMS)
def test_schedule_is_drawn_by_its_seed_alone(name: str) -> None:
    assert _schedule(name) == _schedule(name)
    assert _schedule(name) != _schedule(name, seed=1)


@pytest.mark.parametrize("name", PARADIGMS)
def test_time_goes_on_from_step_to_step(name: str) -> None:
    stamps_ns = []
    for step in _schedule(name).steps:
        if isinstance(step, Episode):
            stamps_ns += [item.stamp_ns for item in step.told]
        else:
            stamps_ns.append(step.until_ns if isinstance(step, Wait) else step.now_ns)
    assert stamps_ns == sorted(stamps_ns)


@pytest.mark.parametrize("name", PARADIGMS)
def test_each_probe_has_an_answer_among_what_was_told(name: str) -> None:
    schedule = _schedule(name)
    texts = [item.text for item in _told(schedule)]
    for probe in schedule.probes:
        expected = probe.expected
        if expected.is_absent:
            assert not any(is_said_in(word, text) for word in expected.says_not for text in texts)
        elif expected.says:
            assert any(
                all(is_said_in(word, text) for word in expected.says)
                and not any(is_said_in(word, text) for word in expected.says_not)
                for text in texts
            ), probe


def test_what_has_moved_is_found_where_it_was_seen_last(tmp_path: Path) -> None:
    now, never, which = asyncio.run(findings(MOVED, HashedEmbedder(), tmp_path))
    assert now == Finding("mug", "detections", (8.0, 0.0), (5 * HOUR_NS, 5 * HOUR_NS))
    assert never is None
    assert which is not None and which.text == "mug"


# A stand-in for the peer: of all that it was told it finds everything, and locates it in the mean.
EMEM = """
from types import SimpleNamespace

import numpy as np


class SpatioTemporalMemoryConfig:
    def __init__(self, **fields):
        self.fields = fields


class SpatioTemporalMemory:
    def __init__(self, db_path, config, embedding_provider, get_current_time):
        self.told, self.store, self.embedder = [], self, embedding_provider
        assert embedding_provider.dim == config.fields["embedding_dim"]

    def add(self, text, x, y, timestamp, layer_name):
        assert self.embedder.embed([text]).shape == (1, self.embedder.dim)
        self.told.append(
            SimpleNamespace(
                text=text,
                coordinates=np.array([x, y, 0.0]),
                timestamp=timestamp,
                layer_name=layer_name,
            )
        )

    def start_episode(self, name): ...
    def end_episode(self): ...
    def maintenance(self): ...
    def close(self): ...

    def semantic_search(self, query, n_results, layer=None):
        return self.told

    def locate(self, concept, n_results):
        x, y, z = np.mean([item.coordinates for item in self.told], axis=0)
        return f"Location: ({x:.1f}, {y:.1f}, {z:.1f})"
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> PeerPython:
    (tmp_path / "emem.py").write_text(EMEM, encoding="utf-8")
    return PeerPython(sys.executable, {"PYTHONPATH": str(tmp_path)})


def test_peer_goes_through_the_same_schedule_with_our_vectors(stand_in: PeerPython) -> None:
    with peer(stand_in, HashedEmbedder()) as other:
        for _ in range(2):
            now, never, which = other.findings(MOVED)
            assert now == Finding("mug", "detections", (4.0, 0.0), (HOUR_NS, HOUR_NS))
            assert never == now
            assert which == Finding("mug", "detections", (0.0, 0.0), (HOUR_NS, HOUR_NS))


def test_python_without_the_peer_is_told_with_the_way_without_it() -> None:
    nothing = PeerPython(sys.executable, {"PYTHONPATH": ""})
    with (
        pytest.raises(ExtraMissing, match="--peer none"),
        peer(nothing, HashedEmbedder()) as other,
    ):
        other.findings(MOVED)


def test_named_python_is_the_peers_and_sees_nothing_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(PYTHON_VARIABLE, "/opt/emem/bin/python")
    monkeypatch.setenv("PYTHONPATH", "/ours")
    python = peer_python()
    assert python is not None
    assert (python.executable, python.environment["PYTHONPATH"]) == ("/opt/emem/bin/python", "")


def test_there_is_no_peer_where_none_can_be_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(PYTHON_VARIABLE, raising=False)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    assert peer_python(tmp_path) is None
    assert PYTHON_VARIABLE in capsys.readouterr().out
