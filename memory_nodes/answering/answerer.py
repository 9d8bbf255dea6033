"""One question in, one answer with its evidence out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory_nodes.answering.change_question import ChangeQuestion, change_question
from memory_nodes.answering.changes import change_answer
from memory_nodes.answering.extractive import NOT_SEEN, extractive_answer
from memory_nodes.answering.prompt import (
    ModelAnswer,
    answer_prompt,
    read_answer,
    room_for_context,
)
from memory_nodes.answering.relation_question import relation_question
from memory_nodes.answering.relations import RelationFacts, relation_facts
from memory_nodes.dates import Dates
from memory_nodes.errors import InputError, ModelError, StoreMissing
from memory_nodes.models.ports import ChatModel, Prompt, Reply
from memory_nodes.parameters import parameter
from memory_nodes.records import Answer, ObjectDescriptor, Relation, RetrievedKeyframe
from memory_nodes.retrieval.context import (
    evidence_line,
    serialise,
    shown_objects,
    shown_relations,
    written,
)
from memory_nodes.retrieval.ranking import Ranking, retrieved
from memory_nodes.retrieval.retriever import Retriever
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.times import EVER_NS

MODES = ("auto", "graph", "visual")
MAX_QUESTION_CHARS = 2000


@dataclass(frozen=True)
class AnswererConfig:
    """How questions are answered."""

    max_keyframes: int = parameter(5, "keyframes in an answer", low=1, high=50)
    max_context_objects: int = parameter(60, "objects in the prompt", low=1, high=500)
    max_prompt_tokens: int = parameter(
        4000,
        "size of the answer prompt, estimated; what has no room is left out, and counted",
        low=1000,
        high=1_000_000,
    )
    answer_temperature: float = parameter(0.7, "of the answering model", low=0.0, high=2.0)
    answer_timeout_s: float = parameter(
        20.0,
        "time for one answer; at its end it comes without the model",
        unit="s",
        low=0.1,
        high=600.0,
    )


class Answerer:
    """Answers questions from the memory. Source: VL-KnG, section 6.3 (GraphRAG).

    ``dates``: of the times in questions.
    """

    def __init__(
        self,
        model: ChatModel | None,
        snapshots: SnapshotCache,
        config: AnswererConfig,
        dates: Dates,
        retriever: Retriever | None = None,
    ) -> None:
        self._model = model
        self._retriever = retriever if retriever is not None else Retriever()
        self._snapshots = snapshots
        self._config = config
        self._dates = dates

    async def answer(
        self,
        question: str,
        now_ns: int,
        mode: str = "auto",
        wanted: Filter | None = None,
        max_keyframes: int = 0,
    ) -> Answer:
        """Answers from the graph; never fails for want of a model or of a memory.

        Raises InputError for a question that is empty or too long, or a mode that is unknown.
        """
        _check(question, mode)
        started_ns = time.monotonic_ns()
        try:
            everything = self._snapshots.current()
        except StoreMissing as error:
            return Answer(question, NOT_SEEN, False, now_ns, problems=(str(error),))
        count = max_keyframes if max_keyframes > 0 else self._config.max_keyframes
        asked = change_question(question, now_ns, self._dates) if mode == "auto" else None
        if asked is not None:
            return replace(
                self._changes(question, asked, wanted or Filter(), everything, now_ns, count),
                latency_ns=time.monotonic_ns() - started_ns,
            )
        snapshot = everything.filtered(wanted or Filter())
        found = await self._retriever.retrieve(
            question, snapshot, count, uses_pictures=mode != "graph"
        )
        facts, ranking = self._relations(question, snapshot, wanted), found.ranking
        is_seen = bool(ranking.keyframes) and found.is_seen
        if facts is not None and not is_seen:
            ranking = facts.ranking(snapshot, count)
        if facts is None and not is_seen:
            answer = Answer(question, NOT_SEEN, False, now_ns)
        else:
            answer = await self._reason(question, snapshot, ranking, facts, now_ns)
        return replace(
            answer,
            problems=(*answer.problems, *found.problems),
            latency_ns=time.monotonic_ns() - started_ns,
        )

    def _changes(
        self,
        question: str,
        asked: ChangeQuestion,
        wanted: Filter,
        everything: Snapshot,
        now_ns: int,
        count: int,
    ) -> Answer:
        """Within the bounds of the filter too; its times are those of the changes."""
        since_ns = EVER_NS if wanted.since_ns is None else wanted.since_ns
        until_ns = now_ns if wanted.until_ns is None else wanted.until_ns
        if asked.span is not None:
            since_ns = max(since_ns, asked.span.since_ns)
            until_ns = min(until_ns, asked.span.until_ns)
        changes = self._snapshots.changes(since_ns, until_ns, wanted.map_id)
        snapshot = everything.filtered(replace(wanted, since_ns=None, until_ns=None))
        return change_answer(question, asked, changes, snapshot, now_ns, count)

    def _relations(
        self, question: str, snapshot: Snapshot, wanted: Filter | None
    ) -> RelationFacts | None:
        asked = relation_question(question)
        if asked is None:
            return None
        with self._snapshots.graph(wanted) as scene:
            return relation_facts(asked, snapshot, scene)

    async def _reason(
        self,
        question: str,
        snapshot: Snapshot,
        ranking: Ranking,
        facts: RelationFacts | None,
        now_ns: int,
    ) -> Answer:
        problem = "no model is configured"
        if self._model is not None:
            try:
                with self._snapshots.graph() as scene:
                    relations = shown_relations(scene, snapshot, ranking)
                if facts is not None:
                    relations = (*facts.relations, *relations)
                note = facts.counts if facts is not None else ""
                prompt = self._prompt(question, snapshot, ranking, relations, note, now_ns)
                reply = await self._model.complete(prompt, self._config.answer_timeout_s)
                return _from_model(question, reply, snapshot, ranking, relations, now_ns)
            except (ModelError, InputError) as error:
                problem = f"answered without the model: {error}"
        if facts is not None:
            return facts.answer(question, snapshot, now_ns, len(ranking.keyframes), problem)
        best = _best_objects(snapshot, ranking, ())
        return Answer(
            question=question,
            text=extractive_answer(question, snapshot, ranking, now_ns),
            found=True,
            stamp_ns=now_ns,
            confidence=min(1.0, ranking.best_score) / 2.0,
            degraded=True,
            problems=(problem,),
            keyframes=ranking.keyframes,
            objects=best,
            evidence=tuple(evidence_line(item, snapshot, now_ns) for item in best),
        )

    def _prompt(
        self,
        question: str,
        snapshot: Snapshot,
        ranking: Ranking,
        relations: Sequence[Relation],
        note: str,
        now_ns: int,
    ) -> Prompt:
        """Raises InputError where the budget is too small for anything."""
        note = f"{note}\n" if note else ""
        room = room_for_context(question, self._config.max_prompt_tokens) - written(note)
        max_objects = self._config.max_context_objects
        context = note + serialise(snapshot, ranking, now_ns, max_objects, room, relations)
        return answer_prompt(question, context, self._config.answer_temperature)


def _check(question: str, mode: str) -> None:
    if not question.strip():
        raise InputError("the question is empty")
    if len(question) > MAX_QUESTION_CHARS:
        raise InputError(
            f"the question has {len(question)} characters, the limit is {MAX_QUESTION_CHARS}"
        )
    if mode not in MODES:
        raise InputError(f"mode {mode!r} is not known, use one of: {', '.join(MODES)}")


def _from_model(
    question: str,
    reply: Reply,
    snapshot: Snapshot,
    ranking: Ranking,
    relations: Sequence[Relation],
    now_ns: int,
) -> Answer:
    """The model's answer with its evidence. Raises ReplyError for an unusable reply."""
    keyframe_ids = [hit.keyframe.keyframe_id for hit in ranking.keyframes]
    shown = shown_objects(snapshot, ranking, relations)
    said = read_answer(reply, shown, keyframe_ids)
    objects = _best_objects(snapshot, ranking, said.object_ids) if said.found else ()
    return Answer(
        question=question,
        text=said.text,
        found=said.found,
        stamp_ns=now_ns,
        confidence=said.confidence,
        problems=said.problems,
        keyframes=_reordered(ranking, said, snapshot) if said.found else (),
        objects=objects,
        evidence=tuple(evidence_line(item, snapshot, now_ns) for item in objects),
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
    )


def _best_objects(
    snapshot: Snapshot, ranking: Ranking, named: Sequence[str]
) -> tuple[ObjectDescriptor, ...]:
    """The objects the model named, else the best-ranked one."""
    scores = ranking.object_scores
    chosen = named or (max(scores, key=scores.__getitem__),)
    return tuple(snapshot.objects_by_id[key] for key in chosen)


def _reordered(
    ranking: Ranking, said: ModelAnswer, snapshot: Snapshot
) -> tuple[RetrievedKeyframe, ...]:
    """The keyframes the model named come first, each with the objects of the answer."""
    hits = {hit.keyframe.keyframe_id: hit for hit in ranking.keyframes}
    order = dict.fromkeys((*said.keyframe_ids, *hits))
    return tuple(_with_named(hits[key], said.object_ids, snapshot) for key in order)


def _with_named(
    hit: RetrievedKeyframe, named: Sequence[str], snapshot: Snapshot
) -> RetrievedKeyframe:
    """The keyframe with the boxes of the named objects that it shows, if it shows any."""
    key = hit.keyframe.keyframe_id
    shown = [item for item in snapshot.objects_by_keyframe[key] if item.object_id in named]
    if not shown:
        return hit
    shown.sort(key=lambda item: list(named).index(item.object_id))
    return retrieved(hit.keyframe, hit.score, shown)
