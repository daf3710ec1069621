"""Where the processes of a Horovod without MPI find each other: a store of small values over HTTP.

The same as Horovod's own launcher has: PUT, GET (404 until it is there) and DELETE of ``/scope/key``.
"""

from __future__ import annotations

import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_LARGEST, _MOST = 1 << 20, 1 << 20  # bytes of a value, number of values


class _Handler(BaseHTTPRequestHandler):
    server: Store
    timeout = 60.0

    def do_PUT(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        if length > _LARGEST or len(self.server.values) >= _MOST:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        self.server.values[self.path] = self.rfile.read(length)
        self._answer(HTTPStatus.OK)

    def do_GET(self) -> None:
        value = self.server.values.get(self.path)
        if value is None:
            self._answer(HTTPStatus.NOT_FOUND)
        else:
            self._answer(HTTPStatus.OK, value)

    def do_DELETE(self) -> None:
        self.server.values.pop(self.path, None)
        self._answer(HTTPStatus.OK)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet: every process asks many times."""

    def _answer(self, status: HTTPStatus, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Store(ThreadingHTTPServer):
    """The store, serving in a thread of its own."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 1024

    def __init__(self, host: str, port: int) -> None:
        self.values: dict[str, bytes] = {}
        super().__init__((host, port), _Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def server_bind(self) -> None:
        """Bind beside the agent, which holds the port; see `container.ports`."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()
