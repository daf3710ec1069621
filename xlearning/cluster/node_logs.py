"""Logs of containers as the NodeManagers' web services show them, while their application runs."""

from __future__ import annotations

import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from http.client import HTTPException
from typing import IO

from xlearning.cluster.log_parts import parts
from xlearning.cluster.resource_manager import negotiate
from xlearning.errors import ClusterError, ClusterUnavailable

_TIMEOUT = 10.0  # seconds without a byte
_SLACK = 1 << 16  # bytes that a log may grow by between two questions
_LOGS = "/ws/v1/node/containers/{}/logs"


class NodeLogs:
    """The logs on one NodeManager.

    Parameters
    ----------
    web : str
        URL of its web service: ``http://host:8042``.
    """

    def __init__(self, web: str) -> None:
        self._web = web.rstrip("/")
        # proxies of the environment lead out of the cluster, not into it
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def sizes(self, container_id: str) -> Mapping[str, int]:
        """Name -> bytes of every log of a container; nothing where the node does not have it (any more).

        Raises
        ------
        ClusterUnavailable
            The node does not answer.
        ClusterError
            It refuses.
        """
        try:
            with self._open(_LOGS.format(container_id)) as reply:
                found = json.loads(reply.read())["containerLogsInfo"]
        except (ValueError, KeyError, TypeError):
            return {}
        except urllib.error.HTTPError as error:
            with error:
                if error.code in (401, 403):
                    raise ClusterError(
                        f"the NodeManager {self._web} does not show you logs of {container_id} ({error.code})"
                    ) from error
                return {}
        except (OSError, HTTPException) as error:
            raise self._unavailable(error) from error
        infos = [info for one in (found if isinstance(found, list) else [found]) for info in _infos(one)]
        return {str(info["fileName"]): int(str(info["fileSize"])) for info in infos}

    def read(self, container_id: str, name: str, start: int) -> Iterator[bytes]:
        """A log from byte ``start`` on, as far as it is written.

        Raises
        ------
        ClusterUnavailable
            The node does not answer, or does not have the log any more.
        """
        path, slack = f"{_LOGS.format(container_id)}/{urllib.parse.quote(name)}", _SLACK
        while True:
            # the web service counts from the end, which moves: ask for more, and skip what was seen
            wanted = self.sizes(container_id).get(name, 0) - start + slack if start else None
            query = "" if wanted is None else f"?size=-{wanted}"
            try:
                with self._open(path + query) as reply:
                    part = next(parts(reply, wanted), None)
                    if part is None or part.size <= start:
                        return
                    skip = start - (part.size - part.sent)
                    if skip >= 0:
                        yield from _without(part.chunks(), skip)
                        return
            except (OSError, HTTPException) as error:
                if isinstance(error, urllib.error.HTTPError):
                    error.close()
                raise self._unavailable(error) from error
            slack *= 16

    def _open(self, path: str, authorization: str = "") -> IO[bytes]:
        headers = {"Accept": "application/json, text/plain"}
        if authorization:
            headers["Authorization"] = authorization
        request = urllib.request.Request(self._web + path, headers=headers)
        try:
            opened: IO[bytes] = self._opener.open(request, timeout=_TIMEOUT)
            return opened
        except urllib.error.HTTPError as error:
            if error.code != 401 or authorization:
                raise
            with error:
                authorization = negotiate(self._web, error)
        return self._open(path, authorization)

    def _unavailable(self, error: Exception) -> ClusterUnavailable:
        return ClusterUnavailable(
            f"the NodeManager {self._web} does not hand out the logs: {getattr(error, 'reason', error)}"
        )


def _infos(found: object) -> list[Mapping[str, object]]:
    infos = found.get("containerLogInfo") if isinstance(found, dict) else None
    return infos if isinstance(infos, list) else [infos] if isinstance(infos, dict) else []


def _without(chunks: Iterator[bytes], skip: int) -> Iterator[bytes]:
    """``chunks`` without their first ``skip`` bytes."""
    for chunk in chunks:
        if skip < len(chunk):
            yield chunk[skip:]
        skip = max(0, skip - len(chunk))
