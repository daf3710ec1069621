"""One cluster: starting, stopping, disturbing it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

from . import configuration, daemons, health, jars, java, lifecycle, ports, processes, realm
from .errors import MiniHadoopError
from .layout import Layout, State
from .processes import Process


def missing_tools(version: str = jars.DEFAULT_VERSION, *, secure: bool = False) -> str:
    """What must be installed before such a cluster can start, in a sentence; empty if nothing."""
    checks: list[Callable[[], object]] = [lambda: java.suitable_java(version)]
    if not jars.library(version).is_dir():
        checks.append(jars.find_maven)
    problems = [realm.missing()] if secure and realm.missing() else []
    for check in checks:
        try:
            check()
        except MiniHadoopError as error:
            problems.append(str(error))
    return "; ".join(problems)


class MiniHadoop:
    """A real Hadoop on this machine, in one folder.

    As a context manager it is up inside the block, and goes down at its end or with this process, however
    that ends. `up` alone leaves it running until somebody calls `down`.

    Parameters
    ----------
    dir : Path or str, optional
        Folder of the cluster; default: one in the user's cache.
    version : str, optional
        Hadoop version, one of `jars.JACKSON`. Default: that of the folder, 3.4.1 for a new one.
    nodes : int, optional
        Number of NodeManagers, 1 or more. Default: that of the folder, 1 for a new one.
    secure : bool, optional
        With Kerberos: a KDC of its own, the users `realm.USERS`, and web pages that ask who one is.
        Default: as the folder is, plain for a new one.
    gpus : int
        What each NodeManager says it has of ``yarn.io/gpu``; no device stands behind that.

    Raises
    ------
    MiniHadoopError
        A value is not usable. All methods raise it, with one sentence that says what to do.
    """

    def __init__(
        self,
        dir: Path | str | None = None,
        version: str | None = None,
        nodes: int | None = None,
        secure: bool | None = None,
        gpus: int = 0,
    ) -> None:
        if not Path("/proc/self/stat").exists():
            raise MiniHadoopError("minihadoop needs Linux: it finds its processes in /proc")
        root = Path(dir) if dir is not None else jars.cache() / "cluster"
        self.layout = Layout(root.expanduser().resolve())
        known = State.load(self.layout)
        self.version = version or (known.version if known else jars.DEFAULT_VERSION)
        self.nodes = nodes if nodes is not None else (known.nodes if known else 1)
        self.secure = secure if secure is not None else (known is not None and known.secure)
        self.gpus = gpus
        jars.check_version(self.version)
        if not 1 <= self.nodes <= 100:
            raise MiniHadoopError(f"a cluster cannot have {self.nodes} NodeManagers: choose from 1 to 100")
        self._guard: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> MiniHadoop:
        package = str(Path(__file__).parent)
        self._guard = subprocess.Popen(
            [sys.executable, package, "guard", "--dir", str(self.layout.root)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            self.up()
        except BaseException:
            self._end_guard()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end_guard()

    def _end_guard(self) -> None:
        """Let the guard take the cluster down and wait for that."""
        if self._guard is not None and self._guard.stdin is not None:
            self._guard.stdin.close()
            self._guard.wait()
            self._guard = None
        self.down()  # in case somebody has killed the guard

    @property
    def hdfs_uri(self) -> str:
        """``hdfs://host:port`` of the NameNode."""
        return f"hdfs://{configuration.address(self.state(), 'namenode.rpc')}"

    @property
    def namenode_web(self) -> str:
        """``http://host:port`` of the NameNode, WebHDFS included."""
        return f"http://{configuration.address(self.state(), 'namenode.http')}"

    @property
    def rm_web(self) -> str:
        """``http://host:port`` of the ResourceManager: page, REST and the proxy of applications."""
        return f"http://{configuration.address(self.state(), 'resourcemanager.http')}"

    def state(self) -> State:
        """Return the folder's record: ports, processes, versions.

        Raises
        ------
        MiniHadoopError
            No cluster was ever started here.
        """
        known = State.load(self.layout)
        if known is None:
            raise MiniHadoopError(f"there is no cluster in {self.layout.root}: start one with `up`")
        return known

    def env(self, base: Mapping[str, str] | None = None, user: str | None = None) -> dict[str, str]:
        """Environment for programs that use this cluster.

        Parameters
        ----------
        base : mapping, optional
            Variables to start from, whose PATH is extended; default: those of this process.
        user : str, optional
            Of a secure cluster, one of `realm.USERS`: a fresh ticket of theirs is got by keytab.

        Returns
        -------
        dict
            `base` with HADOOP_CONF_DIR, YARN_CONF_DIR, JAVA_HOME, and ``hadoop``, ``hdfs``, ``yarn`` on PATH;
            KRB5_CONFIG where the cluster is secure, and KRB5CCNAME for ``user``.
        """
        base = os.environ if base is None else base
        conf = str(self.layout.conf)
        secure = self.state().secure
        if user is not None and not secure:
            raise MiniHadoopError(f"the cluster in {self.layout.root} is not secure: users need no tickets")
        kerberos = {"KRB5_CONFIG": str(self.layout.krb5_conf)} if secure else {}
        if user is not None:
            kerberos |= realm.log_in(self.layout, user)
        return {
            **base,
            **kerberos,
            "PATH": os.pathsep.join(filter(None, (str(self.layout.bin), base.get("PATH")))),
            "HADOOP_CONF_DIR": conf,
            "YARN_CONF_DIR": conf,
            "JAVA_HOME": self.state().java_home,
        }

    def web_cookie(self, user: str, daemon: str = "resourcemanager") -> str:
        """``Cookie`` header that opens a secure cluster's web services as a user, as if after SPNEGO."""
        kind = "kerberos-dt" if daemon == "resourcemanager" else "kerberos"
        return realm.web_cookie(self.state().web_secret, user, kind)

    def troubles(self) -> dict[str, str]:
        """What each daemon lacks for being fully up, by daemon name; empty when all is well."""
        return health.troubles(self.state())

    def up(self) -> bool:
        """Start the cluster and wait until HDFS can be written and every node is RUNNING.

        A cluster of which a part is dead or paused is first taken down. Whatever ends this call early, an
        interrupt included, everything it started is ended again.

        Returns
        -------
        bool
            False where it was up already.
        """
        home = java.suitable_java(self.version)
        lib = jars.fetch(self.version)
        self.layout.root.mkdir(parents=True, exist_ok=True)
        with jars.locked(self.layout.lock_file):
            known = State.load(self.layout)
            if known is not None:
                self._refuse_other(known)
                if _all_run(known):
                    lifecycle.wait_ready(self.layout, known, daemons.names(known.nodes, known.secure))
                    return False
            lifecycle.end_all(self.layout)
            state = State(self.version, self.nodes, str(home), str(lib))
            state.gpus = self.gpus
            state.web_secret = str(self.layout.http_secret) if self.secure else ""
            state.ports = ports.assign(
                daemons.port_names(self.nodes, self.secure), known.ports if known else {}
            )
            try:
                lifecycle.start_all(self.layout, state)
            except BaseException:
                lifecycle.end_all(self.layout, patience=lifecycle.ABORT_PATIENCE)
                raise
        return True

    def _refuse_other(self, known: State) -> None:
        root = self.layout.root
        if known.nodes != self.nodes and _all_run(known):
            raise MiniHadoopError(f"the cluster in {root} is up with {known.nodes} node(s): run `down` first")
        if known.secure != self.secure and (_all_run(known) or self.layout.name_dir.exists()):
            kind = "secure" if known.secure else "not secure"
            raise MiniHadoopError(f"the cluster in {root} is {kind}: choose another --dir for the other kind")
        if known.version != self.version and self.layout.name_dir.exists():
            raise MiniHadoopError(
                f"the HDFS in {root} has the format of Hadoop {known.version}: choose another --dir, "
                f"or run `down` and remove {root}"
            )

    def down(self) -> bool:
        """End every process of this cluster: daemons, and what their containers left.

        Returns
        -------
        bool
            False where nothing was running.
        """
        if not self.layout.root.is_dir():
            return False
        with jars.locked(self.layout.lock_file):
            return lifecycle.end_all(self.layout)

    def stop(self, name: str, *, kill: bool = False) -> None:
        """End a daemon, or all of ``hdfs`` or ``yarn``, and wait until it is gone.

        Parameters
        ----------
        name : str
            Daemon or half, see `daemons.select`.
        kill : bool
            With KILL at once, as when a machine fails; else with TERM first.
        """
        self.state()
        with jars.locked(self.layout.lock_file):
            chosen = _live(self.state(), name)
            if kill:
                processes.kill(chosen.values())
            else:
                processes.end(chosen.values(), patience=lifecycle.STOP_PATIENCE)

    def start(self, name: str) -> None:
        """Start what `stop` ended, on the same ports, and wait until it works again."""
        self.state()
        with jars.locked(self.layout.lock_file):
            state = self.state()
            wanted = [
                each
                for each in daemons.select(name, state.nodes, state.secure)
                if each not in _live(state, each)
            ]
            lifecycle.refuse_taken_ports(state, wanted)
            for each in wanted:
                lifecycle.spawn(self.layout, state, each)
            lifecycle.wait_ready(self.layout, state, daemons.select(name, state.nodes, state.secure))

    def pause(self, name: str) -> None:
        """Freeze a daemon, or all of ``hdfs`` or ``yarn``: its connections stay open, nothing answers."""
        processes.pause(_live(self.state(), name).values())

    def resume(self, name: str) -> None:
        """Let what `pause` froze go on."""
        for process in _live(self.state(), name).values():
            process.send(signal.SIGCONT)


def _live(state: State, name: str) -> dict[str, Process]:
    """The processes that a name means, as far as they are alive."""
    chosen = {each: state.daemons.get(each) for each in daemons.select(name, state.nodes, state.secure)}
    return {each: process for each, process in chosen.items() if process is not None and process.alive}


def _all_run(state: State) -> bool:
    """Whether every daemon's process exists and is not paused."""
    found = (state.daemons.get(name) for name in daemons.names(state.nodes, state.secure))
    return all(process is not None and process.state == "running" for process in found)
