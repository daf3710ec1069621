"""Writes an archive for the nodes to a file: the same files always give the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from xlearning.client.packaging.nodes import Nodes, Version, gateway
from xlearning.client.packaging.package import MANIFEST, Archive

_PATIENCE = 60.0  # seconds
_COMPRESSION = 4


def pack(archive: Archive, target: Path, work: Path, compiler: str | None) -> int:
    """Write ``archive`` as a ``.tar.gz`` to ``target``; its size in bytes.

    Parameters
    ----------
    work : Path
        An empty folder for the files on their way.
    compiler : str or None
        Interpreter of the nodes' version that compiles them; None where there is none here.
    """
    tree = work / archive.label
    for name, file in archive.files.items():
        copy = tree / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file.path, copy)
    tree.mkdir(exist_ok=True)
    (tree / MANIFEST).write_bytes(archive.manifest)
    if compiler:
        _compile(compiler, tree)
    with tarfile.open(target, "w:gz", compresslevel=_COMPRESSION) as tar:
        tar.add(
            tree / MANIFEST, arcname=f"./{MANIFEST}", filter=_anonymous
        )  # first, so that it is read quickly
        tar.add(tree, arcname=".", filter=_rest)
    return target.stat().st_size


def compiler(nodes: Nodes, given: str | None) -> str | None:
    """An interpreter on this machine of the nodes' version, to compile with."""
    if nodes.python == gateway().python:
        return sys.executable
    for candidate in (given, f"python{nodes.python[0]}.{nodes.python[1]}"):
        path = shutil.which(candidate) if candidate else None
        if path and _version_of(path) == nodes.python:
            return path
    return None


def _compile(interpreter: str, tree: Path) -> None:
    """Nobody writes into an unpacked archive, so without this every process would compile everything.

    Some files of others are templates, not Python: what does not compile is left as it is.
    """
    words = [interpreter, "-I", "-W", "ignore", "-m", "compileall", "-qq"]
    words += ["--invalidation-mode", "unchecked-hash", "-s", str(tree), str(tree)]
    subprocess.run(words, capture_output=True, timeout=_PATIENCE, check=False, env=_plain_environ())


def _version_of(interpreter: str) -> Version | None:
    program = "import sys; print(*sys.version_info[:2])"
    words = [interpreter, "-I", "-c", program]
    try:
        said = subprocess.run(
            words, capture_output=True, text=True, timeout=_PATIENCE, check=False, env=_plain_environ()
        )
        major, minor = said.stdout.split()
        return int(major), int(minor)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def _plain_environ() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _rest(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if member.name == f"./{MANIFEST}" else _anonymous(member)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    member.mode = 0o755 if member.isdir() else 0o644
    return member
