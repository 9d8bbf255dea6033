"""A memory with something of everything, made once: making it takes many commits."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memory_nodes.store.exchange.exporting import export
from memory_nodes.store.search import Search
from memory_test_support.full_memory import write_full_memory


@pytest.fixture(scope="session")
def full_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With saved indices and no exports; to be copied, never changed."""
    memory_dir = tmp_path_factory.mktemp("full") / "memory"
    write_full_memory(memory_dir)
    search = Search(memory_dir)
    assert search.settle(60.0)
    search.close()
    return memory_dir


@pytest.fixture
def memory_dir(tmp_path: Path, full_memory: Path) -> Path:
    """A copy of the memory, for one test."""
    return Path(shutil.copytree(full_memory, tmp_path / "memory"))


@pytest.fixture(scope="session")
def full_export(tmp_path_factory: pytest.TempPathFactory, full_memory: Path) -> Path:
    copy = tmp_path_factory.mktemp("exported") / "memory"
    shutil.copytree(full_memory, copy)
    return export(copy, "all", "jsonl")


@pytest.fixture
def exported(memory_dir: Path, full_export: Path) -> Path:
    """A jsonl export in the memory of one test."""
    return Path(shutil.copytree(full_export, memory_dir / "exports/all"))
