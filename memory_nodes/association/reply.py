"""Reads the model's reply to the association prompt."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from memory_nodes.models.json_values import JsonList, JsonObject, Value
from memory_nodes.models.ports import Reply
from memory_nodes.models.reply_json import find_json, is_tool_call

_LOCAL_KEYS = ("local_id", "local", "chunk_id", "object_id", "new_id", "id", "source", "from")
_KNOWN_KEYS = (
    *("known_id", "known", "global_id", "global", "match", "match_id", "matched_id", "matched"),
    *("entity_id", "same_as", "target", "to"),
)
_NEW = frozenset(("new", "null", "none", "", "new object", "new_object", "no match", "unmatched"))

Relates: TypeAlias = Callable[[str, str], bool]
"""Whether something holds for two ids."""


@dataclass(frozen=True)
class Decisions:
    """What the model decided, as far as it can be used."""

    known_by_local: dict[str, str | None]
    """None: a new object."""
    problems: tuple[str, ...]
    """One code each, with the local id that it is about where there is one."""
    same_known: frozenset[frozenset[str]] = frozenset()
    """Pairs of known objects that one local object is said to be: they are one, or it is wrong."""


def read_mapping(
    reply: Reply,
    local: Collection[str],
    known: Collection[str],
    is_other_kind: Relates = lambda local_id, known_id: False,
    may_be_one: Relates = lambda local_id, other_id: False,
) -> Decisions:
    """The usable decisions of a reply; local ids without one are left to the fallback.

    A known id that does not exist goes, then one of another kind, then one that is claimed twice.

    Args:
        local: the ids of the chunk.
        is_other_kind: whether a local and a known one are things of two kinds.
        may_be_one: whether two local ones may be one known object: they share no keyframe.
    """
    found = find_json(reply.text)
    if not found.values:
        code = "truncated" if found.is_open else "no_json"
        return Decisions({}, (code if reply.text.strip() else "empty_reply",))
    claims: dict[str, set[str | None]] = {}
    for value in found.values:
        for local_id, known_id in _pairs(value, _Names(local), _Names(known)):
            claims.setdefault(local_id, set()).add(known_id)
    problems = [] if reply.is_complete and not found.is_open else ["truncated"]
    decided: dict[str, str | None] = {}
    for local_id, claimed in claims.items():
        problem = _problem(local_id, claimed, known, is_other_kind)
        if problem:
            problems.append(f"{problem}:{local_id}")
        else:
            (decided[local_id],) = claimed
    for local_id in _contested(decided, may_be_one):
        problems.append(f"global_claimed_twice:{local_id}")
        del decided[local_id]
    problems += [f"missing_local:{local_id}" for local_id in local if local_id not in claims]
    return Decisions(decided, tuple(problems), _same_known(claims.values(), known))


def _same_known(
    claims: Iterable[Collection[str | None]], known: Collection[str]
) -> frozenset[frozenset[str]]:
    pairs = (pair for claimed in claims for pair in combinations(claimed, 2))
    return frozenset(
        frozenset((one, other))
        for one, other in pairs
        if one is not None and other is not None and {one, other} <= set(known)
    )


def _contested(decided: Mapping[str, str | None], may_be_one: Relates) -> list[str]:
    """Local ids that claim a known one which two claim that are two objects."""
    claimants: dict[str, list[str]] = defaultdict(list)
    for local_id, known_id in decided.items():
        if known_id is not None:
            claimants[known_id].append(local_id)
    return [
        local_id
        for claiming in claimants.values()
        if not all(may_be_one(*pair) for pair in combinations(claiming, 2))
        for local_id in claiming
    ]


def _problem(
    local_id: str,
    claimed: set[str | None],
    known: Collection[str],
    is_other_kind: Relates,
) -> str:
    """Why the claims for one local object cannot be used; empty where they can."""
    if len(claimed) > 1:
        return "local_claims_twice"
    (known_id,) = claimed
    if known_id is None:
        return ""
    if known_id not in known:
        return "unknown_global"
    return "type_mismatch" if is_other_kind(local_id, known_id) else ""


class _Names:
    """Finds an id however its white space is written."""

    def __init__(self, ids: Collection[str]) -> None:
        self._ids = {_trimmed(name): name for name in ids} | {name: name for name in ids}

    def find(self, value: Value) -> str | None:
        if not isinstance(value, str):
            return None
        return self._ids.get(value, self._ids.get(_trimmed(value)))


def _trimmed(name: str) -> str:
    return re.sub(r"\s+", "_", name.strip())


def _pairs(value: Value, local: _Names, known: _Names) -> Iterator[tuple[str, str | None]]:
    """(local id, known id or None) from records, from pairs, from objects, however nested."""
    if isinstance(value, JsonList):
        items = value.items
        local_id = local.find(items[0]) if len(items) == 2 and value.is_closed else None
        if local_id is not None:
            yield from _claim(local_id, items[1], known)
            return
        for item in items:
            yield from _pairs(item, local, known)
    elif isinstance(value, JsonObject) and not is_tool_call(value):
        record = {key.strip().lower(): item for key, item in value.pairs}
        name = next((record[key] for key in _LOCAL_KEYS if key in record), None)
        known_key = next((key for key in _KNOWN_KEYS if key in record), None)
        local_id = local.find(name)
        if local_id is not None and known_key is not None:
            yield from _claim(local_id, record[known_key], known) if value.is_closed else ()
            return
        for key, item in value.pairs:
            local_id = local.find(key)
            if local_id is not None:
                yield from _claim(local_id, item, known)
            else:
                yield from _pairs(item, local, known)


def _claim(local_id: str, value: Value, known: _Names) -> Iterator[tuple[str, str | None]]:
    """What is said of a local object; nothing where it was cut off or is no id."""
    if isinstance(value, JsonObject) and value.is_closed:
        record = {key.strip().lower(): item for key, item in value.pairs}
        value = next((record[key] for key in (*_KNOWN_KEYS, "id") if key in record), 0)
    elif isinstance(value, JsonList) and value.is_closed and len(value.items) == 1:
        value = value.items[0]
    known_id = known.find(value)
    if known_id is not None:
        yield local_id, known_id
    elif value is None or (isinstance(value, str) and value.strip().lower() in _NEW):
        yield local_id, None
    elif isinstance(value, str):
        yield local_id, value.strip()
