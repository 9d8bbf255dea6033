"""The peer: eMEM, another memory for robots, as its makers publish it.

It is installed when it is first asked for, into a directory of its own, with the libraries that
both use at our versions: the two differ in nothing but themselves. Its rows are written with
synchronous=NORMAL, and its vector index only when it is closed, so "stored" means less for it.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmark.store.embedder import DIMENSION, HashedWords
from benchmark.store.system import EVERYWHERE, HITS, Where
from benchmark.store.workload import ARCHIVE_AFTER_NS, Sighting
from memory_nodes.errors import ExtraMissing
from memory_nodes.records import NS_PER_S

REQUIREMENT = "emem==0.3.0"
SHARED_LIBRARIES = ("numpy", "hnswlib", "rtree")
_SLICE_ROWS = 200


def installed(parent: Path) -> Path:
    """The directory that the peer is importable from, below ``parent``; installs it if need be.

    Raises ExtraMissing where that is not possible, for want of a network for instance.
    """
    target = parent / REQUIREMENT.replace("==", "-")
    if target.is_dir():
        return target
    print(f"bench: installing {REQUIREMENT} into {target}", flush=True)
    parent.mkdir(parents=True, exist_ok=True)
    unfinished = parent / "unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    constraints = parent / "constraints.txt"
    constraints.write_text("".join(f"{name}=={version(name)}\n" for name in SHARED_LIBRARIES))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    where = ["--target", str(unfinished), "--constraint", str(constraints)]
    done = subprocess.run([*pip, *where, REQUIREMENT], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        raise ExtraMissing(
            f"the peer {REQUIREMENT} cannot be installed ({said}); connect to a network, or name "
            "a mirror in PIP_INDEX_URL; --peer none measures without it"
        )
    unfinished.replace(target)
    return target


class Emem:
    """eMEM with the settings it comes with, but for the age at which it archives."""

    def __init__(self) -> None:
        self._memory: Any = None
        self._now_s = 0.0

    def open(self, directory: Path, now_ns: int) -> None:
        emem = importlib.import_module("emem")
        self._now_s = now_ns / NS_PER_S
        paths = {"db_path": str(directory / "m.db"), "hnsw_path": str(directory / "m.hnsw.bin")}
        archive_after_s = ARCHIVE_AFTER_NS / NS_PER_S
        self._memory = emem.SpatioTemporalMemory(
            db_path=paths["db_path"],
            config=emem.SpatioTemporalMemoryConfig(
                **paths, embedding_dim=DIMENSION, archive_after_seconds=archive_after_s
            ),
            embedding_provider=HashedWords(),
            get_current_time=lambda: self._now_s,
        )

    def close(self) -> None:
        self._memory.close()

    def start_episode(self, name: str, stamp_ns: int) -> None:
        self._now_s = stamp_ns / NS_PER_S
        self._memory.start_episode(name)

    def end_episode(self, stamp_ns: int) -> None:
        self._now_s = stamp_ns / NS_PER_S
        self._memory.end_episode()

    def add(self, sighting: Sighting) -> None:
        add = self._memory.add_body_state if sighting.is_body else self._memory.add
        add(
            sighting.text,
            layer_name=sighting.layer,
            x=sighting.x_m,
            y=sighting.y_m,
            timestamp=sighting.stamp_ns / NS_PER_S,
        )

    def flush(self) -> None:
        # save() would flush too, but also write the whole vector index each time.
        self._memory._wm.flush()

    def add_stored(self, sighting: Sighting) -> None:
        self.add(sighting)
        self.flush()

    def settle(self) -> None:
        """It builds its index as it takes in."""

    def semantic(self, text: str, where: Where = EVERYWHERE) -> str:
        narrowed: dict[str, object] = {}
        if where.center_m is not None:
            narrowed["near_x"], narrowed["near_y"] = where.center_m
            narrowed["spatial_radius"] = where.radius_m
        if where.span_ns is not None:
            since_ns, until_ns = where.span_ns
            narrowed["time_after"], narrowed["time_before"] = _time(since_ns), _time(until_ns)
        return str(self._memory.semantic_search(text, n_results=HITS, **narrowed))

    def found_texts(self, text: str, where: Where) -> list[str]:
        center = None if where.center_m is None else np.array([*where.center_m, 0.0])
        since_until = where.span_ns and tuple(stamp_ns / NS_PER_S for stamp_ns in where.span_ns)
        found = self._memory.store.semantic_search(
            text,
            n_results=HITS,
            spatial_center=center,
            spatial_radius=None if center is None else where.radius_m,
            time_range=since_until,
        )
        return [item.text if hasattr(item, "text") else item.name for item in found]

    def near(self, x_m: float, y_m: float, radius_m: float) -> str:
        return str(self._memory.spatial_query(x=x_m, y=y_m, radius=radius_m, n_results=HITS))

    def between(self, since_ns: int, until_ns: int) -> str:
        span = {"time_after": _time(since_ns), "time_before": _time(until_ns)}
        return str(self._memory.temporal_query(n_results=HITS, **span))

    def locate(self, text: str) -> str:
        return str(self._memory.locate(text))

    def recall(self, text: str) -> str:
        return str(self._memory.recall(text))

    def archive(self, limit_s: float) -> tuple[int, int]:
        """Tries a few rows as its maintenance() does; calls that only if there is time for it."""
        store, started_s = self._memory.store, time.perf_counter()
        due = store.get_observations_for_consolidation(
            older_than=self._now_s - ARCHIVE_AFTER_NS / NS_PER_S, tier="long_term"
        )
        ids = [observation.id for observation in due]
        for done in range(0, len(ids), _SLICE_ROWS):
            spent_s = time.perf_counter() - started_s
            if done > 0 and spent_s * len(ids) / done < limit_s:
                return done + int(self._memory.maintenance()), len(ids)
            if done > 0 and spent_s > limit_s:
                return done, len(ids)
            store.update_observation_tiers(
                ids[done : done + _SLICE_ROWS], "archived", drop_text=True
            )
        return len(ids), len(ids)


def _time(stamp_ns: int) -> str:
    """A time as its tools read it."""
    return str(stamp_ns / NS_PER_S)
