"""On which hosts the blocks of files lie: a hint for who deals them, never a condition.

HDFS tells it through WebHDFS alone, for hdfs-native has no call for it. Where that door is closed or
unknown, where it wants Kerberos, and on every other file system nothing is known.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from xlearning.errors import ConfigError
from xlearning.fs.base import FileStatus, split_uri
from xlearning.fs.hadoop_conf import HadoopConf
from xlearning.fs.viewfs import MountTable

log = logging.getLogger(__name__)

_THREADS = 16
_CALL = 5.0  # seconds for one answer
_RPC = "dfs.namenode.rpc-address"
_WEB_PORT, _WEB_TLS_PORT = 9870, 9871


class Block(NamedTuple):
    """``length`` bytes from ``start`` of a file, and the hosts that hold a copy of them."""

    start: int
    length: int
    hosts: tuple[str, ...]


def hosts_of(
    files: Iterable[FileStatus], *, user: str, timeout: float = 30.0, conf: HadoopConf | None = None
) -> dict[str, tuple[Block, ...]]:
    """The blocks of files, by path.

    Parameters
    ----------
    files : iterable of FileStatus
        Of any file system.
    user : str
        Whom WebHDFS is told to serve where the cluster has no Kerberos.
    timeout : float
        Seconds for all of them; what is not known by then is left out.
    conf : HadoopConf, optional
        Where the NameNodes' web addresses are found; default: `HadoopConf.of_environment`.

    Returns
    -------
    dict
        Files whose blocks are not known are not in it. It never fails.
    """
    wanted: SimpleQueue[tuple[str, str]] = SimpleQueue()
    site, tables = conf or HadoopConf.of_environment(), dict[str, MountTable | None]()
    count = 0
    for status in files:
        uri = _behind(status.path, site, tables) if status.size else ""
        if uri.startswith("hdfs://"):
            wanted.put((status.path, uri))
            count += 1
    if not count:
        return {}
    if site.secure:
        log.info("where blocks lie is not asked: WebHDFS of a cluster with Kerberos is not supported")
        return {}
    asker = _Asker(site, user, time.monotonic() + timeout)
    threads = [
        threading.Thread(target=asker.work, args=(wanted,), name=f"blocks-{number}", daemon=True)
        for number in range(min(_THREADS, count))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, asker.end - time.monotonic()))
    return dict(asker.found)


def best_hosts(blocks: Sequence[Block], start: int, length: int) -> tuple[str, ...]:
    """The hosts that hold some of ``length`` bytes from ``start`` on, those with the most first."""
    held: Counter[str] = Counter()
    for block in blocks:
        shared = min(start + length, block.start + block.length) - max(start, block.start)
        if shared > 0:
            held.update(dict.fromkeys(block.hosts, shared))
    return tuple(sorted(held, key=lambda host: (-held[host], host)))


def _behind(uri: str, site: HadoopConf, tables: dict[str, MountTable | None]) -> str:
    """``uri``, or what stands behind it in a view; empty where that is not known."""
    scheme, name, path = split_uri(uri)
    if scheme != "viewfs":
        return uri
    if name not in tables:
        try:
            tables[name] = MountTable(name, site)
        except ConfigError as error:
            log.info("where the blocks of viewfs://%s lie is not known: %s", name, error)
            tables[name] = None
    table = tables[name]
    return (table.resolve(path) if table else None) or ""


class _Asker:
    def __init__(self, site: HadoopConf, user: str, end: float) -> None:
        self._site, self._user, self.end = site, user, end
        self.found: dict[str, tuple[Block, ...]] = {}
        self._closed: set[str] = set()

    def work(self, wanted: SimpleQueue[tuple[str, str]]) -> None:
        lines: dict[str, HTTPConnection] = {}
        try:
            while time.monotonic() < self.end:
                name, uri = wanted.get_nowait()
                blocks = self._ask(uri, lines)
                if blocks is not None:
                    self.found[name] = blocks
        except Empty:
            pass
        finally:
            for line in lines.values():
                line.close()

    def _ask(self, uri: str, lines: dict[str, HTTPConnection]) -> tuple[Block, ...] | None:
        authority = split_uri(uri)[1]
        for web in web_addresses(self._site, authority):
            if web in self._closed:
                continue
            try:
                line = lines.get(web) or lines.setdefault(web, _connection(web))
                return _blocks(line, uri, self._user)
            except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
                log.info("where the blocks of %s lie is not known: %s says %r", uri, web, error)
                lines.pop(web).close()
                if not isinstance(error, FileNotFoundError):
                    self._closed.add(web)
        return None


def web_addresses(site: HadoopConf, authority: str) -> list[str]:
    """URLs of the web servers of the NameNodes behind ``hdfs://authority``; empty where none is known."""
    tls = site.get("dfs.http.policy", "HTTP_ONLY").upper() == "HTTPS_ONLY"
    scheme = "https" if tls else "http"
    prefix = f"dfs.namenode.{scheme}-address"
    nodes = [name.strip() for name in site.get(f"dfs.ha.namenodes.{authority}").split(",") if name.strip()]
    if nodes:
        found = [site.get(f"{prefix}.{authority}.{node}") for node in nodes]
        return [f"{scheme}://{address}" for address in found if address]
    for suffix in (f".{authority}", *_suffixes(site, authority)):  # federation
        if address := site.get(f"{prefix}{suffix}"):
            return [f"{scheme}://{address}"]
    default = split_uri(site.get("fs.defaultFS"))[1]
    address = site.get(prefix)
    host = authority.partition(":")[0]
    if address and (authority == default or address.partition(":")[0] == host):
        if address.startswith("0.0.0.0:"):
            address = f"{host}:{address.partition(':')[2]}"
        return [f"{scheme}://{address}"]
    if authority == default and not address:
        return [f"{scheme}://{host}:{_WEB_TLS_PORT if tls else _WEB_PORT}"]
    return []


def _suffixes(site: HadoopConf, authority: str) -> list[str]:
    """``.NAMESERVICE`` or ``.NAMESERVICE.NODE`` of the NameNode that listens at ``authority``."""
    names = [name for name in site.names(f"{_RPC}.") if site.get(name) == authority]
    return [name.removeprefix(_RPC) for name in names]


def _connection(web: str) -> HTTPConnection:
    scheme, authority, _ = split_uri(web)
    make: Callable[..., HTTPConnection] = HTTPSConnection if scheme == "https" else HTTPConnection
    return make(authority, timeout=_CALL)


def _blocks(line: HTTPConnection, uri: str, user: str) -> tuple[Block, ...]:
    query = urlencode({"op": "GETFILEBLOCKLOCATIONS", "user.name": user})
    path = split_uri(uri)[2]
    line.request("GET", f"/webhdfs/v1{quote(path)}?{query}")
    answer = line.getresponse()
    body = answer.read()
    if answer.status == 404:
        raise FileNotFoundError(f"{answer.status} {answer.reason}")
    if answer.status != 200:
        raise ValueError(f"{answer.status} {answer.reason}")
    return tuple(_block(one) for one in json.loads(body)["BlockLocations"]["BlockLocation"])


def _block(said: Mapping[str, Any]) -> Block:
    return Block(int(said["offset"]), int(said["length"]), tuple(str(host) for host in said["hosts"]))
