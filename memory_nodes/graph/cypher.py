"""A scene graph as Cypher statements, for loading it into Neo4j. Nothing is executed here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from memory_nodes.graph.attributes import Attributes
from memory_nodes.graph.scene_graph import SceneGraph

_ESCAPES = {"\\": r"\\", "'": r"\'", "\n": r"\n", "\r": r"\r", "\t": r"\t"}
_CUT = re.compile(r"(?<=\\)(?=[uU])")
_CONSTRAINT = "CREATE CONSTRAINT object_id IF NOT EXISTS FOR (o:Object) REQUIRE o.id IS UNIQUE;"


def to_cypher(scene: SceneGraph) -> Iterator[str]:
    """Statements, each in one line, that may be run again: they MERGE by id.

    Objects are nodes with the label Object; a relation has its predicate as type and, exactly,
    as property. ``attributes`` and their history are JSON, since a property of Neo4j holds no map.
    """
    yield _CONSTRAINT
    for object_id, attributes in scene.graph.nodes(data=True):
        values = {
            **attributes,
            "status": attributes["status"].name.lower(),
            **{
                field: json.dumps(attributes[field], ensure_ascii=False)
                for field in ("attributes", "attribute_history")
            },
        }
        yield f"MERGE (o:Object {{id: {_literal(object_id)}}}) SET o += {_map(values)};"
    for source, target, attributes in scene.graph.edges(data=True):
        predicate = attributes["predicate"]
        yield (
            f"MATCH (a:Object {{id: {_literal(source)}}}), (b:Object {{id: {_literal(target)}}}) "
            f"MERGE (a)-[r:{_type_name(predicate)} {{predicate: {_literal(predicate)}}}]->(b) "
            f"SET r += {_map(attributes)};"
        )


def _map(attributes: Attributes) -> str:
    """Null takes away a property that was set before."""
    pairs = (f"{field}: {_literal(value)}" for field, value in attributes.items())
    return "{" + ", ".join(pairs) + "}"


def _literal(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return repr(value).replace("e+", "e")  # Cypher knows no 1e+16


def _text(text: str) -> str:
    r"""A text between single quotes.

    Up to version 5 Neo4j replaces \uXXXX anywhere in a statement before it looks for quotes, so a
    backslash of the text and a u after it must not stand together: the literal is cut there.
    """
    return " + ".join(f"'{''.join(map(_char, part))}'" for part in _CUT.split(text))


def _char(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    utf16 = char.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{utf16[start : start + 4]}" for start in range(0, len(utf16), 4))


def _type_name(predicate: str) -> str:
    """Between backticks, where a backslash cannot be escaped in every version."""
    kept = (char if char.isprintable() and char != "\\" else "_" for char in predicate)
    return f"`{''.join(kept).replace('`', '``')}`"
