"""The graph of a vector index on disk, so that it need not be built at each start.

The file has the links only, about 140 bytes a vector: the vectors come from SQLite. All of it is
little-endian::

    prelude   magic, format, bytes of the header, bytes of the payload
    header    JSON: what the graph is of, and how many elements it has
    payload   labels, levels, links, upper links
    checksum  CRC32 of all before it

It is no pickle, and nothing of it reaches hnswlib unchecked.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import IndexDamaged, IndexFault, InputError, StoreError
from memory_nodes.store.graph_links import GraphLinks
from memory_nodes.store.vector_config import VectorConfig
from memory_nodes.store.vector_index import VectorIndex
from memory_nodes.store.vector_rows import Keys
from memory_nodes.vectors import Matrix

FORMAT = 1
MAGIC = b"ROBOTVEC"
PRELUDE = struct.Struct("<8sIIQ")
CHECKSUM = struct.Struct("<I")

_LABEL = np.dtype("<i4")
_LEVEL = np.dtype("u1")
_LINK = np.dtype("<i4")


@dataclass(frozen=True)
class _Header:
    model_id: str
    dimension: int
    sequence: int
    hnswlib: str
    hnsw_m: int
    ef_construction: int
    count: int
    upper_count: int
    entry: int


def save(index: VectorIndex, path: Path, sequence: int, model_id: str) -> None:
    """Writes the graph of an index; the file is there as a whole or as it was before.

    ``sequence`` is the commit up to which the index has all vectors. One process at a time saves
    to a path. Raises StoreError when it cannot be written.
    """
    links = index.links()
    header = _Header(
        model_id=model_id,
        dimension=index.dimension,
        sequence=sequence,
        hnswlib=version("hnswlib"),
        hnsw_m=index.config.hnsw_m,
        ef_construction=index.config.ef_construction,
        count=len(links.labels),
        upper_count=len(links.upper_links),
        entry=links.entry,
    )
    described = json.dumps(asdict(header)).encode()
    payload = (
        links.labels.astype(_LABEL),
        links.levels.astype(_LEVEL),
        links.links.astype(_LINK, copy=False),
        links.upper_links.astype(_LINK, copy=False),
    )
    size = sum(part.nbytes for part in payload)
    prelude = PRELUDE.pack(MAGIC, FORMAT, len(described), size)
    parts = [prelude, described, *(memoryview(part.reshape(-1)).cast("B") for part in payload)]
    try:
        _replace(path, [part for part in parts if len(part)])
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error}; the index works, and is built again at the next start"
        ) from error


def restored(
    path: Path,
    config: VectorConfig,
    model_id: str,
    dimension: int,
    keys: Sequence[int] | Keys,
    vectors: Matrix,
) -> tuple[VectorIndex, int]:
    """The index of these vectors, shape (N, dimension), with the saved graph, and its sequence.

    Vectors that the graph does not know are its tail.

    Raises:
        IndexDamaged: the file cannot be used, ``reason`` says why: build the index anew.
        InputError: the keys or vectors cannot be used, as in VectorIndex.add.
    """
    header, payload = _read(path)
    _require_same(path, "model", "other_model", header.model_id, model_id)
    _require_same(path, "dimension", "other_model", header.dimension, dimension)
    _require_same(path, "hnsw_m", "other_parameters", header.hnsw_m, config.hnsw_m)
    _require_same(
        *(path, "ef_construction", "other_parameters"),
        *(header.ef_construction, config.ef_construction),
    )
    links = _sound_links(path, header, payload)
    return VectorIndex.restored(links, keys, vectors, dimension, config), header.sequence


def saved(path: Path) -> tuple[str, int]:
    """What a sound file is of, as ``model_id`` and ``sequence`` of save; raises IndexDamaged."""
    header, payload = _read(path)
    _sound_links(path, header, payload)
    return header.model_id, header.sequence


def _replace(path: Path, parts: Sequence[bytes | memoryview]) -> None:
    """Writes a file with its checksum beside the old one and puts it in its place."""
    beside = path.with_name(f"{path.name}.new")
    checksum = 0
    with beside.open("wb") as file:
        for part in parts:
            file.write(part)
            checksum = zlib.crc32(part, checksum)
        file.write(CHECKSUM.pack(checksum))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _read(path: Path) -> tuple[_Header, memoryview]:
    """What a file says of itself, and its payload, once the checksum is right."""
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise IndexDamaged(f"there is no {path}", "missing") from error
    except OSError as error:
        raise IndexDamaged(f"cannot read {path}: {error}", "unreadable") from error
    if len(content) < PRELUDE.size:
        raise IndexDamaged(f"{path} has {len(content)} bytes: no whole prelude", "truncated")
    magic, found_format, header_bytes, payload_bytes = PRELUDE.unpack_from(content)
    _require_same(path, "magic", "other_format", magic, MAGIC)
    _require_same(path, "format", "other_format", found_format, FORMAT)
    end = PRELUDE.size + header_bytes + payload_bytes
    if len(content) < end + CHECKSUM.size:
        raise IndexDamaged(f"{path} has {len(content)} bytes of {end + CHECKSUM.size}", "truncated")
    whole = memoryview(content)
    is_checked = len(content) == end + CHECKSUM.size
    if not is_checked or CHECKSUM.unpack_from(content, end) != (zlib.crc32(whole[:end]),):
        raise IndexDamaged(f"{path} is not what was written: its checksum is wrong", "checksum")
    payload = whole[PRELUDE.size + header_bytes : end]
    return _header_from(path, content[PRELUDE.size : PRELUDE.size + header_bytes]), payload


def _header_from(path: Path, described: bytes) -> _Header:
    """Checks the version of hnswlib first: another may have another header."""
    try:
        values = json.loads(described)
        found = values["hnswlib"]
    except (ValueError, TypeError, KeyError) as error:
        raise IndexDamaged(f"{path} has no header: {error!r}", "contradictory") from error
    _require_same(path, "hnswlib", "other_format", found, version("hnswlib"))
    types = {item.name: str if item.type == "str" else int for item in fields(_Header)}
    if {name: type(value) for name, value in values.items()} != types:
        raise IndexDamaged(f"{path} has a header of {sorted(values)}", "contradictory")
    return _Header(**values)


def _sound_links(path: Path, header: _Header, payload: memoryview) -> GraphLinks:
    try:
        return _links_from(header, payload)
    except (InputError, ValueError) as error:
        raise IndexDamaged(f"{path} is whole but no graph: {error}", "contradictory") from error


def _links_from(header: _Header, payload: memoryview) -> GraphLinks:
    """Raises InputError or ValueError where the payload is not what the header says."""
    count, upper_count, hnsw_m = header.count, header.upper_count, header.hnsw_m
    shapes = (
        (_LABEL, (count,)),
        (_LEVEL, (count,)),
        (_LINK, (count, 1 + 2 * hnsw_m)),
        (_LINK, (upper_count, 1 + hnsw_m)),
    )
    labels, levels, links, upper_links = _arrays(payload, shapes)
    return GraphLinks(
        labels=labels.astype(np.int64),
        levels=levels.astype(np.int32),
        links=links.astype(np.int32),
        upper_links=upper_links.astype(np.int32),
        entry=header.entry,
    )


def _arrays(
    payload: memoryview, shapes: Sequence[tuple[np.dtype[np.generic], tuple[int, ...]]]
) -> Iterator[NDArray[np.generic]]:
    """One array after another from the payload, which must end with the last of them."""
    first = 0
    for dtype, shape in shapes:
        length = int(np.prod(shape, dtype=object))
        if length < 0 or first + length * dtype.itemsize > len(payload):
            raise InputError(f"{shape} numbers are announced in {len(payload)} bytes")
        yield np.frombuffer(payload, dtype, length, first).reshape(shape)
        first += length * dtype.itemsize
    if first != len(payload):
        raise InputError(f"{first} bytes are announced of {len(payload)}")


def _require_same(
    path: Path, what: str, reason: IndexFault, found: object, expected: object
) -> None:
    if found != expected:
        raise IndexDamaged(f"{path} has {what} {found!r}, this is {expected!r}", reason)
