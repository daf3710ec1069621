"""What YARN's nodes get of us with a job: the package and the name of the interpreter that runs it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xlearning.client.console import Console
from xlearning.client.packaging import nodes as place
from xlearning.client.packaging.given import look
from xlearning.client.packaging.shipping import GIVEN, given, world_readable
from xlearning.client.packaging.wheels import cache_root
from xlearning.client.problems import Problem
from xlearning.client.uploading.cache import Cache, Entry, Shipment
from xlearning.cluster.scratch import Scratch
from xlearning.cluster.yarn_script import NodePackage
from xlearning.config import Config
from xlearning.errors import ConfigError
from xlearning.fs import FileSystems
from xlearning.units import format_bytes

if TYPE_CHECKING:
    from xlearning.client.packaging.package import Archive

FILE = "package.tar.gz"


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
    config: Config, fss: FileSystems, cache: Cache, console: Console, libraries: Sequence[str] = ()
) -> NodePackage:
    """Bring our package and optional ``libraries`` to the cluster, unless they are there, and say so."""
    package = _given(config, fss, console) if config.get(GIVEN) else _ours(config, cache, console)
    if not libraries:
        return package
    from xlearning.client.packaging.package import extras

    here = place.gateway()
    nodes = place.configured(config, here)
    archive, notes = extras(libraries, nodes, here, cache_root(os.environ))
    for note in notes:
        console.info(f"Libraries for the nodes: {note}")
    if not archive.files:
        return package
    (sent,) = _ship(cache, config, nodes, (archive,))
    brought = f"{', '.join(libraries)}, {format_bytes(sent.size)}"
    console.info(f"Libraries for the nodes: {brought}; {_did([sent])} ({sent.uri})")
    return dataclasses.replace(package, extras=sent.uri)


def _given(config: Config, fss: FileSystems, console: Console) -> NodePackage:
    found = given(fss, config.get(GIVEN))
    public = world_readable(fss, found.uri)
    shared = "shared by all users" if public else "not readable for everybody, so not shared among users"
    console.info(f"Package for the nodes: {format_bytes(found.size)}, {shared} ({found.uri})")
    return NodePackage(found.uri, public=public)


def _ours(config: Config, cache: Cache, console: Console) -> NodePackage:
    from xlearning.client.packaging.package import build

    here = place.gateway()
    nodes = place.configured(config, here)
    package = build(nodes, here, cache_root(os.environ))
    for note in package.notes:
        console.info(f"Package for the nodes: {note}")
    base, master = _ship(cache, config, nodes, (package.base, package.master))
    sizes = f"{format_bytes(base.size)}, and {format_bytes(master.size)} for the ApplicationMaster"
    console.info(f"Package for the nodes: {sizes}; {_did([base, master])} ({base.uri})")
    return NodePackage(base.uri, master.uri)


def _did(shipments: Sequence[Shipment]) -> str:
    sent = [shipment for shipment in shipments if shipment.uploaded]
    return (
        f"{format_bytes(sum(s.size for s in sent))} uploaded" if sent else "already there, nothing uploaded"
    )


def entry_of(archive: Archive) -> Entry:
    """What one of our archives is in the cache."""
    return Entry(archive.label, archive.digest, FILE)


def _ship(
    cache: Cache, config: Config, nodes: place.Nodes, archives: Sequence[Archive]
) -> tuple[Shipment, ...]:
    from xlearning.client.packaging.packing import compiler, pack

    with Scratch() as work:

        def ship(archive: Archive) -> Shipment:
            def make() -> Path:
                packed = work / f"{archive.label}.tar.gz"
                pack(archive, packed, work, compiler(nodes, config.get(place.INTERPRETER)))
                return packed

            return cache.ship(entry_of(archive), make)

        return tuple([ship(archive) for archive in archives])
