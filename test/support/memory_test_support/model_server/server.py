"""A stand-in for an OpenAI-compatible model server, over real HTTP on loopback."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from memory_test_support.model_server.errors import BadRequestError
from memory_test_support.model_server.options import MODEL_NAME, ServerOptions
from memory_test_support.model_server.replies import Replies, error_body, models

LARGEST_BODY_BYTES = 64 * 1024 * 1024


class ModelServer:
    """Serves from a thread between `start` and `stop`, or inside a `with` block."""

    def __init__(self, options: ServerOptions | None = None) -> None:
        self.options = options or ServerOptions()
        self.requests: Counter[str] = Counter()
        self._replies = Replies(self.options)
        self._lock = threading.Lock()
        self._fail_status: int | None = None
        self._not_hanging = threading.Event()
        self._not_hanging.set()
        address = (self.options.host, self.options.port)
        self._http = _HttpServer(address, self)
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    @property
    def base_url(self) -> str:
        """What a client takes as base_url."""
        return f"http://{self.options.host}:{self._http.server_port}/v1"

    def start(self) -> None:
        """Serves until `stop`."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the serving and lets go of hanging requests."""
        self.restore()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> ModelServer:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def fail_with(self, status: int) -> None:
        """From now on every POST is answered with this status and an error body."""
        self._fail_status = status

    def hang(self) -> None:
        """From now on every POST waits, without a reply, until `restore`."""
        self._not_hanging.clear()

    def restore(self) -> None:
        """Ends `fail_with` and `hang`."""
        self._fail_status = None
        self._not_hanging.set()

    def respond(self, path: str, raw: bytes) -> tuple[int, dict[str, Any]]:
        """Status and body for a POST; counts it under its task."""
        self._not_hanging.wait()
        time.sleep(self.options.latency_s)
        task = "malformed"
        try:
            task, reply = self._reply(path, raw)
            status = 200
        except BadRequestError as error:
            status, reply = 400, error_body(str(error), "invalid_request_error")
        failure = self._fail_status
        with self._lock:
            self.requests["failed" if failure is not None else task] += 1
        if failure is not None:
            return failure, error_body("a fault was switched on", "stand_in_fault")
        return status, reply

    def _reply(self, path: str, raw: bytes) -> tuple[str, dict[str, Any]]:
        try:
            body = json.loads(raw)
        except ValueError as error:
            raise BadRequestError(f"the body is not JSON: {error}") from error
        if not isinstance(body, dict):
            raise BadRequestError("the body is not a JSON object")
        if path == "/v1/embeddings":
            return "embeddings", self._replies.embeddings(body)
        return self._replies.chat(body)


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], model_server: ModelServer) -> None:
        super().__init__(address, _Handler)
        self.model_server = model_server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _HttpServer

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self._send(200, models())
        elif self.path == "/health":
            requests = dict(self.server.model_server.requests)
            self._send(200, {"status": "ok", "model": MODEL_NAME, "requests": requests})
        else:
            self._send(404, error_body(f"no such path: {self.path}", "not_found_error"))

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= LARGEST_BODY_BYTES:
            self.close_connection = True
            self._send(413, error_body("the body is too large", "invalid_request_error"))
            return
        raw = self.rfile.read(length)
        if self.path not in ("/v1/chat/completions", "/v1/embeddings"):
            self._send(404, error_body(f"no such path: {self.path}", "not_found_error"))
            return
        self._send(*self.server.model_server.respond(self.path, raw))

    def _send(self, status: int, body: dict[str, Any]) -> None:
        encoded = json.dumps(body).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client has given up, as its deadline tells it to

    def log_message(self, format: str, *args: object) -> None:
        """Silent: the first line on stdout is the address, and stderr belongs to errors."""
