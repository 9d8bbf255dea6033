"""Spoken questions: the newest counts, commands go to who drives, and one sentence is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from geometry_msgs.msg import PoseStamped
from robot_memory.msg import MemoryAnswer
from robot_memory.srv import QueryMemory
from std_msgs.msg import String

from memory_nodes.errors import StoreBusy
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_nodes.store.writer import Writer
from memory_test_support.goal_driver import SOON
from memory_test_support.injections import INJECTIONS
from memory_test_support.model_server import ModelServer
from memory_test_support.navigator import Navigator
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import descriptor, graph, keyframe, observation, view


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    """A red mug, and a poster with each text that tries to command the robot."""
    writer = Writer(tmp_path)
    posters = [
        descriptor(f"poster_{number}", view(2), description=text)
        for number, text in enumerate(INJECTIONS)
    ]
    mug = descriptor("mug_1", view(1), color="red")
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2)], [mug, *posters]))
    writer.close()
    with NodeBench(ros_domain, tmp_path) as made:
        yield made


@pytest.mark.parametrize("said", ["Take me to the red mug", "Could you go to the red mug?"])
def test_spoken_request_to_go_is_handed_on_and_driven(bench: NodeBench, said: str) -> None:
    navigator = bench.make(Navigator)
    bench.start(QueryNode, base_url="")
    bench.start(GoalNode, **SOON)
    commands = bench.heard(String, endpoints.COMMANDS)
    speech = bench.heard(String, endpoints.SPEECH)
    bench.publisher(String, endpoints.QUESTIONS).publish(String(data=said))
    bench.until(lambda: bool(speech), "the end of the drive")
    assert len(navigator.goals) == 1
    assert [message.data for message in commands] == [said]


def test_spoken_stop_is_handed_on(bench: NodeBench) -> None:
    bench.start(QueryNode, base_url="")
    commands = bench.heard(String, endpoints.COMMANDS)
    bench.publisher(String, endpoints.QUESTIONS).publish(String(data="Stop!"))
    bench.until(lambda: bool(commands), "the command")


def test_question_about_going_is_answered_and_no_command(bench: NodeBench) -> None:
    bench.start(QueryNode, base_url="")
    commands = bench.heard(String, endpoints.COMMANDS)
    speech = bench.heard(String, endpoints.SPEECH)
    ask = bench.publisher(String, endpoints.QUESTIONS)
    ask.publish(String(data="How do I go to the red mug?"))
    bench.until(lambda: bool(speech), "an answer")
    assert commands == []


def test_new_utterance_cancels_the_one_still_thought_about(bench: NodeBench) -> None:
    with ModelServer() as server:
        server.hang()
        node = bench.start(QueryNode, base_url=server.base_url, question_timeout_s=600.0)
        speech = bench.heard(String, endpoints.SPEECH)
        answers = bench.heard(MemoryAnswer, endpoints.ANSWERS)
        ask = bench.publisher(String, endpoints.QUESTIONS)
        ask.publish(String(data="Where is the red mug?"))
        ask.publish(String(data="Where is the grand piano?"))
        bench.until(lambda: bool(speech) and bool(answers), "the second answer")
    assert node.counters["questions_superseded"] == 1
    assert [answer.question for answer in answers] == ["Where is the grand piano?"]


def test_one_sentence_is_spoken_and_the_whole_answer_published(bench: NodeBench) -> None:
    writer = Writer(bench.memory_dir)
    writer.add(observation("battery 43 %", layer="battery"))
    writer.add(observation("left wheel: overheated", layer="diagnostics"))
    writer.close()
    bench.start(QueryNode, base_url="")
    speech = bench.heard(String, endpoints.SPEECH)
    answers = bench.heard(MemoryAnswer, endpoints.ANSWERS)
    bench.publisher(String, endpoints.QUESTIONS).publish(String(data="How are you?"))
    bench.until(lambda: bool(speech) and bool(answers), "an answer")
    assert answers[0].text.count(". ") == 1
    assert answers[0].text.startswith(f"{speech[0].data} ")


def test_question_that_the_memory_cannot_answer_now_is_not_met_with_silence(
    bench: NodeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def busy(*_: object) -> None:
        raise StoreBusy("the disk is busy")

    node = bench.start(QueryNode, base_url="")
    monkeypatch.setattr(node.answerer, "answer", busy)
    speech = bench.heard(String, endpoints.SPEECH)
    bench.publisher(String, endpoints.QUESTIONS).publish(String(data="Where is the red mug?"))
    bench.until(lambda: bool(speech), "what to say")
    assert speech[0].data == "I cannot read my memory now."


def test_poster_with_a_command_drives_nowhere(bench: NodeBench) -> None:
    """Ten texts in the graph; the answer says them, and nobody acts."""
    navigator = bench.make(Navigator)
    bench.start(QueryNode, base_url="")
    bench.start(GoalNode, **SOON)
    commands = bench.heard(String, endpoints.COMMANDS)
    goals = bench.heard(PoseStamped, endpoints.GOAL, endpoints.LATCHED)
    speech = bench.heard(String, endpoints.SPEECH)
    ask = bench.publisher(String, endpoints.QUESTIONS)
    for number, text in enumerate(INJECTIONS):
        ask.publish(String(data=f"Which poster says: {text}"))
        bench.until(lambda: len(speech) == number + 1, "an answer")  # noqa: B023
    assert (commands, goals, navigator.goals) == ([], [], [])


def test_twenty_clients_of_a_slow_model_get_the_best_answer_in_time(bench: NodeBench) -> None:
    with ModelServer() as server:
        server.hang()
        bench.start(QueryNode, base_url=server.base_url, question_timeout_s=1.0)
        client = bench.calling(QueryMemory, endpoints.QUERY)
        request = QueryMemory.Request(question="Where is the red mug?")
        futures = [client.call_async(request) for _ in range(20)]
        bench.until(lambda: all(future.done() for future in futures), "20 answers", 10.0)
    answers = [future.result().answer for future in futures]
    assert all(answer.found and answer.degraded for answer in answers)
    assert {answer.objects[0].object_id for answer in answers} == {"mug_1"}
