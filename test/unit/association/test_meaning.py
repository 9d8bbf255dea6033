"""Known objects by the vectors of their texts; without vectors it is cleanly off."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memory_nodes.association.associator import Associator, AssociatorConfig
from memory_nodes.association.meaning import Meaning
from memory_nodes.errors import ConfigurationError, ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.records import ObjectDescriptor
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.reader import Reader
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.recorded_models import HashedEmbedder
from memory_test_support.records import descriptor, graph, keyframe, point, view

PLACE = point(3.0, 0.0, 1.0)


def _at(object_id: str, keyframe_id: int) -> ObjectDescriptor:
    made = descriptor(object_id, view(keyframe_id, point_map_m=PLACE.point_m))
    return replace(made, position=PLACE)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    """Knows a sofa and a lamp."""
    opened = Writer(tmp_path)
    opened.commit_chunk(graph(1, [keyframe(1)], [_at("sofa_1", 1), _at("lamp_1", 1)]))
    yield opened
    opened.close()


@pytest.fixture
def meaning(tmp_path: Path, writer: Writer) -> Iterator[Meaning]:
    reader, search = Reader(tmp_path), Search(tmp_path)
    yield Meaning(search, reader, SynonymEmbedder(), 5.0)
    search.close()
    reader.close()


class SynonymEmbedder(HashedEmbedder):
    """To which a couch is a sofa."""

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        return await super().embed([text.replace("couch", "sofa") for text in texts], deadline_s)


def _embed_all(writer: Writer) -> None:
    embedder = SynonymEmbedder()
    (vector,) = asyncio.run(embedder.embed(["x"], 1.0))
    writer.use_embedding_model(EmbeddingModel(embedder.model_id, len(vector)))
    waiting = writer.texts_without_vector(100)
    vectors = asyncio.run(embedder.embed(list(waiting.values()), 1.0))
    writer.store_vectors(dict(zip(waiting, vectors, strict=True)))


def test_known_objects_come_by_their_cosines(writer: Writer, meaning: Meaning) -> None:
    _embed_all(writer)
    found = asyncio.run(meaning.alike([descriptor("couch_1")], 2))
    assert list(found["couch_1"]) == ["sofa_1", "lamp_1"]
    assert found["couch_1"]["sofa_1"] == pytest.approx(1.0, abs=0.01)


def test_without_vectors_nothing_is_asked(writer: Writer, meaning: Meaning) -> None:
    assert asyncio.run(meaning.alike([descriptor("couch_1")], 2)) == {}


def test_vectors_of_another_model_are_never_compared(writer: Writer, meaning: Meaning) -> None:
    _embed_all(writer)
    writer.use_embedding_model(EmbeddingModel("another", 8), reembed=True)
    assert asyncio.run(meaning.alike([descriptor("couch_1")], 2)) == {}


def test_synonym_is_resolved_by_its_meaning(
    tmp_path: Path, writer: Writer, meaning: Meaning
) -> None:
    """Farther from the sofa than words that differ would allow."""
    _embed_all(writer)
    couch = replace(descriptor("couch_1", view(2)), position=point(3.0, 0.7, 1.0))
    seen = graph(2, [keyframe(2)], [couch], resolved=False)
    ids = []
    for given in (None, meaning):
        associator = Associator(None, Reader(tmp_path), AssociatorConfig(), 5.0, given)
        ids += [item.object_id for item in asyncio.run(associator.resolve(seen)).objects]
    assert ids == ["couch_1", "sofa_1"]


def test_embedder_that_is_away_is_a_problem_and_no_more(tmp_path: Path, writer: Writer) -> None:
    _embed_all(writer)
    embedder = SynonymEmbedder()
    embedder.turn = ModelUnavailable("down")
    reader, search = Reader(tmp_path), Search(tmp_path)
    meaning = Meaning(search, reader, embedder, 5.0)
    associator = Associator(None, reader, AssociatorConfig(), 5.0, meaning)
    seen = graph(2, [keyframe(2)], [_at("sofa_7", 2)], resolved=False)
    resolved = asyncio.run(associator.resolve(seen))
    assert [item.object_id for item in resolved.objects] == ["sofa_1"]
    assert resolved.problems == ("association without meaning: down",)
    search.close()


def test_vectors_of_another_length_are_never_compared(writer: Writer, meaning: Meaning) -> None:
    """A server may give another model under the same name."""
    writer.use_embedding_model(EmbeddingModel(SynonymEmbedder().model_id, 8))
    with pytest.raises(ConfigurationError, match="those of the memory have 8"):
        asyncio.run(meaning.alike([descriptor("couch_1")], 2))
