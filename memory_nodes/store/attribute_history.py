"""What the attributes of objects were before: their values that have changed, with times."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from memory_nodes.records import AttributeValue
from memory_nodes.store.database import among
from memory_nodes.words import words

MAX_VALUES = 20
"""Of one attribute: a model may word it anew in every chunk."""


class _Said(NamedTuple):
    value: str
    chunk_id: int


Changing: TypeAlias = Mapping[str, Sequence[_Said]]
"""By attribute: each value that differs from the one before, oldest first, and at least two."""


def of_objects(
    connection: sqlite3.Connection, states: Mapping[int, Sequence[sqlite3.Row]]
) -> dict[int, dict[str, tuple[AttributeValue, ...]]]:
    """By key of those of the objects that have an attribute whose value has changed.

    Args:
        states: of each object, by chunk; of a pinned one up to the state that was pinned.
    """
    changing = {key: found for key, of_it in states.items() if (found := _changing(of_it))}
    if not changing:
        return {}
    where, values = among("object_key", changing)
    query = (
        "SELECT object_key, chunk_id, min(stamp_ns) FROM view JOIN keyframe USING (keyframe_id)"
        f" {where} GROUP BY object_key, chunk_id"
    )
    since_ns = {(row[0], row[1]): int(row[2]) for row in connection.execute(query, values)}
    return {
        key: {
            attribute: tuple(
                AttributeValue(said.value, since_ns.get((key, said.chunk_id))) for said in values
            )
            for attribute, values in found.items()
        }
        for key, found in changing.items()
    }


def _changing(states: Sequence[sqlite3.Row]) -> Changing:
    """A chunk that says nothing of an attribute changes nothing, nor does another spelling."""
    written = dict.fromkeys(state["attributes"] for state in states)
    if len(written) < 2:
        return {}
    read = {text: json.loads(text) for text in written}
    found: dict[str, list[_Said]] = {}
    for state in states:
        for attribute, value in read[state["attributes"]].items():
            values = found.setdefault(attribute, [])
            if value and (not values or words(value) != words(values[-1].value)):
                values.append(_Said(value, state["chunk_id"]))
    return {key: values[-MAX_VALUES:] for key, values in found.items() if len(values) > 1}
