"""The peer, eMEM, is told what each keyframe shows, and asked for what it finds by meaning.

It runs in a process of its own, with its own libraries and the vectors that all others have too.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmark.peer_python import PeerPython
from benchmark.retrieval.embedding import KnownTexts
from benchmark.retrieval.memory import AskedMemory
from benchmark.retrieval.scores import Outcome
from benchmark.retrieval.systems import first, text_of
from memory_nodes.records import NS_PER_S

_PROCESS = Path(__file__).with_name("peer_process.py")


def ask_peer(
    memory: AskedMemory, texts: Sequence[str], embedder: KnownTexts, python: PeerPython
) -> list[Outcome]:
    """One outcome for each question of the memory, asked in these wordings.

    It gives no scores with what it finds, so everything counts as seen. Raises
    subprocess.CalledProcessError when it fails; it has said why on the screen.
    """
    told = _observations(memory)
    embedder.prepare([item["text"] for item in told])
    known = list(dict.fromkeys([*(item["text"] for item in told), *texts]))
    with tempfile.TemporaryDirectory(prefix="memory-bench-") as name:
        directory = Path(name)
        np.save(directory / "vectors.npy", embedder.matrix(known))
        work = {"texts": known, "observations": told, "questions": list(texts)}
        (directory / "work.json").write_text(json.dumps(work), encoding="utf-8")
        command = [python.executable, str(_PROCESS), name]
        subprocess.run(command, env=python.environment, check=True)
        found = json.loads((directory / "found.json").read_text(encoding="utf-8"))
    key_at = {item.stamp_ns: key for key, item in memory.snapshot.keyframes.items()}
    return [
        Outcome(question, first(key_at[round(s * NS_PER_S)] for s in stamps_s), True, ms)
        for question, (stamps_s, ms) in zip(memory.questions, found, strict=True)
    ]


def _observations(memory: AskedMemory) -> list[dict[str, Any]]:
    """One for each view, in order of time."""
    told = []
    for key in sorted(memory.snapshot.objects_by_keyframe):
        keyframe = memory.snapshot.keyframes[key]
        x_m, y_m, _ = keyframe.map_from_base.position_m
        at = {"x": x_m, "y": y_m, "timestamp": keyframe.stamp_ns / NS_PER_S}
        shown = memory.snapshot.objects_by_keyframe[key]
        told += [{"text": text_of(item), **at} for item in shown]
    return told
