"""What a gateway's Hadoop configuration says about HDFS and YARN."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from xlearning.config import hadoop_xml
from xlearning.config.expand import Expander
from xlearning.errors import ConfigError
from xlearning.fs.base import split_uri

_FILES = ("core-site.xml", "hdfs-site.xml", "yarn-site.xml")
_RPC_PORT, _WEB_PORT, _WEB_TLS_PORT = 8032, 8088, 8090
_FIX = "set HADOOP_CONF_DIR to the folder with core-site.xml and yarn-site.xml, or use --local"


@dataclass(frozen=True)
class ResourceManager:
    """One ResourceManager: ``host:port`` of its RPC service, URL of its web service."""

    rpc: str
    web: str


class HadoopSite:
    """The merged properties of a Hadoop configuration folder.

    Parameters
    ----------
    folder : Path
        With ``core-site.xml`` and ``yarn-site.xml``.
    environ : mapping
        For ``${env.NAME}`` in values.

    Raises
    ------
    ConfigError
        A file is missing or no configuration, or there is no default file system that YARN could use.
    """

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self._values: dict[str, str] = {}
        for name in _FILES:
            path = folder / name
            if path.exists() or name == "core-site.xml":
                self._values |= hadoop_xml.read(path).values
        self._expander = Expander(self._values.get, environ)
        self.default_fs = self.get("fs.defaultFS") or self.get("fs.default.name")
        if not self.default_fs or self.default_fs.startswith("file:"):
            raise ConfigError(
                f"{folder / 'core-site.xml'}: fs.defaultFS is {self.default_fs or 'not set'}; "
                "YARN needs a file system that all nodes reach",
                hint=_FIX,
            )
        if self.default_fs.startswith("viewfs:") and not split_uri(self.default_fs)[1]:
            raise ConfigError(  # skein compares file systems by their hosts
                f"{folder / 'core-site.xml'}: fs.defaultFS is {self.default_fs}; "
                "jobs on YARN need the view's name",
                hint="copy the folder, write viewfs://default there (or the name of another mount table), "
                "and set HADOOP_CONF_DIR to the copy",
            )

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> HadoopSite:
        """The configuration in the folder that `conf_folder` finds."""
        folder = conf_folder(environ)
        if not folder:
            raise ConfigError("HADOOP_CONF_DIR is not set, so there is no YARN to submit to", hint=_FIX)
        if not Path(folder, "core-site.xml").is_file():
            raise ConfigError(f"HADOOP_CONF_DIR={folder}: there is no core-site.xml in it", hint=_FIX)
        return cls(Path(folder), environ)

    def get(self, name: str, default: str = "") -> str:
        """A property with its ``${...}`` replaced; ``default`` when it is not set."""
        try:
            return self._expander.expand(self._values.get(name, default)).strip()
        except ValueError as error:
            raise ConfigError(f"{self.folder}: {name}: {error}") from error

    @property
    def names(self) -> list[str]:
        """All properties that are set, sorted."""
        return sorted(self._values)

    @property
    def secure(self) -> bool:
        """Whether the cluster asks for Kerberos."""
        return self.get("hadoop.security.authentication", "simple").lower() == "kerberos"

    @property
    def resource_managers(self) -> tuple[ResourceManager, ...]:
        """All ResourceManagers; more than one where YARN is highly available."""
        ids = [name.strip() for name in self.get("yarn.resourcemanager.ha.rm-ids").split(",") if name.strip()]
        if self.get("yarn.resourcemanager.ha.enabled", "false").lower() != "true" or not ids:
            return (self._manager(""),)
        return tuple(self._manager(f".{name}") for name in ids)

    def _manager(self, suffix: str) -> ResourceManager:
        prefix = "yarn.resourcemanager."
        host = self.get(f"{prefix}hostname{suffix}") or self.get(f"{prefix}hostname", "0.0.0.0")
        rpc = self.get(f"{prefix}address{suffix}") or f"{host}:{_RPC_PORT}"
        if self.get("yarn.http.policy", "HTTP_ONLY").upper() == "HTTPS_ONLY":
            web = self.get(f"{prefix}webapp.https.address{suffix}") or f"{host}:{_WEB_TLS_PORT}"
            return ResourceManager(rpc, f"https://{web}")
        web = self.get(f"{prefix}webapp.address{suffix}") or f"{host}:{_WEB_PORT}"
        return ResourceManager(rpc, f"http://{web}")


def conf_folder(environ: Mapping[str, str]) -> str:
    """``HADOOP_CONF_DIR``, else ``YARN_CONF_DIR``, else that below ``HADOOP_HOME``; or empty."""
    home = environ.get("HADOOP_HOME")
    given = environ.get("HADOOP_CONF_DIR") or environ.get("YARN_CONF_DIR")
    return given or (f"{home}/etc/hadoop" if home else "")
