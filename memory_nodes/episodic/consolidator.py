"""Turns what was observed into gists and entities, beside everything else."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from memory_nodes.dates import Dates
from memory_nodes.episodic.entities import Entities, EntityConfig
from memory_nodes.episodic.gist_prompt import gist_prompt
from memory_nodes.episodic.gist_reply import SaidGist, read_gist
from memory_nodes.episodic.gist_text import concatenated, heading, with_all_things
from memory_nodes.episodic.lines import Line, lines_of, things_in
from memory_nodes.episodic.pieces import (
    Piece,
    PieceConfig,
    extent,
    free_pieces_of,
    pieces_of,
    stretch,
    without_gist,
)
from memory_nodes.episodic.things import name_key
from memory_nodes.errors import InputError, ModelError, ReplyError, StoreError
from memory_nodes.models.ports import ChatModel, TextEmbedder
from memory_nodes.parameters import parameter
from memory_nodes.records import NS_PER_S, EpisodeStatus, Gist
from memory_nodes.store.consolidation import Piece as StoredPiece
from memory_nodes.store.past import Past
from memory_nodes.store.retention import RetentionConfig
from memory_nodes.store.writer import Writer

IDLE_S = 1.0
RETRY_S = 5.0
FREE_LIMIT = 2000
"""Free observations that are clustered together at most: among so many each pair is looked at."""
SWEEP_S = 60.0
"""Of the robot's clock, between two looks for what has become old."""
CONCATENATION = "concatenation"
"""The source of a gist that no model wrote."""
_OF_LATER = (
    "observations with stamps that the robot's clock has not reached get no gist before that ({}): "
    "forget them if they are of a wrong clock"
)


@dataclass(frozen=True)
class ConsolidationConfig(RetentionConfig, PieceConfig, EntityConfig):
    """When observations become gists, and when only these are kept."""

    consolidate_after_s: float = parameter(
        3600.0,
        "age at which observations outside of episodes are consolidated",
        unit="s",
        low=0.0,
        high=1e9,
    )
    max_gist_chars: int = parameter(
        1000, "characters of a gist; names of things are never left out", low=100, high=20_000
    )
    max_gist_prompt_chars: int = parameter(
        12_000, "characters of observations in one gist prompt", low=1000, high=1_000_000
    )


@dataclass
class _Job:
    """Pieces that have no gist yet, and what is noted once all have one."""

    pieces: deque[Piece]
    episode_id: str
    finish: Callable[[], None]
    has_model: bool = True
    """False once the model has failed: the rest goes without it, each wait may be long."""
    gists: int = 0


class Consolidator:
    """Consolidates one piece a step. Source: eMEM, consolidation.

    It keeps nothing that is not found again on disk: killed at any moment and started again, it
    goes on with the piece that it was at. What has a gist gets no other (``pieces.pieces_of``).
    """

    def __init__(
        self,
        writer: Writer,
        past: Past,
        model: ChatModel | None,
        embedder: TextEmbedder | None,
        config: ConsolidationConfig | None = None,
        *,
        dates: Dates | None = None,
        timeout_s: float = 60.0,
    ) -> None:
        self._writer = writer
        self._past = past
        self._model = model
        self._config = config if config is not None else ConsolidationConfig()
        self._dates = dates if dates is not None else Dates()
        self._timeout_s = timeout_s
        self._entities = Entities(past, embedder, self._config)
        self._job: _Job | None = None
        self._swept_ns: int | None = None
        self._turn = asyncio.Lock()
        self._waits_for: str | None = None
        self._passed_over: str | None = None
        self._without_model: str | None = None

    @property
    def problem(self) -> str | None:
        """Why gists are made without a model, or not at all; for the diagnostics."""
        problems = (
            *(self._waits_for, self._without_model, self._entities.problem),
            self._passed_over,
        )
        return next((problem for problem in problems if problem is not None), None)

    async def step(self, now_ns: int) -> float:
        """Consolidates one piece, or archives; gives the seconds to wait before the next step.

        ``now_ns``: of the robot's clock.
        """
        async with self._turn:
            try:
                wait_s = await self._work(now_ns)
            except (InputError, StoreError) as error:
                # Something of it was forgotten meanwhile, or the disk is full: look at it anew.
                self._job = None
                self._waits_for = f"observations wait for their gists: {error}"
                return RETRY_S
            self._waits_for = None
        return wait_s

    async def consolidate_now(self, episode_id: str, now_ns: int) -> int:
        """Consolidates an episode that has ended, or with "" all that waits; how many gists.

        With "", what was observed outside of episodes before ``now_ns`` comes too, however young.
        Raises InputError for an episode that is unknown or active.
        """
        gists = 0
        async with self._turn:
            self._job = None
            if episode_id:
                return await self._through(await asyncio.to_thread(self._asked_for, episode_id))
            while (job := await asyncio.to_thread(self._waiting_job, now_ns)) is not None:
                gists += await self._through(job)
        return gists

    async def _work(self, now_ns: int) -> float:
        if self._job is None:
            self._job = await asyncio.to_thread(self._ended_episode)
        if self._job is None and self._is_due(now_ns):
            self._job = await asyncio.to_thread(self._free_job, now_ns)
            if self._job is None:
                await self._sweep(now_ns)
        if self._job is None:
            return IDLE_S
        if not await self._advance(self._job):
            self._job = None
        return 0.0

    async def _through(self, job: _Job) -> int:
        while await self._advance(job):
            pass
        return job.gists

    async def _advance(self, job: _Job) -> bool:
        """Stores the next piece of a job; False when there was none, and the job is finished."""
        if not job.pieces:
            await asyncio.to_thread(job.finish)
            return False
        stored = await self._consolidated(job.pieces[0], job)
        job.gists += bool(await asyncio.to_thread(self._writer.add_piece, stored))
        job.pieces.popleft()
        return True

    def _is_due(self, now_ns: int) -> bool:
        """Whether to look for what has become old."""
        since_ns = SWEEP_S * NS_PER_S if self._swept_ns is None else now_ns - self._swept_ns
        return not 0 <= since_ns < SWEEP_S * NS_PER_S

    async def _sweep(self, now_ns: int) -> None:
        config = self._config
        old_ns = _before(now_ns, config.archive_after_s)
        await asyncio.to_thread(self._writer.archive, old_ns, only_consolidated=True)
        if config.image_retention_s > 0.0:
            old_ns = _before(now_ns, config.image_retention_s)
            await asyncio.to_thread(self._writer.drop_images, old_ns)
        self._swept_ns = now_ns

    # what there is to do: these read, in a thread

    def _waiting_job(self, now_ns: int) -> _Job | None:
        """What is outside of episodes need not be old."""
        return self._ended_episode() or self._free_job(now_ns, at_once=True)

    def _ended_episode(self) -> _Job | None:
        ended = self._past.episodes_to_consolidate(1)
        return self._episode_job(ended[0].episode_id) if ended else None

    def _asked_for(self, episode_id: str) -> _Job:
        found = self._past.episodes([episode_id])
        if not found:
            raise InputError(f"no episode {episode_id!r}: give an id from start_episode")
        if found[0].status == EpisodeStatus.ACTIVE:
            raise InputError(f"episode {episode_id} is active: end it first")
        return self._episode_job(episode_id)

    def _episode_job(self, episode_id: str) -> _Job:
        observed = self._past.observations_in(episode_id)
        last_key = max((item.key for item in observed), default=0)
        pieces = pieces_of(observed, self._config)
        return _Job(
            deque(without_gist(pieces)),
            episode_id,
            lambda: self._writer.finish_episode(episode_id, last_key),
        )

    def _free_job(self, now_ns: int, at_once: bool = False) -> _Job | None:
        before_ns = _before(now_ns, 0.0 if at_once else self._config.consolidate_after_s)
        waiting = self._past.free_observations(before_ns, FREE_LIMIT)
        together = stretch(waiting, before_ns, FREE_LIMIT, self._config)
        if at_once and not together:
            together = waiting  # its end has not come yet
        passed = self._past.passed_over()
        self._passed_over = _OF_LATER.format(passed) if passed else None
        if not together:
            return None
        last_id = together[-1].observation.observation_id
        return _Job(
            deque(without_gist(free_pieces_of(together, self._config))),
            "",
            lambda: self._writer.finish_free(last_id, before_ns),
        )

    # one piece

    async def _consolidated(self, piece: Piece, job: _Job) -> StoredPiece:
        lines = await asyncio.to_thread(lines_of, piece)
        first, last = piece[0].observation, piece[-1].observation
        head = heading(self._dates, first.stamp_ns, last.stamp_ns)
        said = await self._said(lines, job)
        things = things_in(lines)
        if said is None:
            text = concatenated(lines, head, self._config.max_gist_chars)
        else:
            text = with_all_things(head + said.text, lines)
            known = {name_key(name) for name in things}
            things |= {
                name: items for name, items in said.entities.items() if name_key(name) not in known
            }
        center_m, radius_m = extent(piece)
        gist = Gist(
            text=text,
            map_id=first.map_id,
            map_frame=first.map_frame,
            center_map_m=center_m,
            radius_m=radius_m,
            start_ns=first.stamp_ns,
            end_ns=last.stamp_ns,
            observation_ids=tuple(item.observation.observation_id for item in piece),
            episode_id=job.episode_id,
            source=CONCATENATION if said is None else said.source,
        )
        return StoredPiece(gist, await self._entities.views(piece, things, self._timeout_s))

    async def _said(self, lines: list[Line], job: _Job) -> SaidGist | None:
        """What the model makes of a piece; None where it says nothing that can be used."""
        if self._model is None or not job.has_model:
            return None
        config = self._config
        prompt = gist_prompt(
            lines, self._dates, config.max_gist_chars, config.max_gist_prompt_chars
        )
        try:
            reply = await self._model.complete(prompt, self._timeout_s)
            said = read_gist(reply, lines, config.max_gist_chars)
        except ModelError as error:
            job.has_model = False
            self._without_model = f"gists are made without the model: {error}"
            return None
        except ReplyError as error:
            self._without_model = f"a gist is made without the model: {error}"
            return None
        self._without_model = None
        return said


def _before(now_ns: int, age_s: float) -> int:
    """The stamp of what has an age; 0 where the robot's clock does not go back so far."""
    return max(0, now_ns - round(age_s * NS_PER_S))
