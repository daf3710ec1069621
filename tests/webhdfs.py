"""HDFS through its HTTP door, for tests that must not trust our own client."""

from __future__ import annotations

import getpass
import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


class WebHdfs:
    """A few calls of WebHDFS.

    Parameters
    ----------
    web : str
        ``http://host:port`` of the NameNode.
    cookie : str
        Of a secure cluster, what says who we are.
    """

    def __init__(self, web: str, cookie: str = "") -> None:
        self._web = web
        self._who = {} if cookie else {"user.name": getpass.getuser()}
        self._headers = {"Cookie": cookie} if cookie else {}

    def mkdirs(self, path: str) -> None:
        """Make a folder and those above it."""
        self._call("PUT", path, op="MKDIRS")

    def chown(self, path: str, owner: str) -> None:
        """Give a file or folder to another user."""
        self._call("PUT", path, op="SETOWNER", owner=owner)

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with all that is in it; nothing happens where it is missing."""
        self._call("DELETE", path, op="DELETE", recursive="true")

    def write(self, path: str, data: bytes, **query: object) -> None:
        """Create a file; the NameNode names the DataNode that takes the bytes.

        Parameters
        ----------
        query
            Further parameters of the call, such as ``blocksize``.
        """
        words = {name: str(value) for name, value in query.items()}
        place = json.loads(self._call("PUT", path, op="CREATE", noredirect="true", **words))["Location"]
        place = urllib.parse.quote(place, safe="/:?&=%+,;@")  # it is not escaped
        with _open(urllib.request.Request(place, data=data, method="PUT"), timeout=240):
            pass

    def read(self, path: str) -> bytes:
        """All bytes of a file."""
        return self._call("GET", path, op="OPEN")

    def list(self, path: str) -> dict[str, dict[str, Any]]:
        """Status of each entry of a folder, by name."""
        entries = json.loads(self._call("GET", path, op="LISTSTATUS"))["FileStatuses"]["FileStatus"]
        return {entry["pathSuffix"]: entry for entry in entries}

    def set_quota(self, path: str, *, names: int | None = None, space: int | None = None) -> None:
        """Bound how many names a folder's tree may have, or the bytes of its blocks and their copies."""
        if names is not None:
            self._call("PUT", path, op="SETQUOTA", namespacequota=str(names))
        if space is not None:
            self._call("PUT", path, op="SETQUOTA", storagespacequota=str(space))

    def _call(self, method: str, path: str, **query: str) -> bytes:
        parameters = urllib.parse.urlencode({**query, **self._who})
        address = f"{self._web}/webhdfs/v1{urllib.parse.quote(path)}?{parameters}"
        try:
            request = urllib.request.Request(address, method=method, headers=self._headers)
            with _open(request, timeout=240) as answer:
                body: bytes = answer.read()
                return body
        except urllib.error.HTTPError as error:
            with error:
                raise OSError(
                    f"{method} {path}: {error.code} {error.read().decode(errors='replace')}"
                ) from None
