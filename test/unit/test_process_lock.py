"""Who holds a lock can be told without taking it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memory_nodes.process_lock import hold, holder


@pytest.mark.skipif(sys.platform != "linux", reason="who holds a lock is told by Linux only")
def test_holder_is_named_until_the_lock_is_free(tmp_path: Path) -> None:
    path = tmp_path / "memory.lock"
    assert holder(path) is None
    with hold(path):
        assert holder(path) == str(os.getpid())
        assert holder(tmp_path / "other.lock") is None
    assert path.read_text() == str(os.getpid())
    assert holder(path) is None
