"""What a model says of a piece is checked against what the piece says."""

from __future__ import annotations

import json

import pytest

from memory_nodes.dates import Dates
from memory_nodes.episodic.gist_prompt import gist_prompt
from memory_nodes.episodic.gist_reply import MAX_ENTITIES, read_gist
from memory_nodes.episodic.lines import Line, lines_of
from memory_nodes.errors import ReplyError
from memory_nodes.store.past import ObservationInEpisode
from memory_test_support.recorded_models import reply
from memory_test_support.records import observation

MAX_CHARS = 200


def _lines(*said: tuple[str, str]) -> list[Line]:
    return lines_of(
        [
            ObservationInEpisode(key, observation(text, stamp_s=60 * key, layer=layer), "", False)
            for key, (layer, text) in enumerate(said)
        ]
    )


LINES = _lines(
    ("description", "A red mug on a desk"),
    ("detections", "desk, mug"),
    ("description", "A key chain on a hook"),
)
"""Numbered by layer: 1 the detections, 2 and 3 the descriptions."""


def _read(gist: object, *entities: object) -> dict[str, list[int]]:
    said = read_gist(reply(json.dumps({"gist": gist, "entities": entities})), LINES, MAX_CHARS)
    return {name: [item.key for item in items] for name, items in said.entities.items()}


def _entity(name: object, *numbers: object) -> dict[str, object]:
    return {"name": name, "observations": numbers}


def test_entity_has_the_observations_that_name_it() -> None:
    assert _read("A desk with a mug.", _entity("Red mug", 2), _entity("desk", 1, 2)) == {
        "red mug": [0],
        "desk": [1, 0],
    }


def test_entity_that_no_line_names_is_left_out() -> None:
    assert _read("A mug.", _entity("keys", 3), _entity("sofa", 1), _entity("blue mug", 1)) == {}


def test_where_the_cited_lines_do_not_name_it_those_that_do_count() -> None:
    assert _read("A mug.", _entity("key chain", 1), _entity("mug", 3)) == {
        "key chain": [2],
        "mug": [1, 0],
    }
    assert _read("A mug.", _entity("mug", 0, 4, -1, "2", None, True, 1)) == {"mug": [1]}
    assert _read("A mug.", _entity("mug")) == {"mug": [1, 0]}


def test_what_is_no_name_is_left_out() -> None:
    assert _read("A mug.", _entity(7, 1), "mug", None, _entity("", 1), _entity("m" * 81, 1)) == {}


def test_place_is_no_entity() -> None:
    lines = _lines(("place", "hallway"), ("description", "A hallway with a mug"))
    entities = [_entity("hallway", 2), _entity("mug", 2)]
    text = json.dumps({"gist": "A hallway.", "entities": entities})
    assert read_gist(reply(text), lines, MAX_CHARS).entities.keys() == {"mug"}


def test_names_that_differ_in_number_and_case_are_one_entity() -> None:
    assert _read("A mug.", _entity("Mug", 1), _entity("mugs", 2)) == {"mug": [1, 0]}


def test_entities_are_bounded() -> None:
    lines = _lines(*[("detections", f"thing{n}") for n in range(MAX_ENTITIES + 10)])
    entities = [_entity(line.text, number) for number, line in enumerate(lines, start=1)]
    text = json.dumps({"gist": "thing3 and others", "entities": entities})
    assert len(read_gist(reply(text), lines, MAX_CHARS).entities) == MAX_ENTITIES


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I cannot help with that.",
        '{"gist": ""}',
        '{"gist": 7, "entities": []}',
        '{"gist": "A red mug on a de',
        '{"gist": "The weather stays sunny.", "entities": []}',
        json.dumps({"gist": "A red mug. " * 60}),
        '{"name": "search_tool", "arguments": {"gist": "mug"}}',
    ],
)
def test_reply_without_a_usable_gist_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        read_gist(reply(text), LINES, MAX_CHARS)


def test_prompt_groups_by_layer_and_counts_repeated_texts_once() -> None:
    lines = _lines(
        *[("place", "kitchen")] * 5,
        ("description", "A kitchen"),
        ("place", "hall"),
        ("speech", "hi"),
    )
    body = json.loads(gist_prompt(lines, Dates(), 500, 10_000).text)
    assert body["layers"] == {
        "place": [
            {"n": 1, "text": "kitchen", "count": 5, "times": ["0:00:00", "0:01:00", "0:02:00"]},
            {"n": 2, "text": "hall", "count": 1, "times": ["0:06:00"]},
        ],
        "description": [{"n": 3, "text": "A kitchen", "count": 1, "times": ["0:05:00"]}],
        "speech": [{"n": 4, "text": "hi", "count": 1, "times": ["0:07:00"]}],
    }
    assert body["left_out"] == 0


def test_prompt_is_bounded_and_leaves_out_the_tail_of_the_longest_layer() -> None:
    said = [("description", f"Picture {n} of a long hall with many doors") for n in range(500)]
    lines = _lines(*said, ("description", said[7][1]), ("place", "hall"), ("speech", "come here"))
    prompt = gist_prompt(lines, Dates(), 500, 5000)
    body = json.loads(prompt.text)
    assert len(prompt.text) < 5500
    assert body["layers"].keys() == {"place", "description", "speech"}
    assert body["layers"]["description"][0]["count"] == 2
    assert body["left_out"] + sum(map(len, body["layers"].values())) == len(lines)
