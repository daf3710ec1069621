"""Folders that users of a secure cluster need in HDFS, made through WebHDFS as the NameNode's own user."""

from __future__ import annotations

import urllib.parse
import urllib.request
from collections.abc import Iterable

from . import realm
from .configuration import address
from .errors import MiniHadoopError
from .layout import State

_TIMEOUT = 10.0
_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open


def make(state: State, users: Iterable[str]) -> None:
    """Make ``/tmp``, the folder of aggregated logs and the users' homes; what is there stays as it is.

    Raises
    ------
    MiniHadoopError
        The NameNode refused.
    """
    _folder(state, "/tmp", 1777)
    _folder(state, "/tmp/logs", 1777, "nm", "hadoop")
    for user in users:
        _folder(state, f"/user/{user}", 700, user, "users")


def _folder(state: State, path: str, mode: int, owner: str = "", group: str = "") -> None:
    _put(state, path, op="MKDIRS")
    _put(state, path, op="SETPERMISSION", permission=str(mode))
    if owner:
        _put(state, path, op="SETOWNER", owner=owner, group=group)


def _put(state: State, path: str, **query: str) -> None:
    url = f"http://{address(state, 'namenode.http')}/webhdfs/v1{path}?{urllib.parse.urlencode(query)}"
    headers = {"Cookie": realm.web_cookie(state.web_secret, "nn")}
    try:
        with _open(urllib.request.Request(url, method="PUT", headers=headers), timeout=_TIMEOUT):
            return
    except OSError as error:
        raise MiniHadoopError(f"the namenode refused {query['op']} of {path}: {error}") from error
