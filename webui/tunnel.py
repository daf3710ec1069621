"""Lets the pages of another server live behind YARN's web proxy, which passes GET, HEAD and PUT alone.

Every HTML page gets a script of ours, ``static/board/tunnel.js``. It sends what the proxy refuses or garbles
as one PUT to ``xl-tunnel``, whose body is one line of ASCII: base64url of a JSON object (``method``, ``url``,
``type``, ``accept``), a point, and base64url of the body. Here that becomes the request again that it was.
"""

from __future__ import annotations

import base64
import hashlib
import http
import io
import json
import re
import urllib.parse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SCRIPT = Path(__file__).parent / "static" / "board" / "tunnel.js"
MAX_BODY = 512 * 1024  # bytes; requests of TensorBoard with many runs have some ten thousand
_METHODS = ("GET", "HEAD", "POST", "PUT")
_HEAD = re.compile(rb"<head(?:\s[^>]*)?>|<!doctype[^>]*>(?!.*<head)", re.IGNORECASE | re.DOTALL)


class Tunnel:
    """WSGI middleware around the application whose pages are to be usable.

    Parameters
    ----------
    app : WSGI application
        It may answer anything; its pages must ask for everything by relative addresses.
    """

    def __init__(self, app: WSGIApplication) -> None:
        self._app = app
        self._script = SCRIPT.read_bytes()
        self._version = hashlib.sha256(self._script).hexdigest()[:12]

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path == "":  # relative addresses need the slash, and redirects do not survive the proxy
            name = environ.get("SCRIPT_NAME", "").rpartition("/")[2]
            page = f'<meta http-equiv="refresh" content="0;url={name}/">'
            return reply(start_response, 200, page, kind="text/html")
        if path == "/xl-tunnel.js":
            kind = "text/javascript; charset=utf-8"
            return reply(start_response, 200, self._script, kind=kind, cache="private, max-age=86400")
        if path == "/xl-tunnel":
            try:
                environ = carried(environ)
            except ValueError as error:
                return reply(start_response, 400, f"no request that can be carried: {error}")
        return self._page(environ, start_response)

    def _page(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        is_page = environ["REQUEST_METHOD"] != "HEAD" and path.endswith(("/", ".html"))
        if is_page:
            environ = {name: value for name, value in environ.items() if name != "HTTP_ACCEPT_ENCODING"}
        answer = _Answer(self._app, environ)
        headers = answer.headers
        if "max-age" in answer.header("cache-control"):
            # The proxy adds "Pragma: no-cache" unless there is one, and browsers then load everything again.
            headers = [*headers, ("Pragma", "cache")]
        # the proxy fails on an answer without content
        status = "200 OK" if answer.status.startswith("204") else answer.status
        readable = answer.header("content-encoding") in ("", "identity")
        if not (is_page and readable and answer.header("content-type").startswith("text/html")):
            start_response(status, headers)
            return answer
        try:
            body = self._with_script(b"".join(answer), "../" * (path.count("/") - 1))
        finally:
            answer.close()
        length = ("Content-Length", str(len(body)))
        start_response(status, [*(pair for pair in headers if pair[0].lower() != "content-length"), length])
        return [body]

    def _with_script(self, page: bytes, up: str) -> bytes:
        """The page with our script before all others; ``up`` leads from it to the root."""
        tag = f'<script src="{up}xl-tunnel.js?v={self._version}"></script>'.encode()
        # TensorBoard's fonts are its only files with absolute addresses
        page = page.replace(b"url(/font-roboto/", f"url({up}font-roboto/".encode())
        found = _HEAD.search(page)
        at = found.end() if found else 0
        return page[:at] + tag + page[at:]


def carried(environ: WSGIEnvironment) -> WSGIEnvironment:
    """The request inside a PUT to ``xl-tunnel``.

    Raises
    ------
    ValueError
        It is another method, too long, or does not hold a request.
    """
    if environ["REQUEST_METHOD"] != "PUT":  # which no other site's page may send without asking first
        raise ValueError(f"it comes by {environ['REQUEST_METHOD']}, not by PUT")
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if not 0 < length <= MAX_BODY:
        raise ValueError(f"its body has {length} bytes; 1 to {MAX_BODY} are taken")
    line = environ["wsgi.input"].read(length).decode("ascii")
    first, _, second = line.partition(".")
    head, body = json.loads(_decoded(first)), _decoded(second)
    if not isinstance(head, dict) or not isinstance(head.get("url"), str):
        raise ValueError("it names no address")
    method = str(head.get("method", "")).upper()
    if method not in _METHODS:
        raise ValueError(f"method {method!r} is not carried")
    target = urllib.parse.urlsplit("/" + head["url"])
    left_out = ("CONTENT_TYPE", "CONTENT_LENGTH", "HTTP_ACCEPT", "RAW_URI", "REQUEST_URI")
    inner = {name: value for name, value in environ.items() if name not in left_out}
    inner |= {
        "REQUEST_METHOD": method,
        "PATH_INFO": urllib.parse.unquote_to_bytes(target.path).decode("latin-1"),
        "QUERY_STRING": target.query,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    }
    for name, field in (("CONTENT_TYPE", "type"), ("HTTP_ACCEPT", "accept")):
        if head.get(field):
            inner[name] = str(head[field])
    return inner


def reply(
    start_response: StartResponse,
    status: int,
    text: str | bytes,
    *,
    kind: str = "text/plain; charset=utf-8",
    cache: str = "no-store",
) -> Sequence[bytes]:
    """A short answer of our own."""
    body = text.encode() if isinstance(text, str) else text
    headers = [
        ("Content-Type", kind),
        ("Content-Length", str(len(body))),
        ("Cache-Control", cache),
        ("Pragma", "cache" if "max-age" in cache else "no-cache"),
        ("X-Content-Type-Options", "nosniff"),
    ]
    start_response(f"{status} {http.HTTPStatus(status).phrase}", headers)
    return [body]


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


class _Head(NamedTuple):
    status: str
    headers: list[tuple[str, str]]


class _Answer:
    """What an application answers, whose head is known before the first piece is handed on."""

    def __init__(self, app: WSGIApplication, environ: WSGIEnvironment) -> None:
        self._first: list[bytes] = []
        heads: list[_Head] = []

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:  # noqa: ARG001
            heads[:] = [_Head(status, headers)]
            return self._first.append

        self._whole = app(environ, start)
        self._rest = iter(self._whole)
        self._first.append(next(self._rest, b""))  # the head may come as late as this
        self.status, self.headers = heads[0]

    def header(self, name: str) -> str:
        """A header of the answer; empty where it is not there."""
        return next((value for key, value in self.headers if key.lower() == name), "")

    def __iter__(self) -> Iterator[bytes]:
        yield from self._first
        yield from self._rest

    def close(self) -> None:
        """See PEP 3333."""
        if hasattr(self._whole, "close"):
            self._whole.close()
