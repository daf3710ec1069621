"""Localization as YARN's NodeManager does it: shared read-only copies, linked into working folders."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from xlearning.errors import XLearningError
from xlearning.fs.base import split_uri
from xlearning.job import FetchItem, LocalResource, ResourceKind


class LocalizationError(XLearningError):
    """A file or archive that the job asked for cannot be placed in the working folders."""


class Localizer:
    """Brings the resources of a job to this machine once, and links them into working folders.

    Parameters
    ----------
    cache : Path
        Folder for downloads and unpacked archives.
    resources : sequence of LocalResource
        What every container gets.
    default_fs : str
        URI of the file system for URIs without a scheme.
    timeout, retry_time : float
        Seconds for the first answer of a remote file system, and for retries of a transfer.
    """

    def __init__(
        self,
        cache: Path,
        resources: Sequence[LocalResource],
        default_fs: str,
        *,
        timeout: float = 15.0,
        retry_time: float = 120.0,
    ) -> None:
        self._cache = cache
        self._resources = tuple(resources)
        self._default_fs = default_fs
        self._timeout = timeout
        self._retry_time = retry_time
        self._ready: dict[str, Path] = {}
        self._lock = threading.Lock()

    @property
    def quick(self) -> bool:
        """Whether `prepare` only has to look: nothing to download and nothing to unpack."""
        return all(
            r.kind is ResourceKind.FILE and _local_path(r.uri, self._default_fs) is not None
            for r in self._resources
            if r.name not in self._ready
        )

    def prepare(self) -> None:
        """Download and unpack what is not there yet.

        Raises
        ------
        LocalizationError
            Names every resource that cannot be had, and why. A later call tries those again.
        """
        problems = []
        with self._lock:
            for number, resource in enumerate(self._resources):
                if resource.name in self._ready:
                    continue
                try:
                    check_name(resource.name)
                    self._ready[resource.name] = self._obtain(number, resource)
                except (OSError, ValueError, XLearningError) as error:
                    problems.append(f"{resource.name} ({resource.uri}): {_words(error)}")
        if problems:
            raise LocalizationError("localization failed: " + "; ".join(problems))

    def link(self, work: Path) -> None:
        """Place every prepared resource in the working folder ``work``."""
        for name, source in self._ready.items():
            target = work / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(source)

    def _obtain(self, number: int, resource: LocalResource) -> Path:
        source = _local_path(resource.uri, self._default_fs)
        if source is None:
            source = self._download(self._cache / f"{number}-file", resource.uri)
        elif not source.exists():
            raise FileNotFoundError(f"File {resource.uri} does not exist")
        elif not os.access(source, os.R_OK):
            raise PermissionError(f"File {resource.uri} is not readable")
        if resource.kind is ResourceKind.FILE:
            return source
        from xlearning.cluster.unpack import unpack  # its libraries take time that most jobs need not spend

        target = self._cache / f"{number}-archive"
        unpack(source, target)
        return target

    def _download(self, folder: Path, uri: str) -> Path:
        from xlearning.fs import FileSystems
        from xlearning.fs.transfer import download

        systems = FileSystems(default_uri=self._default_fs, timeout=self._timeout)
        uri = systems.resolve(uri)
        system = systems.of(uri)
        top = system.stat(uri)
        name = top.name or "file"
        base = uri.rstrip("/")
        items = [
            FetchItem(f.path, name + f.path[len(base) :] if top.is_dir else name, f.size)
            for f in system.walk(uri)
        ]
        (folder / name if top.is_dir else folder).mkdir(parents=True, exist_ok=True)
        download(systems, items, folder, threads=4, retry_time=self._retry_time)
        return folder / name


def check_name(name: str) -> None:
    """Raise `ValueError` for a link name that is empty, absolute, or leaves the working folder."""
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
        raise ValueError(f"the name {name!r} does not stay inside the working folder")


def _local_path(uri: str, default_fs: str) -> Path | None:
    scheme, _authority, path = split_uri(uri)
    if scheme == "file" or (not scheme and split_uri(default_fs)[0] in ("", "file")):
        return Path(path).absolute()
    return None


def _words(error: Exception) -> str:
    if isinstance(error, XLearningError):
        return error.message
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error)
