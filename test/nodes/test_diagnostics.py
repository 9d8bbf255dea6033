"""What each node says of itself on /diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from robot_memory.msg import ChunkGraph
from robot_memory.srv import QueryMemory
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image

from memory_nodes.nodes.detector_node import DetectorNode
from memory_nodes.nodes.episodic_node import EpisodicNode
from memory_nodes.nodes.goal_node import GoalNode
from memory_nodes.nodes.query_node import QueryNode
from memory_nodes.ros import endpoints
from memory_nodes.ros.conversions import graph_to_msg
from memory_nodes.ros.index_health import IndexHealth
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.hand_camera import EVERY_IMAGE, Camera, clock_message
from memory_test_support.model_server import ModelServer
from memory_test_support.navigator import Navigator
from memory_test_support.node_bench import NodeBench
from memory_test_support.records import descriptor, graph, keyframe, observation, view
from memory_test_support.tour import Tour


def told(
    bench: NodeBench, name: str, is_so: Callable[[dict[str, str]], bool]
) -> tuple[DiagnosticStatus, dict[str, str]]:
    """The first status of a node that says so, and its values."""
    arrays = bench.heard(DiagnosticArray, endpoints.DIAGNOSTICS)
    found: list[tuple[DiagnosticStatus, dict[str, str]]] = []

    def says_so() -> bool:
        for status in (item for array in arrays for item in array.status):
            values = {pair.key: pair.value for pair in status.values}
            if status.name == f"/memory/{name}" and is_so(values):
                found.append((status, values))
        return bool(found)

    bench.until(says_so, f"the diagnostics of {name}")
    return found[0]


def test_store_tells_its_commits_and_sizes(bench: NodeBench) -> None:
    bench.start(EpisodicNode, base_url="")
    message = graph_to_msg(graph(1, [keyframe(1)], [descriptor("mug_1", view(1))]))
    bench.publisher(ChunkGraph, endpoints.CHUNK_GRAPHS).publish(message)
    status, values = told(bench, "episodic_node", lambda values: values["store_sequence"] != "0")
    assert status.level == DiagnosticStatus.OK
    assert float(values["store_mb"]) > 0.0
    assert int(values["disk_free_mb"]) >= 0


@pytest.mark.parametrize(("is_running", "state"), [(False, "not running"), (True, "ready")])
def test_robot_without_navigation_is_ok_and_says_so(
    bench: NodeBench, is_running: bool, state: str
) -> None:
    if is_running:
        bench.make(Navigator)
    bench.start(GoalNode)
    status, _ = told(bench, "goal_node", lambda values: values["nav2"] == state)
    assert status.level == DiagnosticStatus.OK


def test_question_tells_what_its_model_took_and_cost(bench: NodeBench, server: ModelServer) -> None:
    bench.start(EpisodicNode, base_url="")
    bench.start(QueryNode, base_url=server.base_url, prompt_token_price=3)
    message = graph_to_msg(graph(1, [keyframe(1)], [descriptor("mug_1", view(1))]))
    bench.publisher(ChunkGraph, endpoints.CHUNK_GRAPHS).publish(message)
    request = QueryMemory.Request(question="Where is the mug?")
    bench.until(
        lambda: bench.call(QueryMemory, endpoints.QUERY, request).answer.prompt_tokens > 0,
        "an answer by the model",
    )
    _, values = told(bench, "query_node", lambda values: values["model_calls"] != "0")
    assert int(values["model_prompt_tokens_per_hour"]) > 0
    assert float(values["model_latency_s"]) >= 0.0
    assert "model_cost_per_hour" in values
    assert values["index_vectors"] == "0"


def test_dead_model_is_a_warning_while_recording_goes_on(bench: NodeBench, tour: Tour) -> None:
    """Nobody listens on port 9."""
    away = {"base_url": "http://127.0.0.1:9/v1", "chunk_size": 1, "use_sim_time": True}
    node = bench.start(DetectorNode, **away, **EVERY_IMAGE)
    clock = bench.publisher(Clock, "/clock")
    clock.publish(clock_message(100))
    bench.until(lambda: node.now_ns() == 100 * 10**9, "the clock")
    camera = Camera(bench, tour)
    camera.stand_at(100, 0.0)
    camera.shoot(100)
    status, values = told(
        bench, "detector_node", lambda values: values.get("model_errors", "0") != "0"
    )
    assert status.level == DiagnosticStatus.WARN
    assert "recording goes on, but the vision model is away" in status.message
    assert values["waiting_chunks"] == "1"


def test_camera_that_is_silent_is_a_warning_with_its_topic(bench: NodeBench) -> None:
    bench.start(DetectorNode, image_silence_s=0.5)
    status, values = told(bench, "detector_node", lambda values: float(values["image_age_s"]) > 2.5)
    assert status.level == DiagnosticStatus.WARN
    assert "no image on /memory/image" in status.message
    assert float(values["image_rate_hz"]) == 0.0


def test_camera_of_the_other_image_transport_is_named(ros_domain: int, bench: NodeBench) -> None:
    with NodeBench(ros_domain, bench.memory_dir) as other:  # one context has one type a topic
        other.user.create_publisher(Image, endpoints.IMAGE, endpoints.SENSOR)
        bench.start(DetectorNode, image_silence_s=0.5)
        bench.until(
            lambda: bool(bench.user.get_publishers_info_by_topic(f"/memory/{endpoints.IMAGE}")),
            "the camera to be found",
        )
        status, _ = told(bench, "detector_node", lambda values: float(values["image_age_s"]) > 1.5)
    assert "it has sensor_msgs/msg/Image, see image_transport" in status.message


def test_index_is_behind_from_the_commit_until_the_next_answer(tmp_path: Path) -> None:
    now = [10.0]
    writer, search = Writer(tmp_path), Search(tmp_path)
    health = IndexHealth(search, clock_s=lambda: now[0])
    writer.add(observation("a"))
    health.heard(writer.counts().sequence)
    now[0] = 17.0
    behind = health.figures()
    assert (behind["index_age_s"], behind["index_commits_behind"]) == (
        7.0,
        writer.counts().sequence,
    )
    search.refresh()
    level = health.figures()
    assert (level["index_age_s"], level["index_commits_behind"]) == (0.0, 0)
    search.close()
    writer.close()
