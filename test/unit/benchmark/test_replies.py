"""What counts as a reply that could not be used, by hand."""

from __future__ import annotations

import asyncio
from pathlib import Path

from benchmark.identity.resolver import Resolver
from memory_nodes.errors import ModelUnavailable
from memory_nodes.records import ChunkGraph
from memory_test_support.recorded_models import RecordedChat, Turn
from memory_test_support.records import descriptor, graph, keyframe, view


def _chunk(number: int) -> ChunkGraph:
    objects = [descriptor(name, view(number)) for name in ("mug_1", "lamp_1")]
    return graph(number, [keyframe(number)], objects, resolved=False)


def _resolver(memory_dir: Path, *turns: Turn) -> Resolver:
    """After as many replies as there are turns: the first chunk has nothing to be asked."""
    with Resolver(memory_dir, RecordedChat(*turns), 5.0) as resolver:
        for number in range(1, len(turns) + 2):
            asyncio.run(resolver.take(_chunk(number)))
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
    reply = '{"mug_1": "lamp_1", "lamp_1": "mug_1"}'
    figures = _resolver(tmp_path, reply).reply_figures()
    assert figures["problems_per_object"] == {"against_looks_and_place": 1.0}
    assert figures["invalid_replies"] == 0


def test_resolver_without_a_model_has_no_replies(tmp_path: Path) -> None:
    with Resolver(tmp_path, None, 5.0) as resolver:
        assert resolver.reply_figures() == {}
