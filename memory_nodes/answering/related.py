"""What the scene graph adds to what was found for a question."""

from __future__ import annotations

from dataclasses import dataclass

from memory_nodes.answering.asked import Asked
from memory_nodes.records import Answer, ObjectDescriptor, Relation, RetrievedKeyframe
from memory_nodes.retrieval.context import evidence_line
from memory_nodes.retrieval.ranking import Ranking, retrieved
from memory_nodes.retrieval.snapshot import Snapshot

CONFIDENCE = 0.5
"""Of a sentence out of the graph: which thing was meant is told by words alone."""


@dataclass(frozen=True)
class RelationFacts:
    """What the graph knows of a question about relations."""

    text: str
    objects: tuple[ObjectDescriptor, ...]
    """What was asked for first, then what the question named."""
    keyframe_ids: tuple[int, ...]
    """Those that show most of it first."""
    relations: tuple[Relation, ...] = ()
    counts: str = ""
    """For a prompt, where it is no relation: what shows with what, and how often."""
    is_found: bool = True
    """False: the objects are known, but nothing that stands to them as asked."""

    def ranking(self, snapshot: Snapshot, max_keyframes: int) -> Ranking:
        """For a context, where a search by words found nothing sure."""
        shown = tuple(self._shown(key, snapshot) for key in self.keyframe_ids[:max_keyframes])
        return Ranking({item.object_id: 1.0 for item in self.objects}, shown, 1.0)

    def answer(self, asked: Asked, snapshot: Snapshot, problem: str) -> Answer:
        """The answer without a model, and why it is without one."""
        return Answer(
            question=asked.question,
            text=self.text,
            found=self.is_found,
            stamp_ns=asked.now_ns,
            confidence=CONFIDENCE if self.is_found else 0.0,
            degraded=True,
            problems=(problem,),
            keyframes=self.ranking(snapshot, asked.max_keyframes).keyframes
            if self.is_found
            else (),
            objects=self.objects if self.is_found else (),
            evidence=tuple(evidence_line(item, snapshot, asked.now_ns) for item in self.objects),
        )

    def _shown(self, keyframe_id: int, snapshot: Snapshot) -> RetrievedKeyframe:
        in_it = {item.object_id for item in snapshot.objects_by_keyframe.get(keyframe_id, ())}
        shown = [item for item in self.objects if item.object_id in in_it]
        share = len(shown) / len(self.objects)
        return retrieved(snapshot.keyframes[keyframe_id], share, shown)


@dataclass(frozen=True)
class Related:
    """What the scene graph adds to what was found."""

    relations: tuple[Relation, ...] = ()
    """For a context: those that were asked for, then all that the keyframes show."""
    facts: RelationFacts | None = None
    """Of a question about relations."""

    @property
    def note(self) -> str:
        """A line for a context, or empty."""
        return f"{self.facts.counts}\n" if self.facts is not None and self.facts.counts else ""
