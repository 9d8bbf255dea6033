"""The peer, eMEM, through the same schedules, in a process of its own, with the same vectors."""

from __future__ import annotations

import asyncio
import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmark.embedders import DEADLINE_S
from benchmark.paradigms.schedule import Finding, Schedule
from benchmark.peer_python import PeerPython
from memory_nodes.errors import ExtraMissing
from memory_nodes.models.ports import TextEmbedder

_PROCESS = Path(__file__).with_name("peer_process.py")


class Peer:
    """Goes through one schedule after the other."""

    def __init__(self, process: subprocess.Popen[str], embedder: TextEmbedder) -> None:
        self._process = process
        self._embedder = embedder
        self._dimension = len(self._vectors(["memory"])[0])

    def findings(self, schedule: Schedule) -> list[Finding | None]:
        """What it finds first at each probe.

        Raises ExtraMissing where its process has ended; it has said why on the screen.
        """
        with tempfile.TemporaryDirectory(prefix="memory-bench-") as directory:
            steps = asdict(schedule)["steps"]
            self._say({"directory": directory, "dimension": self._dimension, "steps": steps})
            while "texts" in (said := self._heard()):
                self._say({"vectors": self._vectors(said["texts"])})
        return [None if item is None else _finding(item) for item in said["found"]]

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        vectors = asyncio.run(self._embedder.embed(texts, DEADLINE_S))
        return [[float(value) for value in vector] for vector in vectors]

    def _say(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def _heard(self) -> Mapping[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._ended()
        said: Mapping[str, Any] = json.loads(line)
        return said

    def _ended(self) -> ExtraMissing:
        return ExtraMissing(
            f"{self._process.args!r} has ended: name a Python that has emem, or --peer none"
        )


@contextmanager
def peer(python: PeerPython, embedder: TextEmbedder) -> Iterator[Peer]:
    """A running peer, which is ended with the block. Raises ExtraMissing where it cannot start."""
    try:
        process = subprocess.Popen(
            [python.executable, str(_PROCESS)],
            env=python.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    except OSError as error:
        raise ExtraMissing(f"the peer does not start: {error}") from error
    with process:
        try:
            yield Peer(process, embedder)
        finally:
            process.kill()


def _finding(item: Mapping[str, Any]) -> Finding:
    at_m, span_ns = item["at_m"], item["span_ns"]
    return Finding(
        text=item["text"],
        layer=item["layer"],
        at_m=None if at_m is None else (at_m[0], at_m[1]),
        span_ns=(span_ns[0], span_ns[1]),
    )
