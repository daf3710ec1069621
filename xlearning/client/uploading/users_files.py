"""Files of this machine that a job takes along: large ones through the cache on the cluster.

Small ones stay where they are: skein uploads them, and they go when the application ends.
"""

from __future__ import annotations

import dataclasses
import os
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from xlearning.client.console import Console
from xlearning.client.planning.resources import Shipped
from xlearning.client.uploading.cache import Cache, Entry, Shipment
from xlearning.client.uploading.hashes import Hashes
from xlearning.client.uploading.meter import Meter
from xlearning.fs.base import split_uri
from xlearning.fs.parallel import ParallelRun
from xlearning.job import LocalResource, ResourceKind
from xlearning.units import format_bytes, format_duration

_THREADS = 4
# YARN tells by it how to unpack
_ENDING = re.compile(r"(\.tar)?\.[a-z0-9]{1,4}$")


@dataclass(frozen=True)
class _Own:
    """A file of this machine: its entry in the cache, and the resources that it becomes."""

    entry: Entry
    path: Path
    size: int
    resources: tuple[LocalResource, ...]


def upload(
    shipped: Sequence[Shipped], cache: Cache, hashes: Hashes, console: Console, *, smallest: int
) -> tuple[LocalResource, ...]:
    """The resources of a job, large files of this machine brought to the cache.

    Parameters
    ----------
    smallest : int
        Bytes of the smallest file that goes to the cache.

    Raises
    ------
    xlearning.fs.parallel.TransferError
        Files could not be read or stored.
    """
    large = [item for item in shipped if item.upload and item.status.size >= smallest]
    if not large:
        return tuple(item.resource for item in shipped)
    begin = time.monotonic()
    own = _hashed(large, hashes)
    try:
        there = _find(own, cache)
        missing = [one for one in own if one.entry not in there]
        sent = _send(missing, cache, console) if missing else {}
    except BaseException:
        for one in own:
            cache.drop(one.entry)
        raise
    found = {**there, **sent}
    console.info(_summary(list(sent.values()), list(there.values()), time.monotonic() - begin))
    where = {
        resource: dataclasses.replace(resource, uri=found[one.entry].uri, kept=True)
        for one in own
        for resource in one.resources
    }
    return tuple(where.get(item.resource, item.resource) for item in shipped)


def entry_of(sha256: str, name: str, kind: ResourceKind) -> Entry:
    """The entry of a file with this hash and name."""
    match = _ENDING.search(name.lower()) if kind is ResourceKind.ARCHIVE else None
    ending = match[0] if match else ""
    return Entry(f"own{ending}", sha256[:32], f"content{ending}", sha256)


def _hashed(large: Sequence[Shipped], hashes: Hashes) -> list[_Own]:
    paths = {item.resource: Path(split_uri(item.resource.uri)[2]) for item in large}
    digests: dict[Path, str] = {}

    def look(path: Path) -> None:
        digests[path] = hashes.of(path)

    run = ParallelRun(os.cpu_count() or 1, threading.Event())
    for path in dict.fromkeys(paths.values()):
        run.add(str(path), partial(look, path), partial(_readable, path))
    run.run("read")
    hashes.save()
    groups: dict[Entry, list[LocalResource]] = {}
    for resource, path in paths.items():
        groups.setdefault(entry_of(digests[path], path.name, resource.kind), []).append(resource)
    sizes = {item.resource: item.status.size for item in large}
    return [
        _Own(entry, paths[resources[0]], sizes[resources[0]], tuple(resources))
        for entry, resources in groups.items()
    ]


def _readable(path: Path) -> None:
    open(path, "rb").close()


def _find(own: Sequence[_Own], cache: Cache) -> Mapping[Entry, Shipment]:
    found: dict[Entry, Shipment] = {}

    def look(entry: Entry) -> None:
        shipment = cache.find(entry)
        if shipment is not None:
            found[entry] = shipment

    run = ParallelRun(_THREADS, threading.Event())
    for one in own:
        run.add(str(one.path), partial(look, one.entry), partial(_readable, one.path))
    run.run("looked for in the cache")
    return found


def _send(missing: Sequence[_Own], cache: Cache, console: Console) -> Mapping[Entry, Shipment]:
    sent: dict[Entry, Shipment] = {}
    stop = threading.Event()

    def send(one: _Own, meter: Meter) -> None:
        sent[one.entry] = cache.put(one.entry, one.path, meter, stop)
        meter.done()

    with console.meter(len(missing), sum(one.size for one in missing)) as meter:
        run = ParallelRun(_THREADS, stop)
        for one in missing:
            run.add(str(one.path), partial(send, one, meter), partial(_readable, one.path))
        run.run("uploaded")
    return sent


def _summary(sent: Sequence[Shipment], there: Sequence[Shipment], seconds: float) -> str:
    words = []
    if sent:
        words.append(f"uploaded {_amount(sent)} in {format_duration(seconds)}")
    if there:
        verb = "was" if len(there) == 1 else "were"
        words.append(f"{_amount(there)}, {verb} there already")
    text = "; ".join(words)
    return text[0].upper() + text[1:]


def _amount(shipments: Sequence[Shipment]) -> str:
    files = f"{len(shipments)} file" + ("" if len(shipments) == 1 else "s")
    return f"{files}, {format_bytes(sum(shipment.size for shipment in shipments))}"
