"""What is to be told next: what has arrived, in the order of its stamps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_nodes.episodic.history.clock import SetBack, Stream, stream_of
from memory_nodes.episodic.history.config import BATCH_SIZE
from memory_nodes.episodic.history.items import Item, observed_item, scene_item
from memory_nodes.store.history_nodes import ToldUpTo
from memory_nodes.store.past import Past

LOOK_BACK = 100
"""So much of what came before tells whether the clock was set back."""


@dataclass(frozen=True)
class Batch:
    """Items by stamp, and how far the history is told with them."""

    items: tuple[Item, ...]
    told: ToldUpTo
    until_ns: int
    """All that arrived in order is told up to here."""
    is_last: bool
    """No more is there that is old enough."""
    set_back: tuple[SetBack, ...] = ()
    """The clock, right before some of the items."""


def read_batch(
    past: Past, told: ToldUpTo, horizon_ns: int, now_ns: int, size: int = BATCH_SIZE
) -> Batch:
    """What has arrived, up to the first that is younger than the horizon.

    What is of a wrong clock's future is passed over: nothing may wait for that. Where the clock
    was set back the batch ends, with all that arrived before: it will not grow older.
    """
    slack_ns = now_ns - horizon_ns
    streams = (
        _observed(past, told.observation_key, slack_ns, now_ns, size),
        _scenes(past, told.chunk_id, slack_ns, now_ns, size),
    )
    ends = [stream.end for stream in streams if stream.end is not None]
    last_ns = [max(i.start_ns for i in each.items) for each in streams if each.is_full]
    until_ns = min([horizon_ns, *last_ns, *(end.to_ns for end in ends)])
    reached_ns = max(stream.reached_ns for stream in streams)
    ripe_ns = max(min([horizon_ns, *last_ns]), reached_ns)
    chosen = [_ripe(stream, ripe_ns, now_ns + slack_ns) for stream in streams]
    keys = [items[-1].key if items else None for items in chosen]
    shown = [i for items in chosen for i in items if i.start_ns <= max(now_ns, reached_ns)]
    return Batch(
        tuple(sorted(shown, key=lambda item: (item.start_ns, item.is_chunk, item.key))),
        ToldUpTo(
            chunk_id=told.chunk_id if keys[1] is None else keys[1],
            observation_key=told.observation_key if keys[0] is None else keys[0],
        ),
        until_ns=until_ns,
        is_last=not ends
        and all(
            stream.items[len(items)].start_ns > horizon_ns
            if len(items) < len(stream.items)
            else not stream.is_full
            for stream, items in zip(streams, chosen, strict=True)
        ),
        set_back=tuple(stream.begin for stream in streams if stream.begin is not None),
    )


def _observed(past: Past, told_key: int, slack_ns: int, now_ns: int, size: int) -> Stream:
    seen = past.observations_after(max(0, told_key - LOOK_BACK), size + LOOK_BACK)
    items = [observed_item(each) for each in seen]
    before = [item for item in items if item.key <= told_key]
    fresh = items[len(before) :][:size]
    return stream_of(before, fresh, slack_ns, now_ns, is_full=len(fresh) == size)


def _scenes(past: Past, told_id: int, slack_ns: int, now_ns: int, size: int) -> Stream:
    last = past.scene(told_id)
    before = [scene_item(last)] if last.keyframes else []
    fresh = [scene_item(each) for each in past.scenes_after(told_id, size) if each.keyframes]
    return stream_of(before, fresh, slack_ns, now_ns, is_full=len(fresh) == size)


def _ripe(stream: Stream, ripe_ns: int, future_ns: int) -> Sequence[Item]:
    """In the order of arrival up to the first that must wait."""
    if stream.end is not None:
        return stream.items
    waiting = (n for n, item in enumerate(stream.items) if ripe_ns < item.start_ns <= future_ns)
    return stream.items[: next(waiting, len(stream.items))]
