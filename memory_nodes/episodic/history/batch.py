"""What is to be told next: what has arrived, in the order of its stamps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.episodic.history.config import BATCH_SIZE
from memory_nodes.episodic.history.items import Item, observed_item, scene_item
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.past import Past


@dataclass(frozen=True)
class Batch:
    """Items by stamp, and how far the history is told with them."""

    items: tuple[Item, ...]
    told: ToldUpTo
    until_ns: int
    """All that arrived in order is told up to here."""
    is_last: bool
    """No more is there that is old enough."""


def read_batch(
    past: Past, told: ToldUpTo, horizon_ns: int, now_ns: int, size: int = BATCH_SIZE
) -> Batch:
    """What is to be told next: what has arrived, up to the first that is younger than the horizon.

    What is of a wrong clock's future is passed over: nothing may wait for that.
    """
    seen = past.observations_after(told.observation_key, size)
    scenes = past.scenes_after(told.chunk_id, size)
    streams = [
        [observed_item(each) for each in seen],
        [scene_item(scene) for scene in scenes if scene.keyframes],
    ]
    future_ns = 2 * now_ns - horizon_ns
    last_ns = [max(i.start_ns for i in stream) for stream in streams if len(stream) == size]
    until_ns = min([horizon_ns, *last_ns])
    chosen = [_up_to(stream, until_ns, future_ns) for stream in streams]
    keys = [
        stream[count - 1].key if count else None
        for stream, count in zip(streams, chosen, strict=True)
    ]
    items = [
        item
        for stream, count in zip(streams, chosen, strict=True)
        for item in stream[:count]
        if item.start_ns <= now_ns
    ]
    return Batch(
        tuple(sorted(items, key=lambda item: (item.start_ns, item.is_chunk, item.key))),
        ToldUpTo(
            chunk_id=told.chunk_id if keys[1] is None else keys[1],
            observation_key=told.observation_key if keys[0] is None else keys[0],
        ),
        until_ns=until_ns,
        is_last=all(
            stream[count].start_ns > horizon_ns if count < len(stream) else count < size
            for stream, count in zip(streams, chosen, strict=True)
        ),
    )


def _up_to(stream: Sequence[Item], until_ns: int, future_ns: int) -> int:
    """How many there are in the order of arrival up to the first that must wait."""
    waiting = (n for n, item in enumerate(stream) if until_ns < item.start_ns <= future_ns)
    return next(waiting, len(stream))
