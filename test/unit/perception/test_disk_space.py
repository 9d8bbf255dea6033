"""Recording stops before the disk is full."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_nodes.perception.disk_space import DiskGuard, free_bytes


@pytest.mark.parametrize(
    ("free", "has_room"), [(500_000_000, True), (499_999_999, False), (0, False)]
)
def test_problem_names_what_is_free_and_what_must_be(free: int, has_room: bool) -> None:
    problem = DiskGuard(Path("/memory"), 500, lambda _: free).problem()
    if has_room:
        assert problem is None
    else:
        assert problem is not None
        for part in (f"{free // 1_000_000} MB", "/memory", "min_free_mb is 500"):
            assert part in problem


def test_limit_of_zero_never_stops() -> None:
    assert DiskGuard(Path("/memory"), 0, lambda _: 0).problem() is None


def test_real_disk_is_measured(tmp_path: Path) -> None:
    assert free_bytes(tmp_path) > 0
    assert DiskGuard(tmp_path, 0).problem() is None


def test_directory_that_is_gone_is_a_problem(tmp_path: Path) -> None:
    problem = DiskGuard(tmp_path / "gone", 0).problem()
    assert problem is not None
    assert "gone" in problem
