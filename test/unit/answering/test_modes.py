"""Each mode asks in its own way, and falls back to the graph, never silently."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.answering.agents.modes import Traced
from memory_nodes.answering.agents.run import Agent, AgentRun
from memory_nodes.answering.agents.trace import Step, Trace
from memory_nodes.answering.answerer import AGENT_MODES, Answerer
from memory_nodes.answering.config import AnswererConfig
from memory_nodes.answering.extractive import NOT_SEEN
from memory_nodes.answering.prompt import prompt_tokens
from memory_nodes.dates import Dates
from memory_nodes.errors import InputError, ModelUnavailable
from memory_nodes.models.ports import ChatModel
from memory_nodes.records import NS_PER_S, Answer
from memory_nodes.retrieval.object_vectors import ObjectVectors
from memory_nodes.retrieval.retriever import Retriever
from memory_nodes.retrieval.snapshot import SnapshotCache
from memory_nodes.store.filters import Filter
from memory_nodes.store.reader import Reader
from memory_nodes.store.trace_files import TRACES_DIR, TraceFiles
from memory_nodes.store.writer import Writer
from memory_test_support.recorded_models import HashedEmbedder, RecordedChat, Silence
from memory_test_support.records import descriptor, graph, keyframe, view

NOW_NS = 123 * NS_PER_S
QUESTION = "Where is the red mug?"


@pytest.fixture
def memory_dir(tmp_path: Path) -> Path:
    writer = Writer(tmp_path)
    mug = descriptor("mug_1", view(1), color="red")
    lamp = descriptor("lamp_1", view(2))
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2)], [mug, lamp]))
    writer.close()
    return tmp_path


_RUN = AgentRun(
    text="In the hall.",
    found=True,
    confidence=0.8,
    object_ids=("lamp_1",),
    keyframe_ids=(2,),
    trace=Trace("scripted", "?", 0, 1.0, (), ()),
    problems=("repeated itself",),
)


class _Scripted:
    """An agent that gives what it is told to, after some time."""

    def __init__(self, outcome: AgentRun | ModelUnavailable, needs_s: float = 0.0) -> None:
        self.outcome, self.needs_s = outcome, needs_s
        self.asked: list[tuple[str, int, float]] = []
        self.is_cancelled = False

    async def answer(self, question: str, now_ns: int, deadline_s: float) -> AgentRun:
        self.asked.append((question, now_ns, deadline_s))
        try:
            await asyncio.sleep(self.needs_s)
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise
        if isinstance(self.outcome, ModelUnavailable):
            raise self.outcome
        return self.outcome


def _answerer(
    memory_dir: Path,
    model: ChatModel | None = None,
    config: AnswererConfig | None = None,
    agents: Mapping[str, Agent] | None = None,
    retriever: Retriever | None = None,
) -> Answerer:
    snapshots = SnapshotCache(Reader(memory_dir))
    settings = config or AnswererConfig()
    return Answerer(model, snapshots, settings, Dates("UTC"), retriever, agents=agents)


def _ask(answerer: Answerer, mode: str, question: str = QUESTION) -> Answer:
    return asyncio.run(answerer.answer(question, NOW_NS, mode))


def _said(**values: Any) -> str:
    said = {"answer": "There.", "found": True, "object_ids": [], "keyframe_ids": []}
    return json.dumps({**said, "confidence": 0.9, **values})


def test_full_mode_shows_the_model_all_objects_and_keyframes(memory_dir: Path) -> None:
    said = _said(object_ids=["lamp_1", "desk_1"], keyframe_ids=[2, 7])
    model = RecordedChat(said, '{"is_it": true}')
    answer = _ask(_answerer(memory_dir, model), "full", "Anything to read by?")
    context = json.loads(model.prompts[0].text)["context"]
    assert [line.split(":")[0] for line in context.splitlines()] == [
        "object mug_1",
        "object lamp_1",
        "keyframe 1 at 2 minutes ago",
        "keyframe 2 at 2 minutes ago",
    ]
    assert [item.object_id for item in answer.objects] == ["lamp_1"]
    assert answer.keyframes[0].keyframe.keyframe_id == 2
    assert answer.keyframes[0].object_ids == ("lamp_1",)
    assert len(answer.problems) == 2
    assert not answer.degraded


def test_graph_that_is_too_large_for_full_mode_is_refused_and_asked_by_graph(
    tmp_path: Path,
) -> None:
    writer = Writer(tmp_path)
    text = "a mug that was described at great length " * 10
    mugs = [descriptor(f"mug_{number}", view(1), description=text) for number in range(30)]
    writer.commit_chunk(graph(1, [keyframe(1)], mugs))
    writer.close()
    model = RecordedChat(_said())
    config = AnswererConfig(max_full_prompt_tokens=2000, max_prompt_tokens=1500)
    answer = _ask(_answerer(tmp_path, model, config), "full", "Where is the mug?")
    assert (answer.found, answer.degraded, answer.text) == (True, True, "There.")
    assert "raise max_full_prompt_tokens, or ask in mode graph" in answer.problems[0]
    assert len(model.prompts) == 1
    assert prompt_tokens(model.prompts[0]) <= 1500


def test_full_mode_without_a_model_is_answered_by_graph(memory_dir: Path) -> None:
    answer = _ask(_answerer(memory_dir), "full")
    assert (answer.found, answer.degraded) == (True, True)
    assert "no model is configured" in answer.problems[0]


@pytest.mark.parametrize("mode", AGENT_MODES)
def test_mode_without_its_agent_is_refused_with_the_cure(memory_dir: Path, mode: str) -> None:
    with pytest.raises(InputError, match=rf"mode '{mode}' needs .* or use mode auto"):
        _ask(_answerer(memory_dir), mode)


@pytest.mark.parametrize("mode", AGENT_MODES)
def test_agent_answers_with_evidence_of_the_memory(memory_dir: Path, mode: str) -> None:
    agent = _Scripted(replace(_RUN, object_ids=("lamp_1", "ghost_1"), keyframe_ids=(2, 9)))
    answer = _ask(_answerer(memory_dir, agents={mode: agent}), mode)
    assert (answer.text, answer.found, answer.confidence) == ("In the hall.", True, 0.8)
    assert [item.object_id for item in answer.objects] == ["lamp_1"]
    assert [hit.keyframe.keyframe_id for hit in answer.keyframes] == [2]
    assert answer.keyframes[0].object_ids == ("lamp_1",)
    assert len(answer.evidence) == 1
    assert answer.problems[0] == "repeated itself"
    assert "'ghost_1'" in answer.problems[1]
    assert "'9'" in answer.problems[2]
    assert agent.asked[0][:2] == (QUESTION, NOW_NS)
    assert 29.0 < agent.asked[0][2] <= 30.0


def test_agent_that_names_nothing_gives_what_it_was_shown_as_evidence(memory_dir: Path) -> None:
    steps = (Step((), "mug\nlamp"), Step((), '{"hits": ["battery 43 %"]}'), Step((), ""))
    run = replace(_RUN, object_ids=(), keyframe_ids=(), trace=replace(_RUN.trace, steps=steps))
    answer = _ask(_answerer(memory_dir, agents={"agent": _Scripted(run)}), "agent")
    assert answer.evidence == ('the agent was shown: {"hits": ["battery 43 %"]}',)


def test_agent_that_saw_nothing_has_no_evidence(memory_dir: Path) -> None:
    agent = _Scripted(replace(_RUN, text="Not seen.", found=False))
    answer = _ask(_answerer(memory_dir, agents={"agent": agent}), "agent")
    assert (answer.found, answer.objects, answer.keyframes) == (False, (), ())


def test_agent_whose_model_is_away_leaves_the_answer_to_the_graph(memory_dir: Path) -> None:
    agent = _Scripted(ModelUnavailable("away"))
    answer = _ask(_answerer(memory_dir, agents={"agent": agent}), "agent")
    assert (answer.found, answer.degraded) == (True, True)
    assert answer.problems[0] == "answered without the agent: away"


@pytest.mark.parametrize("mode", AGENT_MODES)
def test_agent_that_comes_to_nothing_leaves_the_answer_to_the_graph(
    memory_dir: Path, mode: str
) -> None:
    """As real agents end whose model is away: 'I have not seen that' would not be true."""
    came_to_nothing = replace(
        _RUN, text=NOT_SEEN, found=False, object_ids=(), keyframe_ids=(), degraded=True
    )
    answer = _ask(_answerer(memory_dir, agents={mode: _Scripted(came_to_nothing)}), mode)
    assert (answer.found, answer.degraded) == (True, True)
    assert [item.object_id for item in answer.objects] == ["mug_1"]
    assert answer.problems[0] == "answered without the agent: repeated itself"


def test_agent_answers_within_the_bounds_of_the_request(memory_dir: Path) -> None:
    answerer = _answerer(memory_dir, agents={"agent": _Scripted(_RUN)})
    here, elsewhere = (
        asyncio.run(answerer.answer(QUESTION, NOW_NS, "agent", Filter(map_id=map_id)))
        for map_id in ("map", "another_house")
    )
    assert (here.found, here.problems[0]) == (True, "searched without bounds")
    assert [item.object_id for item in here.objects] == ["lamp_1"]
    assert (elsewhere.found, elsewhere.objects, elsewhere.keyframes) == (False, (), ())
    assert "within the bounds" in elsewhere.problems[0]


def test_agent_that_does_not_end_is_ended(memory_dir: Path) -> None:
    agent = _Scripted(_RUN, needs_s=60.0)
    config = AnswererConfig(question_timeout_s=0.1)
    started_s = time.monotonic()
    answer = _ask(_answerer(memory_dir, None, config, {"agent": agent}), "agent")
    assert time.monotonic() - started_s < 10.0
    assert agent.is_cancelled
    assert (answer.found, answer.degraded) == (True, True)
    assert "did not end within 0.1 s" in answer.problems[0]


def test_full_mode_tells_of_keyframes_alone_where_no_object_is_named(memory_dir: Path) -> None:
    model = RecordedChat(_said(answer="A room with a desk.", keyframe_ids=[1]))
    answer = _ask(_answerer(memory_dir, model), "full", "Qwertyuiop?")
    assert (answer.text, answer.found, answer.objects) == ("A room with a desk.", True, ())
    assert len(model.prompts) == 1


def test_doubtful_evidence_is_left_to_the_model(memory_dir: Path) -> None:
    """Half the words fit: a red mug is no red bicycle, but a model may know better."""
    model = RecordedChat(_said(answer="The mug.", object_ids=["mug_1"]), '{"is_it": true}')
    answer = _ask(_answerer(memory_dir, model), "auto", "Where is the red beaker?")
    assert json.loads(model.prompts[0].text)["is_doubtful"] is True
    assert (answer.found, answer.degraded) == (True, False)


def test_doubtful_evidence_is_not_seen_without_a_model(memory_dir: Path) -> None:
    answer = _ask(_answerer(memory_dir), "auto", "Where is the red beaker?")
    assert (answer.text, answer.found, answer.degraded) == (NOT_SEEN, False, False)


def test_doubtful_evidence_is_not_seen_when_the_model_fails(memory_dir: Path) -> None:
    model = RecordedChat(ModelUnavailable("away"))
    answer = _ask(_answerer(memory_dir, model), "auto", "Where is the red beaker?")
    assert (answer.text, answer.found, answer.degraded) == (NOT_SEEN, False, True)
    assert answer.problems == ("decided without the model: away",)


def test_model_has_no_more_time_than_the_question(memory_dir: Path) -> None:
    config = AnswererConfig(question_timeout_s=0.3)
    started_s = time.monotonic()
    answer = _ask(_answerer(memory_dir, RecordedChat(Silence.HANG), config), "auto")
    assert 0.2 < time.monotonic() - started_s < 10.0
    assert (answer.found, answer.degraded) == (True, True)
    assert "mug" in answer.text


def test_search_that_takes_all_the_time_ends_with_what_words_find(memory_dir: Path) -> None:
    embedder = HashedEmbedder()
    vectors = ObjectVectors(embedder, 60.0)
    asyncio.run(vectors.learn(SnapshotCache(Reader(memory_dir)).current()))
    embedder.turn = Silence.HANG
    config = AnswererConfig(question_timeout_s=0.2)
    model = RecordedChat(_said())
    answerer = _answerer(memory_dir, model, config, retriever=Retriever(vectors=vectors))
    answer = _ask(answerer, "auto")
    assert (answer.found, answer.degraded, model.prompts) == (True, True, [])
    assert any("found by words alone" in problem for problem in answer.problems)


def test_question_that_is_called_off_stops_the_model(memory_dir: Path) -> None:
    agent = _Scripted(_RUN, needs_s=60.0)

    async def call_off() -> None:
        work = asyncio.create_task(
            _answerer(memory_dir, agents={"agent": agent}).answer(QUESTION, NOW_NS, "agent")
        )
        while not agent.asked:
            await asyncio.sleep(0.01)
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)

    asyncio.run(call_off())
    assert agent.is_cancelled


def test_runs_of_agents_are_written_down(memory_dir: Path) -> None:
    files = TraceFiles(memory_dir, keep=5)
    agents = {"agent": Traced(_Scripted(_RUN), "agent", files)}
    assert _ask(_answerer(memory_dir, agents=agents), "agent").found
    (path,) = (memory_dir / TRACES_DIR).iterdir()
    assert Trace.from_json(path.read_text()) == _RUN.trace


def test_agent_answers_also_where_nothing_can_be_written_down(memory_dir: Path) -> None:
    (memory_dir / TRACES_DIR).write_text("in the way")
    agents = {"agent": Traced(_Scripted(_RUN), "agent", TraceFiles(memory_dir, keep=5))}
    answer = _ask(_answerer(memory_dir, agents=agents), "agent")
    assert answer.found
    assert any("keep_traces" in problem for problem in answer.problems)


def test_question_that_is_given_up_leaves_no_trace(memory_dir: Path) -> None:
    agents = {
        "agent": Traced(_Scripted(ModelUnavailable("down")), "agent", TraceFiles(memory_dir, 5))
    }
    _ask(_answerer(memory_dir, agents=agents), "agent")
    assert list((memory_dir / TRACES_DIR).iterdir()) == []
