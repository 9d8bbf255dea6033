"""Scores of identities, against hand calculations and the pairs themselves."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from benchmark.identity.resolver import MeteredModel, same_frame_merges
from benchmark.identity.scale import ManyThings
from benchmark.identity.scores import (
    TrueOfView,
    false_merges,
    fragmentation,
    identity_f1,
    identity_figures,
    main_identities,
    main_things,
)
from memory_nodes.models.ports import Prompt
from memory_test_support.recorded_models import RecordedChat
from memory_test_support.records import descriptor, graph, keyframe, point, view

# Mug a is told as m_1 in two views and as m_2 in one; mug b as m_2 in one.
MUGS: TrueOfView = {("m_1", 1): "a", ("m_1", 2): "a", ("m_2", 3): "a", ("m_2", 4): "b"}


def _f1_by_pairs(true_of_view: TrueOfView) -> float:
    pairs = list(combinations(true_of_view.items(), 2))
    found = {index for index, (one, other) in enumerate(pairs) if one[0][0] == other[0][0]}
    true = {index for index, (one, other) in enumerate(pairs) if one[1] == other[1]}
    precision, recall = len(found & true) / len(found), len(found & true) / len(true)
    return 2 * precision * recall / (precision + recall)


def test_f1_of_a_lost_and_a_merged_view() -> None:
    # Found pairs: (1,2) (3,4). True pairs: (1,2) (1,3) (2,3). Right: (1,2): P = 1/2, R = 1/3.
    assert identity_f1(MUGS) == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(5))
def test_f1_is_that_of_all_pairs(seed: int) -> None:
    chance = random.Random(seed)
    views = {(f"m_{chance.randint(1, 6)}", number): chance.choice("abcd") for number in range(60)}
    assert identity_f1(views) == pytest.approx(_f1_by_pairs(views))


def test_single_views_and_nothing_at_all_are_right() -> None:
    assert identity_f1({}) == identity_f1({("m_1", 1): "a", ("m_2", 1): "b"}) == 1.0
    assert fragmentation({}) == 1.0


def test_fragments_and_merges_are_counted_by_hand() -> None:
    # a is in two identities, b in one; m_2 holds two things.
    assert fragmentation(MUGS) == pytest.approx(1.5)
    assert false_merges(MUGS) == 1


def test_most_views_decide_what_an_identity_is_and_who_a_thing_is() -> None:
    views = {**MUGS, ("m_2", 5): "b"}
    assert main_things(views) == {"m_1": "a", "m_2": "b"}
    assert main_identities(views) == {"a": "m_1", "b": "m_2"}


def test_position_error_is_to_the_thing_that_an_identity_mostly_is() -> None:
    objects = [
        descriptor("m_1", position=point(1.0, 0.0, 0.5)),
        descriptor("m_2", position=point(5.0, 3.0, 0.5)),
        descriptor("m_3"),
    ]
    true_of_view = {("m_1", 1): "a", ("m_2", 1): "b", ("m_3", 2): "c"}
    centres_m = {"a": (1.0, 0.2, 0.5), "b": (5.0, 3.0, 0.9), "c": (0.0, 0.0, 0.0)}
    figures = identity_figures(objects, true_of_view, centres_m)
    assert figures["median_position_error_m"] == pytest.approx(0.3)
    assert (figures["instances_true"], figures["instances_found"]) == (3, 3)


def test_two_boxes_of_a_keyframe_in_one_identity_are_a_merge() -> None:
    twice = [descriptor("m_1", view(1), view(2)), descriptor("m_1", view(2))]
    frames = [keyframe(1), keyframe(2)]
    assert same_frame_merges(graph(1, frames, twice)) == 1
    apart = [twice[0], replace(twice[1], object_id="m_2")]
    assert same_frame_merges(graph(1, frames, apart)) == 0


def test_metered_model_passes_on_and_counts() -> None:
    metered = MeteredModel(RecordedChat("one", "two"))
    prompt = Prompt("association", "", "", {})
    texts = [asyncio.run(metered.complete(prompt, 1.0)).text for _ in range(2)]
    assert texts == ["one", "two"]
    # RecordedChat says 11 tokens for each prompt.
    assert (metered.calls, metered.prompt_tokens) == (2, 22)


def test_known_things_that_are_seen_again_are_recognized(tmp_path: Path) -> None:
    figures = ManyThings(tmp_path, known=30).figures(with_model=True)
    assert figures["right_of_twelve"] == 12
