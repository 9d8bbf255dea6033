"""One run of an agent: its evidence, its budget of time, and how it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from memory_nodes.answering.agents.recording import Clock, Listener, Replay, Stopwatch
from memory_nodes.answering.agents.trace import Step, Trace
from memory_nodes.answering.extractive import NOT_SEEN
from memory_nodes.answering.prompt import MAX_ANSWER_CHARS, read_answer
from memory_nodes.models.ports import JsonSchema, Prompt, Reply, ToolModel
from memory_nodes.models.prompt_files import prompt_text
from memory_nodes.models.prompt_json import prompt_json, whole_characters
from memory_nodes.models.reply_schema import array_of, closed_object

FORCE_VERSION = "force_v1"
FORCE_TASK = "agent_answer"
MODEL_CALLS_LEFT = 2.0
"""With no more time than for so many of the slowest call, the next one has to answer."""
UNFINISHED_CONFIDENCE = 0.25
"""Of the best that was found by an agent that came to no answer."""
ANSWER_SCHEMA: JsonSchema = closed_object(
    answer={"type": "string", "description": "one or two spoken sentences, without ids"},
    found={"type": "boolean", "description": "whether the memory holds the answer"},
    object_ids=array_of({"type": "string"}),
    keyframe_ids=array_of({"type": "integer"}),
    confidence={"type": "number", "description": "0 to 1"},
)


@dataclass(frozen=True)
class AgentRun:
    """An answer, and how it came about."""

    text: str
    found: bool
    confidence: float
    object_ids: tuple[str, ...]
    keyframe_ids: tuple[int, ...]
    trace: Trace
    problems: tuple[str, ...] = ()
    degraded: bool = False


class Agent(Protocol):
    """Answers from the memory in several steps."""

    async def answer(self, question: str, now_ns: int, deadline_s: float) -> AgentRun:
        """At the end of its time the best answer so far."""
        ...


async def replay(trace: Trace, make: Callable[[ToolModel, Clock], Agent]) -> AgentRun:
    """Does again what a trace tells of: over the same memory, with the same answer.

    ``make``: the agent, with another model and clock.
    """
    model = Replay(trace)
    agent = make(model, model.clock)
    return await agent.answer(trace.question, trace.now_ns, trace.deadline_s)


@dataclass
class Evidence:
    """What the memory itself has shown: ids in texts, seen or heard, are none."""

    object_ids: dict[str, None] = field(default_factory=dict)
    keyframe_ids: dict[int, None] = field(default_factory=dict)

    def add(self, object_ids: Iterable[str], keyframe_ids: Iterable[int]) -> None:
        self.object_ids.update(dict.fromkeys(object_ids))
        self.keyframe_ids.update(dict.fromkeys(keyframe_ids))


@dataclass(frozen=True)
class Finding:
    """The best that was found on the way, should there be no answer."""

    text: str
    object_ids: tuple[str, ...] = ()
    keyframe_ids: tuple[int, ...] = ()


HeardModel = TypeVar("HeardModel", bound=Listener)


class Run(Generic[HeardModel]):
    """What one run has used up and found until now."""

    def __init__(
        self,
        agent: str,
        question: str,
        now_ns: int,
        deadline_s: float,
        model: HeardModel,
        watch: Stopwatch,
    ) -> None:
        self._agent = agent
        self.question = question
        self.now_ns = now_ns
        self._deadline_s = deadline_s
        self.model = model
        self._watch = watch
        self.evidence = Evidence()
        self.best: Finding | None = None
        self.steps: list[Step] = []

    def left_s(self) -> float:
        return max(0.0, self._deadline_s - self._watch())

    def has_to_answer(self, max_steps: int) -> bool:
        """There is one step left, or time for hardly more."""
        left_s = self.left_s()
        return len(self.steps) >= max_steps - 1 or (
            bool(self.steps) and left_s <= MODEL_CALLS_LEFT * self.model.slowest_s
        )

    def end_step(self, shown: str) -> None:
        """``shown``: what the model is told of what it did."""
        self.steps.append(Step(self.model.taken(), shown))

    async def force(self, known: Mapping[str, Any], temperature: float) -> AgentRun:
        """Asks for an answer from what is known. Raises ModelError, ReplyError.

        Source: H-EMV, section III-B (a special prompt to force an immediate answer).
        """
        body = {"task": FORCE_TASK, "question": self.question, **known}
        prompt = Prompt(
            task=FORCE_TASK,
            system=prompt_text(__package__, FORCE_VERSION),
            text=prompt_json(body),
            reply_schema=ANSWER_SCHEMA,
            temperature=temperature,
            max_tokens=512,
        )
        return self.conclude(await self.model.complete(prompt, self.left_s()))

    def conclude(self, reply: Reply) -> AgentRun:
        """The model's answer, less what it was never shown; all of it where nothing is left.

        Raises ReplyError where the reply holds no answer.
        """
        answer = read_answer(reply, self.evidence.object_ids, self.evidence.keyframe_ids)
        if answer.rests_on_nothing:
            return self._ended(
                Finding(NOT_SEEN),
                problems=(*answer.problems, "its answer rests on nothing it was shown: dropped"),
                is_degraded=True,
            )
        return self._ended(
            Finding(answer.text, answer.object_ids, answer.keyframe_ids),
            answer.confidence if answer.found else 0.0,
            answer.found,
            answer.problems,
        )

    def give_up(self, problem: str) -> AgentRun:
        """The best that was found, without an answer of the model."""
        found = self.best is not None
        return self._ended(
            self.best or Finding(NOT_SEEN),
            UNFINISHED_CONFIDENCE if found else 0.0,
            found,
            (problem,),
            is_degraded=True,
        )

    def nothing(self, problem: str) -> AgentRun:
        """Nothing to look for an answer in."""
        return self._ended(Finding(NOT_SEEN), problems=(problem,), is_degraded=True)

    def _ended(
        self,
        finding: Finding,
        confidence: float = 0.0,
        found: bool = False,
        problems: tuple[str, ...] = (),
        is_degraded: bool = False,
    ) -> AgentRun:
        self._watch()
        self.end_step("")
        steps = self.steps if self.steps[-1].said else self.steps[:-1]
        return AgentRun(
            text=whole_characters(finding.text[:MAX_ANSWER_CHARS]),
            found=found,
            confidence=confidence,
            object_ids=finding.object_ids,
            keyframe_ids=finding.keyframe_ids,
            trace=Trace(
                agent=self._agent,
                question=self.question,
                now_ns=self.now_ns,
                deadline_s=self._deadline_s,
                steps=tuple(steps),
                readings_s=tuple(self._watch.readings_s),
            ),
            problems=problems,
            degraded=is_degraded,
        )
