"""Our package for the nodes: xlearning and what it needs there, as two archives.

Containers get the base; the ApplicationMaster gets both. A third one, `extras`, holds the optional
libraries of a job that needs some. Where the nodes are like the gateway, they
are put together from the distributions of the environment that runs ``xl-submit``, else from wheels
that pip fetches for the nodes, of the same versions. An archive is named by a hash over the hashes of
its files.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xlearning import __version__
from xlearning.client.packaging import nodes as place
from xlearning.client.packaging.distributions import (
    LEFT_OUT,
    Closure,
    File,
    Find,
    below,
    closure,
    files,
    installed,
    own_files,
)
from xlearning.client.packaging.distributions import tags as tags_of
from xlearning.client.packaging.nodes import Nodes, Version
from xlearning.errors import UsageError

# TensorBoard is the program's business, a terminal is the gateway's.
BASE = ("grpcio", "protobuf", "hdfs-native", "psutil", "tenacity")
MASTER = ("flask", "waitress", "skein")
PACKAGES = tuple(f"xlearning{name}" for name in ("", ".am", ".container", ".proto", ".webui", ".conf"))
MANIFEST = "xlearning-package.json"  # what container/bootstrap.py compares the node with
_FORMAT = "2"  # changes with the way the archives are made


@dataclass(frozen=True)
class Archive:
    """What goes into one archive.

    Attributes
    ----------
    label : str
        ``base``, ``am``, ``extras`` or ``all``.
    files : mapping
        Name in the archive -> file here.
    manifest : bytes
        Content of `MANIFEST`.
    """

    label: str
    files: Mapping[str, File]
    manifest: bytes

    @property
    def digest(self) -> str:
        """Differs where the content does."""
        lines = [_FORMAT, self.manifest.decode()]
        lines += [f"{name} {file.digest}" for name, file in sorted(self.files.items())]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class Package:
    """The two archives for the nodes, and why pip had to fetch wheels for them, if it had to."""

    base: Archive
    master: Archive
    notes: tuple[str, ...] = ()

    @property
    def whole(self) -> Archive:
        """Both in one."""
        manifest = max(self.base.manifest, self.master.manifest, key=_glibc)
        return Archive("all", {**self.master.files, **self.base.files}, manifest)


def build(nodes: Nodes, here: Nodes, cache: Path) -> Package:
    """Our package for nodes of this kind.

    Parameters
    ----------
    here : Nodes
        The gateway.
    cache : Path
        Folder that keeps fetched wheels.

    Raises
    ------
    xlearning.errors.UsageError
        Something is not installed here, or cannot be fetched.
    """
    find, notes = _source((*BASE, *MASTER), nodes, here, cache, LEFT_OUT)
    return _package(nodes, here, find, notes)


def extras(names: Sequence[str], nodes: Nodes, here: Nodes, cache: Path) -> tuple[Archive, tuple[str, ...]]:
    """The archive with the distributions ``names`` and all that they need beyond our package; notes.

    Raises
    ------
    xlearning.errors.UsageError
        See `build`.
    """
    wanted = [name for name in names if _is_for(name, nodes)]
    find, notes = _source(wanted, nodes, here, cache, frozenset())
    found = closure(wanted, find, nodes.markers, frozenset()).found
    ours = closure(BASE, installed, nodes.markers).found  # the same versions of these, by its own wheels
    more = Closure({name: dist for name, dist in found.items() if name not in ours}, {})
    return _archive("extras", more, nodes, here, {}), notes


def _is_for(name: str, nodes: Nodes) -> bool:
    """Whether nodes of this kind need it; their Python may have it."""
    return name != "backports.zstd" or nodes.python < (3, 14)


def _source(
    names: Sequence[str], nodes: Nodes, here: Nodes, cache: Path, left_out: frozenset[str]
) -> tuple[Find, tuple[str, ...]]:
    """Where the distributions of the nodes are found, and why it is not here."""
    own = closure(names, installed, nodes.markers, left_out)
    reasons = unfit(own, nodes, here)
    if not reasons:
        if own.missing:
            lacking = ", ".join(sorted(own.missing))
            raise UsageError(f"not installed beside xl-submit: {lacking}", hint="install xlearning again")
        return installed, ()
    from xlearning.client.packaging.wheels import fetch

    pinned = [f"{name}=={found.version}" for name, found in own.found.items()] + list(own.missing.values())
    folder = fetch(
        sorted(pinned),
        sorted(_ranges(own)),
        lambda tree: sorted(closure(names, below(tree), nodes.markers, left_out).missing.values()),
        nodes,
        cache,
    )
    return below(folder), (f"wheels for {nodes} by pip, because {reasons}",)


def unfit(found: Closure, nodes: Nodes, here: Nodes) -> str:
    """Why the nodes cannot load what is installed here; empty when they can."""
    if nodes.python != here.python:
        return f"the Python here is {place.text(here.python)}"
    if nodes.glibc is None or nodes.glibc == here.glibc:
        return ""
    needs = {name: place.needed_glibc(tags_of(dist), here) for name, dist in found.found.items()}
    newer = [
        f"{name} {found.found[name].version} installed here needs glibc {place.text(version)}"
        for name, version in sorted(needs.items())
        if version is not None and version > nodes.glibc
    ]
    return "; ".join(newer)


def _ranges(own: Closure) -> list[str]:
    """The versions that xlearning accepts of what it names itself; any version of the rest."""
    from packaging.requirements import Requirement

    texts = importlib.metadata.requires("xlearning") or []
    named = {r.name: f"{r.name}{r.specifier}" for r in map(Requirement, texts)}
    return [named.get(name, name) for name in (*own.found, *own.missing)]


def _package(nodes: Nodes, here: Nodes, find: Find, notes: tuple[str, ...] = ()) -> Package:
    base = closure(BASE, find, nodes.markers)
    master = closure(MASTER, find, nodes.markers)
    only = Closure({k: v for k, v in master.found.items() if k not in base.found}, {})
    ours: dict[str, File] = {}
    for package in PACKAGES:
        ours |= dict(own_files(package))
    return Package(_archive("base", base, nodes, here, ours), _archive("am", only, nodes, here, {}), notes)


def _archive(label: str, found: Closure, nodes: Nodes, here: Nodes, ours: Mapping[str, File]) -> Archive:
    content = dict(ours)
    for distribution in found.found.values():
        content |= dict(files(distribution))
    needs = [place.needed_glibc(tags_of(dist), here) for dist in found.found.values()]
    return Archive(label, content, _manifest(nodes, max((need for need in needs if need), default=None)))


def _manifest(nodes: Nodes, glibc: Version | None) -> bytes:
    record = {
        "xlearning": __version__,
        "abi": nodes.abi,
        "glibc": list(glibc) if glibc else None,
        "machine": nodes.machine,
    }
    return json.dumps(record, sort_keys=True).encode("ascii")


def _glibc(manifest: bytes) -> list[int]:
    return list(json.loads(manifest)["glibc"] or [])
