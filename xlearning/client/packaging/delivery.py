"""What YARN's nodes get of us with a job: the package and the name of the interpreter that runs it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from xlearning.client.console import Console
from xlearning.client.packaging import nodes as place
from xlearning.client.packaging.given import look
from xlearning.client.packaging.shipping import GIVEN, Cache, Shipment, given, world_readable
from xlearning.client.problems import Problem
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.yarn_script import NodePackage
from xlearning.config import Config
from xlearning.errors import ClusterError, ConfigError, XLearningError
from xlearning.fs import FileSystems
from xlearning.units import format_bytes

ListApplications = Callable[[], Sequence[ApplicationReport]]


def check(config: Config, fss: FileSystems, problems: list[Problem]) -> None:
    """What can be known at planning: versions, and whether an administrator's archive is one of ours."""
    try:
        interpreter(config)
        if config.get(GIVEN):
            look(fss, given(fss, config.get(GIVEN)).uri)
    except ConfigError as error:
        problems.append(Problem(error.message, error.hint or ""))


def interpreter(config: Config) -> str:
    """Path of the Python that runs our processes on the nodes."""
    here = place.gateway()
    return place.interpreter(config, place.configured(config, here), here)


def deliver(
    config: Config,
    fss: FileSystems,
    root: str,
    user: str,
    console: Console,
    *,
    applications: ListApplications,
    now: float,
) -> NodePackage:
    """Bring our package to the cluster, unless it is there, and say what was done.

    Parameters
    ----------
    root : str
        URI of the folder of all staging folders.
    applications : callable
        The user's applications; what they may use stays in the cache.
    now : float
        Seconds since 1970.
    """
    if config.get(GIVEN):
        found = given(fss, config.get(GIVEN))
        public = world_readable(fss, found.uri)
        shared = "shared by all users" if public else "not readable for everybody, so not shared among users"
        console.info(f"Package for the nodes: {format_bytes(found.size)}, {shared} ({found.uri})")
        return NodePackage(found.uri, public=public)
    cache = Cache(fss, root, user, now)
    cache.open()
    base, master = _ship(cache, config, console)
    sizes = f"{format_bytes(base.size)}, and {format_bytes(master.size)} for the ApplicationMaster"
    sent = [shipment for shipment in (base, master) if shipment.uploaded]
    did = f"{format_bytes(sum(s.size for s in sent))} uploaded" if sent else "already there, nothing uploaded"
    console.info(f"Package for the nodes: {sizes}; {did} ({base.uri})")
    if sent:
        _tidy(cache, applications, console)
    return NodePackage(base.uri, master.uri)


def _ship(cache: Cache, config: Config, console: Console) -> tuple[Shipment, Shipment]:
    from xlearning.client.packaging.package import Archive, build
    from xlearning.client.packaging.packing import compiler, pack
    from xlearning.client.packaging.wheels import cache_root

    here = place.gateway()
    nodes = place.configured(config, here)
    package = build(nodes, here, cache_root(os.environ))
    for note in package.notes:
        console.info(f"Package for the nodes: {note}")
    with tempfile.TemporaryDirectory(prefix="xlearning-") as name:
        work = Path(name)

        def ship(archive: Archive) -> Shipment:
            given_python = config.get(place.INTERPRETER)
            return cache.ship(
                archive, lambda target: pack(archive, target, work, compiler(nodes, given_python)), work
            )

        return ship(package.base), ship(package.master)


def _tidy(cache: Cache, applications: ListApplications, console: Console) -> None:
    """Only after an upload, for the cache does not grow otherwise. The job does not depend on it."""
    try:
        removed = cache.tidy(applications())
    except ClusterError:
        return  # who cannot learn what runs removes nothing
    except (XLearningError, OSError) as error:
        console.warn(f"old packages cannot be removed: {error}")
        return
    if removed:
        console.info(f"Removed {removed} packages that nobody used for a month")
