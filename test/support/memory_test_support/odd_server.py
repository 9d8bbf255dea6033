"""An HTTP server that answers every POST with what a test tells it, well formed or not."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DRIP_S = 0.02
POLL_S = 0.02  # how long the end may take


class OddServer(ThreadingHTTPServer):
    """Serves inside ``odd_server``."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content_type = "application/json"
        self.body = b"{}"
        self.drips = False
        """Sends its body byte by byte, without end."""
        self.is_over = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: OddServer

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Type", self.server.content_type)
        length = 1_000_000 if self.server.drips else len(self.server.body)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.server.drips:
            self._drip()
        else:
            self.wfile.write(self.server.body)

    def _drip(self) -> None:
        self.close_connection = True
        try:
            while not self.server.is_over.wait(DRIP_S):
                self.wfile.write(b" ")
        except (BrokenPipeError, ConnectionResetError):
            return  # the client has given up, as its deadline tells it to

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@contextmanager
def odd_server() -> Iterator[OddServer]:
    """A server that runs inside the ``with`` block."""
    server = OddServer()
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
