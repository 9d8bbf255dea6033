"""A map has one key in each frame, and a session reaches over all its keyframes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_nodes.records import NS_PER_S
from memory_nodes.store.filters import Filter
from memory_nodes.store.search import Search
from memory_nodes.store.writer import Writer
from memory_test_support.records import graph, keyframe, observation


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


def _rows(writer: Writer, query: str) -> list[tuple[Any, ...]]:
    with writer.database.reading() as connection:
        return [tuple(row) for row in connection.execute(query)]


def test_map_is_found_in_all_its_frames(writer: Writer, tmp_path: Path) -> None:
    for map_id, frame in (("home", "map"), ("home", "robot/map"), ("shed", "map")) * 2:
        writer.add(replace(observation(map_id=map_id), map_frame=frame))
    assert _rows(writer, "SELECT map_id, map_frame FROM map ORDER BY map_key") == [
        *(("home", "map"), ("home", "robot/map"), ("shed", "map")),
    ]
    search = Search(tmp_path)
    assert [search.count(Filter(map_id=name)) for name in ("home", "shed", "moon")] == [4, 2, 0]
    search.close()


def test_session_reaches_from_its_first_to_its_last_keyframe(writer: Writer) -> None:
    """Stamps need not ascend; a session that goes on on another map is on that of its start."""
    writer.commit_chunk(graph(1, [keyframe(1, stamp_s=5.0), keyframe(2, stamp_s=3.0)]))
    other = replace(keyframe(3, stamp_s=4.0), session_id="session_2")
    writer.commit_chunk(graph(2, [other, keyframe(4, stamp_s=9.0, map_id="shed")]))
    assert _rows(
        writer,
        "SELECT session_id, map_id, start_ns, end_ns FROM session JOIN map USING (map_key)"
        " ORDER BY session_id",
    ) == [
        ("session_1", "map", 3 * NS_PER_S, 9 * NS_PER_S),
        ("session_2", "map", 4 * NS_PER_S, 4 * NS_PER_S),
    ]
