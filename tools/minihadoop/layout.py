"""What lies where in a cluster's folder, and the record of what runs there."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .errors import MiniHadoopError
from .processes import Process

_SAFE = re.compile(r"[A-Za-z0-9_./+=@-]+")


@dataclass(frozen=True)
class Layout:
    """Paths of one cluster.

    Parameters
    ----------
    root : Path
        Absolute folder of the cluster.

    Raises
    ------
    MiniHadoopError
        The path has characters that do not survive Java class paths and ``file:`` addresses.
    """

    root: Path

    def __post_init__(self) -> None:
        if not _SAFE.fullmatch(str(self.root)):
            raise MiniHadoopError(
                f"the folder {str(self.root)!r} has characters that Hadoop's class paths do not bear: "
                "choose another one with --dir (letters, digits and _./+=@- only)"
            )

    @property
    def conf(self) -> Path:
        """Configuration of clients and of all daemons but NodeManagers."""
        return self.root / "conf"

    def conf_of(self, daemon: str) -> Path:
        """Configuration of one daemon."""
        return self.root / f"conf-{daemon}" if daemon.startswith("nodemanager") else self.conf

    @property
    def data(self) -> Path:
        """What HDFS and the NodeManagers keep."""
        return self.root / "data"

    @property
    def name_dir(self) -> Path:
        """The NameNode's image and edits."""
        return self.data / "dfs/name"

    @property
    def bin(self) -> Path:
        """Commands ``hadoop``, ``hdfs``, ``yarn``."""
        return self.root / "bin"

    @property
    def logs(self) -> Path:
        """Standard output and error of the daemons."""
        return self.root / "logs"

    def log_of(self, daemon: str) -> Path:
        """Log file of one daemon."""
        return self.logs / f"{daemon}.log"

    @property
    def krb5_conf(self) -> Path:
        """Kerberos configuration of a secure cluster."""
        return self.root / "krb5.conf"

    @property
    def kdc(self) -> Path:
        """The KDC's database."""
        return self.root / "kdc"

    @property
    def keytabs(self) -> Path:
        """Keytabs of services and users."""
        return self.root / "keytabs"

    @property
    def caches(self) -> Path:
        """Ticket caches of users."""
        return self.root / "tickets"

    @property
    def http_secret(self) -> Path:
        """What the web services sign their cookies with."""
        return self.keytabs / "http.secret"

    @property
    def stand_in(self) -> Path:
        """Classes that NodeManagers of a secure cluster take before the jars."""
        return self.root / "stand-in"

    @property
    def state_file(self) -> Path:
        """The record of what runs, see `State`."""
        return self.root / "state.json"

    @property
    def lock_file(self) -> Path:
        """Held while a command changes the cluster."""
        return self.root / ".lock"


@dataclass
class State:
    """What a cluster's folder holds and which daemons were started from it.

    Parameters
    ----------
    version : str
        Hadoop version whose file formats the data have.
    nodes : int
        Number of NodeManagers.
    java_home, lib : str
        Java installation and folder of jars in use.
    ports : dict
        ``"<daemon>.<purpose>"`` to port.
    daemons : dict
        Daemon name to process, for each that was started and not stopped since.
    web_secret : str
        File with which the web services of a secure cluster sign their cookies; empty for a plain one.
    gpus : int
        What each NodeManager offers of ``yarn.io/gpu``; 0: the cluster does not know that resource.
    """

    version: str
    nodes: int
    java_home: str
    lib: str
    ports: dict[str, int] = field(default_factory=dict)
    daemons: dict[str, Process] = field(default_factory=dict)
    web_secret: str = ""
    gpus: int = 0

    @property
    def secure(self) -> bool:
        """Whether the cluster asks for Kerberos."""
        return bool(self.web_secret)

    @classmethod
    def load(cls, layout: Layout) -> State | None:
        """Read the record of a cluster; None where there is none yet.

        Raises
        ------
        MiniHadoopError
            The file is not such a record.
        """
        try:
            raw = json.loads(layout.state_file.read_text())
            raw["daemons"] = {name: Process(**entry) for name, entry in raw["daemons"].items()}
            return cls(**raw)
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise MiniHadoopError(
                f"{layout.state_file} is damaged ({error!r}): remove {layout.root} and run `up` again"
            ) from error

    def save(self, layout: Layout) -> None:
        """Replace the record by this one in one step."""
        part = layout.state_file.with_suffix(".part")
        part.write_text(json.dumps(asdict(self), indent=1))
        part.replace(layout.state_file)
