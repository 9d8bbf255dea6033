"""A graph comes back as it was saved, or is refused by name; it never brings the process down."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memory_nodes.errors import IndexDamaged, IndexFault, InputError, StoreError
from memory_nodes.store.indices import vector_cache
from memory_nodes.store.indices.vector_cache import FORMAT, save
from memory_nodes.store.indices.vector_config import VectorConfig
from memory_nodes.store.indices.vector_index import VectorIndex
from memory_nodes.store.indices.vector_rows import Keys
from memory_nodes.vectors import Matrix
from memory_test_support.vectors import clustered

D = 16
COUNT = 600
CONFIG = VectorConfig(exact_below=0)
KEYS = np.arange(1, COUNT + 1)
VECTORS = clustered(COUNT, D)


def _index(keys: Keys = KEYS, vectors: Matrix = VECTORS) -> VectorIndex:
    index = VectorIndex(D, CONFIG)
    index.add(keys, vectors)
    index.take_in(len(keys))
    return index


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A cache of the vectors above."""
    file = tmp_path / "vectors.index"
    save(_index(), file, 41, "model")
    return file


def restored(*arguments: Any) -> tuple[VectorIndex, int]:
    """With the graph in its place."""
    index, sequence = vector_cache.restored(*arguments)
    index.install_graph()
    return index, sequence


def _restored(path: Path) -> VectorIndex:
    return restored(path, CONFIG, "model", D, KEYS, VECTORS)[0]


def _assert_refused(path: Path, *reasons: IndexFault) -> None:
    with pytest.raises(IndexDamaged, match="vectors") as caught:
        _restored(path)
    assert caught.value.reason in reasons


def _assert_finds_nearly_all(index: VectorIndex, keys: Keys, vectors: Matrix) -> None:
    """At least 95 % of the five nearest, compared with all."""
    hits = 0
    for query in clustered(100, D, seed=1):
        nearest = keys[np.argsort(-(vectors @ query))[:5]]
        hits += len(set(nearest.tolist()) & set(index.search(query, 5)[0].tolist()))
    assert hits >= 475


def test_restored_index_answers_as_the_saved_one_without_building(path: Path) -> None:
    index, sequence = restored(path, CONFIG, "model", D, KEYS, VECTORS)
    assert (sequence, len(index), index.tail_size) == (41, COUNT, 0)
    saved = _index()
    for query in clustered(30, D, seed=1):
        for ef in (5, 50):
            keys, similarities = index.search(query, 5, ef)
            saved_keys, saved_similarities = saved.search(query, 5, ef)
            assert keys.tolist() == saved_keys.tolist()
            assert similarities.tolist() == saved_similarities.tolist()


def test_order_in_which_the_vectors_are_given_does_not_matter(path: Path) -> None:
    order = np.random.default_rng(0).permutation(COUNT)
    index, _ = restored(path, CONFIG, "model", D, KEYS[order], VECTORS[order])
    query = clustered(1, D, seed=1)[0]
    assert index.search(query, 5)[0].tolist() == _index().search(query, 5)[0].tolist()


def test_file_holds_no_vectors(tmp_path: Path) -> None:
    index = VectorIndex(384, CONFIG)
    index.add(KEYS, clustered(COUNT, 384))
    index.take_in(COUNT)
    save(index, tmp_path / "cache", 1, "model")
    assert (tmp_path / "cache").stat().st_size < 160 * COUNT


def test_restored_index_goes_on_growing_and_can_be_saved_again(path: Path) -> None:
    index = _restored(path)
    keys, vectors = np.arange(COUNT + 1, 3 * COUNT), clustered(2 * COUNT - 1, D, seed=5)
    index.add(keys, vectors)
    assert index.take_in(10_000) == 2 * COUNT - 1
    save(index, path, 42, "model")
    all_keys, all_vectors = np.concatenate((KEYS, keys)), np.concatenate((VECTORS, vectors))
    again, sequence = restored(path, CONFIG, "model", D, all_keys, all_vectors)
    assert (sequence, again.tail_size) == (42, 0)
    _assert_finds_nearly_all(again, all_keys, all_vectors)


def test_vectors_that_the_graph_does_not_know_are_its_tail(path: Path) -> None:
    new = clustered(3, D, seed=8)
    keys = np.array([COUNT + 9, *KEYS, COUNT + 3, COUNT + 4])
    vectors = np.concatenate((new[:1], VECTORS, new[1:]))
    index, _ = restored(path, CONFIG, "model", D, keys, vectors)
    assert (len(index), index.tail_size) == (COUNT + 3, 3)
    assert index.search(new[2], 1)[0].tolist() == [COUNT + 4]


def test_vectors_that_are_gone_are_never_found_and_leave_the_others_within_reach(
    path: Path,
) -> None:
    is_kept = np.random.default_rng(2).random(COUNT) > 0.3
    index, _ = restored(path, CONFIG, "model", D, KEYS[is_kept], VECTORS[is_kept])
    assert len(index) == np.count_nonzero(is_kept)
    for key in KEYS[~is_kept].tolist():
        assert key not in index
        assert key not in index.search(VECTORS[key - 1], 5)[0]
    _assert_finds_nearly_all(index, KEYS[is_kept], VECTORS[is_kept])
    assert index.compact()


def test_vectors_removed_or_replaced_before_saving_stay_so(path: Path) -> None:
    index = _index()
    index.remove([7])
    index.add([8], -VECTORS[:1])
    index.take_in(1)
    save(index, path, 1, "model")
    vectors = VECTORS.copy()
    vectors[7] = -VECTORS[0]
    others = KEYS != 7
    back, _ = restored(path, CONFIG, "model", D, KEYS[others], vectors[others])
    assert (len(back), back.tail_size, 7 in back) == (COUNT - 1, 0, False)
    assert back.search(-VECTORS[0], 1)[0].tolist() == [8]
    assert back.search(VECTORS[7], 12)[0].tolist() != []
    assert 8 not in back.search(VECTORS[7], 12)[0]


def test_graph_that_several_threads_built_in_any_order_comes_back(tmp_path: Path) -> None:
    config = replace(CONFIG, build_threads=4)
    index = VectorIndex(D, config)
    index.add(KEYS, VECTORS)
    index.take_in(COUNT)
    save(index, tmp_path / "cache", 1, "model")
    back, _ = restored(tmp_path / "cache", config, "model", D, KEYS, VECTORS)
    assert back.tail_size == 0
    for query in clustered(30, D, seed=1):
        assert back.search(query, 5)[0].tolist() == index.search(query, 5)[0].tolist()


def test_empty_index_comes_back_empty(tmp_path: Path) -> None:
    save(VectorIndex(D, CONFIG), tmp_path / "cache", 0, "model")
    none = np.zeros((0, D), np.float32)
    index, sequence = restored(tmp_path / "cache", CONFIG, "model", D, [], none)
    assert (len(index), sequence) == (0, 0)
    index.add([1], VECTORS[:1])
    index.take_in(1)
    assert index.search(VECTORS[0], 1)[0].tolist() == [1]


def test_index_is_exact_while_its_graph_is_not_installed(path: Path) -> None:
    index, _ = vector_cache.restored(path, CONFIG, "model", D, KEYS, VECTORS)
    index.remove([7])
    index.add([COUNT + 1], -VECTORS[:1])
    assert index.tail_size == COUNT
    cosines = VECTORS @ VECTORS[6]
    expected = [key for key in (np.argsort(-cosines)[:6] + 1).tolist() if key != 7]
    assert index.search(VECTORS[6], 5)[0].tolist() == expected
    save(index, path, 42, "model")
    index.install_graph()
    assert (len(index), index.tail_size) == (COUNT, 1)
    assert 7 not in index.search(VECTORS[6], 5)[0]
    again, sequence = restored(path, CONFIG, "model", D, KEYS, VECTORS)
    assert (sequence, again.tail_size) == (42, 0)


def test_no_file_is_a_reason(tmp_path: Path) -> None:
    _assert_refused(tmp_path / "vectors.index", "missing")


def test_what_cannot_be_read_is_a_reason(tmp_path: Path) -> None:
    (tmp_path / "vectors.index").mkdir()
    _assert_refused(tmp_path / "vectors.index", "unreadable")


def test_file_cut_anywhere_is_truncated(path: Path) -> None:
    content = path.read_bytes()
    cuts = np.random.default_rng(0).integers(0, len(content), size=60).tolist()
    for length in [0, 1, 8, 12, 19, 20, 23, 24, 200, len(content) - 4, len(content) - 1, *cuts]:
        path.write_bytes(content[:length])
        _assert_refused(path, "truncated")


def test_file_with_something_behind_it_is_refused(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")
    _assert_refused(path, "checksum")


def test_file_of_zeros_is_refused(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))
    _assert_refused(path, "other_format")


@pytest.mark.parametrize("first", [0, 30, 5000, -4096], ids=["start", "header", "middle", "end"])
def test_block_of_zeros_is_refused(path: Path, first: int) -> None:
    content = bytearray(path.read_bytes())
    first %= len(content)
    content[first : first + 4096] = bytes(len(content[first : first + 4096]))
    path.write_bytes(content)
    _assert_refused(path, "checksum", "other_format", "truncated")


def test_each_flipped_bit_is_noticed(path: Path) -> None:
    content = path.read_bytes()
    random = np.random.default_rng(0)
    bits = [*range(8 * 20), *random.integers(0, 8 * len(content), size=200).tolist()]
    for bit in bits:
        broken = bytearray(content)
        broken[bit // 8] ^= 1 << bit % 8
        path.write_bytes(broken)
        _assert_refused(path, "checksum", "other_format", "truncated")


@pytest.mark.parametrize(
    ("config", "model_id", "dimension", "reason"),
    [
        (CONFIG, "another", D, "other_model"),
        (CONFIG, "model", D + 1, "other_model"),
        (replace(CONFIG, hnsw_m=8), "model", D, "other_parameters"),
        (replace(CONFIG, ef_construction=100), "model", D, "other_parameters"),
    ],
)
def test_graph_of_something_else_is_refused(
    path: Path, config: VectorConfig, model_id: str, dimension: int, reason: IndexFault
) -> None:
    with pytest.raises(IndexDamaged) as caught:
        restored(path, config, model_id, dimension, KEYS, np.ones((COUNT, dimension), np.float32))
    assert caught.value.reason == reason


def test_newer_format_is_refused_and_named(path: Path) -> None:
    _rewritten(path, lambda header: header.update(format=FORMAT + 1))
    _assert_refused(path, "other_format")


def test_graph_of_another_hnswlib_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_cache, "version", lambda name: "0.9.0")
    _assert_refused(path, "other_format")


def _rewritten(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """The file with another header and a checksum that is right."""
    content = path.read_bytes()
    magic, header_bytes, payload_bytes = struct.unpack_from("<8sIQ", content)
    header = json.loads(content[20 : 20 + header_bytes])
    header = change(header) or header
    described = json.dumps(header).encode()
    body = struct.pack("<8sIQ", magic, len(described), payload_bytes) + described
    body += content[20 + header_bytes : -4]
    path.write_bytes(body + struct.pack("<I", zlib.crc32(body)))


def test_file_written_by_hand_is_read(path: Path) -> None:
    _rewritten(path, lambda header: header["described"].update(sequence=5))
    assert restored(path, CONFIG, "model", D, KEYS, VECTORS)[1] == 5


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header["arrays"][0].__setitem__(2, [COUNT - 1]),
        lambda header: header["arrays"][0].__setitem__(2, [COUNT + 1]),
        lambda header: header["arrays"][0].__setitem__(2, [2**62]),
        lambda header: header["arrays"][0].__setitem__(2, [-1]),
        lambda header: header["arrays"][0].__setitem__(2, str(COUNT)),
        lambda header: header["arrays"][0].__setitem__(1, "<i8"),
        lambda header: header["arrays"][0].__setitem__(1, "|O"),
        lambda header: header["arrays"].pop() and None,
        lambda header: header["described"].update(entry=COUNT),
        lambda header: header["described"].update(entry=-1),
        lambda header: header["described"].pop("entry") and None,
        lambda header: header["described"].pop("sequence") and None,
        lambda header: header.pop("arrays") and None,
        lambda header: [1],
    ],
)
def test_whole_file_that_contradicts_itself_is_refused(
    path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    _rewritten(path, change)
    _assert_refused(path, "contradictory")


def test_vectors_that_cannot_be_used_are_the_callers_fault(path: Path) -> None:
    vectors = VECTORS.copy()
    vectors[3] = np.nan
    with pytest.raises(InputError, match="key 4 "):
        restored(path, CONFIG, "model", D, KEYS, vectors)
    with pytest.raises(InputError, match="shape"):
        restored(path, CONFIG, "model", D, KEYS, VECTORS[:-1])


def test_save_that_fails_leaves_the_old_file(path: Path) -> None:
    before = path.read_bytes()
    path.with_name(f"{path.name}.new").mkdir()
    with pytest.raises(StoreError, match="cannot write"):
        save(_index(), path, 50, "model")
    assert path.read_bytes() == before


def test_save_leaves_only_its_file(path: Path) -> None:
    save(_index(), path, 50, "model")
    assert list(path.parent.iterdir()) == [path]
