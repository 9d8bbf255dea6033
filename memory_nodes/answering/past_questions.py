"""Questions about what happened, when, and how the robot is: who answers which."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from memory_nodes.answering.asked import Asked
from memory_nodes.answering.history_answers import HistoryAnswers, Told
from memory_nodes.answering.object_times import sighting_answer, whereabouts_answer
from memory_nodes.answering.question_kind import QuestionKind, asks_where_robot_was
from memory_nodes.answering.reasoning import Reasoning
from memory_nodes.dates import Dates
from memory_nodes.errors import InputError, ModelError
from memory_nodes.records import Answer
from memory_nodes.retrieval.retriever import Retrieved
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.search import Search


class PastQuestions:
    """Answers from history, layers and views. Source: H-EMV, section III-B; eMEM, recall tools."""

    def __init__(
        self, history: HistoryAnswers, dates: Dates, reasoning: Reasoning, search: Search | None
    ) -> None:
        self._search = search
        self._history = history
        self._dates = dates
        self._reasoning = reasoning

    async def answer(
        self, asked: Asked, snapshot: Snapshot, found: Retrieved | None
    ) -> Answer | None:
        """None for what only the graph answers.

        Args:
            snapshot: of the time that was asked for.
            found: in it, for a question about when something was seen.
        """
        if asked.kind == QuestionKind.BODY:
            told = await asyncio.to_thread(self._history.body, asked)
            return _plain(asked, told)
        if asked.kind == QuestionKind.SUMMARY:
            told = await asyncio.to_thread(self._history.happened, asked)
            return await self._reasoned(asked, told)
        if asked.kind != QuestionKind.TEMPORAL:
            return None
        place_at = self._history.place_at
        if found is not None and found.is_seen:
            return await asyncio.to_thread(
                sighting_answer, asked, snapshot, found.ranking, self._dates, place_at
            )
        told = await asyncio.to_thread(self._history.event, asked)
        if told.lines:
            return await self._reasoned(asked, told)
        if _is_of_whereabouts(asked):
            return await asyncio.to_thread(
                whereabouts_answer, asked, snapshot, self._search, self._dates, place_at
            )
        return None

    async def _reasoned(self, asked: Asked, told: Told) -> Answer:
        """By the model over these lines; the lines themselves where it is away."""
        plain = _plain(asked, told)
        if not told.lines:
            return plain
        try:
            said, reply = await self._reasoning.over_lines(asked, told.lines)
        except (ModelError, InputError) as error:
            problem = self._reasoning.problem(error)
            return replace(plain, degraded=True, problems=(problem, *plain.problems))
        return replace(
            plain,
            text=said.text,
            found=said.found,
            confidence=said.confidence,
            problems=(*said.problems, *plain.problems),
            evidence=plain.evidence if said.found else (),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
        )


def _is_of_whereabouts(asked: Asked) -> bool:
    """Not of what was seen, nor of a time that is not understood."""
    is_asked = asks_where_robot_was(asked.question) and not asked.is_of_sighting
    return is_asked and (asked.span is not None or not asked.unread)


def _plain(asked: Asked, told: Told) -> Answer:
    return Answer(
        question=asked.question,
        text=told.text,
        found=bool(told.lines),
        stamp_ns=asked.now_ns,
        confidence=1.0 if told.lines else 0.0,
        problems=(*asked.problems, *_unbounded(asked)),
        evidence=told.lines,
    )


def _unbounded(asked: Asked) -> tuple[str, ...]:
    """History and body know times, but neither maps nor places."""
    wanted = asked.wanted
    is_placed = bool(wanted.map_id) or wanted.center_map_m is not None
    return ("told of all maps and places",) if is_placed else ()
