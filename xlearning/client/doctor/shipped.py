"""What the nodes get of us: the interpreter that is named for them, and our package."""

from __future__ import annotations

import os
import tarfile
import time
from pathlib import Path
from typing import Any

import xlearning
from xlearning.client.doctor.hadoop import Cluster
from xlearning.client.doctor.hdfs import STAGING, Hdfs
from xlearning.client.doctor.model import Finding, Mark, ok, problem, warning
from xlearning.client.packaging import nodes as place
from xlearning.client.packaging.delivery import entry_of, interpreter
from xlearning.client.packaging.distributions import closure, installed
from xlearning.client.packaging.package import BASE, MANIFEST, MASTER, build, unfit
from xlearning.client.packaging.shipping import GIVEN, given, world_readable
from xlearning.client.packaging.wheels import cache_root
from xlearning.client.uploading.cache import Cache
from xlearning.fs import FileSystem
from xlearning.jsonfile import LIMIT, parse
from xlearning.units import format_bytes

_MAKE_AGAIN = "make it again: xl-submit package --output FILE; hdfs dfs -put FILE; and name the new one"


def python_of_nodes(cluster: Cluster, *, in_cluster: bool = False) -> Finding:
    """Which interpreter runs us on the nodes. Whether it is there, only a container can tell.

    Parameters
    ----------
    in_cluster : bool
        Whether a job will look.
    """
    config = cluster.config
    path = interpreter(config)
    if config.get(place.INTERPRETER):
        return _unseen(f"{path}, as {place.INTERPRETER} says", in_cluster=in_cluster)
    if Path(path).is_relative_to(Path.home()):
        return warning(
            f"{path}, the one that runs xl-submit, lies in your home folder, which nodes rarely have",
            f"set {place.INTERPRETER} to an interpreter on the nodes, such as /usr/bin/python3",
        )
    words = f"{path}, the one that runs xl-submit, which the nodes must have too"
    return _unseen(words, in_cluster=in_cluster)


def _unseen(words: str, *, in_cluster: bool) -> Finding:
    who_tells = "the job below tells" if in_cluster else "not checked without --in-cluster"
    return Finding(Mark.UNKNOWN, f"{words}: {who_tells}")


def package(cluster: Cluster, hdfs: Hdfs) -> Finding:
    """The administrator's archive, or the user's own in the cache, or what will have to be uploaded."""
    name = cluster.config.get(GIVEN)
    if name:
        found = given(hdfs.fss, name)
        return of_administrator(hdfs, found.uri, found.size)
    here = place.gateway()
    nodes = place.configured(cluster.config, here)
    own = closure((*BASE, *MASTER), installed, nodes.markers)
    reasons = unfit(own, nodes, here)
    if reasons:
        return ok(f"for {nodes}; pip fetches it, because {reasons}")
    made = build(nodes, here, cache_root(os.environ))
    cache = Cache(hdfs.fss, hdfs.fss.resolve(cluster.config.get(STAGING)), cluster.user, time.time())
    if all(cache.holds(entry_of(archive)) for archive in (made.base, made.master)):
        return ok(f"for {nodes}; this version is in your cache on HDFS")
    return ok(f"for {nodes}; your next job uploads it")


def of_administrator(hdfs: Hdfs, uri: str, size: int) -> Finding:
    """Whether an archive of ``size`` bytes is of this version and for everybody."""
    words = f"{uri}, {format_bytes(size)}"
    made = manifest(hdfs.fss.of(uri), uri)
    if made.get("xlearning") != xlearning.__version__:
        return problem(
            f"{words}, is of XLearning {made.get('xlearning', 'unknown')}, not {xlearning.__version__}",
            _MAKE_AGAIN,
        )
    if not world_readable(hdfs.fss, uri):
        return warning(
            f"{words}, is not readable for everybody, so nodes do not share it among users",
            f"hdfs dfs -chmod o+r {uri}, and o+x for the folders above it",
        )
    return ok(f"{words}, of this version, for {made.get('abi')}")


def manifest(fs: FileSystem, uri: str) -> dict[str, Any]:
    """What an archive says that it was made for; empty where it says nothing.

    Raises
    ------
    OSError
        It cannot be read.
    """
    try:
        with fs.open_read(uri) as reader, tarfile.open(fileobj=reader, mode="r|gz") as tar:
            for member in tar:
                if member.name.removeprefix("./") == MANIFEST and (content := tar.extractfile(member)):
                    return dict(parse(content.read(LIMIT)))
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise OSError(f"{uri} is no archive of ours: {error}") from error
    return {}
