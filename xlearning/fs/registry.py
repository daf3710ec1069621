"""Which file system a URI belongs to."""

from __future__ import annotations

import getpass
import os
import threading
from pathlib import Path

from xlearning.config import Config, hadoop_xml
from xlearning.errors import StorageError, UsageError
from xlearning.fs.base import FileSystem, join, split_uri
from xlearning.fs.hadoop_conf import HadoopConf
from xlearning.fs.local import LocalFileSystem

_SCHEMES = ("file", "hdfs", "viewfs", "s3", "s3a")


class FileSystems:
    """The file systems of a job, each made once. Safe to use from several threads.

    Parameters
    ----------
    default_uri : str
        File system of paths without a scheme: ``file://``, ``hdfs://host:port``, ...
    timeout : float
        Seconds after which a call to a remote file system is given up.
    user : str
        Whose home relative paths start from, where the default file system is a remote one; default:
        ``HADOOP_USER_NAME``, else the one who is logged in.
    config : Config, optional
        The job's properties: which client HDFS is reached with, where S3 is, what fsspec serves.

    Raises
    ------
    UsageError
        ``default_uri`` has a scheme that is not known.
    """

    def __init__(
        self,
        default_uri: str = "file://",
        *,
        timeout: float = 15.0,
        user: str = "",
        config: Config | None = None,
    ) -> None:
        self._config = config
        further = config.get("xlearning.fs.fsspec.schemes") if config is not None else ()
        self._schemes = (*_SCHEMES, *(scheme for scheme in further if scheme not in _SCHEMES))
        scheme, authority, _ = split_uri(self._with_slashes(default_uri))
        self._check(scheme, authority, default_uri)
        self.default_uri = f"{scheme}://{authority}"
        self._timeout, self._user = timeout, user
        self._lock = threading.Lock()
        self._made: dict[str, FileSystem] = {}
        self._home_root = ""
        self._given_up: dict[str, StorageError] = {}

    @property
    def default(self) -> FileSystem:
        """The file system of paths without a scheme."""
        return self.of(self.default_uri)

    def of(self, uri: str) -> FileSystem:
        """The file system of a URI; the default one when it has no scheme.

        Raises
        ------
        UsageError
            There is no file system for its scheme, or its host is missing.
        StorageError
            It was given up.
        """
        scheme, authority, _ = split_uri(self._full(uri))
        self._check(scheme, authority, uri)
        with self._lock:
            key = f"{scheme}://{authority}"
            if key in self._given_up:
                raise self._given_up[key]
            if key not in self._made:
                self._made[key] = self._make(scheme, key)
            return self._made[key]

    def give_up(self, uri: str, error: StorageError) -> None:
        """Have every later `of` for the file system of ``uri`` raise ``error`` at once."""
        scheme, authority, _ = split_uri(self._full(uri))
        with self._lock:
            self._given_up[f"{scheme}://{authority}"] = error

    def resolve(self, path: str) -> str:
        """The full URI of a path or URI as a user writes it.

        A path without a scheme belongs to the default file system: relative to the working folder
        when that is the local one, to the user's home (see `HadoopConf.homes`) otherwise. ``hdfs:///a``
        takes the host from the default file system, or from ``fs.defaultFS`` of ``HADOOP_CONF_DIR``. What a
        link of a view leads to is named by its own address where that is neither HDFS nor a disk.

        Raises
        ------
        UsageError
            There is no file system for its scheme, or its host is missing.
        """
        full = self._full(path)
        scheme, authority, _ = split_uri(full)
        self._check(scheme, authority, path)
        return self._out_of_view(full) if scheme == "viewfs" else full

    def behind(self, uri: str) -> str:
        """``uri``, or what stands behind it in a view; as it is where nothing does, or nobody can tell."""
        if split_uri(uri)[0] != "viewfs":
            return uri
        from xlearning.fs.viewfs import ViewFileSystem

        try:
            view = self.of(uri)
            return (view.behind(uri) if isinstance(view, ViewFileSystem) else None) or uri
        except StorageError:  # told by whoever uses it
            return uri

    def _out_of_view(self, uri: str) -> str:
        """``uri``, or where a link of its view leads to an object store, the address there."""
        from xlearning.fs.viewfs import ViewFileSystem

        try:
            view = self.of(uri)
        except StorageError:  # told by whoever uses it
            return uri
        target = view.elsewhere(uri) if isinstance(view, ViewFileSystem) else None
        return uri if target is None or split_uri(target)[0] not in self._schemes else target

    def _full(self, path: str) -> str:
        path = self._with_slashes(path)
        scheme, authority, rest = split_uri(path)
        default_scheme, default_authority, _ = split_uri(self.default_uri)
        if scheme == "file":
            return f"file://{rest or '/'}" if authority in ("", "localhost") else path
        if scheme:
            if not authority:
                authority = default_authority if scheme == default_scheme else _configured(scheme)
            return f"{scheme}://{authority}{rest or '/'}" if authority else path
        if path.startswith("/"):
            return f"{self.default_uri}{path}"
        if default_scheme == "file":
            return f"file://{os.path.abspath(path)}"  # noqa: PTH100 - symbolic links stay
        return join(self.default_uri, self._homes().strip("/"), self._user or _user(), path)

    def _homes(self) -> str:
        with self._lock:
            if not self._home_root:
                self._home_root = HadoopConf.of_environment().homes(self.default_uri)
            return self._home_root

    def _make(self, scheme: str, uri: str) -> FileSystem:
        if scheme == "file":
            return LocalFileSystem()
        if scheme in ("s3", "s3a"):
            from xlearning.fs.s3 import S3FileSystem
            from xlearning.fs.s3_settings import S3Settings

            settings = S3Settings.of(self._config, HadoopConf.of_environment(), split_uri(uri)[1])
            return S3FileSystem(uri, settings, timeout=self._timeout)
        if scheme not in _SCHEMES:
            return self._through_fsspec(scheme, uri)
        if scheme == "viewfs":
            from xlearning.fs.viewfs import ViewFileSystem

            return ViewFileSystem(uri, HadoopConf.of_environment, self.of)
        if self._config is not None and self._config.get("xlearning.fs.hdfs.client") == "LIBHDFS":
            from xlearning.fs.libhdfs import LibhdfsFileSystem

            return LibhdfsFileSystem(uri, timeout=self._timeout)
        from xlearning.fs.native import HdfsFileSystem

        return HdfsFileSystem(uri, timeout=self._timeout)

    def _through_fsspec(self, scheme: str, uri: str) -> FileSystem:
        from xlearning.fs.generic import FsspecFileSystem

        options = self._config.family(f"xlearning.fs.fsspec.{scheme}.") if self._config is not None else {}
        return FsspecFileSystem(uri, options)

    def _with_slashes(self, uri: str) -> str:
        """``file:/a`` and ``hdfs:/a``, as Hadoop prints them, with an empty host."""
        scheme, colon, rest = uri.partition(":")
        if colon and scheme in self._schemes and not rest.startswith("//"):
            return f"{scheme}://{rest}"
        return uri

    def _check(self, scheme: str, authority: str, uri: str) -> None:
        if scheme not in self._schemes:
            raise UsageError(
                f"there is no file system for '{uri}'",
                hint=f"known schemes: {', '.join(self._schemes)}; "
                "xlearning.fs.fsspec.schemes adds those of fsspec, such as sftp",
            )
        if scheme == "file" and authority not in ("", "localhost"):
            raise UsageError(f"'{uri}' names a host", hint="write file:/// with three slashes")
        if scheme == "hdfs" and not authority:
            raise UsageError(
                f"'{uri}' names no host, and the default file system is no HDFS",
                hint="write hdfs://host:port/..., or set HADOOP_CONF_DIR",
            )
        if scheme in ("s3", "s3a") and not authority:
            raise UsageError(f"'{uri}' names no bucket", hint=f"write {scheme}://bucket/...")


def _configured(scheme: str) -> str:
    """Host of the file system with this scheme in ``HADOOP_CONF_DIR``; empty where there is none."""
    folder = os.environ.get("HADOOP_CONF_DIR")
    found, authority, _ = split_uri(default_uri_from_conf(folder) or "") if folder else ("", "", "")
    return authority if found == scheme else ""


def default_uri_from_conf(conf_dir: str | os.PathLike[str]) -> str | None:
    """``fs.defaultFS`` of a Hadoop configuration folder; None when it does not say.

    Raises
    ------
    ConfigError
        Its ``core-site.xml`` is no XML.
    """
    path = Path(conf_dir) / "core-site.xml"
    values = hadoop_xml.read(path).values if path.exists() else {}
    found = values.get("fs.defaultFS") or values.get("fs.default.name") or ""
    return found.strip() or None


def _user() -> str:
    """Without a realm, which Hadoop does not count to the name."""
    return (os.environ.get("HADOOP_USER_NAME") or getpass.getuser()).partition("@")[0]
