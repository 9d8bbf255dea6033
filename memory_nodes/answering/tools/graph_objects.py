"""Objects of the scene graph that fit a text, as far as a call limits them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from memory_nodes.answering.tools.tool import Call
from memory_nodes.episodic.lines import DETECTIONS
from memory_nodes.records import ObjectDescriptor
from memory_nodes.retrieval.ranking import RELEVANT_SHARE
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.filters import Filter

ONE_KEYFRAME = 1


@dataclass(frozen=True)
class FittingObjects:
    """The objects that fit, best first, and how surely each is what is meant, 0 to 1."""

    snapshot: Snapshot
    objects: tuple[ObjectDescriptor, ...] = ()
    confidences: tuple[float, ...] = ()
    problems: tuple[str, ...] = ()
    is_by_id: bool = False
    """The text was the id of an object."""


async def fitting_objects(call: Call, text: str, limits: Filter) -> FittingObjects:
    """Nothing where no object is surely meant; objects are of the layer of detections.

    A text that is the id of an object means that alone.
    """
    whole = await asyncio.to_thread(call.sources.snapshots.current)
    if limits.layers and DETECTIONS not in limits.layers:
        return FittingObjects(whole)
    graph_limits = replace(limits, layers=(), kinds=())
    snapshot = await asyncio.to_thread(whole.filtered, graph_limits)
    if text in whole.objects_by_id:
        known = snapshot.objects_by_id.get(text)
        objects = () if known is None else (known,)
        return FittingObjects(snapshot, objects, (1.0,) * len(objects), is_by_id=True)
    found = await call.sources.retriever.retrieve(text, snapshot, ONE_KEYFRAME, uses_pictures=False)
    scores = found.ranking.object_scores
    if not found.is_seen or not scores:
        return FittingObjects(snapshot, problems=found.problems)
    best = max(scores.values())
    order = sorted(scores, key=lambda key: (-scores[key], key))
    fitting = [key for key in order if scores[key] >= RELEVANT_SHARE * best]
    surely = min(1.0, found.ranking.best_score)
    return FittingObjects(
        snapshot,
        tuple(snapshot.objects_by_id[key] for key in fitting),
        tuple(surely * scores[key] / best for key in fitting),
        found.problems,
    )
