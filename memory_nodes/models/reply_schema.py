"""Building blocks of the JSON schemas that replies must follow."""

from __future__ import annotations

from memory_nodes.models.ports import JsonSchema


def closed_object(**properties: JsonSchema) -> JsonSchema:
    """The schema of an object with exactly these keys, as strict servers want it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array_of(items: JsonSchema) -> JsonSchema:
    return {"type": "array", "items": items}
