"""Reads the model's reply to the association prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from memory_nodes.errors import ReplyError
from memory_nodes.models.ports import Reply
from memory_nodes.models.reply_json import parse_json


@dataclass(frozen=True)
class Mapping:
    """What the model decided, as far as it can be used."""

    known_by_local: dict[str, str | None]
    """None: a new object."""
    problems: tuple[str, ...]


def read_mapping(reply: Reply, local_ids: Collection[str], known_ids: Collection[str]) -> Mapping:
    """The usable decisions of a reply; local ids without one are left to the fallback.

    Raises ReplyError when the reply holds no mapping at all.
    """
    decided: dict[str, str | None] = {}
    problems: list[str] = []
    for local_id, known_id in _pairs(parse_json(reply.text)):
        if local_id not in local_ids:
            continue
        if known_id is not None and known_id not in known_ids:
            problems.append(f"unknown_global:{local_id}")
            continue
        decided[local_id] = known_id
    claims = Counter(known_id for known_id in decided.values() if known_id is not None)
    for local_id, known_id in list(decided.items()):
        if known_id is not None and claims[known_id] > 1:
            problems.append(f"global_claimed_twice:{local_id}")
            del decided[local_id]
    named = {problem.partition(":")[2] for problem in problems}
    for local_id in local_ids:
        if local_id not in decided and local_id not in named:
            problems.append(f"missing_local:{local_id}")
    return Mapping(decided, tuple(problems))


def _pairs(value: Any) -> Iterator[tuple[str, str | None]]:
    """(local id, known id or None) from a list of records, of pairs, or from an object."""
    if isinstance(value, dict):
        value = value.get("mapping", value)
    if isinstance(value, dict):
        value = list(value.items())
    if not isinstance(value, list):
        raise ReplyError("the reply holds no mapping")
    for item in value:
        if isinstance(item, dict):
            item = [item.get("local_id"), item.get("known_id")]
        if not isinstance(item, list | tuple) or len(item) != 2 or not isinstance(item[0], str):
            continue
        known_id = item[1]
        if known_id is None or known_id in ("new", "null", ""):
            yield item[0], None
        elif isinstance(known_id, str):
            yield item[0], known_id
