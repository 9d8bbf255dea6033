"""What an agent gives, as an answer with its evidence."""

from __future__ import annotations

import asyncio

from memory_nodes.answering.agents.run import Agent, AgentRun
from memory_nodes.answering.asked import Asked
from memory_nodes.errors import ModelUnavailable
from memory_nodes.records import Answer
from memory_nodes.retrieval.context import evidence_line
from memory_nodes.retrieval.ranking import best_views, retrieved
from memory_nodes.retrieval.snapshot import Snapshot

GRACE_S = 0.5
"""An agent that does not end by itself is ended so long after its time."""


async def agent_answer(agent: Agent, asked: Asked, snapshot: Snapshot) -> Answer:
    """The agent's answer; what it names and is not in the memory is dropped and reported.

    Raises ModelError when the agent does not come to an end.
    """
    left_s = asked.deadline.left_s()
    work = agent.answer(asked.question, asked.now_ns, left_s)
    try:
        run = await asyncio.wait_for(work, left_s + GRACE_S)
    except asyncio.TimeoutError as error:
        raise ModelUnavailable(f"the agent did not end within {left_s:.1f} s") from error
    return _from_run(run, asked, snapshot)


def _from_run(run: AgentRun, asked: Asked, snapshot: Snapshot) -> Answer:
    objects = [
        snapshot.objects_by_id[key] for key in run.object_ids if key in snapshot.objects_by_id
    ]
    keyframe_ids = [key for key in run.keyframe_ids if key in snapshot.keyframes]
    unknown = [key for key in run.object_ids if key not in snapshot.objects_by_id]
    unknown += [str(key) for key in run.keyframe_ids if key not in snapshot.keyframes]
    shown = [
        retrieved(
            snapshot.keyframes[key],
            1.0,
            [item for item in objects if any(view.keyframe_id == key for view in item.views)],
        )
        for key in keyframe_ids
    ]
    if not shown:
        shown = [best_views(item, snapshot)[0] for item in objects]
    return Answer(
        question=asked.question,
        text=run.text,
        found=run.found,
        stamp_ns=asked.now_ns,
        confidence=run.confidence,
        degraded=run.degraded,
        problems=(*run.problems, *(f"the agent named {key[:40]!r}, not known" for key in unknown)),
        keyframes=tuple(shown[: asked.max_keyframes]) if run.found else (),
        objects=tuple(objects) if run.found else (),
        evidence=tuple(evidence_line(item, snapshot, asked.now_ns) for item in objects),
        prompt_tokens=run.trace.prompt_tokens,
        completion_tokens=run.trace.completion_tokens,
    )
