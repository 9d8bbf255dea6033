"""From a question to a ranking, with whatever models there are; without any, by words alone."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from memory_nodes.errors import ConfigurationError, ModelError, ReplyError
from memory_nodes.models.ports import ChatModel
from memory_nodes.parameters import parameter
from memory_nodes.retrieval.object_scores import Meaning
from memory_nodes.retrieval.object_vectors import ObjectVectors
from memory_nodes.retrieval.ranking import Ranking, rank
from memory_nodes.retrieval.rewriting import rewritten
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.retrieval.visual import Grounding, Sightings

Found = TypeVar("Found")


@dataclass(frozen=True)
class RetrievalConfig:
    """When something counts as seen."""

    min_score: float = parameter(
        0.28,
        "a best object below this share of the question's words is 'not seen'",
        low=0.0,
        high=1.0,
        is_dynamic=True,
    )
    min_score_by_meaning: float = parameter(
        0.75,
        "the same where a text embedder adds what the words mean",
        low=0.0,
        high=2.0,
        is_dynamic=True,
    )
    doubtful_share: float = parameter(
        0.45,
        "from this share of the least score on the answering model is asked whether it was seen; "
        "1: never",
        low=0.0,
        high=1.0,
        is_dynamic=True,
    )
    rewrite_questions: bool = parameter(
        False, "the model says a question that finds nothing again, with the names of known things"
    )
    rewriting_timeout_s: float = parameter(
        10.0, "time for the model to do so", unit="s", low=0.1, high=600.0
    )

    def least_score(self, *, knows_meaning: bool) -> float:
        """What the best object must reach to count as seen."""
        return self.min_score_by_meaning if knows_meaning else self.min_score


@dataclass(frozen=True)
class Retrieved:
    """What was found, and what went wrong meanwhile: the ranking is then made without that."""

    ranking: Ranking
    is_seen: bool
    """False: what was asked for is not in the memory, as far as one can tell."""
    is_doubtful: bool = False
    """Not seen, but so nearly that a model should be asked."""
    problems: tuple[str, ...] = ()
    is_late: bool = False
    """There was no time for more than words."""


class Retriever:
    """Ranks by words, and by meaning and pictures where there are models for them.

    Args:
        model: for questions that find nothing, if it may say them again; None: nobody does.
    """

    def __init__(
        self,
        config: RetrievalConfig | None = None,
        model: ChatModel | None = None,
        vectors: ObjectVectors | None = None,
        grounding: Grounding | None = None,
    ) -> None:
        self._config = config if config is not None else RetrievalConfig()
        self._model = model if self._config.rewrite_questions else None
        self._vectors = vectors
        self._grounding = grounding

    @property
    def has_pictures(self) -> bool:
        """Whether a model compares questions with pictures."""
        return self._grounding is not None

    async def retrieve(
        self, question: str, snapshot: Snapshot, max_keyframes: int, *, uses_pictures: bool = True
    ) -> Retrieved:
        """Never fails for want of a model."""
        found = await self._found(question, snapshot, max_keyframes, uses_pictures)
        if found.is_seen or self._model is None:
            return found
        problems = list(found.problems)
        timeout_s = self._config.rewriting_timeout_s
        said = rewritten(question, snapshot, self._model, timeout_s)
        text = await _unless_away(said, "rewriting", problems)
        if text is None:
            return replace(found, problems=tuple(problems))
        return await self._found(text, snapshot, max_keyframes, uses_pictures)

    def by_words(self, question: str, snapshot: Snapshot, max_keyframes: int) -> Retrieved:
        """At once, without any model."""
        return self._judged(rank(question, snapshot, max_keyframes), (), knows_meaning=False)

    async def _found(
        self, question: str, snapshot: Snapshot, max_keyframes: int, uses_pictures: bool
    ) -> Retrieved:
        problems: list[str] = []
        meaning: Meaning | None = None
        seen: Sightings | None = None
        if self._vectors is not None:
            asked = self._vectors.meaning(question, snapshot)
            meaning = await _unless_away(asked, "meaning", problems)
        if self._grounding is not None and uses_pictures:
            looked = self._grounding.look_for(question, snapshot.keyframes)
            seen = await _unless_away(looked, "pictures", problems)
        ranking = rank(question, snapshot, max_keyframes, meaning, seen)
        return self._judged(ranking, problems, knows_meaning=bool(meaning))

    def _judged(
        self, ranking: Ranking, problems: Sequence[str], *, knows_meaning: bool
    ) -> Retrieved:
        least = self._config.least_score(knows_meaning=knows_meaning)
        is_seen = ranking.best_score >= least
        is_near = ranking.best_score >= self._config.doubtful_share * least
        return Retrieved(ranking, is_seen, is_near and not is_seen, tuple(problems))


async def _unless_away(work: Awaitable[Found], what: str, problems: list[str]) -> Found | None:
    """What a model gives; where it does not, the reason is noted."""
    try:
        return await work
    except (ModelError, ReplyError, ConfigurationError) as error:
        problems.append(f"found without {what}: {error}")
        return None
