"""What a memory still knows after a year in which its texts were dropped.

The goals: hit_rate 0.98 at every delay, false_alarms 0.05. The paper: hits at ceiling, false alarms
0.155. Source: eMEM, section on the retention curve.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmark.retention import life
from benchmark.retention.household import ABSENT, SEEN
from memory_nodes.answering.naming import meant
from memory_nodes.episodic.consolidator import IDLE_S, ConsolidationConfig, Consolidator
from memory_nodes.episodic.embedding_worker import EmbeddingWorker
from memory_nodes.episodic.gist_text import SEEN as SEEN_LABEL
from memory_nodes.episodic.things import things
from memory_nodes.models.local_embeddings import MiniLMEmbedder
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.records import NS_PER_S, ItemKind
from memory_nodes.store.hits import Hit
from memory_nodes.store.past import Past
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer

DELAYS_S = {
    "1 hour": 3600,
    "1 day": 86_400,
    "1 week": 7 * 86_400,
    "1 month": 30 * 86_400,
    "1 year": 365 * 86_400,
}
HITS = 10
TIMEOUT_S = 60.0
_CONFIG = ConsolidationConfig(archive_after_s=3600.0)
"""As the paper has it: from the first day on, the texts of the tour are gone."""
_DAILY = range(1, 31)
_WEEKLY = range(37, 366, 7)
_FREE_DAYS = 3
"""On every third day the rounds are in no episode."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--embedder",
        choices=("none", "minilm"),
        default="none",
        help="minilm also searches by meaning, and needs ./dev setup --models",
    )


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """hit_rate and false_alarms at each delay after the tour, of as many seen as absent things.

    A thing counts as known where one of the first HITS hits of a search for its name names it: an
    entity that is called so, or a gist or an observation with it in a list of detections. What is
    called so but for number and describing words (``naming.meant``) is it; a text that only holds
    its words is not.
    """
    embedder = MiniLMEmbedder() if arguments.embedder == "minilm" else None
    with tempfile.TemporaryDirectory() as directory:
        return asyncio.run(_Robot(Path(directory), embedder).year())


class _Robot:
    """Lives in the house, and is asked."""

    def __init__(self, memory_dir: Path, embedder: TextEmbedder | None) -> None:
        self._writer = Writer(memory_dir)
        self._past = Past(memory_dir)
        self._search = Search(memory_dir)
        self._embedder = embedder
        self._consolidator = Consolidator(self._writer, self._past, None, embedder, _CONFIG)

    async def year(self) -> dict[str, Any]:
        """Lives through it; the figures of every delay, and what the memory holds then."""
        days = [*_DAILY, *_WEEKLY]
        figures: dict[str, Any] = {"seen": sum(map(len, SEEN.values())), "absent": len(ABSENT)}
        self._live(0)
        for name, delay_s in DELAYS_S.items():
            now_ns = life.START_NS + delay_s * NS_PER_S
            while days and life.START_NS + days[0] * life.DAY_NS < now_ns:
                day = days.pop(0)
                self._live(day)
                await self._rest(life.START_NS + (day * life.DAY_NS) + life.DAY_NS // 2)
            await self._rest(now_ns)
            figures[name] = await self._probe()
        counts = self._writer.counts()
        figures |= {
            "observations": counts.observations,
            "gists": counts.gists,
            "entities": counts.entities,
            "archived": self._archived(),
        }
        self._search.close()
        self._past.close()
        self._writer.close()
        return figures

    def _live(self, day: int) -> None:
        """A day's round, in an episode or in none."""
        seen = list(life.round_of(day)) if day else list(life.tour())
        is_free = day % _FREE_DAYS == 1
        if not is_free:
            self._writer.start_episode(f"round of day {day}", "", seen[0].stamp_ns)
        for observation in seen:
            self._writer.submit(observation)
        self._writer.flush()
        if not is_free:
            self._writer.end_episode("", seen[-1].stamp_ns)

    async def _rest(self, now_ns: int) -> None:
        """Consolidates, archives and embeds what waits."""
        while await self._consolidator.step(now_ns) != IDLE_S:
            pass
        embedder = self._embedder
        if embedder is not None:
            worker = EmbeddingWorker(self._writer, embedder, TIMEOUT_S, reembed=False)
            while await worker.step() == 0.0:
                pass

    async def _probe(self) -> dict[str, float]:
        seen = [name for names in SEEN.values() for name in names]
        hits, alarms = await self._known(seen), await self._known(ABSENT)
        return {
            "hit_rate": round(len(hits) / len(seen), 3),
            "false_alarms": round(len(alarms) / len(ABSENT), 3),
        }

    async def _known(self, names: Sequence[str]) -> list[str]:
        vectors = await self._embedder.embed(names, TIMEOUT_S) if self._embedder else None
        return [
            name
            for number, name in enumerate(names)
            if any(
                _names(hit, name)
                for hit in self._search.hybrid(
                    name, None if vectors is None else vectors[number], HITS, per_text=1
                ).hits
            )
        ]

    def _archived(self) -> int:
        with self._writer.database.reading() as connection:
            row = connection.execute("SELECT count(*) FROM observation WHERE text_key IS NULL")
            return int(row.fetchone()[0])


def _names(hit: Hit, name: str) -> bool:
    """Whether a hit names a thing, by the rule of ``run``."""
    if hit.kind == ItemKind.ENTITY:
        return bool(meant(name, [hit.text]))
    if hit.kind == ItemKind.GIST:
        _, _, listed = hit.text.partition(SEEN_LABEL)
        return bool(meant(name, things(listed.partition(". ")[0])))
    return hit.layer == "detections" and bool(meant(name, things(hit.text)))
