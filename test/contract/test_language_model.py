"""A real language model that errs: what the suite asks of it can be used all the same."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from benchmark.language_server import CALL_TIMEOUT_S, language_server
from memory_nodes.association.associator import WITHOUT_MODEL, Associator, AssociatorConfig
from memory_nodes.models.openai_chat import chat_for
from memory_nodes.models.openai_endpoint import EndpointConfig
from memory_nodes.records import ChunkGraph, ObjectStatus
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_test_support.records import descriptor, graph, keyframe, view

pytestmark = [pytest.mark.language_model, pytest.mark.timeout(900)]


def _chunk(number: int, *things: tuple[str, str]) -> ChunkGraph:
    objects = [
        descriptor(name, view(number), description=description) for name, description in things
    ]
    return graph(number, [keyframe(number)], objects, resolved=False)


def test_each_object_of_a_chunk_gets_an_id_with_the_word_of_the_model(tmp_path: Path) -> None:
    known = _chunk(1, ("mug_1", "red mug with a chipped rim"), ("lamp_1", "tall brass lamp"))
    seen = _chunk(2, ("lamp_1", "tall lamp of brass"), ("mug_1", "red mug"), ("sofa_1", "a sofa"))
    with language_server(Path(os.environ["MEMORY_TEST_GGUF"])) as base_url:
        model = chat_for(EndpointConfig(base_url=base_url, model="any"))
        writer, reader = Writer(tmp_path), Reader(tmp_path)
        associator = Associator(model, reader, AssociatorConfig(), CALL_TIMEOUT_S)
        writer.commit_chunk(asyncio.run(associator.resolve(known)))
        resolved = asyncio.run(associator.resolve(seen))
        writer.commit_chunk(resolved)
    assert not any(problem.startswith(WITHOUT_MODEL) for problem in resolved.problems)
    assert any(item.status == ObjectStatus.PRESENT for item in resolved.objects)
    # Each has an id of its own, of a known object or with a number that was free.
    ids = [item.object_id for item in resolved.objects]
    assert len(set(ids)) == 3
    assert {"mug_1", "lamp_1"} | set(ids) == {item.object_id for item in reader.objects()}
    reader.close()
    writer.close()
