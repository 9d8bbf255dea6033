"""semantic_search, search_gists and recall."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_nodes.answering.tools.toolbox import Sources, Toolbox, ToolReply
from memory_nodes.dates import Dates
from memory_nodes.errors import ModelUnavailable
from memory_nodes.geometry import Array
from memory_nodes.store.embeddings import EmbeddingModel
from memory_nodes.store.writer import Writer
from memory_test_support.records import observation
from memory_test_support.told_house import MUG_AT, NOW_NS, Ask, stamp_ns

MODEL = EmbeddingModel("hand-made", 2)
VECTORS = {"a couch": (1.0, 0.0), "a lamp": (0.0, 1.0), "sofa": (0.8, 0.6)}


class _HandMade:
    """A text embedder that knows three texts."""

    def __init__(self, model_id: str = MODEL.model_id, is_away: bool = False) -> None:
        self.model_id = model_id
        self._is_away = is_away

    async def embed(self, texts: Sequence[str], deadline_s: float) -> Array:
        if self._is_away:
            raise ModelUnavailable("the embedder is away")
        return np.array([VECTORS[text] for text in texts])


@pytest.fixture
def couch(tmp_path: Path) -> Path:
    writer = Writer(tmp_path)
    writer.use_embedding_model(MODEL)
    for number, text in enumerate(("a couch", "a lamp")):
        writer.add(observation(text, stamp_s=float(number), observation_id=text[2:]))
    waiting = writer.texts_without_vector(10)
    writer.store_vectors({key: np.array(VECTORS[text]) for key, text in waiting.items()})
    writer.close()
    return tmp_path


def _search(memory_dir: Path, embedder: _HandMade | None) -> ToolReply:
    sources = Sources.of(memory_dir, Dates("UTC"), embedder=embedder)
    toolbox = Toolbox(sources)
    reply = asyncio.run(toolbox.call("semantic_search", json.dumps({"query": "sofa"}), 10**10))
    sources.close()
    return reply


def _ids(reply: ToolReply) -> list[str]:
    return [hit["id"] for hit in reply.result["hits"]]


def test_what_is_meant_is_found_by_vectors_of_the_model_of_the_memory(couch: Path) -> None:
    assert _ids(_search(couch, _HandMade())) == ["couch", "lamp"]
    assert _ids(_search(couch, None)) == []


@pytest.mark.parametrize(
    ("embedder", "says"),
    [(_HandMade("another"), "vectors are of hand-made"), (_HandMade(is_away=True), "is away")],
)
def test_without_the_right_embedder_words_alone_count_and_it_is_said(
    embedder: _HandMade, says: str, couch: Path
) -> None:
    reply = _search(couch, embedder)
    assert reply.is_ok
    assert says in reply.result["problems"][0]


def test_hit_has_id_score_stamp_in_the_time_zone_and_place(ask: Ask) -> None:
    hit: dict[str, Any] = ask("semantic_search", query="extinguisher").result["hits"][0]
    assert hit.pop("score") == pytest.approx(1.0 / 61.0, abs=1e-4)  # first of one ranking, k = 60
    assert hit == {
        "id": "kitchen",
        "kind": "observation",
        "text": "a kitchen with a fire extinguisher",
        "at": "2025-12-01T15:30:00+01:00",
        "at_ns": stamp_ns(1, 14, 30),
        "position_map_m": [0.0, 0.0, 0.0],
        "position_of": "robot",
        "map_id": "map",
        "layer": "description",
        "confidence": 1.0,
        "episode_id": "episode_1",
    }


def test_layer_time_and_place_limit_a_search(ask: Ask) -> None:
    def ids(**limits: object) -> list[str]:
        hits = ask("semantic_search", query="blue vase", **limits).result["hits"]
        return sorted(hit["id"] for hit in hits if hit["kind"] == "observation")

    assert ids() == ["vase_here", "vase_there"]
    assert ids(layers=["description"]) == []
    assert ids(since="2025-12-01T14:45", until="yesterday") == ["vase_there"]
    assert ids(until="2025-12-01T14:45") == ["vase_here"]
    assert ids(x_m=21.0, y_m=0.0) == ["vase_there"]
    assert ids(x_m=21.0, y_m=0.0, radius_m=0.5) == []
    assert ids(map_id="shed") == []


def test_with_layers_only_their_observations_are_found(ask: Ask) -> None:
    hits = ask("recall", query="blue vase", layers=["detections"]).result["hits"]
    assert {hit["kind"] for hit in hits} == {"observation"}
    speech = ask("recall", query="where is the red mug", layers=["speech"])
    assert speech.object_ids == ()


def test_gists_are_found_by_words_and_without_words_the_newest_first(ask: Ask) -> None:
    by_words = ask("search_gists", query="extinguisher").result["hits"]
    assert [hit["start_ns"] for hit in by_words] == [stamp_ns(1, 14, 30)]
    newest = ask("search_gists").result["hits"]
    assert {hit["kind"] for hit in newest} == {"gist"}
    ends_ns = [hit["end_ns"] for hit in newest]
    assert ends_ns == sorted(ends_ns, reverse=True)
    assert ends_ns[-1] == stamp_ns(1, 13, 30)


def test_recall_finds_object_observation_and_entity_with_keyframe_and_relation(ask: Ask) -> None:
    reply = ask("recall", query="where is the red mug?")
    best = reply.result["hits"][0]
    assert (best["id"], best["kind"], best["relations"]) == ("mug_1", "object", ["on desk_1"])
    assert best["position_map_m"] == pytest.approx(MUG_AT, abs=0.1)
    assert best["last_seen"] == "2025-12-01T14:01:00+01:00"
    assert reply.object_ids[0] == "mug_1"
    assert reply.keyframe_ids == (1,)
    kinds = {hit["kind"] for hit in ask("recall", query="blue vase").result["hits"]}
    assert kinds == {"observation", "gist", "entity"}


def test_long_text_is_shortened_within_its_hit(tmp_path: Path) -> None:
    writer = Writer(tmp_path)
    writer.add(replace(observation("word " * 10_000), layer="description"))
    writer.close()
    sources = Sources.of(tmp_path, Dates("UTC"))
    reply = asyncio.run(Toolbox(sources).call("recall", '{"query": "word"}', NOW_NS))
    sources.close()
    (hit,) = reply.result["hits"]
    assert len(hit["text"]) == 600
    assert hit["text"].endswith("...")
