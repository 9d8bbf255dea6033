"""What the peer does, alone with its libraries; it takes schedules and asks for vectors by lines.

Each line of the input is a JSON object: a schedule to go through, or the vectors that were asked
for. Each line of the output is one too: texts to be embedded, or what was found.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

NS_PER_S = 1_000_000_000
HITS = 10
"""As many as its tools give by themselves."""
ARCHIVE_AFTER_S = 3600.0
_PLACE = re.compile(r"Location: \((-?[\d.]+), (-?[\d.]+), -?[\d.]+\)")


class _Asking:
    """An embedding provider, as eMEM wants one, that asks whoever has started this process."""

    def __init__(self, dimension: int) -> None:
        self.dim = dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        _say({"texts": list(texts)})
        return np.array(json.loads(sys.stdin.readline())["vectors"], np.float32)


def main() -> None:
    for line in sys.stdin:
        work = json.loads(line)
        life = _Life(Path(work["directory"]), work["dimension"])
        _say({"found": life.through(work["steps"])})


class _Life:
    """One memory from its beginning to its end."""

    def __init__(self, directory: Path, dimension: int) -> None:
        emem = importlib.import_module("emem")
        paths = {"db_path": str(directory / "m.db"), "hnsw_path": str(directory / "m.hnsw.bin")}
        self._now_s = 0.0
        self._memory = emem.SpatioTemporalMemory(
            db_path=paths["db_path"],
            config=emem.SpatioTemporalMemoryConfig(
                **paths, embedding_dim=dimension, archive_after_seconds=ARCHIVE_AFTER_S
            ),
            embedding_provider=_Asking(dimension),
            get_current_time=lambda: self._now_s,
        )

    def through(self, steps: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any] | None]:
        """What was found first at each probe."""
        found: list[Mapping[str, Any] | None] = []
        for step in steps:
            if "told" in step:
                self._tell(step["name"], step["told"])
            elif "until_ns" in step:
                self._now_s = step["until_ns"] / NS_PER_S
                self._memory.maintenance()
            else:
                self._now_s = step["now_ns"] / NS_PER_S
                found += [self._found(probe["call"]) for probe in step["probes"]]
        self._memory.close()
        return found

    def _tell(self, name: str, told: Sequence[Mapping[str, Any]]) -> None:
        self._now_s = told[0]["stamp_ns"] / NS_PER_S
        self._memory.start_episode(name)
        for item in told:
            self._now_s = item["stamp_ns"] / NS_PER_S
            x_m, y_m = item["at_m"]
            self._memory.add(
                item["text"], x=x_m, y=y_m, timestamp=self._now_s, layer_name=item["layer"]
            )
        self._memory.end_episode()

    def _found(self, call: Mapping[str, Any]) -> Mapping[str, Any] | None:
        search = {
            "semantic_search": self._by_meaning,
            "spatial_query": self._around,
            "temporal_query": self._between,
            "locate": self._by_meaning,
        }[call["tool"]]
        hits = search(call, HITS)
        if not hits:
            return None
        first = _finding(hits[0])
        return {**first, "at_m": self._located(call)} if call["tool"] == "locate" else first

    def _located(self, call: Mapping[str, Any]) -> list[float] | None:
        """The place that it says; it says it of all hits together."""
        times = {
            name: str(stamp_ns / NS_PER_S)
            for name, stamp_ns in zip(("time_after", "time_before"), _span_ns(call), strict=True)
            if stamp_ns is not None
        }
        said = _PLACE.match(self._memory.locate(call["text"], n_results=HITS, **times))
        return None if said is None else [float(said[1]), float(said[2])]

    def _by_meaning(self, call: Mapping[str, Any], hits: int) -> list[Any]:
        return list(
            self._memory.store.semantic_search(call["text"], n_results=hits, **_limits(call))
        )

    def _around(self, call: Mapping[str, Any], hits: int) -> list[Any]:
        limits = _limits(call)
        center, radius = limits.pop("spatial_center"), limits.pop("spatial_radius")
        return list(
            self._memory.store.spatial_query(center=center, radius=radius, n_results=hits, **limits)
        )

    def _between(self, call: Mapping[str, Any], hits: int) -> list[Any]:
        limits = {"reference_time": self._now_s, **_limits(call)}
        return list(self._memory.store.temporal_query(n_results=hits, **limits))


def _limits(call: Mapping[str, Any]) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    since_ns, until_ns = _span_ns(call)
    if since_ns is not None and until_ns is not None:
        limits["time_range"] = (since_ns / NS_PER_S, until_ns / NS_PER_S)
    if call["layer"]:
        limits["layer"] = call["layer"]
    if call["near_m"] is not None:
        limits["spatial_center"] = np.array([*call["near_m"], 0.0])
        limits["spatial_radius"] = call["radius_m"]
    return limits


def _span_ns(call: Mapping[str, Any]) -> tuple[int | None, int | None]:
    return call["since_ns"], call["until_ns"]


def _finding(item: Any) -> dict[str, Any]:
    """Of an observation, a gist or an entity."""
    place = item.coordinates if hasattr(item, "coordinates") else item.center_position
    ends_s = (
        (item.timestamp, item.timestamp)
        if hasattr(item, "timestamp")
        else (item.time_start, item.time_end)
        if hasattr(item, "time_start")
        else (item.first_seen, item.last_seen)
    )
    return {
        "text": item.text if hasattr(item, "text") else item.name,
        "layer": getattr(item, "layer_name", None) or "",
        "at_m": [float(value) for value in place[:2]],
        "span_ns": [round(value * NS_PER_S) for value in ends_s],
    }


def _say(message: Mapping[str, Any]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
