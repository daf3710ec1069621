"""Serves a job's page from a thread of the process that knows the job."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import waitress.server
from waitress import wasyncore

from xlearning.webui.app import create_app
from xlearning.webui.audience import Audience
from xlearning.webui.source import JobSource
from xlearning.webui.tunnel import MAX_BODY

HOST = "127.0.0.1"
THREADS = 8
_POLL = 5.0  # seconds; the server is woken for every request and for its end


class PageServer:
    """The page of one job on a free port of the loopback interface, below a path nobody can guess.

    It listens when the constructor returns. Loading flask takes some 0.2 s: import this module, and
    make this object, where nothing waits for it.

    Parameters
    ----------
    source : JobSource
        Where all data comes from.
    viewers : sequence of str
        Whom YARN lets in; empty: no list. Only told here, not checked.

    Attributes
    ----------
    port : int
    path : str
        ``/<secret>/``, where the job page is.
    url : str
        The page's address on this machine.

    Examples
    --------
    >>> with PageServer(source) as page:  # doctest: +SKIP
    ...     print(page.url)
    """

    def __init__(self, source: JobSource, *, viewers: Sequence[str] = ()) -> None:
        self._audience = Audience()
        prefix = _word()
        app = create_app(source, prefix=prefix, nonce=_word(), audience=self._audience, viewers=viewers)
        self._sockets: dict[int, Any] = {}
        server: Any = waitress.server.create_server(
            app,
            map=self._sockets,
            host=HOST,
            port=0,
            threads=THREADS,
            ident=None,
            max_request_body_size=MAX_BODY,
            max_request_header_size=64 * 1024,
            connection_limit=200,
            clear_untrusted_proxy_headers=True,
        )
        self._server = server
        self.port = int(server.effective_port)
        self.path = f"/{prefix}/"
        self.url = f"http://{HOST}:{self.port}{self.path}"
        self._closing = threading.Event()
        self._closed = threading.Lock()
        self._thread = threading.Thread(target=self._serve, name="job-page", daemon=True)
        self._thread.start()

    def close(self, linger: float = 0.0) -> None:
        """Stop answering and free the port, the threads and all connections. May be called twice.

        Parameters
        ----------
        linger : float
            Seconds to wait, if somebody watches, until the page has fetched the job's final state.
        """
        if linger > 0:
            self._audience.wait_told(linger)
        with self._closed:
            if not self._closing.is_set():
                self._closing.set()
                self._server.pull_trigger()
        self._thread.join()

    def __enter__(self) -> PageServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _serve(self) -> None:
        # Waitress has no way to end its own loop from outside, so the loop is here.
        while not self._closing.is_set():
            wasyncore.loop(timeout=_POLL, map=self._sockets, use_poll=True, count=1)
        # Requests under way are answered first; their threads write to the connections themselves.
        self._server.task_dispatcher.shutdown()
        wasyncore.close_all(self._sockets, ignore_all=True)
        self._server.trigger.close()


def _word() -> str:
    return re.sub(r"[^A-Za-z0-9]", "", secrets.token_urlsafe(48))[:43]
