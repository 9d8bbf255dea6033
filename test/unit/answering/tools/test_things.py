"""locate and entity_query."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.answering.tools.arguments import Arguments
from memory_nodes.answering.tools.items import object_item
from memory_nodes.answering.tools.tool import Call
from memory_nodes.answering.tools.toolbox import Sources, Toolbox, ToolReply
from memory_nodes.dates import Dates
from memory_nodes.geometry import Vector3
from memory_nodes.records import NS_PER_S, Relation
from memory_nodes.retrieval.snapshot import Snapshot
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, observation, view
from memory_test_support.told_house import MUG_AT, Ask, stamp_ns

HERE: Vector3 = (3.0, 0.0, 0.5)
THERE: Vector3 = (3.0, 1.5, 0.5)


def _places(reply: ToolReply) -> list[list[float]]:
    return [hit["position_map_m"] for hit in reply.result["hits"]]


def test_latest_sighting_comes_first_and_no_place_is_the_mean_of_two(ask: Ask) -> None:
    """Vases at x = 1 and x = 20, whose mean is 10.5."""
    reply = ask("locate", thing="the blue vase")
    assert reply.result["found"] is True
    assert [hit["id"] for hit in reply.result["hits"]] == ["vase_there", "vase_here"]
    assert _places(reply) == [[20.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    assert [hit["confidence"] for hit in reply.result["hits"]] == [1.0, 1.0]


def test_object_of_the_graph_has_its_own_place_and_keyframe(ask: Ask) -> None:
    """The observation that was made of the same picture says nothing more."""
    for thing in ("red mug", "mug_1"):
        reply = ask("locate", thing=thing)
        (hit,) = reply.result["hits"]
        assert hit["position_map_m"] == pytest.approx(MUG_AT, abs=0.1)
        assert (reply.object_ids, reply.keyframe_ids) == (("mug_1",), (1,))


def test_what_only_a_description_names_is_located(ask: Ask) -> None:
    (hit,) = ask("locate", thing="fire extinguisher").result["hits"]
    assert (hit["id"], hit["position_of"]) == ("kitchen", "robot")


@pytest.mark.parametrize("thing", ["piano", "passport", "red vase", "fire"])
def test_what_was_never_seen_is_not_found(thing: str, ask: Ask) -> None:
    """A passport was spoken of; a vase was blue, and a fire extinguisher is no fire."""
    reply = ask("locate", thing=thing)
    assert reply.is_ok
    assert (reply.result["found"], reply.result["hits"]) == (False, [])
    assert reply.text.startswith("Not found")


def test_word_that_a_scene_only_quotes_is_not_located(ask: Ask) -> None:
    assert ask("locate", thing="stairs").result["found"] is False
    assert ask("locate", thing="poster").result["found"] is True


def test_time_limits_what_is_located(ask: Ask) -> None:
    reply = ask("locate", thing="vase", until="2025-12-01T14:45")
    assert [hit["id"] for hit in reply.result["hits"]] == ["vase_here"]
    for thing in ("red mug", "mug_1"):
        assert ask("locate", thing=thing, since="today").result["found"] is False


def _locate(memory_dir: Path, thing: str) -> ToolReply:
    sources = Sources.of(memory_dir, Dates("UTC"))
    call = Toolbox(sources).call("locate", json.dumps({"thing": thing}), 100 * NS_PER_S)
    reply = asyncio.run(call)
    sources.close()
    return reply


def test_of_equal_objects_the_one_seen_last_comes_first(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    here = descriptor("mug_1", view(1, point_map_m=HERE), color="red")
    there = descriptor("mug_2", view(2, point_map_m=THERE), color="blue")
    writer.commit_chunk(graph(1, [keyframe(1), keyframe(2)], [here, there]))
    writer.close()
    reply = _locate(tmp_path, "mug")
    assert reply.object_ids == ("mug_2", "mug_1")
    assert _places(reply)[0] == pytest.approx(THERE, abs=0.1)
    assert _places(reply)[1] == pytest.approx(HERE, abs=0.1)
    assert _locate(tmp_path, "red mug").object_ids[0] == "mug_1"


def test_sighting_after_the_pictures_comes_before_the_object(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    mug = descriptor("mug_1", view(1, point_map_m=HERE), color="red")
    writer.commit_chunk(graph(1, [keyframe(1)], [mug]))
    for number, text in ((0.5, "red mug"), (60.0, "red mug, plate")):
        writer.add(observation(text, stamp_s=number, at_map_m=(8.0, 0.0, 0.0), layer="detections"))
    writer.close()
    first, second = _locate(tmp_path, "red mug").result["hits"]
    assert (first["id"], first["at_ns"]) == ("observation_2", 60 * NS_PER_S)
    assert second["id"] == "mug_1"


def test_entities_are_told_each_with_its_newest_place_and_company(ask: Ask) -> None:
    reply = ask("entity_query", name="chairs")
    assert _places(reply) == [[20.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    assert [hit["observations"] for hit in reply.result["hits"]] == [1, 1]
    assert reply.result["hits"][0]["last_seen_ns"] == stamp_ns(1, 14)
    assert reply.result["seen_with"] == {"blue vase": 2}


def test_what_waits_for_its_gist_is_an_entity_too(ask: Ask) -> None:
    (hit,) = ask("entity_query", name="umbrella").result["hits"]
    assert hit["id"] == hit["observation_id"] == "umbrella"


def test_entities_of_a_time_and_a_place(ask: Ask) -> None:
    def names(**limits: object) -> set[str]:
        return {hit["name"] for hit in ask("entity_query", **limits).result["hits"]}

    assert names(since="today") == {"umbrella"}
    assert names(x_m=20.0, y_m=0.0, radius_m=1.0) == {"chair", "blue vase"}
    assert names(since="yesterday", layers=["description"]) == set()


def test_unknown_entity_is_not_found_and_similar_names_are_told(ask: Ask) -> None:
    reply = ask("entity_query", name="red vase")
    assert (reply.result["found"], reply.result["hits"]) == (False, [])
    assert "blue vase" in reply.result["similar_names"]


def test_thing_that_was_seen_too_seldom_for_a_summary_is_an_entity_too(ask: Ask) -> None:
    """Nothing else was observed near the mug, outside of episodes: no gist tells of it."""
    (hit,) = ask("entity_query", name="red mug").result["hits"]
    assert (hit["name"], hit["observation_id"]) == ("red mug", "chunk_1.detections.1")


def test_relations_from_before_a_move_are_not_told(tmp_path: Path) -> None:
    desk, shelf = descriptor("desk_1", view(1)), descriptor("shelf_1", view(2))
    mug = replace(descriptor("mug_1", view(1), view(2)), placed_since=2)
    on = (Relation("mug_1", "on", "desk_1", (1,)), Relation("mug_1", "on", "shelf_1", (2,)))
    known = Snapshot((mug, desk, shelf), on, {1: keyframe(1), 2: keyframe(2)})
    sources = Sources.of(tmp_path, Dates("UTC"))
    call = Call(sources, Arguments({}), 0, 5)
    assert object_item(mug, known, call, {}).fields["relations"] == ["on shelf_1"]
    sources.close()
