"""Hands every request to another HTTP server."""

from __future__ import annotations

import http.client
import urllib.parse
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from xlearning.webui.tunnel import reply

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

# Of one connection only (RFC 9110, 7.6.1); and who asks is none of the other server's business.
_KEPT_BACK = frozenset(
    [
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "trailers",
        "transfer-encoding",
        "upgrade",
        "host",
        "cookie",
        "authorization",
    ]
)
_PIECE = 64 * 1024  # bytes
_PATIENCE = 25.0  # seconds; YARN's side gives up after 30


class Forward:
    """WSGI application that is a reverse proxy of one server.

    Parameters
    ----------
    find : callable
        The address of the server's first page now, ``http://host:port/``; empty while it is not there.
        What is asked for lies in the folder of that page.
    missing : callable
        Words for who asks while it is not there.
    """

    def __init__(self, find: Callable[[], str], missing: Callable[[], str]) -> None:
        self._find, self._missing = find, missing

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        address = urllib.parse.urlsplit(self._find())
        if address.scheme != "http" or not address.hostname:
            return reply(start_response, 503, self._missing())
        try:
            connection = http.client.HTTPConnection(address.hostname, address.port, timeout=_PATIENCE)
        except ValueError:
            return reply(start_response, 503, self._missing())
        try:
            connection.request(
                environ["REQUEST_METHOD"], _target(address.path, environ), _body(environ), _headers(environ)
            )
            answer = connection.getresponse()
        except ValueError:  # a header or an address that HTTP cannot carry
            connection.close()
            return reply(start_response, 400, "the request holds characters that HTTP cannot carry")
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            return reply(start_response, 502, f"{address.netloc} does not answer: {error}")
        headers = [(name, value) for name, value in answer.getheaders() if name.lower() not in _KEPT_BACK]
        start_response(f"{answer.status} {answer.reason}", headers)
        return _Pieces(answer, connection)


def _target(first: str, environ: WSGIEnvironment) -> str:
    asked = environ.get("PATH_INFO", "")
    path = (first if asked == "/" else first.rpartition("/")[0] + asked).encode("latin-1")
    query = environ.get("QUERY_STRING", "")
    return urllib.parse.quote(path, safe="/:@!$&'()*+,;=-._~") + (f"?{query}" if query else "")


def _body(environ: WSGIEnvironment) -> bytes | None:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    return environ["wsgi.input"].read(length) if length else None


def _headers(environ: WSGIEnvironment) -> dict[str, str]:
    given = {key[5:].replace("_", "-").title(): v for key, v in environ.items() if key.startswith("HTTP_")}
    headers = {name: value for name, value in given.items() if name.lower() not in _KEPT_BACK}
    if environ.get("CONTENT_TYPE"):
        headers["Content-Type"] = environ["CONTENT_TYPE"]
    return headers


class _Pieces:
    """The body of an answer, with its connection closed at the end."""

    def __init__(self, answer: http.client.HTTPResponse, connection: http.client.HTTPConnection) -> None:
        self._answer, self._connection = answer, connection

    def __iter__(self) -> Iterator[bytes]:
        while piece := self._answer.read(_PIECE):
            yield piece

    def close(self) -> None:
        """See PEP 3333."""
        self._answer.close()
        self._connection.close()
