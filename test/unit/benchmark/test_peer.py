"""The peer is fetched when it is first wanted, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmark.store.peer import installed
from memory_nodes.errors import ExtraMissing


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)


def test_peer_out_of_reach_is_told_with_the_way_without_it(tmp_path: Path) -> None:
    with pytest.raises(ExtraMissing, match=r"emem==0.3.0 cannot be installed .*--peer none"):
        installed(tmp_path)
    assert not (tmp_path / "emem-0.3.0").exists()


def test_peer_that_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / "emem-0.3.0").mkdir()
    assert installed(tmp_path) == tmp_path / "emem-0.3.0"
