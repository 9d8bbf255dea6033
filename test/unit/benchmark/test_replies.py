"""What counts as a reply that could not be used, by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from benchmark.identity.resolver import Resolver
from memory_nodes.errors import ModelUnavailable
from memory_nodes.records import ChunkGraph
from memory_test_support.recorded_models import RecordedChat, Turn
from memory_test_support.records import descriptor, graph, keyframe, view

MUG_AND_LAMP = (("mug_1", "red"), ("lamp_1", "white"))
TWO_MUGS = (("mug_1", "red"), ("mug_2", "blue"))
Things: TypeAlias = Sequence[tuple[str, str]]
"""Ids and colours."""


def _chunk(number: int, things: Things) -> ChunkGraph:
    objects = [descriptor(name, view(number), color=color) for name, color in things]
    return graph(number, [keyframe(number)], objects, resolved=False)


def _resolver(memory_dir: Path, *turns: Turn, things: Things = MUG_AND_LAMP) -> Resolver:
    """After as many replies as there are turns: the first chunk has nothing to be asked."""
    with Resolver(memory_dir, RecordedChat(*turns), 5.0) as resolver:
        for number in range(1, len(turns) + 2):
            asyncio.run(resolver.take(_chunk(number, things)))
    return resolver


def test_reply_is_invalid_only_where_nothing_of_it_can_be_used(tmp_path: Path) -> None:
    turns = (
        "I cannot say.",
        '{"mapping": [{"local_id": "mug_1", "known_id": "mug_1"}]}',
        '{"mapping": []}',
    )
    figures = _resolver(tmp_path, *turns).reply_figures()
    assert (figures["replies"], figures["invalid_replies"]) == (3, 2)
    # Of six objects the second reply left out one and the third both; the first was no JSON.
    assert figures["problems_per_object"] == {"missing_local": 0.5, "no_json": 0.167}


def test_call_without_a_reply_is_counted_apart(tmp_path: Path) -> None:
    resolver = _resolver(tmp_path, ModelUnavailable("down"), '{"mug_1": "mug_1", "lamp_1": null}')
    figures = resolver.reply_figures()
    assert (figures["replies"], figures["unanswered_calls"]) == (1, 1)
    assert figures["invalid_replies"] == 0


def test_answer_that_is_outweighed_was_usable(tmp_path: Path) -> None:
    reply = '{"mug_1": "mug_2", "mug_2": "mug_1"}'
    figures = _resolver(tmp_path, reply, things=TWO_MUGS).reply_figures()
    assert figures["problems_per_object"] == {"against_looks_and_place": 1.0}
    assert figures["invalid_replies"] == 0


def test_resolver_without_a_model_has_no_replies(tmp_path: Path) -> None:
    with Resolver(tmp_path, None, 5.0) as resolver:
        assert resolver.reply_figures() == {}
