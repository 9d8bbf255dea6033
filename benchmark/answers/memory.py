"""The tour in a memory on disk, with what the suite makes of it while the robot rests."""

from __future__ import annotations

from pathlib import Path

from benchmark.stored_graph import in_order, store
from memory_nodes.dates import Dates
from memory_nodes.episodic.consolidator import IDLE_S, Consolidator
from memory_nodes.episodic.embedding_worker import EmbeddingWorker
from memory_nodes.episodic.history.config import HistoryConfig
from memory_nodes.episodic.history.teller import HistoryTeller
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.records import NS_PER_S
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer

LATER_NS = 600 * NS_PER_S
"""The questions are asked this long after the tour; its history is told by then."""
TIMEOUT_S = 60.0


async def remember(
    snapshot: Snapshot, memory_dir: Path, dates: Dates, embedder: TextEmbedder | None
) -> int:
    """Stores a graph as one episode; the time at which it may be asked about, ns."""
    keyframes = in_order(snapshot)
    now_ns = keyframes[-1].stamp_ns + LATER_NS
    writer, past = Writer(memory_dir), Past(memory_dir)
    try:
        writer.start_episode("tour", "", keyframes[0].stamp_ns)
        store(snapshot, writer)
        writer.end_episode("", keyframes[-1].stamp_ns)
        consolidator = Consolidator(writer, past, None, embedder, dates=dates)
        while await consolidator.step(now_ns) != IDLE_S:
            """Until all has its gist."""
        teller = HistoryTeller(writer, past, None, HistoryConfig(), dates)
        while await teller.step(now_ns) == 0.0:
            """Until nothing is left to tell."""
        if embedder is not None:
            worker = EmbeddingWorker(writer, embedder, TIMEOUT_S, reembed=False)
            while await worker.step() == 0.0:
                """Until no text waits for its vector."""
    finally:
        past.close()
        writer.close()
    return now_ns
