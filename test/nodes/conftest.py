"""What most node tests start from; a file may have a `bench` of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_test_support.model_server import ModelServer
from memory_test_support.node_bench import NodeBench
from memory_test_support.tour import Tour, load_tour


@pytest.fixture(scope="module")
def tour() -> Tour:
    return load_tour()


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def bench(ros_domain: int, tmp_path: Path) -> Iterator[NodeBench]:
    with NodeBench(ros_domain, tmp_path) as made:
        yield made
