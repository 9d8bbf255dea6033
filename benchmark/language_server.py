"""A real language model on this machine: llama.cpp's server in a process of its own."""

from __future__ import annotations

import argparse
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import IO

from memory_nodes.errors import ExtraMissing, InputError, ModelUnavailable

PYTHON_VARIABLE = "MEMORY_TEST_LLAMA_PYTHON"
PACKAGE = "llama-cpp-python[server]"
START_TIMEOUT_S = 120.0
END_TIMEOUT_S = 10.0
CALL_TIMEOUT_S = 1800.0
"""For one call: on two cores that others use as well, a chunk of forty objects took 23 minutes."""
CONTEXT_TOKENS = 32_768
_HOST = "127.0.0.1"
_POLL_S = 0.2


def add_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--gguf",
        type=Path,
        metavar="FILE",
        help=f"also ask a real language model: a .gguf file, served by {PACKAGE} of this Python, "
        f"or of the one that {PYTHON_VARIABLE} names",
    )


@contextmanager
def language_server(gguf: Path, start_timeout_s: float = START_TIMEOUT_S) -> Iterator[str]:
    """The base_url of a running server, which is ended with the block, also by exit_on_sigterm.

    Raises:
        InputError: there is no such file.
        ExtraMissing: the Python that is to run the server is not there, or lacks the package.
        ModelUnavailable: the server has ended, or does not answer in time.
    """
    if not gguf.is_file():
        raise InputError(f"{gguf} is no file: name a language model in a .gguf file")
    port = _free_port()
    command = [_python(), "-m", "llama_cpp.server", "--model", str(gguf), "--host", _HOST]
    # By default it keeps what it makes of each token of a prompt: 20 GB for the longest.
    command += ["--port", str(port), "--n_ctx", str(CONTEXT_TOKENS), "--logits_all", "false"]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        try:
            process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        except OSError as error:
            raise ExtraMissing(f"{PYTHON_VARIABLE} must name a Python: {error}") from error
        try:
            _wait(process, port, start_timeout_s, log)
            yield f"http://{_HOST}:{port}/v1"
        finally:
            _end(process)


def _python() -> str:
    return os.environ.get(PYTHON_VARIABLE, sys.executable)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port: int = probe.getsockname()[1]
    return port


def _wait(process: subprocess.Popen[bytes], port: int, timeout_s: float, log: IO[str]) -> None:
    """Until the server answers."""
    deadline_s = time.monotonic() + timeout_s
    while not _answers(port):
        try:
            code = process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            if time.monotonic() < deadline_s:
                continue
            raise ModelUnavailable(
                f"the language model does not answer after {timeout_s} s, {_last_line(log)}: try "
                "a smaller one"
            ) from None
        said = _last_line(log)
        if "No module named" in said:
            raise ExtraMissing(
                f"{_python()} cannot serve a language model, {said}: install {PACKAGE!r} "
                f"into it, or name a Python that has it in {PYTHON_VARIABLE}"
            )
        raise ModelUnavailable(f"the language model has ended with code {code}, {said}")


def _answers(port: int) -> bool:
    connection = HTTPConnection(_HOST, port, timeout=_POLL_S)
    try:
        connection.request("GET", "/v1/models")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _last_line(log: IO[str]) -> str:
    log.seek(0)
    lines = log.read().split("\n")
    return next((f"its last words: {line}" for line in reversed(lines) if line.strip()), "silent")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(END_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
