"""Names that survive being taken for a URL, as skein takes every source of a file."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from types import TracebackType

from xlearning.cluster.scratch import Scratch
from xlearning.errors import ClusterError
from xlearning.fs.base import split_uri
from xlearning.job import LocalResource, ResourceKind

_PLAIN = re.compile(r"[A-Za-z0-9._/~+=,@:-]*")
_ENDINGS = (".tar.gz", ".tgz", ".tar", ".zip", ".jar")  # by which YARN tells how to unpack


class PlainNames:
    """Context in which files of this machine have plain names, by links to them."""

    def __init__(self) -> None:
        self._open = contextlib.ExitStack()
        self._folder: Path | None = None
        self._count = 0

    def of(self, resource: LocalResource) -> str:
        """The URI of a resource, or of a link to it.

        Raises
        ------
        ClusterError
            The file is elsewhere, and its name cannot be used.
        """
        uri = resource.uri
        if _PLAIN.fullmatch(uri):
            return uri
        scheme, _, path = split_uri(uri)
        if scheme == "file":
            return self._link(path, resource.kind).as_uri()
        if set("?#;") & set(uri):
            raise ClusterError(
                f"{uri}: YARN cannot fetch a file with ?, # or ; in its name", hint="rename the file"
            )
        return uri

    def _link(self, path: str, kind: ResourceKind) -> Path:
        self._folder = self._folder or self._open.enter_context(Scratch())
        ending = next((e for e in _ENDINGS if path.endswith(e)), "") if kind is ResourceKind.ARCHIVE else ""
        self._count += 1
        link = self._folder / f"{self._count}{ending}"
        link.symlink_to(path)
        return link

    def __enter__(self) -> PlainNames:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()
