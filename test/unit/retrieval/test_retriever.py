"""What models there are help to find; what is away is told, and never in the way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memory_nodes.errors import ConfigurationError, ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.models.ports import ChatModel
from memory_nodes.records import ChunkGraph, ObjectDescriptor, ObjectView
from memory_nodes.retrieval.object_vectors import ObjectVectors
from memory_nodes.retrieval.retriever import RetrievalConfig, Retrieved, Retriever
from memory_nodes.retrieval.snapshot import Snapshot, SnapshotCache
from memory_nodes.retrieval.visual import Grounding
from memory_nodes.store.filters import Filter
from memory_nodes.store.reader import Reader
from memory_nodes.store.writer import Writer
from memory_nodes.vectors import packed
from memory_test_support.recorded_models import ColourEmbedder, HashedEmbedder, RecordedChat
from memory_test_support.records import box, descriptor, graph, keyframe, view

MODEL_ID = "recorded:colour"
RED, BLUE = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def _picture(keyframe_id: int, colour: tuple[float, float, float]) -> ObjectView:
    vector = np.array((*(255.0 * part for part in colour), 1.0))
    return ObjectView(keyframe_id, box(), embedding=packed(vector / np.linalg.norm(vector)))


def _graph(embedding_model: str) -> ChunkGraph:
    """Two mugs that no word tells apart; only their pictures do."""
    mugs = [descriptor("mug_1", _picture(1, RED)), descriptor("mug_2", _picture(2, BLUE))]
    made = graph(1, [keyframe(1), keyframe(2)], mugs)
    return replace(made, embedding_model=embedding_model)


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    writer = Writer(tmp_path)
    writer.commit_chunk(_graph(MODEL_ID))
    writer.close()
    return Reader(tmp_path)


def _retrieved(
    reader: Reader,
    question: str,
    grounding: Grounding | None = None,
    *,
    wanted: Filter | None = None,
    uses_pictures: bool = True,
) -> Retrieved:
    snapshot = SnapshotCache(reader).current().filtered(wanted or Filter())
    retriever = Retriever(grounding=grounding)
    return asyncio.run(retriever.retrieve(question, snapshot, 5, uses_pictures=uses_pictures))


def _keyframe_ids(found: Retrieved) -> list[int]:
    return [hit.keyframe.keyframe_id for hit in found.ranking.keyframes]


def test_picture_that_looks_like_the_question_comes_first(reader: Reader) -> None:
    looks = Grounding(ColourEmbedder(), reader, 1.0)
    assert _keyframe_ids(_retrieved(reader, "red", looks))[0] == 1
    assert _keyframe_ids(_retrieved(reader, "blue", looks))[0] == 2


def test_pictures_are_merged_with_what_words_find(reader: Reader) -> None:
    """A colour alone is no word of any object: what it looks like is found, and not "seen"."""
    found = _retrieved(reader, "red", Grounding(ColourEmbedder(), reader, 1.0))
    assert (found.ranking.best_score, found.is_seen) == (0.0, False)
    assert _keyframe_ids(_retrieved(reader, "mug")) == [2, 1]
    assert _retrieved(reader, "mug").is_seen


def test_pictures_outside_the_filter_do_not_count(reader: Reader) -> None:
    looks = Grounding(ColourEmbedder(), reader, 1.0)
    late = Filter(since_ns=keyframe(2).stamp_ns)
    assert _keyframe_ids(_retrieved(reader, "red", looks, wanted=late)) == [2]


def test_pictures_may_be_left_out(reader: Reader) -> None:
    looks = Grounding(ColourEmbedder(), reader, 1.0)
    assert _keyframe_ids(_retrieved(reader, "red", looks, uses_pictures=False)) == []


def test_memory_without_vectors_is_searched_by_words(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.commit_chunk(_graph("another model"))
    writer.close()
    reader = Reader(tmp_path)
    assert _keyframe_ids(_retrieved(reader, "red", Grounding(ColourEmbedder(), reader, 1.0))) == []


class _Away(ColourEmbedder):
    """Fails at each text."""

    async def embed_texts(self, texts: Sequence[str], deadline_s: float) -> Array:
        raise ConfigurationError("no weights")


def test_model_of_pictures_that_fails_is_told_and_words_go_on(reader: Reader) -> None:
    found = _retrieved(reader, "mug", Grounding(_Away(), reader, 1.0))
    assert (_keyframe_ids(found), found.is_seen) == ([2, 1], True)
    assert found.problems == ("found without pictures: no weights",)


SNAPSHOT = Snapshot((descriptor("backpack_1", view(1)),), (), {1: keyframe(1)})


def _asked(
    question: str, model: ChatModel | None, vectors: ObjectVectors | None = None
) -> Retrieved:
    config = RetrievalConfig(rewrite_questions=True)
    retriever = Retriever(config, model, vectors)
    return asyncio.run(retriever.retrieve(question, SNAPSHOT, 5))


def test_question_that_finds_nothing_is_said_again() -> None:
    model = RecordedChat(json.dumps({"question": "Where is the backpack?"}))
    assert _asked("Where is the rucksack?", model).is_seen
    assert not _asked("Where is the rucksack?", None).is_seen


def test_question_that_finds_something_costs_no_model_call() -> None:
    model = RecordedChat(json.dumps({"question": "Where is the backpack?"}))
    assert _asked("Where is the backpack?", model).is_seen
    assert model.prompts == []


def test_rewriting_is_off_unless_wanted() -> None:
    model = RecordedChat(json.dumps({"question": "Where is the backpack?"}))
    found = asyncio.run(Retriever(model=model).retrieve("rucksack", SNAPSHOT, 5))
    assert (found.is_seen, model.prompts) == (False, [])


def test_invented_name_leaves_it_unseen_and_is_told() -> None:
    found = _asked("rucksack", RecordedChat(json.dumps({"question": "the piano"})))
    assert not found.is_seen
    assert "piano" in found.problems[0]


def test_embedder_that_is_away_is_told_and_words_go_on() -> None:
    embedder = HashedEmbedder()
    vectors = ObjectVectors(embedder, 1.0)
    asyncio.run(vectors.learn(SNAPSHOT))
    embedder.turn = ModelUnavailable("away")
    found = _asked("backpack", None, vectors)
    assert (found.is_seen, found.problems) == (True, ("found without meaning: away",))


@pytest.mark.parametrize(
    ("question", "is_seen", "is_doubtful"),
    [
        ("Where is the backpack?", True, False),
        ("Where is the old tent with the backpack?", False, True),
        ("Where is the piano?", False, False),
    ],
)
def test_what_nearly_fits_is_doubtful(question: str, is_seen: bool, is_doubtful: bool) -> None:
    """Of one object: a word that it has weighs ln 2, one that it has not ln 3; 1.3 for its type.

    Old, tent and backpack: 1.3 ln 2 / (2 ln 3 + ln 2) = 0.312.
    """
    found = Retriever(RetrievalConfig(min_score=0.4, doubtful_share=0.5)).by_words(
        question, SNAPSHOT, 5
    )
    assert (found.is_seen, found.is_doubtful) == (is_seen, is_doubtful)


def test_nothing_is_doubtful_where_that_is_switched_off() -> None:
    retriever = Retriever(RetrievalConfig(min_score=0.4, doubtful_share=1.0))
    assert not retriever.by_words(
        "Where is the old tent with the backpack?", SNAPSHOT, 5
    ).is_doubtful


SIGNS = (
    descriptor("poster_1", view(1), description='a poster that says "to the stairs"'),
    descriptor("door_1", view(1), description="a door next to the stairs"),
    descriptor("picture_1", view(1), description="a picture of stairs"),
)
STAIRS = descriptor("steps_1", view(2), description="wooden stairs with a rail")


def _by_words(question: str, *objects: ObjectDescriptor) -> Retrieved:
    known = Snapshot(objects, (), {number: keyframe(number) for number in (1, 2)})
    return Retriever().by_words(question, known, 5)


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("question", ["Where are the stairs?", "stairs", "Take me to the stairs"])
def test_what_only_mentions_a_thing_is_no_sighting_of_it_but_worth_a_doubt(
    sign: ObjectDescriptor, question: str
) -> None:
    found = _by_words(question, sign)
    assert (found.is_seen, found.is_doubtful) == (False, True)


def test_thing_itself_comes_before_what_mentions_it_and_alone_is_driven_to() -> None:
    found = _by_words("Where are the stairs?", *SIGNS, STAIRS)
    assert found.is_seen
    assert _keyframe_ids(found) == [2]


@pytest.mark.parametrize(
    "question", ["Where is the poster that says stairs?", "Which poster mentions the stairs?"]
)
def test_what_mentions_a_thing_is_found_by_its_own_name(question: str) -> None:
    assert _by_words(question, *SIGNS).is_seen


@pytest.mark.parametrize(
    "question", ["Where is the rail?", "something wooden", "Where can I climb?"]
)
def test_what_a_description_says_of_a_thing_finds_it_still(question: str) -> None:
    climbed = replace(STAIRS, description="wooden stairs with a rail, on which to climb")
    assert _by_words(question, climbed).is_seen


def test_what_an_embedder_makes_of_a_mention_does_not_make_it_seen() -> None:
    """Sentences that share words are near each other, whatever they say."""
    vectors = ObjectVectors(HashedEmbedder(), 1.0)
    known = Snapshot(SIGNS, (), {1: keyframe(1)})
    asyncio.run(vectors.learn(known))
    found = asyncio.run(Retriever(vectors=vectors).retrieve("stairs", known, 5))
    assert not found.is_seen
