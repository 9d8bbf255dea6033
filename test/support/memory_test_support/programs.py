"""The suite's executables in processes of their own, as `ros2 run` starts them."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from ament_index_python.packages import get_package_prefix

END_TIMEOUT_S = 15.0


def executable(name: str) -> Path:
    """The path of an installed executable of the package."""
    return Path(get_package_prefix("robot_memory")) / "lib" / "robot_memory" / name


class Program:
    """A running node; what it prints goes to a file."""

    def __init__(
        self, name: str, log_dir: Path, parameters: Mapping[str, object], namespace: str = "/memory"
    ) -> None:
        self.name = name
        log_dir.mkdir(parents=True, exist_ok=True)
        self.log = log_dir / f"{name}.log"
        arguments = ["--ros-args", "-r", f"__ns:={namespace}"]
        for key, value in parameters.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            arguments += ["-p", f"{key}:={text}"]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [str(executable(name)), *arguments], stdout=log, stderr=subprocess.STDOUT
            )

    def kill(self) -> None:
        """kill -9: no goodbye, no flush."""
        self.process.kill()
        self.process.wait(END_TIMEOUT_S)

    def end(self) -> int:
        """Ctrl-C; gives the exit code. One that does not obey is killed."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
