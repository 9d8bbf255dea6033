"""The language model's process: started, waited for within bounds, and ended in any case."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from benchmark import identity
from benchmark.language_server import PYTHON_VARIABLE, language_server
from memory_nodes.errors import ExtraMissing, InputError, ModelUnavailable
from memory_test_support.child import TIMEOUT_S, start_python


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF")
    return path


def _stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> Path:
    """Makes a shell program the Python that is to serve; the file in which it leaves its pid."""
    script, pid_file = tmp_path / "python", tmp_path / "pid"
    script.write_text(f"#!/bin/sh\necho $$ >'{pid_file}'\n{program}\n", encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv(PYTHON_VARIABLE, str(script))
    return pid_file


def _has_ended(pid_file: Path) -> bool:
    try:
        os.kill(int(pid_file.read_text()), 0)
    except ProcessLookupError:
        return True
    return False


SERVES = """
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

options = dict(zip(sys.argv[3::2], sys.argv[4::2]))

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(options["--model"].encode())

HTTPServer((options["--host"], int(options["--port"])), Handler).serve_forever()
"""


def test_server_answers_in_the_block_and_has_ended_after_it(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serves = tmp_path / "serves.py"
    serves.write_text(SERVES, encoding="utf-8")
    program = f"exec '{sys.executable}' '{serves}' \"$@\""
    pid_file = _stand_in(tmp_path, monkeypatch, program)
    with language_server(gguf) as base_url:
        assert base_url.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(f"{base_url}/models", timeout=10) as reply:
            assert reply.read().decode() == str(gguf)
        assert not _has_ended(pid_file)
    assert _has_ended(pid_file)


SERVED = """
import asyncio, sys
from pathlib import Path

from benchmark.ending import exit_on_sigterm
from benchmark.language_server import language_server

async def ask():
    with language_server(Path(sys.argv[1])):
        print("up", flush=True)
        await asyncio.sleep(600)

exit_on_sigterm()
asyncio.run(ask())
"""


def test_server_ends_with_a_benchmark_that_is_told_to_end(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serves = tmp_path / "serves.py"
    serves.write_text(SERVES, encoding="utf-8")
    pid_file = _stand_in(tmp_path, monkeypatch, f"exec '{sys.executable}' '{serves}' \"$@\"")
    bench = start_python(SERVED, gguf)
    try:
        assert bench.stdout is not None
        assert bench.stdout.readline() == "up\n"
        assert not _has_ended(pid_file)
        bench.terminate()
        bench.communicate(timeout=TIMEOUT_S)
    finally:
        bench.kill()
    assert bench.returncode == 128 + signal.SIGTERM
    assert _has_ended(pid_file)


def test_server_that_never_comes_up_is_ended_in_bounded_time(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid_file = _stand_in(tmp_path, monkeypatch, "echo loading; exec sleep 600")
    started_s = time.monotonic()
    with (
        pytest.raises(ModelUnavailable, match=r"not answer after 3\.0 s, its last words: loading"),
        language_server(gguf, 3.0),
    ):
        pass
    assert time.monotonic() - started_s < 30.0
    assert _has_ended(pid_file)


def test_server_that_ends_is_told_with_its_last_words(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stand_in(tmp_path, monkeypatch, "echo no such quantisation >&2; exit 3")
    with (
        pytest.raises(ModelUnavailable, match=r"code 3, its last words: no such quantisation"),
        language_server(gguf),
    ):
        pass


def test_missing_package_is_told_with_what_to_install(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _stand_in(tmp_path, monkeypatch, "echo No module named llama_cpp; exit 1")
    with (
        pytest.raises(ExtraMissing, match=r"install 'llama-cpp-python\[server\]'"),
        language_server(gguf),
    ):
        pass


def test_missing_python_is_told_by_its_variable(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PYTHON_VARIABLE, str(tmp_path / "nowhere"))
    with pytest.raises(ExtraMissing, match=PYTHON_VARIABLE), language_server(gguf):
        pass


def test_missing_model_ends_the_benchmark_before_anything_is_measured(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    identity.add_arguments(parser)
    arguments = parser.parse_args(["--gguf", str(tmp_path / "none.gguf")])
    with pytest.raises(InputError, match=r"none\.gguf is no file"):
        identity.run(arguments)
