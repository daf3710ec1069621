"""Our package for the nodes: xlearning and what it needs there, as one archive, cached by content.

It is put together from the installed distributions of the environment that runs ``xl-submit``, so
the nodes need the same Python version, processor and a C library that is not older. The archive is
named by a hash over the hashes of its files: the second submission uploads nothing.
"""

from __future__ import annotations

import compileall
import hashlib
import importlib.metadata
import importlib.util
import io
import os
import py_compile
import re
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from xlearning.errors import ClusterError, UsageError
from xlearning.fs import FileSystems
from xlearning.fs.base import join

# TensorBoard is the program's business, a terminal is the gateway's.
DISTRIBUTIONS = ("grpcio", "protobuf", "hdfs-native", "psutil", "tenacity", "flask", "waitress", "skein")
PACKAGES = tuple(f"xlearning{name}" for name in ("", ".am", ".container", ".proto", ".webui", ".conf"))
_NEEDS_DISTUTILS = (3, 12)  # from here on skein finds distutils only in setuptools
_SKIPPED = re.compile(r"(^|/)(__pycache__|tests?|testing)/|\.pyc$|^skein/java/|^\.\./|^/")
_SKIPPED_RECORDS = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")
_FORMAT = "1"  # changes with the way the archive is made


@dataclass(frozen=True)
class Shipment:
    """Where the archive is, its size in bytes, and whether it had to be uploaded."""

    uri: str
    size: int
    uploaded: bool


def ship(fss: FileSystems, root: str, user: str) -> Shipment:
    """Make sure that the archive lies below ``root`` (URI of the folder of all staging folders).

    Raises
    ------
    xlearning.errors.ClusterError
        Its folder belongs to somebody else, who could put anything there.
    """
    files = contents()
    folder = join(root, f"cache-{re.sub(r'[^A-Za-z0-9._-]', '_', user)}")
    target = join(folder, f"xlearning-{_digest(files)}.tar.gz")
    fs = fss.of(folder)
    fs.mkdirs(folder, mode=0o700)
    owner = fs.stat(folder).owner
    if owner and owner != user.partition("@")[0]:
        raise ClusterError(
            f"{folder} belongs to {owner}, not to {user}", hint="set xlearning.staging.dir to another folder"
        )
    try:
        return Shipment(target, fs.stat(target).size, uploaded=False)
    except FileNotFoundError:
        pass
    draft = f"{target}.{os.getpid()}.tmp"
    with tempfile.TemporaryDirectory(prefix="xlearning-") as work:
        archive = _pack(files, Path(work))
        with open(archive, "rb") as reader, fs.open_write(draft, overwrite=True) as writer:
            shutil.copyfileobj(reader, writer, 1 << 20)
        fs.replace(draft, target)
        return Shipment(target, archive.stat().st_size, uploaded=True)


@dataclass(frozen=True)
class _File:
    path: Path
    digest: str


def contents() -> dict[str, _File]:
    """Every file of the archive: name in it -> where it lies here and the hash of its content."""
    files: dict[str, _File] = {}
    for package in PACKAGES:
        files |= dict(_own(package))
    for distribution in _distributions():
        files |= dict(_installed(distribution))
    return files


def _own(package: str) -> Iterator[tuple[str, _File]]:
    """Files of one of our packages, wherever it is installed."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted(Path(folder).rglob("*")):
            name = f"{package.replace('.', '/')}/{path.relative_to(folder).as_posix()}"
            if path.is_file() and not _SKIPPED.search(name):
                yield name, _File(path, hashlib.sha256(path.read_bytes()).hexdigest())


def _installed(distribution: importlib.metadata.Distribution) -> Iterator[tuple[str, _File]]:
    """Files of an installed distribution; its RECORD knows their hashes."""
    for entry in distribution.files or ():
        name = entry.as_posix()
        if _SKIPPED.search(name) or entry.name in _SKIPPED_RECORDS:
            continue
        path = Path(str(entry.locate()))
        if path.is_file():
            yield name, _File(path, entry.hash.value if entry.hash else str(path.stat().st_size))


def _distributions() -> list[importlib.metadata.Distribution]:
    """Those of `DISTRIBUTIONS` and all that they need here."""
    from packaging.requirements import Requirement

    waiting = [*DISTRIBUTIONS, *(["setuptools"] if sys.version_info >= _NEEDS_DISTUTILS else [])]
    found: dict[str, importlib.metadata.Distribution] = {}
    missing = []
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
            continue
        for text in found[name].requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    if missing:
        raise UsageError(
            f"not installed beside xl-submit: {', '.join(sorted(missing))}", hint="install xlearning again"
        )
    return [found[name] for name in sorted(found)]


def _digest(files: dict[str, _File]) -> str:
    lines = [_FORMAT, sys.implementation.cache_tag or ""]
    lines += [f"{name} {file.digest}" for name, file in sorted(files.items())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:32]


def _pack(files: dict[str, _File], work: Path) -> Path:
    tree, archive = work / "tree", work / "archive.tar.gz"
    for name, file in files.items():
        target = tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file.path, target)
    # Nobody writes into an unpacked archive, so without these every process would compile everything.
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        _compile(tree, unchecked, nowhere)
    with tarfile.open(archive, "w:gz", compresslevel=4) as tar:
        tar.add(tree, arcname=".", filter=_anonymous)
    return archive


def _compile(tree: Path, mode: py_compile.PycInvalidationMode, output: io.TextIOBase) -> None:
    """Some files of others are templates, not Python: what does not compile is left out."""
    import contextlib
    import warnings

    with contextlib.redirect_stdout(output), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compileall.compile_dir(str(tree), quiet=2, invalidation_mode=mode, stripdir=str(tree))


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    member.mode = 0o755 if member.isdir() else 0o644
    return member
