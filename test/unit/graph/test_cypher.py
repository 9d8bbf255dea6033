"""Statements mean what was written, whatever a model named its objects.

Read back by a small lexer after the Cypher manual, once as version 25 reads and once as those up
to 5 do, which replace escapes of Unicode everywhere first.
"""

from __future__ import annotations

import json
import re

import pytest

from memory_nodes.geometry import PointEstimate
from memory_nodes.graph.cypher import to_cypher
from memory_nodes.graph.scene_graph import SceneGraph
from memory_nodes.records import Relation
from memory_test_support.records import descriptor, view
from memory_test_support.scenes import KEYFRAMES, KITCHEN, SLY, sly_records

_TOKEN = re.compile(r"'((?:[^'\\]|\\.)*)'|`((?:[^`]|``)*)`", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_SEAM = "\x02"
"""Where a text is written in two parts."""
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")


def _lexed(statement: str) -> tuple[str, list[str], list[str]]:
    """The statement with # for each text, its texts and its names."""
    joined = statement.replace("' + '", _SEAM)
    texts: list[str] = []
    names: list[str] = []

    def take(found: re.Match[str]) -> str:
        if found[1] is None:
            names.append(found[2].replace("``", "`"))
            return "@"
        texts.append("".join(map(_decoded, found[1].split(_SEAM))))
        return "#"

    return _TOKEN.sub(take, joined), texts, names


def _decoded(literal: str) -> str:
    plain = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'"}

    def char(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if code[0] == "u" and len(code) == 5 else plain[code]

    text = _ESCAPE.sub(char, literal)
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")


def _replaced_first(statement: str) -> str:
    """Not those of quotes and backslashes, of which there must be none to replace."""
    codes = [int(code, 16) for code in _UNICODE.findall(statement)]
    assert not {ord(char) for char in "'`\\"} & set(codes)
    return _UNICODE.sub(lambda found: chr(int(found[1], 16)), statement)


def test_objects_are_merged_by_id_before_their_relations() -> None:
    position = PointEstimate((1.0, -2.5, 1e16), (1e-05, *(0.0,) * 8))
    mug = descriptor("mug_1", view(1), color="red", affordances=("drink",), position=position)
    relation = Relation("mug_1", "left of", "mug_1", (1,))
    assert list(to_cypher(SceneGraph([mug], [relation], KEYFRAMES))) == [
        "CREATE CONSTRAINT object_id IF NOT EXISTS FOR (o:Object) REQUIRE o.id IS UNIQUE;",
        "MERGE (o:Object {id: 'mug_1'}) SET o += {name: '', type: 'mug', description: '', "
        "attributes: '{\"color\": \"red\"}', attribute_history: '{}', "
        "affordances: ['drink'], status: 'present', "
        "position_map_m: [1.0, -2.5, 1e16], "
        "covariance_m2: [1e-05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "
        "map_id: 'map', map_frame: 'map', first_seen_ns: 1000000000, "
        "last_seen_ns: 1000000000, view_count: 1, keyframe_ids: [1]};",
        "MATCH (a:Object {id: 'mug_1'}), (b:Object {id: 'mug_1'}) "
        "MERGE (a)-[r:`left of` {predicate: 'left of'}]->(b) "
        "SET r += {predicate: 'left of', keyframe_ids: [1], first_seen_ns: 1000000000, "
        "last_seen_ns: 1000000000};",
    ]


def test_unknown_place_is_null() -> None:
    *_, desk, lamp = to_cypher(SceneGraph(KITCHEN, (), KEYFRAMES))
    assert "position_map_m: null, covariance_m2: null" in desk
    assert "position_map_m: null, covariance_m2: null" in lamp


@pytest.mark.parametrize("replaced_first", [False, True], ids=["25", "5"])
def test_no_text_changes_a_statement_or_comes_out_changed(replaced_first: bool) -> None:
    objects, relations, keyframes = sly_records()
    _, *statements = to_cypher(SceneGraph(objects, relations, keyframes))
    assert len(statements) == len(objects) + len(relations)
    if replaced_first:
        statements = [_replaced_first(statement) for statement in statements]
    skeletons = set()
    for statement, item in zip(statements, objects, strict=False):
        skeleton, texts, names = _lexed(statement)
        skeletons.add(skeleton)
        assert names == []
        assert texts[:4] == [item.object_id, item.name, item.type, item.description]
        assert json.loads(texts[4]) == item.attributes
        assert json.loads(texts[5]) == {
            attribute: [[before, None], [after, since_ns]]
            for attribute, ((before, _), (after, since_ns)) in item.attribute_history.items()
        }
        assert tuple(texts[6:8]) == item.affordances
    assert len(skeletons) == 1
    skeletons = set()
    for statement, relation in zip(statements[len(objects) :], relations, strict=True):
        skeleton, texts, names = _lexed(statement)
        skeletons.add(skeleton)
        assert len(names) == 1
        assert texts == [
            *(relation.subject_id, relation.object_id),
            *(relation.predicate, relation.predicate),
        ]
    assert len(skeletons) == 1


def test_each_statement_is_one_line() -> None:
    for statement in to_cypher(SceneGraph(*sly_records())):
        assert statement.splitlines() == [statement]
        assert statement.endswith(";")


def test_predicate_is_a_type_with_backticks_doubled_and_backslashes_replaced() -> None:
    written = r"it`s\u0060" + "\n"
    relation = Relation("mug_1", written, "desk_1", (1,))
    statement = list(to_cypher(SceneGraph(KITCHEN, [relation], KEYFRAMES)))[-1]
    assert "-[r:`it``s_u0060_` {predicate: " in statement
    assert r"'it`s\\' + 'u0060\n'" in statement


def test_texts_that_a_model_may_write_hold_every_kind_of_escape() -> None:
    assert all(any(char in text for text in SLY) for char in "'`\"\\\n\r\t\u2028")
