"""What an agent gives, as an answer with its evidence."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from memory_nodes.answering.agents.run import Agent, AgentRun
from memory_nodes.answering.asked import GRACE_S, Asked
from memory_nodes.errors import ModelUnavailable
from memory_nodes.records import Answer
from memory_nodes.retrieval.context import evidence_line
from memory_nodes.retrieval.ranking import best_views, retrieved
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.filters import Filter
from memory_nodes.words import shortened

MAX_SHOWN_CHARS = 500


async def agent_answer(agent: Agent, asked: Asked, wanted: Filter, everything: Snapshot) -> Answer:
    """The agent's answer; what it names and is not in the memory is dropped and reported.

    Args:
        wanted: bounds of the evidence, beside what the question says; an agent knows none.

    Raises ModelError when the agent does not come to an end, or to nothing within these bounds.
    """
    left_s = asked.deadline.left_s()
    work = agent.answer(asked.question, asked.now_ns, left_s)
    try:
        run = await asyncio.wait_for(work, left_s + GRACE_S)
    except asyncio.TimeoutError as error:
        raise ModelUnavailable(f"the agent did not end within {left_s:.1f} s") from error
    answer = _from_run(run, asked, everything.filtered(wanted))
    if wanted == Filter():
        return answer
    if answer.found and not answer.keyframes:
        raise ModelUnavailable("the agent found nothing within the bounds of the question")
    return replace(answer, problems=("searched without bounds", *answer.problems))


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
        problems=(
            *run.problems,
            *(f"the agent named {key[:40]!r}, not known here" for key in unknown),
        ),
        keyframes=tuple(shown[: asked.max_keyframes]) if run.found else (),
        objects=tuple(objects) if run.found else (),
        evidence=tuple(evidence_line(item, snapshot, asked.now_ns) for item in objects)
        or _shown_to(run),
        prompt_tokens=run.trace.prompt_tokens,
        completion_tokens=run.trace.completion_tokens,
    )


def _shown_to(run: AgentRun) -> tuple[str, ...]:
    """What an answer that names no object rests on: what the agent was shown last."""
    shown = [step.shown for step in run.trace.steps if step.shown]
    if not run.found or not shown:
        return ()
    return (f"the agent was shown: {shortened(shown[-1], MAX_SHOWN_CHARS)}",)
