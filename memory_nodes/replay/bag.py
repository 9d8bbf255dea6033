"""A rosbag2 recording, MCAP or SQLite, read without ROS."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from memory_nodes.errors import ExtraMissing, InputError

_DAMAGE = (
    *(OSError, ValueError, OverflowError, MemoryError, AssertionError, LookupError, EOFError),
    *(TypeError, AttributeError, struct.error),
)
"""What rosbags raises besides its own errors where a file is not what its index says."""


class Heard(NamedTuple):
    """A message, and when it was recorded."""

    topic: str
    stamp_ns: int
    message: Any


class Bag:
    """Opens a recording: its directory, or one .mcap or .db3 file.

    Raises:
        InputError: it is no recording, or was not closed.
        ExtraMissing: rosbags is not installed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        highlevel, typesys = _installed("rosbags.highlevel"), _installed("rosbags.typesys")
        own = (highlevel.AnyReaderError, _installed("rosbags.rosbag2").ReaderError)
        self._errors = (*own, _installed("apsw").Error, *_DAMAGE)
        with self._named():
            # Recordings of Humble and before hold no definitions of their messages.
            store = typesys.get_typestore(typesys.Stores.ROS2_HUMBLE)
            self._reader = highlevel.AnyReader([path], default_typestore=store)
            self._reader.open()

    def __enter__(self) -> Bag:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._reader.close()

    @property
    def types(self) -> Mapping[str, str]:
        """The type of each topic, as sensor_msgs/msg/Image."""
        return {item.topic: item.msgtype for item in self._reader.connections}

    def count(self, topics: Collection[str]) -> int:
        """How many messages these topics have."""
        return sum(item.msgcount for item in self._reader.connections if item.topic in topics)

    def messages(self, topics: Collection[str]) -> Iterator[Heard]:
        """In the order in which they were recorded. Raises InputError where it is damaged."""
        chosen = [item for item in self._reader.connections if item.topic in topics]
        if not chosen:  # the reader would take that for all
            return
        with self._named():
            for connection, stamp_ns, data in self._reader.messages(chosen):
                message = self._reader.deserialize(data, connection.msgtype)
                yield Heard(connection.topic, stamp_ns, message)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors of the reader, as ours."""
        try:
            yield
        except self._errors as error:
            raise InputError(
                f"{self._path} cannot be read as a rosbag2 recording "
                f"({type(error).__name__}: {error}); one that was not closed is mended by "
                "`ros2 bag reindex`"
            ) from error


def _installed(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise ExtraMissing(
            "recordings are read by the Python package rosbags, which is not installed: "
            "pip install 'robot-memory[bags]'"
        ) from error
