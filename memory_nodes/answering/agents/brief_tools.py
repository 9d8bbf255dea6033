"""Tools in few words: what describes them stands in every prompt of an agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memory_nodes.models.ports import JsonSchema


def brief(schemas: Iterable[Mapping[str, Any]]) -> tuple[JsonSchema, ...]:
    """The same tools, of which each parameter is explained at the first that has it.

    What may be null may be left out instead, so that a call takes few words too; strict servers
    would want every key, and a call is checked anyway.
    """
    said: set[tuple[str, str]] = set()
    return tuple(_brief(schema["function"], said) for schema in schemas)


def _brief(function: Mapping[str, Any], said: set[tuple[str, str]]) -> JsonSchema:
    parameters = function["parameters"]
    properties, required = {}, []
    for name, given in parameters["properties"].items():
        plain = _not_null(given)
        if plain is given and name in parameters["required"]:
            required.append(name)
        meaning = given.get("description", "")
        kept = {key: value for key, value in plain.items() if key != "description"}
        is_new = bool(meaning) and (name, meaning) not in said
        properties[name] = {**kept, "description": meaning} if is_new else kept
        said.add((name, meaning))
    return {
        "type": "function",
        "function": {
            "name": function["name"],
            "description": function["description"],
            "parameters": {"type": "object", "properties": properties, "required": required},
        },
    }


def _not_null(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """What may be there; the schema itself where that is all it allows."""
    others = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    return others[0] if len(others) == 1 else schema
