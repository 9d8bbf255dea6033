"""The executables that the demo starts, and ends in any case."""

from __future__ import annotations

import ctypes
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from ament_index_python.packages import get_package_prefix

END_TIMEOUT_S = 5.0
PR_SET_PDEATHSIG = 1  # linux/prctl.h
LOG_LINES = 15


class ChildEndedError(RuntimeError):
    """A process has ended by itself; the message says which, and what it said last."""


class Child:
    """A running executable of the package; what it prints goes to a log file."""

    def __init__(self, name: str, arguments: Sequence[str], log: Path) -> None:
        self.name = name
        self.log = log
        program = Path(get_package_prefix("robot_memory")) / "lib" / "robot_memory" / name
        with log.open("w", encoding="utf-8") as file:
            self.process = subprocess.Popen(
                [program, *arguments],
                stdout=file,
                stderr=subprocess.STDOUT,
                preexec_fn=_prepare_child,
                start_new_session=True,  # Ctrl-C in a terminal reaches it once, through the demo
            )

    def said(self) -> list[str]:
        """The lines it has printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace").splitlines()

    def require_running(self) -> None:
        code = self.process.poll()
        if code is None:
            return
        last = "\n".join(f"  | {line}" for line in self.said()[-LOG_LINES:])
        raise ChildEndedError(f"{self.name} ended with code {code}, see {self.log}\n{last}")


class Children:
    """All processes of the demo; none of them outlives the with block."""

    def __init__(self, log_dir: Path) -> None:
        log_dir.mkdir(parents=True, exist_ok=True)
        self._log_dir = log_dir
        self._children: list[Child] = []

    def __enter__(self) -> Children:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Asks all of them at once, then waits for each."""
        for child in self._children:
            if child.process.poll() is None:
                child.process.send_signal(signal.SIGINT)
        for child in self._children:
            try:
                child.process.wait(END_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                child.process.kill()
                child.process.wait()

    def start(self, name: str, *arguments: str) -> Child:
        child = Child(name, arguments, self._log_dir / f"{name}.log")
        self._children.append(child)
        return child

    def require_running(self) -> None:
        """Raises ChildEndedError when one has ended."""
        for child in self._children:
            child.require_running()


_LIBC = ctypes.CDLL(None)


def _prepare_child() -> None:
    """Runs in the child before its program starts."""
    # A demo that is killed cannot end its children: the kernel does.
    _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # A demo in the background of a script ignores SIGINT, and its children would inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
