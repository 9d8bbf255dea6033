"""A search finds what comparing all vectors finds, whatever was added or removed before."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_nodes.errors import ConfigurationError, InputError
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.indices.vector_index import BUILD_STEP, VectorIndex
from memory_nodes.store.indices.vector_rows import MAX_KEY, Keys
from memory_nodes.vectors import Matrix
from memory_test_support.vectors import clustered

GRAPH_ONLY = VectorConfig(exact_below=0)
D = 16


def _built(count: int, config: VectorConfig = GRAPH_ONLY) -> tuple[VectorIndex, Keys, Matrix]:
    """An index whose vectors are all in the graph; their keys begin at 1."""
    keys, vectors = np.arange(1, count + 1), clustered(count, D)
    index = VectorIndex(D, config)
    index.add(keys, vectors)
    assert index.take_in(count) == count
    return index, keys, vectors


def _nearest(
    keys: Keys, vectors: Matrix, query: NDArray[np.float32], k: int
) -> list[tuple[int, float]]:
    """By the definition, in double precision, one after another."""
    length = float(np.sqrt(sum(float(x) ** 2 for x in query)))
    cosines = [float(np.dot(v.astype(float), query.astype(float))) / length for v in vectors]
    ranked = sorted(zip(keys.tolist(), cosines, strict=True), key=lambda hit: (-hit[1], -hit[0]))
    return ranked[:k]


def _assert_same(
    found: tuple[Keys, NDArray[np.float32]], expected: list[tuple[int, float]]
) -> None:
    assert found[0].tolist() == [key for key, _ in expected]
    assert found[1] == pytest.approx([cosine for _, cosine in expected], abs=1e-5)
    assert [str(part.dtype) for part in found] == ["int64", "float32"]


def test_tail_is_found_exactly_before_it_is_in_the_graph() -> None:
    index, keys, vectors = VectorIndex(D, GRAPH_ONLY), np.arange(1, 301), clustered(300, D)
    index.add(keys, vectors)
    assert (len(index), index.tail_size) == (300, 300)
    for query in clustered(20, D, seed=1):
        _assert_same(index.search(query, 3), _nearest(keys, vectors, query, 3))


def test_graph_and_tail_together_find_what_all_vectors_compared_find() -> None:
    index, keys, vectors = VectorIndex(D, GRAPH_ONLY), np.arange(1, 601), clustered(600, D)
    index.add(keys, vectors)
    assert index.take_in(400) == 400
    assert index.tail_size == 200
    for query in clustered(40, D, seed=1):
        _assert_same(index.search(query, 8, ef=300), _nearest(keys, vectors, query, 8))


def test_graph_finds_nearly_all_of_the_ten_nearest_with_the_default_ef() -> None:
    index, keys, vectors = _built(3000)
    hits = 0
    for query in clustered(100, D, seed=1):
        expected = {key for key, _ in _nearest(keys, vectors, query, 10)}
        hits += len(expected & set(index.search(query, 10)[0].tolist()))
    assert hits >= 950


def test_small_memory_is_searched_exactly_even_with_the_least_ef() -> None:
    index, keys, vectors = _built(1000, VectorConfig(exact_below=1000))
    for query in clustered(30, D, seed=1):
        _assert_same(index.search(query, 5, ef=1), _nearest(keys, vectors, query, 5))


@pytest.mark.parametrize("k", [199, 200, 201, 10_000])
def test_all_that_there_are_come_where_k_asks_for_as_many_or_more(k: int) -> None:
    index, keys, vectors = _built(200)
    query = clustered(1, D, seed=1)[0]
    _assert_same(index.search(query, k), _nearest(keys, vectors, query, k))


def test_search_goes_on_through_the_dead_to_the_living_behind_them() -> None:
    index, keys, vectors = _built(1000)
    query = vectors[0]
    dead = [key for key, _ in _nearest(keys, vectors, query, 800)]
    index.remove(dead)
    is_living = ~np.isin(keys, dead)
    expected = _nearest(keys[is_living], vectors[is_living], query, 4)
    _assert_same(index.search(query, 4, ef=100), expected)


def test_graph_that_cannot_reach_enough_is_replaced_by_comparing_all() -> None:
    index, keys, vectors = _built(500)
    links = index.links()
    unlinked = replace(
        links, links=np.zeros_like(links.links), upper_links=np.zeros_like(links.upper_links)
    )
    index = VectorIndex.restored(unlinked, keys, vectors, D, GRAPH_ONLY)
    query = clustered(1, D, seed=1)[0]
    _assert_same(index.search(query, 5), _nearest(keys, vectors, query, 5))


def test_query_of_any_length_gives_cosines() -> None:
    index = VectorIndex(2)
    index.add([1, 2], np.array([[3.0, 0.0], [5.0, 5.0]], np.float32))
    _assert_same(index.search(np.array([0.0, 9.0]), 2), [(2, 0.5**0.5), (1, 0.0)])


def test_of_equal_vectors_the_newer_comes_first() -> None:
    """Of different places in the matrix, where BLAS rounds differently."""
    index, other = VectorIndex(D), clustered(1003, D)
    other[:] = other[0]
    index.add(np.random.default_rng(0).permutation(1003) + 1, other)
    assert index.search(clustered(1, D, seed=1)[0], 1003)[0].tolist() == list(range(1003, 0, -1))
    assert index.search(clustered(1, D, seed=1)[0], 3)[0].tolist() == [1003, 1002, 1001]


def test_removed_vector_is_gone_from_every_answer_at_once() -> None:
    index, _, vectors = _built(500)
    index.add([501, 502], clustered(2, D, seed=2))
    removed = [*range(1, 400, 2), 501]
    index.remove(removed)
    assert (len(index), index.tail_size, 501 in index, 502 in index) == (300 + 1, 1, False, True)
    for query in vectors[:40]:
        found = index.search(query, 6, ef=100)[0].tolist()
        assert len(found) == 6
        assert set(found).isdisjoint(removed)
    assert index.search_among(vectors[0], removed, 5)[0].tolist() == []
    assert np.isnan(index.similarities(vectors[0], removed)).all()


def test_unknown_key_may_be_removed_and_looked_for() -> None:
    index, _, _ = _built(3)
    index.remove([0, -5, 4, MAX_KEY + 1, 10**15])
    assert len(index) == 3
    assert [key in index for key in (0, -1, 1, 3, 4, 10**15)] == [
        *(False, False, True, True, False, False)
    ]


@pytest.mark.parametrize("taken", [0, 10], ids=["in the tail", "in the graph"])
def test_vector_of_a_known_key_replaces_the_old_one(taken: int) -> None:
    index = VectorIndex(2, GRAPH_ONLY)
    index.add([1, 2], np.array([[1.0, 0.0], [0.6, 0.8]], np.float32))
    index.take_in(taken)
    index.add([1], np.array([[0.0, 1.0]], np.float32))
    assert len(index) == 2
    for _ in range(2):
        _assert_same(index.search(np.array([1.0, 0.0]), 5), [(2, 0.6), (1, 0.0)])
        index.take_in(10)


def test_of_a_key_given_twice_the_last_vector_counts() -> None:
    index = VectorIndex(2)
    index.add([7, 7], np.array([[1.0, 0.0], [0.0, 1.0]], np.float32))
    _assert_same(index.search(np.array([0.0, 1.0]), 5), [(7, 1.0)])


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (np.nan, "key 12 has length nan"),
        (np.inf, "key 12 has length inf"),
        (0.0, "key 12 has length 0.0"),
    ],
)
def test_vector_without_direction_is_refused_by_its_key_and_nothing_added(
    bad: float, says: str
) -> None:
    index, vectors = VectorIndex(D), clustered(3, D)
    vectors[1] = bad
    with pytest.raises(InputError, match=says):
        index.add([11, 12, 13], vectors)
    assert (len(index), 11 in index) == (0, False)


@pytest.mark.parametrize("shape", [(2, D - 1), (3, D), (2,), (2, D, 1)])
def test_vectors_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    index = VectorIndex(D)
    with pytest.raises(InputError, match=rf"first is of key 4: this index needs \(2, {D}\)"):
        index.add([4, 5], np.ones(shape, np.float32))
    assert len(index) == 0


@pytest.mark.parametrize("key", [0, -1, MAX_KEY + 1])
def test_key_that_no_array_can_be_indexed_by_is_refused(key: int) -> None:
    index = VectorIndex(D)
    with pytest.raises(InputError, match=f"key {key} "):
        index.add([1, key], clustered(2, D))
    assert len(index) == 0


@pytest.mark.parametrize(
    "query", [np.zeros(D), np.full(D, np.nan), np.ones(D - 1), np.ones((1, D))]
)
def test_query_without_direction_is_refused(query: NDArray[np.float64]) -> None:
    index, _, _ = _built(3)
    with pytest.raises(InputError, match=f"give {D} finite numbers"):
        index.search(query, 1)
    with pytest.raises(InputError):
        index.search_among(query, [1], 1)
    with pytest.raises(InputError):
        index.similarities(query, [1])


def test_k_and_ef_below_one_are_refused() -> None:
    index, _, vectors = _built(3)
    for k, ef in ((0, 5), (-1, 5), (1, 0)):
        with pytest.raises(InputError, match="the least is 1"):
            index.search(vectors[0], k, ef)
    with pytest.raises(InputError, match="the least is 1"):
        index.search_among(vectors[0], [1], 0)


def test_empty_index_answers_with_nothing() -> None:
    index, query = VectorIndex(D, GRAPH_ONLY), clustered(1, D)[0]
    index.add([], np.zeros((0, D), np.float32))
    assert index.take_in(5) == 0
    assert not index.compact()
    for keys, similarities in (index.search(query, 3), index.search_among(query, [1], 3)):
        assert (keys.tolist(), similarities.tolist()) == ([], [])


def test_search_among_compares_these_keys_and_no_others() -> None:
    index, _, vectors = _built(400)
    among = np.array([5, 390, 5, 77, 10_000, 120, 77, -3])
    known = np.array([5, 77, 120, 390])
    query = clustered(1, D, seed=1)[0]
    _assert_same(index.search_among(query, among, 9), _nearest(known, vectors[known - 1], query, 9))
    _assert_same(index.search_among(query, among, 2), _nearest(known, vectors[known - 1], query, 2))


def test_similarities_stand_in_the_order_of_the_keys() -> None:
    index = VectorIndex(2)
    index.add([1, 3], np.array([[1.0, 0.0], [0.6, 0.8]], np.float32))
    found = index.similarities(np.array([2.0, 0.0]), [3, 2, 1, 3])
    assert found == pytest.approx([0.6, np.nan, 1.0, 0.6], nan_ok=True)


def test_take_in_moves_the_oldest_and_says_how_many() -> None:
    index = VectorIndex(D, GRAPH_ONLY)
    index.add(np.arange(1, 101), clustered(100, D))
    index.remove(np.arange(1, 11))
    assert index.take_in(BUILD_STEP + 5) == BUILD_STEP + 5
    assert index.links().labels.tolist() == list(range(11, 11 + BUILD_STEP + 5))
    assert index.take_in(1000) == 90 - BUILD_STEP - 5
    assert (index.take_in(1000), index.tail_size, len(index)) == (0, 0, 90)


def test_compaction_waits_for_its_share_and_then_loses_nothing_living() -> None:
    index, keys, vectors = _built(400)
    index.remove(keys[:100])
    assert not index.compact()
    index.remove(keys[100:101])
    assert index.compact()
    assert (len(index), index.tail_size) == (299, 299)
    assert not index.compact()
    for _ in range(2):
        for query in clustered(10, D, seed=1):
            expected = _nearest(keys[101:], vectors[101:], query, 5)
            _assert_same(index.search(query, 5, ef=200), expected)
        index.take_in(1000)


def test_any_history_leaves_what_a_dictionary_would_hold() -> None:
    random = np.random.default_rng(3)
    index, held = VectorIndex(D, GRAPH_ONLY), dict[int, NDArray[np.float32]]()
    for round_number in range(40):
        keys = random.integers(1, 300, size=30)
        vectors = clustered(30, D, seed=round_number)
        index.add(keys, vectors)
        held.update(zip(keys.tolist(), vectors, strict=True))
        gone = random.integers(1, 300, size=12)
        index.remove(gone)
        for key in gone.tolist():
            held.pop(key, None)
        index.take_in(int(random.integers(0, 40)))
        index.compact()
        assert len(index) == len(held)
        query = clustered(1, D, seed=1000 + round_number)[0]
        expected = _nearest(np.array(list(held)), np.array(list(held.values())), query, 2)
        _assert_same(index.search(query, 2, ef=300), expected)


def test_parameter_out_of_range_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="hnsw_m is 1"):
        VectorIndex(D, VectorConfig(hnsw_m=1))


def test_searches_beside_changes_give_only_what_was_there() -> None:
    """Keys above 2000 come and go; each answer is sorted, without a removed key, and whole."""
    index, _, vectors = _built(1000)
    is_over, wrong = threading.Event(), list[str]()

    def search() -> None:
        while not is_over.is_set():
            keys, similarities = index.search(vectors[5], 10)
            if len(keys) != 10 or (np.diff(similarities) > 0).any() or 1500 in keys:
                wrong.append(f"{keys} {similarities}")

    index.add([1500], vectors[5:6])
    index.remove([1500])
    threads = [threading.Thread(target=search, daemon=True) for _ in range(2)]
    for thread in threads:
        thread.start()
    for turn in range(10):
        keys = np.arange(2001, 2101) + 100 * turn
        index.add(keys, clustered(100, D, seed=turn))
        index.take_in(60)
        index.remove(keys[:90])
        index.compact()
    is_over.set()
    for thread in threads:
        thread.join(30.0)
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []
    assert len(index) == 1100


def test_moving_to_a_larger_matrix_changes_no_answer() -> None:
    index, keys, vectors = _built(1000)
    index.remove([7])
    query = clustered(1, D, seed=1)[0]
    before = index.search(query, 20)
    index.make_room()
    index.add([2000], query[None])
    expected = [2000, *before[0].tolist()[:19]]
    assert index.search(query, 20)[0].tolist() == expected
    assert np.allclose(
        index.similarities(query, keys[7:]),
        vectors[7:] @ (query / np.linalg.norm(query)),
        atol=1e-5,
    )
