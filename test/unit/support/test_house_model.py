"""The model of the synthetic house tells what its boxes truly show, less its errors."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from memory_nodes.models.ports import Prompt
from memory_nodes.records import NS_PER_S
from memory_test_support.house import (
    AssociatingModel,
    DetectedChunk,
    HouseOptions,
    dining_table,
    patrol,
)

OPTIONS = HouseOptions(days=2, moved_per_day=0, removed_per_day=0, chunk_size=16)


def _entries(chunk: DetectedChunk, prefix: str) -> dict[str, dict[str, Any]]:
    """The objects of a chunk as a prompt lists them, by the thing that each is."""
    entries = {}
    for item in chunk.graph.objects:
        newest = item.views[-1]
        box = newest.box
        sides_px = [round(side) for side in (box.x0_px, box.y0_px, box.x1_px, box.y1_px)]
        entries[chunk.thing_of[(newest.keyframe_id, box)]] = {
            "id": f"{prefix}{item.object_id}",
            "frame": newest.keyframe_id,
            "box_px": " ".join(map(str, sides_px)),
        }
    return entries


def _frames(*chunks: DetectedChunk) -> dict[str, float]:
    """Ages at time 0."""
    return {
        str(taken.keyframe_id): -taken.stamp_ns / NS_PER_S
        for chunk in chunks
        for taken in chunk.graph.chunk.keyframes
    }


def _mapping(
    model: AssociatingModel,
    known: list[dict[str, Any]],
    chunk: list[dict[str, Any]],
    frames: dict[str, float],
) -> dict[str, str | None]:
    body = {"task": "association", "end_ns": 0, "frames": frames, "known": known, "chunk": chunk}
    text = json.dumps(body)
    reply = asyncio.run(model.complete(Prompt("association", "Which is which?", text, {}), 1.0))
    # "Which is which?" are three words.
    assert reply.prompt_tokens == round(1.3 * (3 + len(text.split())))
    return {pair["local_id"]: pair["known_id"] for pair in json.loads(reply.text)["mapping"]}


def _two_days(error_rate: float) -> tuple[AssociatingModel, DetectedChunk, DetectedChunk]:
    first, second = (day.chunks[0] for day in patrol(dining_table(), OPTIONS))
    model = AssociatingModel(error_rate)
    for chunk in (first, second):
        model.show(chunk)
    return model, first, second


def test_model_without_errors_tells_twins_apart_and_new_things_from_known_ones() -> None:
    model, first, second = _two_days(0.0)
    known, seen = _entries(first, "known "), _entries(second, "")
    del known["chair_3"]
    mapping = _mapping(model, list(known.values()), list(seen.values()), _frames(first, second))
    assert len(mapping) == 6
    for name, entry in seen.items():
        assert mapping[entry["id"]] == (known[name]["id"] if name in known else None)


def test_box_that_it_was_not_shown_is_new_to_the_model() -> None:
    model, first, _ = _two_days(0.0)
    (entry, *_) = _entries(first, "").values()
    frames = {**_frames(first), "999": 0.5}
    moved = {**entry, "frame": 999}
    assert _mapping(model, [entry], [moved], frames) == {entry["id"]: None}


def test_model_that_always_errs_is_never_right() -> None:
    model, first, second = _two_days(1.0)
    known, seen = _entries(first, "known "), _entries(second, "")
    mapping = _mapping(model, list(known.values()), list(seen.values()), _frames(first, second))
    assert all(mapping[entry["id"]] != known[name]["id"] for name, entry in seen.items())
