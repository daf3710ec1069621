"""Our package for the nodes as one file of this machine."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from xlearning.client.packaging import nodes as place
from xlearning.client.packaging.package import build
from xlearning.client.packaging.packing import compiler, pack
from xlearning.client.packaging.wheels import cache_root
from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.units import format_bytes


@dataclass(frozen=True)
class Made:
    """What was made, in words, and what is worth knowing about it."""

    words: str
    notes: tuple[str, ...]


def make(target: Path, *, python: str | None, glibc: str | None) -> Made:
    """Write the package for nodes of these versions to ``target``.

    Raises
    ------
    xlearning.errors.UsageError
        A version or the name of the file will not do, or wheels cannot be fetched.
    """
    if not target.name.endswith((".tar.gz", ".tgz")):
        raise UsageError(f"{target}: YARN unpacks it by its name", hint="let the name end in .tar.gz")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", hint=f"mkdir -p {target.parent}")
    here = place.gateway()
    versions = {place.PYTHON: python, place.GLIBC: glibc}
    config = Config.from_properties({name: value for name, value in versions.items() if value})
    nodes = place.configured(config, here)
    package = build(nodes, here, cache_root(os.environ))
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as name:
        work = Path(name)
        chosen = compiler(nodes, None)
        size = pack(package.whole, work / target.name, work, chosen)
        (work / target.name).chmod(0o644)
        (work / target.name).replace(target)
    slower = () if chosen else (_slower(nodes),)
    return Made(f"{target}: {format_bytes(size)}, for {nodes}", (*package.notes, *slower))


def _slower(nodes: place.Nodes) -> str:
    version = place.text(nodes.python)
    return (
        f"there is no python{version} on this machine to compile with: processes on the nodes start a second "
        "later each"
    )
