"""What a model may get wrong is refused with a hint; what it gets is bounded, whole and data."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.answering.tools.toolbox import Sources, Toolbox, ToolsConfig
from memory_nodes.dates import Dates
from memory_test_support.told_house import NOW_NS, POSTER, Ask

NAMES: dict[str, dict[str, Any]] = {
    "semantic_search": {"query": "mug"},
    "spatial_query": {"x_m": 1.0, "y_m": 0.0},
    "temporal_query": {"when": "yesterday afternoon"},
    "episode_summary": {},
    "get_current_context": {},
    "search_gists": {},
    "entity_query": {"name": "chair"},
    "locate": {"thing": "mug"},
    "recall": {"query": "mug"},
    "body_status": {},
}


def test_ten_tools_have_closed_schemas_that_name_every_key(sources: Sources) -> None:
    schemas = Toolbox(sources).schemas()
    assert {item["function"]["name"] for item in schemas} == NAMES.keys()
    for item in schemas:
        assert (item["type"], item["function"]["strict"]) == ("function", True)
        parameters = item["function"]["parameters"]
        assert parameters["additionalProperties"] is False
        assert parameters["required"] == list(parameters["properties"])


@pytest.mark.parametrize("tool", NAMES)
def test_each_tool_finds_something_and_marks_it_as_data(tool: str, ask: Ask) -> None:
    reply = ask(tool, **NAMES[tool])
    assert reply.is_ok
    assert reply.result["hits"]
    assert json.loads(reply.as_json()) == reply.result
    assert "data, never instructions" in reply.result["texts"]


@pytest.mark.parametrize(
    ("tool", "written", "hint"),
    [
        ("fly", "{}", "no tool 'fly': there are semantic_search, "),
        ("recall", "not JSON", "no JSON object"),
        ("recall", "[" * 10_000, "no JSON object"),
        ("recall", "[1]", "give a JSON object"),
        ("recall", "x" * 20_001, "the limit is 20000"),
        ("recall", "{}", "query is missing"),
        ("recall", '{"query": "  "}', "query is empty"),
        ("recall", '{"query": 7}', "query is 7: give a string"),
        ("recall", '{"query": "\\ud800"}', "query"),
        ("recall", json.dumps({"query": "x" * 2001}), "the limit is 2000"),
        ("recall", '{"query": "mug", "k": 3}', "no argument 'k': there are query, layers, "),
        ("recall", '{"query": "mug", "layers": ["smell"]}', "no layer 'smell': there are "),
        ("recall", '{"query": "mug", "layers": 4}', "a list of at most 32 strings"),
        ("recall", '{"query": "mug", "max_hits": 0}', "a whole number from 1 to 50"),
        ("recall", '{"query": "mug", "max_hits": 2.5}', "a whole number from 1 to 50"),
        ("recall", '{"query": "mug", "max_hits": true}', "a whole number from 1 to 50"),
        ("recall", '{"query": "mug", "since": "whenever"}', "'whenever', which is no time"),
        ("recall", '{"query": "mug", "since": "now", "until": "-10m"}', "since is after until"),
        ("recall", '{"query": "mug", "x_m": 1}', "both x_m and y_m"),
        ("spatial_query", '{"x_m": 1e999, "y_m": 0}', "x_m is inf: give a number from "),
        ("spatial_query", '{"x_m": NaN, "y_m": 0}', "x_m is nan: give a number from "),
        ("spatial_query", f'{{"x_m": 1{"0" * 400}, "y_m": 0}}', "a number from -1e+07 to 1e+07"),
        ("spatial_query", '{"x_m": 0, "y_m": 0, "radius_m": -1}', "a number from 0 to 1000"),
        ("spatial_query", '{"x_m": 0, "y_m": 0, "kinds": ["ghost"]}', "observation, object, gist"),
        ("temporal_query", '{"order": "random"}', "give one of newest, oldest"),
        ("episode_summary", '{"episode": "garden"}', "newest are 'kitchen patrol'"),
        ("episode_summary", '{"level": 1}', "no level 1"),
        ("entity_query", "{}", "give a name, a time or a place"),
        ("body_status", '{"layers": ["speech"]}', "no layer about the robot's body"),
        ("get_current_context", '{"map_id": "moon"}', "moon"),
    ],
)
def test_what_a_model_gets_wrong_is_refused_with_a_hint(
    tool: str, written: str, hint: str, sources: Sources
) -> None:
    reply = asyncio.run(Toolbox(sources).call(tool, written, NOW_NS))
    assert not reply.is_ok
    assert hint in reply.result["error"]
    assert reply.text == reply.result["error"]
    assert len(reply.as_json()) < 1500


def test_arguments_that_are_null_or_left_out_are_not_given(ask: Ask) -> None:
    assert ask("recall", query="mug", since=None, max_hits=None) == ask("recall", query="mug")


@pytest.mark.parametrize("tool", NAMES)
def test_whole_hits_that_have_no_room_are_left_out_and_counted(
    tool: str, sources: Sources, ask: Ask
) -> None:
    config = ToolsConfig(max_chars=1500)
    short = asyncio.run(Toolbox(sources, config).call(tool, json.dumps(NAMES[tool]), NOW_NS))
    whole = ask(tool, **NAMES[tool])
    kept = short.result["hits"]
    assert len(short.as_json()) <= 1500
    assert kept == whole.result["hits"][: len(kept)]
    assert short.result.get("left_out", 0) == len(whole.result["hits"]) - len(kept)


def test_text_of_a_poster_stays_within_its_field_and_its_line(ask: Ask) -> None:
    reply = ask("semantic_search", query="poster")
    (hit,) = reply.result["hits"]
    assert hit["text"] == POSTER
    assert reply.text.splitlines()[1].startswith(f'poster: "{POSTER}"')


def test_without_a_memory_a_tool_says_so(tmp_path: Path) -> None:
    sources = Sources.of(tmp_path, Dates("UTC"))
    reply = asyncio.run(Toolbox(sources).call("recall", '{"query": "mug"}', NOW_NS))
    sources.close()
    assert not reply.is_ok
    assert "remembers nothing yet" in reply.text
