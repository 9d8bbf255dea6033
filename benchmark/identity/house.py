"""Identities in the synthetic house: ten days of changes, one chair, five equal chairs."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmark.identity.changes import ChangeTally
from benchmark.identity.resolver import Resolver
from benchmark.identity.scores import TrueOfView, identity_figures, main_things
from memory_nodes.records import Box, ObjectDescriptor
from memory_test_support.house import (
    AssociatingModel,
    DetectedChunk,
    HouseDay,
    HouseOptions,
    dining_table,
    family_house,
    one_chair,
    patrol,
)

TEN_DAYS = HouseOptions(days=10, down_day=6)
UNCHANGED = replace(TEN_DAYS, moved_per_day=0, removed_per_day=0, down_day=None)
CHAIR_VIEWS = 300
CALL_TIMEOUT_S = 30.0


class HouseMemory:
    """A memory of chunks of the house, and what its views truly show."""

    def __init__(self, memory_dir: Path, error_rate: float | None) -> None:
        self._model = AssociatingModel(error_rate) if error_rate is not None else None
        self.resolver = Resolver(memory_dir, self._model, CALL_TIMEOUT_S)
        self._thing_of: dict[tuple[int, Box], str] = {}

    async def take(self, chunks: Iterable[DetectedChunk]) -> None:
        """Resolves and stores chunks."""
        for chunk in chunks:
            self.show(chunk)
            await self.resolver.take(chunk.graph)

    def show(self, chunk: DetectedChunk) -> None:
        """Makes the truth of a chunk known to the model and to the figures."""
        self._thing_of.update(chunk.thing_of)
        if self._model is not None:
            self._model.show(chunk)

    def true_of_view(self, objects: Sequence[ObjectDescriptor]) -> TrueOfView:
        """The thing in each view of the objects."""
        return {
            (item.object_id, view.keyframe_id): self._thing_of[(view.keyframe_id, view.box)]
            for item in objects
            for view in item.views
        }


def house_days() -> list[HouseDay]:
    """Ten days, on the sixth of which the detector is down."""
    return list(patrol(family_house(), TEN_DAYS))


def ten_days(days: Sequence[HouseDay], error_rate: float | None) -> dict[str, float]:
    """Identities after the last day, and statuses at the end of each.

    Args:
        error_rate: of the model, as a share of identities; None: there is no model.
    """
    tally = ChangeTally()
    with tempfile.TemporaryDirectory() as directory:
        memory = HouseMemory(Path(directory), error_rate)
        with memory.resolver as resolver:
            for day in days:
                asyncio.run(memory.take(day.chunks))
                objects = resolver.reader.objects()
                tally.end_day(day, objects, memory.true_of_view(objects))
    centres_m = {thing.thing_id: thing.centre_m for thing in days[-1].standing.things}
    true_of_view = memory.true_of_view(objects)
    doors = [name for name in main_things(true_of_view).values() if name.startswith("door_")]
    return {
        **identity_figures(objects, true_of_view, centres_m),
        **tally.figures(),
        "three_doors": len(doors),
        **resolver.figures(),
    }


def one_chair_300(error_rate: float | None) -> int:
    """Objects in the memory after one chair was seen three hundred times."""
    options = replace(UNCHANGED, days=1, miss_rate=0.0)
    objects, _ = _remembered(patrol(one_chair(CHAIR_VIEWS), options), error_rate)
    return len(objects)


def five_chairs(error_rate: float | None, days: int = 10) -> int:
    """Identities that are chairs after days at a table with five."""
    options = replace(UNCHANGED, days=days)
    _, true_of_view = _remembered(patrol(dining_table(), options), error_rate)
    return sum(name.startswith("chair_") for name in main_things(true_of_view).values())


def _remembered(
    days: Iterable[HouseDay], error_rate: float | None
) -> tuple[list[ObjectDescriptor], TrueOfView]:
    with tempfile.TemporaryDirectory() as directory:
        memory = HouseMemory(Path(directory), error_rate)
        with memory.resolver as resolver:
            for day in days:
                asyncio.run(memory.take(day.chunks))
            objects = resolver.reader.objects()
    return objects, memory.true_of_view(objects)
