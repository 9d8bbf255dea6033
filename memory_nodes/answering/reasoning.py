"""What the model makes of what was found; without it, a sentence of the graph."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from memory_nodes.answering.asked import GRACE_S, Asked
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.doubt import doubt_prompt, read_doubt
from memory_nodes.answering.extractive import NOT_SEEN, extractive_answer
from memory_nodes.answering.prompt import ModelAnswer, answer_prompt, read_answer, room_for_context
from memory_nodes.answering.properties import PlaceAt, property_answer
from memory_nodes.answering.related import Related
from memory_nodes.errors import InputError, ModelError, ModelUnavailable, ReplyError
from memory_nodes.models.ports import ChatModel, Prompt, Reply
from memory_nodes.records import Answer, ObjectDescriptor, Relation, RetrievedKeyframe
from memory_nodes.retrieval.context import (
    ContextLimits,
    evidence_line,
    serialise,
    serialise_whole,
    written,
)
from memory_nodes.retrieval.ranking import Ranking, retrieved
from memory_nodes.retrieval.retriever import Retrieved
from memory_nodes.retrieval.snapshot import Snapshot

NOTHING_RELATED = Related()


@dataclass(frozen=True)
class Reasoning:
    """One call of the model for an answer, and a short one more where the evidence is weak.

    Source: VL-KnG, section 6.3 (GraphRAG).
    """

    model: ChatModel | None
    config: AnswererConfig
    place_at: PlaceAt | None = None

    async def over_found(
        self,
        asked: Asked,
        snapshot: Snapshot,
        found: Retrieved,
        related: Related = NOTHING_RELATED,
    ) -> Answer:
        """From the retrieved part of the graph; never fails for want of a model."""
        if not found.ranking.keyframes or not (found.is_seen or found.is_doubtful):
            return not_seen(asked)
        if not found.is_seen and self.model is None:
            return not_seen(asked)
        try:
            prompt = await asyncio.to_thread(self._prompt, asked, snapshot, found, related)
            answer = await self._told(asked, prompt, snapshot, found.ranking, related.relations)
            return answer if found.is_seen else await self._undoubted(asked, answer)
        except (ModelError, InputError) as error:
            if not found.is_seen:
                return not_seen(asked, f"decided without the model: {error}")
            if related.facts is not None:
                return related.facts.answer(asked, snapshot, self.problem(error))
            return await asyncio.to_thread(
                without_model, asked, snapshot, found.ranking, self.problem(error), self.place_at
            )

    async def over_whole(self, asked: Asked, snapshot: Snapshot, found: Retrieved) -> Answer:
        """From the whole graph. Source: VL-KnG, F configuration.

        Raises ModelError, and InputError where the graph has no room in a prompt.
        """
        room = room_for_context(asked.question, self.config.max_full_prompt_tokens)
        context = serialise_whole(snapshot, asked.now_ns, room)
        prompt = answer_prompt(asked.question, context, self.config.answer_temperature)
        answer = await self._told(asked, prompt, snapshot, found.ranking, is_whole=True)
        return answer if found.is_seen else await self._undoubted(asked, answer)

    async def over_lines(self, asked: Asked, lines: Sequence[str]) -> tuple[ModelAnswer, Reply]:
        """From lines of the history, which name no object and no keyframe.

        Raises ModelError, and InputError where they have no room in a prompt.
        """
        context = "\n".join(f"history {line}" for line in lines)
        room = room_for_context(asked.question, self.config.max_prompt_tokens)
        if written(context) > room:
            raise InputError(
                f"the history takes {written(context)} characters of a prompt, {room} are left: "
                "raise max_prompt_tokens"
            )
        prompt = answer_prompt(asked.question, context, self.config.answer_temperature)
        reply = await self._complete(asked, prompt)
        return read_answer(reply, (), ()), reply

    async def _told(
        self,
        asked: Asked,
        prompt: Prompt,
        snapshot: Snapshot,
        ranking: Ranking,
        relations: Sequence[Relation] = (),
        *,
        is_whole: bool = False,
    ) -> Answer:
        """The model's answer with its evidence.

        Raises ModelError, and ReplyError also where all that it rests on is invented.
        """
        reply = await self._complete(asked, prompt)
        keyframe_ids: Collection[int] = [hit.keyframe.keyframe_id for hit in ranking.keyframes]
        if is_whole:
            keyframe_ids = snapshot.keyframes.keys()
        shown = _shown(snapshot, keyframe_ids)
        shown.update(end for item in relations for end in (item.subject_id, item.object_id))
        said = read_answer(reply, shown, keyframe_ids)
        if said.found and said.rests_on_nothing:
            raise ReplyError("; ".join(said.problems))
        objects = best_objects(snapshot, ranking, said.object_ids) if said.found else ()
        keyframes = named_first(ranking.keyframes, said, snapshot) if said.found else ()
        return Answer(
            question=asked.question,
            text=said.text,
            found=said.found,
            stamp_ns=asked.now_ns,
            confidence=said.confidence,
            problems=said.problems,
            keyframes=keyframes[: max(asked.max_keyframes, len(ranking.keyframes))],
            objects=objects,
            evidence=tuple(evidence_line(item, snapshot, asked.now_ns) for item in objects),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
        )

    async def _undoubted(self, asked: Asked, answer: Answer) -> Answer:
        """An answer from weak evidence, if what it is about is what was asked for.

        What is not found is told in our words: a small model names a place even then. Raises
        ModelError.
        """
        if not answer.found:
            return replace(answer, text=not_seen(asked).text)
        if not answer.objects:
            return answer
        reply = await self._complete(asked, doubt_prompt(asked.question, answer.objects[0]))
        told = answer if read_doubt(reply) else not_seen(asked)
        return replace(
            told,
            prompt_tokens=answer.prompt_tokens + reply.prompt_tokens,
            completion_tokens=answer.completion_tokens + reply.completion_tokens,
        )

    def _prompt(
        self, asked: Asked, snapshot: Snapshot, found: Retrieved, related: Related
    ) -> Prompt:
        """Raises InputError where the budget is too small for anything."""
        config, first = self.config, related.facts.objects if related.facts else ()
        likely = self._likely(asked, snapshot, found, related)
        room = room_for_context(asked.question, config.max_prompt_tokens, likely)
        limits = ContextLimits(
            room - written(related.note), config.max_context_objects, config.max_described_objects
        )
        context = related.note + serialise(
            snapshot,
            found.ranking,
            asked.now_ns,
            limits,
            related.relations,
            [item.object_id for item in first],
        )
        return answer_prompt(
            asked.question,
            context,
            config.answer_temperature,
            likely=likely,
            is_doubtful=not found.is_seen,
        )

    def _likely(self, asked: Asked, snapshot: Snapshot, found: Retrieved, related: Related) -> str:
        """What is said without the model, if it is any good."""
        if related.facts is not None:
            return related.facts.text
        if not found.is_seen:
            return ""
        return without_model(asked, snapshot, found.ranking, "", self.place_at).text

    async def _complete(self, asked: Asked, prompt: Prompt) -> Reply:
        """Within what is left of the question's time. Raises ModelError."""
        if self.model is None:
            raise ModelUnavailable("no model is configured")
        left_s = min(self.config.answer_timeout_s, asked.deadline.left_s())
        if left_s <= 0.0:
            raise ModelUnavailable("the time of the question is over: raise question_timeout_s")
        try:
            return await asyncio.wait_for(self.model.complete(prompt, left_s), left_s + GRACE_S)
        except asyncio.TimeoutError:
            raise ModelUnavailable(f"the model did not end within {left_s:.1f} s") from None

    def problem(self, error: Exception) -> str:
        """Why the model has no part in an answer."""
        return str(error) if self.model is None else f"answered without the model: {error}"


def not_seen(asked: Asked, problem: str = "") -> Answer:
    """A problem makes it degraded."""
    text = f"I have not seen that{asked.when}." if asked.when else NOT_SEEN
    problems = (problem,) if problem else ()
    return Answer(
        asked.question, text, False, asked.now_ns, degraded=bool(problem), problems=problems
    )


def without_model(
    asked: Asked, snapshot: Snapshot, ranking: Ranking, problem: str, place_at: PlaceAt | None
) -> Answer:
    """A sentence of the graph, degraded."""
    scores, told = ranking.object_scores, None
    if asked.of_thing is not None:
        told = property_answer(asked.of_thing, snapshot, scores, asked.now_ns, place_at)
    objects = best_objects(snapshot, ranking, ()) if told is None else told.objects
    return Answer(
        question=asked.question,
        text=extractive_answer(snapshot, ranking, asked.now_ns) if told is None else told.text,
        found=True,
        stamp_ns=asked.now_ns,
        confidence=min(1.0, ranking.best_score) / 2.0,
        degraded=True,
        problems=(problem,),
        keyframes=told.keyframes if told is not None and told.keyframes else ranking.keyframes,
        objects=objects,
        evidence=tuple(evidence_line(item, snapshot, asked.now_ns) for item in objects),
    )


def best_objects(
    snapshot: Snapshot, ranking: Ranking, named: Sequence[str]
) -> tuple[ObjectDescriptor, ...]:
    """The objects that were named, else the best-ranked one, if there is any."""
    scores = ranking.object_scores
    chosen = named or sorted(scores, key=lambda key: -scores[key])[:1]
    return tuple(snapshot.objects_by_id[key] for key in chosen)


def named_first(
    hits: Sequence[RetrievedKeyframe], said: ModelAnswer, snapshot: Snapshot
) -> tuple[RetrievedKeyframe, ...]:
    """The keyframes the model named come first, each with the objects of the answer."""
    by_id = {hit.keyframe.keyframe_id: hit for hit in hits}
    for key in said.keyframe_ids:
        by_id.setdefault(key, RetrievedKeyframe(snapshot.keyframes[key], 0.0))
    order = dict.fromkeys((*said.keyframe_ids, *by_id))
    return tuple(_with_named(by_id[key], said.object_ids, snapshot) for key in order)


def _shown(snapshot: Snapshot, keyframe_ids: Collection[int]) -> set[str]:
    by_keyframe = snapshot.objects_by_keyframe
    return {item.object_id for key in keyframe_ids for item in by_keyframe.get(key, ())}


def _with_named(
    hit: RetrievedKeyframe, named: Sequence[str], snapshot: Snapshot
) -> RetrievedKeyframe:
    """The keyframe with the boxes of the named objects that it shows, if it shows any."""
    key = hit.keyframe.keyframe_id
    items = snapshot.objects_by_keyframe.get(key, ())
    shown = [item for item in items if item.object_id in named]
    if not shown:
        return hit
    shown.sort(key=lambda item: list(named).index(item.object_id))
    return retrieved(hit.keyframe, hit.score, shown)
