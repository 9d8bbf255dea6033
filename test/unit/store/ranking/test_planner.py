"""Exact where few texts are left or the graph would have to give too many, else the graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memory_nodes.parameters import check
from memory_nodes.records import ItemKind
from memory_nodes.store.indices.catalogue import Catalogue
from memory_nodes.store.indices.columns import Rows
from memory_nodes.store.indices.vector_index import VectorIndex
from memory_nodes.store.ranking.planner import Method, Plan, PlannerConfig, after_graph, plan
from memory_nodes.store.ranking.selection import Selected
from memory_nodes.store.ranking.text_ranking import by_meaning

CONFIG = PlannerConfig(exact_texts=100, graph_texts=500)


@pytest.mark.parametrize(
    ("k", "texts", "all_texts", "method", "asked"),
    [
        (10, 0, 1000, "exact", 0),
        (10, 100, 1000, "exact", 100),
        # 10 of 1000 texts for each 101 that fit: 4 x 10 x 1000 / 101 = 396, and 10 more
        (10, 101, 1000, "graph", 406),
        # 4 x 10 x 2450 / 200 = 490, and 10 more: just what the graph may be asked for
        (10, 200, 2450, "graph", 500),
        (10, 200, 2455, "exact", 200),
        # never more than there are
        (50, 300, 450, "graph", 350),
        (50, 440, 450, "graph", 255),
        # texts without a vector cannot be compared
        (10, 1000, 0, "exact", 0),
        (10, 1000, 60, "exact", 60),
        (10, 1000, 200, "graph", 50),
    ],
)
def test_way_is_that_of_a_hand_calculation(
    k: int, texts: int, all_texts: int, method: Method, asked: int
) -> None:
    made = plan(CONFIG, k, 7777, texts, all_texts)
    assert (made.method, made.candidates, made.texts) == (method, 7777, asked)


def test_defaults_are_in_their_ranges() -> None:
    check(PlannerConfig())


@pytest.mark.parametrize(("filled", "candidates"), [(10, 50), (3, 3)])
def test_graph_that_gave_all_that_can_be_given_stands(filled: int, candidates: int) -> None:
    before = Plan("graph", "the filter leaves 50% of the texts", candidates, 60)
    assert after_graph(before, 10, filled, 40) is before


def test_graph_that_gave_too_few_is_followed_by_an_exact_search() -> None:
    before = Plan("graph", "the filter leaves 50% of the texts", 50, 60)
    assert after_graph(before, 10, 9, 40) == Plan("exact", "the graph filled 9 of 10", 50, 40)


class _Far:
    """200 texts along a quarter circle, 1 to 200, and items that say the 50 farthest."""

    def __init__(self) -> None:
        angles_rad = np.linspace(0.0, np.pi / 2.0, 200)
        self.units = np.stack([np.cos(angles_rad), np.sin(angles_rad)], 1).astype(np.float32)
        self.index = VectorIndex(2)
        self.index.add(range(1, 201), self.units)
        keys = np.arange(1, 51)
        catalogue = Catalogue()
        columns = catalogue.items[ItemKind.OBSERVATION].columns
        columns.append({"key": keys, "text_key": keys + 150})
        rows: Rows = np.arange(50)
        self.selected = Selected(catalogue, {ItemKind.OBSERVATION: rows})


def test_search_falls_back_when_the_filter_leaves_what_is_far_from_the_question() -> None:
    """Nearest to the question along x are texts 1 to 34, and the filter leaves 151 to 200."""
    far = _Far()
    config = replace(CONFIG, exact_texts=0)
    ranked, made = by_meaning(far.index, np.array([1.0, 0.0]), 2, far.selected, config)
    assert [key for key, _ in ranked] == [151, 152]
    assert made == Plan("exact", "the graph filled 0 of 2", 50, 50)
    ranked, made = by_meaning(far.index, np.array([0.0, 1.0]), 2, far.selected, config)
    assert [key for key, _ in ranked] == [200, 199]
    # 4 x 2 x 200 / 50 and 2 more
    assert (made.method, made.texts) == ("graph", 34)


def test_filter_over_texts_that_all_wait_for_a_vector_finds_none() -> None:
    far = _Far()
    config = replace(CONFIG, exact_texts=0)
    ranked, made = by_meaning(VectorIndex(2), np.array([1.0, 0.0]), 2, far.selected, config)
    assert (ranked, made.method) == ([], "exact")
