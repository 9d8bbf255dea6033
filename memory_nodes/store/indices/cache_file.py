"""Files of arrays that may be lost but never misread: checked as a whole, replaced as a whole.

All of it is little-endian::

    prelude   magic, bytes of the header, bytes of the payload
    header    JSON: kind and format of the file, what its writer says of it, its arrays
    payload   the arrays, one after another
    checksum  CRC32 of all before it
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_nodes.errors import IndexDamaged, StoreError

MAGIC = b"RMEMIDX1"
_PRELUDE = struct.Struct("<8sIQ")
_CHECKSUM = struct.Struct("<I")


def write(
    path: Path,
    kind: str,
    format_number: int,
    described: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
) -> None:
    """Writes arrays of numbers and what is said of them; one process at a time to a path.

    Raises StoreError when it cannot be written: the file is then as it was before.
    """
    stored = {name: np.ascontiguousarray(_little_endian(array)) for name, array in arrays.items()}
    header = json.dumps(
        {
            "kind": kind,
            "format": format_number,
            "described": described,
            "arrays": [[name, array.dtype.str, array.shape] for name, array in stored.items()],
        }
    ).encode()
    size = sum(array.nbytes for array in stored.values())
    payload = [array.reshape(-1).view(np.uint8).data for array in stored.values() if array.size]
    try:
        _replace(path, [_PRELUDE.pack(MAGIC, len(header), size), header, *payload])
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error}; what it holds is made again at the next start"
        ) from error


def read(
    path: Path, kind: str, format_number: int
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What was written: what is said of the arrays, and the arrays, which are read-only.

    Raises IndexDamaged, ``reason`` says why, for anything else than a whole file of that kind.
    """
    content = _checked(path)
    _, header_bytes, _ = _PRELUDE.unpack_from(content)
    start = _PRELUDE.size + header_bytes
    try:
        header = json.loads(bytes(content[_PRELUDE.size : start]))
        found = (header["kind"], header["format"])
        described, listed = dict(header["described"]), list(header["arrays"])
        if found != (kind, format_number):
            raise IndexDamaged(
                f"{path} holds {found[0]!r} in format {found[1]}, expected are {kind!r} in "
                f"{format_number}",
                "other_format",
            )
        return described, _arrays(content[start : -_CHECKSUM.size], listed)
    except (ValueError, TypeError, KeyError) as error:
        raise IndexDamaged(
            f"{path} is whole but not readable: {error!r}", "contradictory"
        ) from error


def delete_all(directory: Path) -> None:
    """Deletes the caches in a directory, and what is just being written there: that then fails."""
    for path in directory.glob("*.bin*"):
        path.unlink(missing_ok=True)


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def _replace(path: Path, parts: Sequence[bytes | memoryview]) -> None:
    """Writes a file with its checksum beside the old one and puts it in its place."""
    beside = path.with_name(f"{path.name}.new")
    checksum = 0
    with beside.open("wb") as file:
        for part in parts:
            file.write(part)
            checksum = zlib.crc32(part, checksum)
        file.write(_CHECKSUM.pack(checksum))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _checked(path: Path) -> memoryview:
    """The content of a file whose length and checksum are right."""
    try:
        content = memoryview(path.read_bytes())
    except FileNotFoundError as error:
        raise IndexDamaged(f"there is no {path}", "missing") from error
    except OSError as error:
        raise IndexDamaged(f"cannot read {path}: {error}", "unreadable") from error
    if len(content) < _PRELUDE.size + _CHECKSUM.size:
        raise IndexDamaged(f"{path} has {len(content)} bytes: no whole prelude", "truncated")
    magic, header_bytes, payload_bytes = _PRELUDE.unpack_from(content)
    if magic != MAGIC:
        raise IndexDamaged(f"{path} begins with {magic!r}, not {MAGIC!r}", "other_format")
    end = _PRELUDE.size + header_bytes + payload_bytes
    if len(content) < end + _CHECKSUM.size:
        raise IndexDamaged(
            f"{path} has {len(content)} bytes of {end + _CHECKSUM.size}", "truncated"
        )
    is_checked = len(content) == end + _CHECKSUM.size
    if not is_checked or _CHECKSUM.unpack_from(content, end)[0] != zlib.crc32(content[:end]):
        raise IndexDamaged(f"{path} is not what was written: its checksum is wrong", "checksum")
    return content


def _arrays(payload: memoryview, listed: Sequence[Any]) -> dict[str, NDArray[Any]]:
    """Raises ValueError or TypeError where the list does not fit the payload."""
    arrays = {}
    first = 0
    for name, dtype_name, shape in listed:
        dtype = np.dtype(dtype_name)
        length = int(np.prod(shape, dtype=object))
        if dtype.hasobject or length < 0 or first + length * dtype.itemsize > len(payload):
            raise ValueError(f"{name} of {shape} {dtype} is not in {len(payload)} bytes")
        arrays[name] = np.frombuffer(payload, dtype, length, first).reshape(shape)
        first += length * dtype.itemsize
    if first != len(payload):
        raise ValueError(f"{first} bytes are announced of {len(payload)}")
    return arrays
