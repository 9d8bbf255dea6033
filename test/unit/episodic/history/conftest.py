"""A memory that is written and read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_nodes.store.past import Past
from memory_nodes.store.writer import Writer


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
