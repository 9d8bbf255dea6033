"""A ROS domain id of one's own, so that two runs on one machine never hear each other.

`python -m memory_test_support.domain COMMAND...` runs a command in such a domain.
"""

import fcntl
import os
import random
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DOMAIN_IDS = range(1, 101)
"""Their UDP ports lie below those that Linux hands out to clients (32768 and up)."""


class NoFreeDomainError(RuntimeError):
    """Every domain id is claimed or in use by processes on this machine."""


@contextmanager
def own_domain() -> Iterator[int]:
    """A domain id that no other caller on this machine holds, in ROS_DOMAIN_ID meanwhile."""
    domain_id, claim = _claim()
    before = os.environ.get("ROS_DOMAIN_ID")
    os.environ["ROS_DOMAIN_ID"] = str(domain_id)
    try:
        yield domain_id
    finally:
        if before is None:
            del os.environ["ROS_DOMAIN_ID"]
        else:
            os.environ["ROS_DOMAIN_ID"] = before
        os.close(claim)


def run_in_own_domain(command: list[str]) -> None:
    """Becomes `command`, which holds the claim for as long as it or a child of it lives."""
    domain_id, claim = _claim()
    os.set_inheritable(claim, True)
    os.environ["ROS_DOMAIN_ID"] = str(domain_id)
    os.execvp(command[0], command)


def _claim() -> tuple[int, int]:
    """A free domain id, and the open file whose lock claims it until the process ends."""
    directory = Path(tempfile.gettempdir()) / f"robot_memory_domains_{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    # From a random place on: the id of a run that has just ended may still have a node leaving.
    for domain_id in random.sample(DOMAIN_IDS, len(DOMAIN_IDS)):
        claim = os.open(directory / str(domain_id), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(claim)
            continue
        if _is_silent(domain_id):
            return domain_id, claim
        os.close(claim)
    raise NoFreeDomainError(
        f"domain ids {DOMAIN_IDS.start} to {DOMAIN_IDS.stop - 1} are all in use"
    )


def _is_silent(domain_id: int) -> bool:
    """Whether no process here, of whatever origin, listens on the domain's discovery port.

    Source: DDSI-RTPS 2.5, section 9.6.1.1: port 7400 + 250 * domain id.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(("", 7400 + 250 * domain_id))
        except OSError:
            return False
    return True


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m memory_test_support.domain COMMAND [ARGUMENTS]")
    run_in_own_domain(sys.argv[1:])
