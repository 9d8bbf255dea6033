"""A claimed ROS domain id is held by one process at a time, and freed with it."""

import os
import socket
import subprocess
import sys

import pytest

from memory_test_support import domain
from memory_test_support.domain import NoFreeDomainError, own_domain

PRINT_ID = "import os; print(os.environ['ROS_DOMAIN_ID'])"


def in_child(*code: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "memory_test_support.domain", sys.executable, "-c", *code]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_domain_stands_in_the_environment_only_inside_the_context(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "7")

    with own_domain() as domain_id:
        assert os.environ["ROS_DOMAIN_ID"] == str(domain_id)

    assert os.environ["ROS_DOMAIN_ID"] == "7"


def test_domain_is_removed_from_an_environment_that_had_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ROS_DOMAIN_ID", raising=False)

    with own_domain():
        pass

    assert "ROS_DOMAIN_ID" not in os.environ


def test_two_claims_at_once_never_share_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain, "DOMAIN_IDS", range(101, 103))

    with own_domain() as first, own_domain() as second:
        assert {first, second} == {101, 102}
        with pytest.raises(NoFreeDomainError), own_domain():
            pass


def test_claim_is_free_again_after_the_context(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain, "DOMAIN_IDS", range(101, 102))

    for _ in range(2):
        with own_domain() as domain_id:
            assert domain_id == 101


def test_domain_that_an_outsider_listens_on_is_not_given_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(domain, "DOMAIN_IDS", range(102, 103))

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outsider:
        outsider.bind(("", 7400 + 250 * 102))
        with pytest.raises(NoFreeDomainError), own_domain():
            pass


def test_command_is_run_in_a_domain_of_its_own() -> None:
    with own_domain() as ours:
        result = in_child(PRINT_ID)

    assert int(result.stdout) in domain.DOMAIN_IDS
    assert int(result.stdout) != ours


def test_exit_status_is_that_of_the_command() -> None:
    assert in_child("raise SystemExit(3)").returncode == 3
