"""temporal_query, episode_summary, spatial_query, get_current_context and body_status."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.answering.tools.toolbox import Sources, Toolbox, ToolReply
from memory_nodes.dates import Dates
from memory_nodes.episodic.history.summary import MAX_LEVEL
from memory_nodes.geometry import Pose
from memory_nodes.store.past import Past
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import graph, keyframe, observation
from memory_test_support.told import tell, teller_of
from memory_test_support.told_house import (
    LAMP_AT,
    MUG_AT,
    NOW_NS,
    TIME_ZONE,
    Ask,
    stamp_ns,
    write_told_house,
)


def _ids(reply: ToolReply) -> list[str]:
    return [hit["id"] for hit in reply.result["hits"]]


def test_yesterday_afternoon_is_from_14_to_18_by_the_clock_on_the_wall(ask: Ask) -> None:
    """13:00 to 17:00 UTC: 18:00 is the poster's, 16:00 the passport's."""
    found = ask("temporal_query", when="yesterday afternoon", layers=["description", "speech"])
    assert _ids(found) == ["passport", "kitchen"]


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"since": "-10m"}, ["umbrella", "battery_low"]),
        ({"since": "-10m", "order": "oldest"}, ["battery_low", "umbrella"]),
        ({"when": "last 20 minutes", "layers": ["diagnostics"]}, ["warm", "cool"]),
        ({"until": "2025-12-01T09:00"}, ["battery_full"]),
        ({"when": "2 Dec", "layers": ["battery"]}, ["battery_low"]),
        ({"order": "oldest", "max_hits": 1}, ["battery_full"]),
        ({"when": "yesterday", "x_m": 9.0, "y_m": 0.0, "radius_m": 1.0}, ["poster"]),
    ],
)
def test_time_is_understood_as_people_say_it(
    limits: dict[str, Any], expected: list[str], ask: Ask
) -> None:
    assert _ids(ask("temporal_query", **limits)) == expected


def test_oldest_items_are_those_that_began_first(told_house: Path) -> None:
    """With and without a filter, against the reverse of all that there is."""
    search = Search(told_house)
    everything = search.between(0, 2**62, 1000).hits
    by_start = sorted(everything, key=lambda hit: hit.start_ns)
    oldest = search.between(0, 2**62, 1000, oldest_first=True).hits
    assert [hit.start_ns for hit in oldest] == [hit.start_ns for hit in by_start]
    assert [hit.item_id for hit in search.between(0, 2**62, 1, oldest_first=True).hits] == [
        "battery_full"
    ]
    search.close()


def test_episode_is_found_by_name_and_id_and_told(ask: Ask) -> None:
    for named in ("Kitchen patrols", "episode_1"):
        reply = ask("episode_summary", episode=named)
        (episode,) = reply.result["episodes"]
        assert (episode["id"], episode["status"]) == ("episode_1", "completed")
        assert episode["start_ns"] == stamp_ns(1, 13)
        assert episode["end_ns"] == stamp_ns(1, 15)
        assert "extinguisher" in reply.text


def test_time_without_episodes_is_told_too(ask: Ask) -> None:
    reply = ask("episode_summary", since="today", level=MAX_LEVEL)
    assert reply.is_ok
    assert reply.result["episodes"] == []


def test_nearest_comes_first_within_the_radius_on_the_floor(ask: Ask) -> None:
    """The mug is 0.5 m above the floor and 3 m away from the umbrella's x = 2."""
    reply = ask("spatial_query", x_m=3.0, y_m=0.0, radius_m=1.6)
    assert _ids(reply) == ["mug_1", "desk_1", "umbrella", "lamp_1"]
    distances_m = [hit["distance_m"] for hit in reply.result["hits"]]
    assert distances_m == pytest.approx([0.0, 0.41, 1.0, 1.5], abs=0.05)
    assert reply.object_ids == ("mug_1", "desk_1", "lamp_1")


def test_kinds_and_layers_limit_what_is_around(ask: Ask) -> None:
    assert _ids(ask("spatial_query", x_m=3.0, y_m=0.0, kinds=["object"], max_hits=1)) == ["mug_1"]
    assert _ids(ask("spatial_query", x_m=9.0, y_m=0.0, layers=["description"])) == ["poster"]


def test_context_is_around_the_newest_place_of_the_robot(ask: Ask) -> None:
    """The umbrella was seen last, from x = 2."""
    reply = ask("get_current_context")
    assert reply.result["position_map_m"] == [2.0, 0.0, 0.0]
    assert reply.object_ids == ("desk_1", "mug_1", "lamp_1")
    assert "umbrella" in reply.text


def test_context_of_another_place_and_of_one_layer(ask: Ask) -> None:
    reply = ask("get_current_context", x_m=9.0, y_m=0.0, layers=["description"])
    (hit,) = reply.result["hits"]
    assert hit["layer"] == "description"
    assert "a poster" in hit["text"]
    x_m, y_m, _ = LAMP_AT
    there = ask("get_current_context", x_m=x_m, y_m=y_m, radius_m=1.0)
    assert there.object_ids == ("lamp_1",)
    assert MUG_AT not in [hit.get("position_map_m") for hit in there.result["hits"]]


def test_body_tells_the_newest_of_each_thing(ask: Ask) -> None:
    assert _ids(ask("body_status")) == ["battery_low", "warm", "dirty"]
    assert _ids(ask("body_status", layers=["battery"], until="yesterday")) == ["battery_full"]


def _ask(memory_dir: Path, tool: str, **arguments: Any) -> ToolReply:
    sources = Sources.of(memory_dir, Dates(TIME_ZONE))
    reply = asyncio.run(Toolbox(sources).call(tool, json.dumps(arguments), NOW_NS))
    sources.close()
    return reply


def test_episode_is_told_by_the_history_where_that_is_told(tmp_path: Path) -> None:
    write_told_house(tmp_path)
    writer, past = Writer(tmp_path), Past(tmp_path)
    tell(teller_of(writer, past), NOW_NS)
    past.close()
    writer.close()
    goal = _ask(tmp_path, "episode_summary", episode="kitchen patrol").result["hits"][0]
    assert goal["kind"] == "goal"
    assert "kitchen patrol" in goal["text"]
    events = _ask(tmp_path, "episode_summary", episode="kitchen patrol", level=2).result["hits"]
    assert {hit["kind"] for hit in events} == {"event"}


def test_map_and_place_of_now_are_those_of_a_keyframe_newer_than_any_observation(
    tmp_path: Path,
) -> None:
    writer = Writer(tmp_path)
    writer.add(observation(stamp_s=1.0, map_id="home"))
    shed = keyframe(2, base=Pose.planar(4.0, 1.0, 0.0), map_id="shed")
    writer.commit_chunk(graph(1, [shed]))
    writer.close()
    here = _ask(tmp_path, "get_current_context").result
    assert (here["map_id"], here["position_map_m"]) == ("shed", [4.0, 1.0, 0.0])
    home = _ask(tmp_path, "get_current_context", map_id="home").result
    assert (home["map_id"], home["position_map_m"]) == ("home", [0.0, 0.0, 0.0])
