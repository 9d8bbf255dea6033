"""A chat server with the limits that real ones have, and their words for them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def form_of(body: dict[str, Any]) -> str:
    """The kind of a request's response_format."""
    form: dict[str, Any] = body.get("response_format", {"type": "none"})
    return f"{form['type']}_schema" if "schema" in form else str(form["type"])


class PickyServer(ThreadingHTTPServer):
    """Serves inside ``picky_server``."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.forms = ["json_schema", "json_object_schema", "json_object", "none"]
        """Kinds of response_format that it takes, as ``form_of`` names them."""
        self.refusal_status = 400
        self.max_images: int | None = None
        self.max_chars: int | None = None
        self.overloaded_for = 0
        """So many requests are answered 429, to be tried again after ``retry_after``."""
        self.retry_after = "7"
        self.refuses_with = ""
        """Words with which it refuses everything."""
        self.tools = "called"
        """What it does with tools: "called" calls the first, "refused", or "passed over"."""
        self.content = '{"objects": [], "relations": []}'
        """What it answers to what it does not refuse."""
        self.finish_reason = "stop"
        self.bodies: list[dict[str, Any]] = []
        self.at_once = 0
        self.most_at_once = 0
        self.turn = threading.Condition()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: PickyServer

    def do_POST(self) -> None:
        server = self.server
        text = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(text)
        server.bodies.append(body)
        with server.turn:
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
            server.turn.wait(0.05)  # long enough for others to come
            server.at_once -= 1
        images = str(body["messages"]).count("'image_url': {")
        form = form_of(body)
        if server.overloaded_for > 0:
            server.overloaded_for -= 1
            self._answer(
                429, {"error": {"message": "overloaded"}}, {"Retry-After": server.retry_after}
            )
        elif server.refuses_with:
            self._refuse(server.refuses_with)
        elif form not in server.forms:
            self._refuse(f"response_format of type {form} is not supported")
        elif server.max_images is not None and images > server.max_images:
            self._refuse(f"At most {server.max_images} image(s) may be provided in one prompt.")
        elif server.max_chars is not None and len(text) > server.max_chars:
            self._refuse("This model's maximum context length is 8192 tokens.")
        elif "tools" in body and server.tools == "refused":
            self._refuse("tools param requires --jinja flag")
        elif "tools" in body and server.tools == "called":
            self._complete({"content": None, "tool_calls": [_call_of(body["tools"][0])]})
        else:
            self._complete({"content": server.content})

    def _complete(self, message: dict[str, Any]) -> None:
        said = {"role": "assistant", **message}
        choice = {"index": 0, "finish_reason": self.server.finish_reason, "message": said}
        head = {"id": "x", "object": "chat.completion", "created": 0, "model": "m"}
        self._answer(200, {**head, "choices": [choice]}, {})

    def _refuse(self, message: str) -> None:
        self._answer(self.server.refusal_status, {"error": {"message": message}}, {})

    def _answer(self, status: int, body: dict[str, Any], headers: dict[str, str]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "application/json"}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


def _call_of(tool: dict[str, Any]) -> dict[str, Any]:
    called = {"name": tool["function"]["name"], "arguments": '{"text": "mug"}'}
    return {"id": "call_7", "type": "function", "function": called}


@contextmanager
def picky_server() -> Iterator[PickyServer]:
    server = PickyServer()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
