"""Ways to find the keyframes for a question: ours, and flat search over texts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from benchmark.retrieval.embedding import DEADLINE_S, KnownTexts
from benchmark.retrieval.memory import AskedMemory
from benchmark.retrieval.pictures import Pictures
from benchmark.retrieval.scores import MAX_KEYFRAMES, Outcome
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.prompt import answer_prompt, prompt_tokens, room_for_context
from memory_nodes.geometry import Array
from memory_nodes.models.ports import TextEmbedder
from memory_nodes.records import ObjectDescriptor
from memory_nodes.retrieval.context import ContextLimits, serialise
from memory_nodes.retrieval.object_scores import Meaning
from memory_nodes.retrieval.object_vectors import ObjectVectors
from memory_nodes.retrieval.ranking import Ranking, rank
from memory_nodes.retrieval.retriever import RetrievalConfig
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.retrieval.visual import Sightings
from memory_nodes.store.schema import object_text
from memory_test_support.tour import Question

CONFIG = AnswererConfig()
SEEN = RetrievalConfig()


class System(Protocol):
    """Ranks keyframes for questions about one memory."""

    def ask(self, question: Question, text: str) -> Outcome:
        """For the question in one wording."""
        ...


class Graph:
    """Ours: the graph by words (GR), with meaning (hybrid), with pictures (GER)."""

    def __init__(
        self,
        snapshot: Snapshot,
        embedder: TextEmbedder | None = None,
        pictures: Pictures | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._pictures = pictures
        self._loop = asyncio.new_event_loop()
        self._vectors = None if embedder is None else ObjectVectors(embedder, DEADLINE_S)
        if self._vectors is not None:
            while self._loop.run_until_complete(self._vectors.learn(snapshot)):
                pass
        rank("", snapshot, MAX_KEYFRAMES)  # the index is made once, before the first question

    def ask(self, question: Question, text: str) -> Outcome:
        seen: Sightings | None = None
        if self._pictures is not None:
            seen = self._pictures.look_for(question, text)
        started_ns = time.perf_counter_ns()
        meaning = self._meaning(text)
        ranking = rank(text, self._snapshot, MAX_KEYFRAMES, meaning, seen)
        ms = (time.perf_counter_ns() - started_ns) / 1e6
        is_seen = ranking.best_score >= SEEN.least_score(knows_meaning=bool(meaning))
        ids = tuple(hit.keyframe.keyframe_id for hit in ranking.keyframes)
        return Outcome(question, ids, is_seen, ms, self._tokens(text, ranking))

    def _meaning(self, text: str) -> Meaning:
        if self._vectors is None:
            return {}
        return self._loop.run_until_complete(self._vectors.meaning(text, self._snapshot))

    def _tokens(self, text: str, ranking: Ranking) -> int:
        now_ns = max(item.stamp_ns for item in self._snapshot.keyframes.values())
        room = room_for_context(text, CONFIG.max_prompt_tokens)
        limits = ContextLimits(room, CONFIG.max_context_objects, CONFIG.max_described_objects)
        context = serialise(self._snapshot, ranking, now_ns, limits)
        return prompt_tokens(answer_prompt(text, context, CONFIG.answer_temperature))


class OnlyPictures:
    """What the vectors of pictures find by themselves."""

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    def ask(self, question: Question, text: str) -> Outcome:
        started_ns = time.perf_counter_ns()
        found = self._pictures.look_for(question, text)
        best: dict[int, float] = {}
        for shares in found.values():
            for key, share in shares.items():
                best[key] = max(share, best.get(key, 0.0))
        ids = sorted(best, key=lambda key: -best[key])[:MAX_KEYFRAMES]
        ms = (time.perf_counter_ns() - started_ns) / 1e6
        return Outcome(question, tuple(ids), True, ms)


class Flat:
    """Plain cosine over texts, each with the keyframes that it stands for."""

    def __init__(
        self, texts: Sequence[str], keyframe_ids: Sequence[Sequence[int]], embedder: KnownTexts
    ) -> None:
        embedder.prepare(texts)
        self._matrix = embedder.matrix(texts)
        self._keyframe_ids = keyframe_ids
        self._embedder = embedder

    def ask(self, question: Question, text: str) -> Outcome:
        started_ns = time.perf_counter_ns()
        cosines: Array = self._matrix @ self._embedder.matrix([text])[0]
        order = np.argsort(-cosines, kind="stable")
        ids = first(key for row in order for key in self._keyframe_ids[row])
        ms = (time.perf_counter_ns() - started_ns) / 1e6
        return Outcome(question, ids, True, ms)


def flat_objects(memory: AskedMemory, embedder: KnownTexts) -> Flat:
    """A text an object, with the keyframes that show it, the newest first."""
    objects = memory.snapshot.objects
    shown = [[view.keyframe_id for view in reversed(item.views)] for item in objects]
    return Flat([text_of(item) for item in objects], shown, embedder)


def flat_captions(memory: AskedMemory, embedder: KnownTexts) -> Flat:
    """A text a keyframe: what it shows. The model reads its first 256 word pieces."""
    shown = memory.snapshot.objects_by_keyframe
    captions = [", ".join(text_of(item) for item in items) for items in shown.values()]
    return Flat(captions, [[key] for key in shown], embedder)


def text_of(item: ObjectDescriptor) -> str:
    """As the store keeps it."""
    return object_text(item.type, item.description, list(item.attributes.values()))


def first(keyframe_ids: Iterable[int]) -> tuple[int, ...]:
    """The first few, without repeats."""
    found: dict[int, None] = {}
    for key in keyframe_ids:
        found[key] = None
        if len(found) == MAX_KEYFRAMES:
            break
    return tuple(found)
