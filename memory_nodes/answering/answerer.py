"""One question in, one answer with its evidence out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from memory_nodes.answering.agent import agent_answer
from memory_nodes.answering.agents.run import Agent
from memory_nodes.answering.asked import Asked, Deadline, read_asked
from memory_nodes.answering.change_question import ChangeQuestion, change_question
from memory_nodes.answering.changes import change_answer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.extractive import NOT_SEEN
from memory_nodes.answering.history_answers import HistoryAnswers
from memory_nodes.answering.noted import noted_answer
from memory_nodes.answering.past_questions import PastQuestions
from memory_nodes.answering.reasoning import Reasoning, not_seen
from memory_nodes.answering.recall import Recall
from memory_nodes.answering.related import Related
from memory_nodes.answering.relation_question import relation_question
from memory_nodes.answering.relations import relation_facts
from memory_nodes.answering.said import SaidAnswers
from memory_nodes.answering.scene_question import Showing, scene_question
from memory_nodes.answering.scenes import all_known, around_robot, newest_picture
from memory_nodes.answering.surroundings import Around, surroundings
from memory_nodes.answering.whereabouts import newest_whereabouts
from memory_nodes.dates import Dates
from memory_nodes.errors import InputError, ModelError, StoreMissing
from memory_nodes.models.ports import ChatModel
from memory_nodes.records import Answer
from memory_nodes.retrieval.context import shown_relations
from memory_nodes.retrieval.retriever import Retrieved, Retriever
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.store.checks import check_unicode
from memory_nodes.store.filters import Filter
from memory_nodes.store.past import Past
from memory_nodes.store.search import Search
from memory_nodes.times import EVER_NS

AGENT_MODES = ("agent", "history")
MODES = ("auto", "graph", "visual", "full", *AGENT_MODES)
MAX_QUESTION_CHARS = 2000


class Answerer:
    """Answers questions from the memory. Source: VL-KnG, section 6.3 (GraphRAG).

    Args:
        dates: of the times in questions.
        past: what happened; without it such questions are answered from the graph.
        agents: by mode; a mode without one is refused.
        recall: what observations speak of; without it only objects are answers.
        search: what they say in words, and where the robot was when it noted them.
    """

    def __init__(
        self,
        model: ChatModel | None,
        snapshots: SnapshotCache,
        config: AnswererConfig,
        dates: Dates,
        retriever: Retriever | None = None,
        past: Past | None = None,
        agents: Mapping[str, Agent] | None = None,
        recall: Recall | None = None,
        search: Search | None = None,
    ) -> None:
        self._retriever = retriever if retriever is not None else Retriever()
        self._snapshots = snapshots
        self._config = config
        self._dates = dates
        history = None if past is None else HistoryAnswers(past, dates)
        self._place_at = _nowhere if history is None else history.place_at
        self._recall = recall
        self._search = search
        self._reasoning = Reasoning(model, config, None if history is None else history.place_at)
        self._past = self._said = self._around = None
        if past is not None and history is not None:
            self._past = PastQuestions(history, dates, self._reasoning, search)
        if past is not None and search is not None:
            self._said = SaidAnswers(past, search, dates, self._place_at)
            self._around = partial(surroundings, snapshots, past, search)
        self._agents = agents if agents is not None else {}

    async def answer(
        self,
        question: str,
        now_ns: int,
        mode: str = "auto",
        wanted: Filter | None = None,
        max_keyframes: int = 0,
    ) -> Answer:
        """Answers from the memory; never fails for want of a model or of a memory, nor of time.

        Raises InputError for a question that is empty, too long or no Unicode, or a mode that is
        unknown or has no agent.
        """
        self._check(question, mode)
        started_ns = time.monotonic_ns()
        count = max_keyframes if max_keyframes > 0 else self._config.max_keyframes
        deadline = Deadline.after(self._config.question_timeout_s)
        asked = read_asked(question, now_ns, self._dates, wanted or Filter(), count, deadline)
        try:
            answer = await self._by_mode(mode, asked, wanted or Filter())
        except StoreMissing as error:
            answer = Answer(question, NOT_SEEN, False, now_ns, problems=(str(error),))
        return replace(answer, latency_ns=time.monotonic_ns() - started_ns)

    async def _by_mode(self, mode: str, asked: Asked, wanted: Filter) -> Answer:
        everything = await asyncio.to_thread(self._snapshots.current)
        if mode in self._agents:
            return await self._by_agent(self._agents[mode], asked, wanted, everything)
        if mode == "auto":
            changes = change_question(asked.question, asked.now_ns, self._dates)
            if changes is not None:
                return await asyncio.to_thread(self._changes, asked, changes, wanted, everything)
        snapshot = await asyncio.to_thread(everything.filtered, asked.wanted)
        if mode != "auto":
            return await self._by_graph(asked, snapshot, mode)
        shows = scene_question(asked.question) or scene_question(asked.sought)
        if shows is not None:
            return await asyncio.to_thread(self._scene, shows, asked, snapshot)
        answer = await self._told(asked, snapshot) or await self._by_graph(asked, snapshot, mode)
        if answer.found:
            return answer
        return await asyncio.to_thread(self._noted, asked, snapshot) or answer

    def _scene(self, shows: Showing, asked: Asked, snapshot: Snapshot) -> Answer:
        """Of no single thing; what is around it is told where the robot knows its place."""
        if shows == Showing.ALL:
            return all_known(asked, snapshot)
        here = newest_whereabouts(self._search, snapshot.newest, asked.wanted)
        if shows == Showing.NEWEST or self._around is None or here is None:
            return newest_picture(asked, snapshot, self._place_at)
        near = self._around(Around(here.map_id, here.position_map_m), asked.now_ns).objects
        return around_robot(asked, snapshot, near)

    def _noted(self, asked: Asked, snapshot: Snapshot) -> Answer | None:
        """What observations tell of what is not in the graph."""
        keyframes, noted = snapshot.keyframes.values(), None
        if self._recall is not None:
            noted = noted_answer(asked, self._recall, self._place_at, keyframes)
        if noted is None and self._said is not None:
            noted = self._said.answer(asked, keyframes)
        return noted

    async def _told(self, asked: Asked, snapshot: Snapshot) -> Answer | None:
        """What the past tells; None for a question about something else."""
        if self._past is None:
            return None
        found = await self._retrieved(asked, snapshot, "auto") if asked.is_of_sighting else None
        return await self._past.answer(asked, snapshot, found)

    async def _by_graph(self, asked: Asked, snapshot: Snapshot, mode: str) -> Answer:
        found = await self._retrieved(asked, snapshot, mode)
        if mode == "visual" and not self._retriever.has_pictures:
            problem = "found without pictures: set use_visual_embeddings"
            found = replace(found, problems=(*found.problems, problem))
        problems: tuple[str, ...] = ()
        if mode == "full" and snapshot.objects:
            try:
                answer = await self._reasoning.over_whole(asked, snapshot, found)
                return replace(answer, problems=(*answer.problems, *asked.problems))
            except (ModelError, InputError) as error:
                problems = (f"answered by graph: {error}",)
        found, related = await asyncio.to_thread(self._related, asked, snapshot, found)
        answer = await self._reasoning.over_found(asked, snapshot, found, related)
        return replace(
            answer,
            degraded=answer.degraded or bool(problems) or found.is_late,
            problems=(*problems, *answer.problems, *found.problems, *asked.problems),
        )

    def _related(
        self, asked: Asked, snapshot: Snapshot, found: Retrieved
    ) -> tuple[Retrieved, Related]:
        """With what the scene graph adds; it finds by relations what words do not."""
        question, facts = relation_question(asked.sought), None
        if question is not None:
            scores = found.ranking.object_scores if found.is_seen else {}
            best_id = max(scores, key=scores.__getitem__, default="")
            with self._snapshots.graph(asked.wanted) as scene:
                facts = relation_facts(question, snapshot, scene, asked.now_ns, best_id)
        if facts is not None and not found.is_seen:
            ranking = facts.ranking(snapshot, asked.max_keyframes)
            found = replace(found, ranking=ranking, is_seen=True)
        with self._snapshots.graph() as scene:
            relations = shown_relations(scene, snapshot, found.ranking)
        if facts is not None:
            relations = (*facts.relations, *relations)
        return found, Related(relations, facts)

    async def _by_agent(
        self, agent: Agent, asked: Asked, wanted: Filter, everything: Snapshot
    ) -> Answer:
        """Without it where it comes to nothing, so that there is an answer."""
        try:
            answer = await agent_answer(agent, asked, wanted, everything)
        except (ModelError, InputError) as error:
            answer = not_seen(asked, str(error))
        if answer.found or not answer.degraded:
            return answer
        told = await self._by_mode("auto", asked, wanted)
        reason, *others = answer.problems or ("it came to nothing",)
        return replace(
            told,
            degraded=True,
            problems=(f"answered without the agent: {reason}", *others, *told.problems),
            prompt_tokens=answer.prompt_tokens + told.prompt_tokens,
            completion_tokens=answer.completion_tokens + told.completion_tokens,
        )

    async def _retrieved(self, asked: Asked, snapshot: Snapshot, mode: str) -> Retrieved:
        """With whatever models there are, in time; else by words alone."""
        work = self._retriever.retrieve(
            asked.sought, snapshot, asked.max_keyframes, uses_pictures=mode != "graph"
        )
        try:
            return await asyncio.wait_for(work, asked.deadline.left_s())
        except asyncio.TimeoutError:
            found = self._retriever.by_words(asked.sought, snapshot, asked.max_keyframes)
            problem = "found by words alone: the time of the question was over"
            return replace(found, problems=(problem,), is_late=True)

    def _changes(
        self, asked: Asked, changes: ChangeQuestion, wanted: Filter, everything: Snapshot
    ) -> Answer:
        """Within the bounds of the filter too; its times are those of the changes."""
        since_ns = EVER_NS if wanted.since_ns is None else wanted.since_ns
        until_ns = asked.now_ns if wanted.until_ns is None else wanted.until_ns
        if changes.span is not None:
            since_ns = max(since_ns, changes.span.since_ns)
            until_ns = min(until_ns, changes.span.until_ns)
        known = self._snapshots.changes(since_ns, until_ns, wanted.map_id)
        snapshot = everything.filtered(replace(wanted, since_ns=None, until_ns=None))
        return change_answer(
            asked.question, changes, known, snapshot, asked.now_ns, asked.max_keyframes
        )

    def _check(self, question: str, mode: str) -> None:
        if not question.strip():
            raise InputError("the question is empty")
        check_unicode("question", question)
        if len(question) > MAX_QUESTION_CHARS:
            raise InputError(
                f"the question has {len(question)} characters, the limit is {MAX_QUESTION_CHARS}"
            )
        if mode not in MODES:
            raise InputError(f"mode {mode!r} is not known, use one of: {', '.join(MODES)}")
        if mode in AGENT_MODES and mode not in self._agents:
            raise InputError(
                f"mode {mode!r} needs a model and what the agents are made with: set base_url and "
                "pip install 'robot-memory[agents]', or use mode auto"
            )


def _nowhere(stamp_ns: int) -> str:
    """Without a past nobody knows where the robot was."""
    return ""
