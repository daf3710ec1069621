"""What the Hadoop configuration of this machine says about file systems; all of it may be missing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from xlearning.config import hadoop_xml
from xlearning.config.expand import Expander
from xlearning.fs.base import split_uri

_FILES = ("core-site.xml", "hdfs-site.xml")


class HadoopConf:
    """The merged properties of ``core-site.xml`` and ``hdfs-site.xml``.

    Parameters
    ----------
    values : mapping
    environ : mapping
        For ``${env.NAME}`` in values.
    """

    def __init__(self, values: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> None:
        self._values = values
        self._expander = Expander(values.get, environ)

    @classmethod
    def of_environment(cls, environ: Mapping[str, str] = os.environ) -> HadoopConf:
        """That of ``HADOOP_CONF_DIR``; empty where it is not set.

        Raises
        ------
        ConfigError
            A file is no XML.
        """
        folder = environ.get("HADOOP_CONF_DIR")
        values: dict[str, str] = {}
        for name in _FILES if folder else ():
            path = Path(str(folder), name)
            if path.exists():
                values |= hadoop_xml.read(path).values
        return cls(values, environ)

    def get(self, name: str, default: str = "") -> str:
        """A property with its ``${...}`` replaced; ``default`` when it is not set or cannot be expanded."""
        try:
            return self._expander.expand(self._values.get(name, default)).strip()
        except ValueError:
            return default

    def names(self, prefix: str) -> list[str]:
        """The properties that are set and whose names begin with ``prefix``, sorted."""
        return sorted(name for name in self._values if name.startswith(prefix))

    def all(self) -> dict[str, str]:
        """Every property that has a value, with its ``${...}`` replaced."""
        found = {name: self.get(name) for name in self._values}
        return {name: value for name, value in found.items() if value}

    def homes(self, base: str) -> str:
        """Where users' homes are on a file system (``scheme://authority``), as Hadoop's clients have it."""
        scheme, name, _ = split_uri(base)
        if scheme == "viewfs":
            table = name or self.get("fs.viewfs.mounttable.default.name.key", "default")
            return self.get(f"fs.viewfs.mounttable.{table}.homedir") or "/user"
        return self.get("dfs.user.home.dir.prefix") or "/user"

    @property
    def secure(self) -> bool:
        """Whether the cluster asks for Kerberos."""
        return self.get("hadoop.security.authentication", "simple").lower() == "kerberos"
