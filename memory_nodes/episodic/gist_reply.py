"""Reads the model's reply to the gist prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_nodes.episodic.gist_text import content_stems
from memory_nodes.episodic.lines import PLACE, Line
from memory_nodes.episodic.things import MAX_NAME_CHARS, is_said_in, name_key
from memory_nodes.errors import ReplyError
from memory_nodes.models.json_values import JsonList, JsonObject, Value
from memory_nodes.models.ports import Reply
from memory_nodes.models.reply_json import find_json, is_tool_call
from memory_nodes.store.past import ObservationInEpisode

MAX_ENTITIES = 64
MAX_OVERLENGTH = 1.5
"""A gist may be so many times longer than asked for; beyond that nothing was summarised."""


@dataclass(frozen=True)
class SaidGist:
    """What the model said, as far as it can be used."""

    text: str
    entities: dict[str, tuple[ObservationInEpisode, ...]] = field(default_factory=dict)
    """Names, and the observations whose texts say them."""
    source: str = ""
    """The model."""


def read_gist(reply: Reply, lines: Sequence[Line], max_chars: int) -> SaidGist:
    """The gist of a reply, and those of its entities that the lines name.

    Raises ReplyError for a gist that is missing, cut off, too long or has no word of the lines.
    """
    found = find_json(reply.text)
    record = next(
        (
            value
            for value in found.values
            if isinstance(value, JsonObject) and not is_tool_call(value) and _text(value)
        ),
        None,
    )
    if record is None:
        raise ReplyError(f"no gist in a reply of {len(reply.text)} characters: {reply.text[:80]!r}")
    text = _text(record)
    if len(text) > MAX_OVERLENGTH * max_chars:
        raise ReplyError(f"a gist of {len(text)} characters, the limit is {max_chars}")
    said = set().union(*(content_stems(line.text) for line in lines))
    if said and not said & content_stems(text):
        raise ReplyError(f"a gist with no word of what it should summarise: {text[:80]!r}")
    return SaidGist(text, _entities(record.get("entities"), lines), reply.model)


def _text(record: JsonObject) -> str:
    text = record.get("gist")
    return " ".join(text.split()) if isinstance(text, str) else ""


def _entities(value: Value, lines: Sequence[Line]) -> dict[str, tuple[ObservationInEpisode, ...]]:
    """By name. Small models cite wrong lines: where none of those names it, the others that do
    count. A place is no thing.
    """
    entities: dict[str, tuple[ObservationInEpisode, ...]] = {}
    names: dict[tuple[str, ...], str] = {}
    places = {name_key(line.text) for line in lines if line.layer == PLACE}
    for entry in value.items if isinstance(value, JsonList) else ():
        name = entry.get("name") if isinstance(entry, JsonObject) else None
        if not isinstance(name, str) or len(name) > MAX_NAME_CHARS or len(names) >= MAX_ENTITIES:
            continue
        name = " ".join(name.lower().split())
        saying = [line for line in lines if is_said_in(name, line.text)]
        cited = _cited(entry.get("observations") if isinstance(entry, JsonObject) else None, lines)
        items = [
            item
            for line in [line for line in saying if line in cited] or saying
            for item in line.items
        ]
        if items and name_key(name) not in places:
            name = names.setdefault(name_key(name), name)
            entities[name] = tuple(dict.fromkeys((*entities.get(name, ()), *items)))
    return entities


def _cited(value: Value, lines: Sequence[Line]) -> list[Line]:
    numbers = value.items if isinstance(value, JsonList) else [value]
    return [
        lines[number - 1]
        for number in dict.fromkeys(number for number in numbers if type(number) is int)
        if 1 <= number <= len(lines)
    ]
