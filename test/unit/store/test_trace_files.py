"""Traces of agents are kept until there are too many, or something is forgotten."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_nodes.errors import StoreError
from memory_nodes.store.forgetting.selection import Forget
from memory_nodes.store.trace_files import TRACES_DIR, TraceFiles
from memory_nodes.store.writer import Writer
from memory_test_support.records import observation


def _traces(memory_dir: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in (memory_dir / TRACES_DIR).iterdir()}


def test_oldest_makes_room(tmp_path: Path) -> None:
    files = TraceFiles(tmp_path, keep=2)
    for now_ns in (3, 0, 20, 20):
        files.fill(files.reserve(now_ns, "agent"), f"at {now_ns}")
    assert list(_traces(tmp_path).values()) == ["at 20", "at 20"]


def test_forgetting_deletes_them_also_those_of_questions_under_way(tmp_path: Path) -> None:
    files, writer = TraceFiles(tmp_path, keep=5), Writer(tmp_path)
    writer.add(observation("a secret"))
    files.fill(files.reserve(1, "agent"), "a secret was seen")
    under_way = files.reserve(2, "agent")

    writer.forget(Forget(text="secret"), dry_run=True)
    assert len(_traces(tmp_path)) == 2

    writer.forget(Forget(text="secret"))
    files.fill(under_way, "a secret was seen")
    writer.close()
    assert _traces(tmp_path) == {}


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / TRACES_DIR).write_text("in the way")
    with pytest.raises(StoreError, match="keep_traces"):
        TraceFiles(tmp_path, keep=5).reserve(1, "agent")
