"""A recording in, a memory out."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

from memory_nodes.errors import InputError, StoreMissing
from memory_nodes.models.ports import ChatModel
from memory_nodes.perception.spool import SPOOL_NAME, Spool
from memory_nodes.records import Counts
from memory_nodes.replay.bag import Bag
from memory_nodes.replay.recording import BagRecorder, Progress, RecordingConfig
from memory_nodes.replay.remembering import Rememberer
from memory_nodes.store.database import DATABASE_NAME
from memory_nodes.store.reader import Reader


@dataclass(frozen=True)
class Replayed:
    """What became of a recording."""

    images: Mapping[str, int]
    """Images by what became of them; empty where none were read."""
    counts: Counts
    """Of the whole memory."""
    problems: tuple[str, ...]
    """What a person should see to."""
    notes: tuple[str, ...]
    """What was wrong with single replies of the model, and was mended or left out."""


def replay(
    recording: Path | None,
    memory_dir: Path,
    config: RecordingConfig,
    model: ChatModel,
    call_timeout_s: float,
    progress: Progress,
    *,
    appends: bool = False,
) -> Replayed:
    """Makes a memory of a recording; without one, goes on with what waits on disk.

    Args:
        appends: to a memory that is there; the recording must be of a later time.

    Raises:
        InputError: it cannot be read, or there is a memory already.
        ModelUnavailable: the model stays away; what was read waits on disk.
        StoreLocked: a node writes this memory.
    """
    if recording is not None and not appends:
        _check_new(memory_dir)
    images: Mapping[str, int] = {}
    problems: list[str] = []
    with ExitStack() as opened:
        bag = None
        if recording is not None:  # before the spool: what cannot be read leaves nothing behind
            bag = opened.enter_context(Bag(recording))
            config = replace(config, topics=config.topics.found_in(bag.types))
        spool = opened.enter_context(closing(Spool(memory_dir)))
        _start_after_what_is_stored(spool, memory_dir)
        if bag is not None:
            recorder = BagRecorder(memory_dir, spool, config)
            recorder.record(bag, progress)
            images = recorder.counters
            problems += recorder.problems.values()
        with Rememberer(
            memory_dir, spool, model, config.suite, config.detection, call_timeout_s
        ) as rememberer:
            asyncio.run(rememberer.remember(progress))
            problems += rememberer.problems
            counts = rememberer.counts()
    if recording is not None and not images.get("keyframes"):
        problems.insert(0, "no image became a keyframe: see what became of them")
    return Replayed(images, counts, tuple(problems), tuple(rememberer.notes))


def _check_new(memory_dir: Path) -> None:
    for name in (DATABASE_NAME, SPOOL_NAME):
        if (memory_dir / name).exists():
            raise InputError(
                f"{memory_dir} holds {name} already: give a new directory, or say that the "
                "recording is to be added"
            )


def _start_after_what_is_stored(spool: Spool, memory_dir: Path) -> None:
    """The spool may be gone, as after a backup; ids go on all the same."""
    with closing(Reader(memory_dir)) as reader:
        try:
            counts, latest = reader.counts(), reader.latest_keyframe()
        except StoreMissing:
            return
    spool.start_after(latest.keyframe_id if latest else 0, counts.last_chunk_id)
