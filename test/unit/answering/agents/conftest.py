"""A memory with a told history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.episodic.history.tree import HistoryTree
from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer
from memory_test_support.small_history import tell_small_history
from memory_test_support.told import BERLIN


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    opened = Writer(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def past(tmp_path: Path, writer: Writer) -> Iterator[Past]:
    opened = Past(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def tree(tmp_path: Path, writer: Writer, past: Past) -> HistoryTree:
    tell_small_history(writer, past, tmp_path)
    return HistoryTree(past, BERLIN)
