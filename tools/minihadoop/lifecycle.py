"""Starting the processes of a cluster, waiting for them, ending them."""

from __future__ import annotations

import logging
import shutil
import signal
import subprocess
import time
from collections.abc import Collection

from . import configuration, daemons, health, homes, ports, processes, realm, security
from .errors import MiniHadoopError
from .layout import Layout, State

UP_TIMEOUT = 400.0
"""Seconds until every daemon must work; a quiet machine needs 7 to 15."""

PORT_TIMEOUT = 60.0
"""Seconds that another program may hold a port of a daemon that starts again."""

STOP_PATIENCE = 15.0
"""Seconds between TERM and KILL of daemons that work."""

ABORT_PATIENCE = 2.0
"""The same for daemons that were still starting: they have nothing to save."""

_FORMAT_TIMEOUT = 300.0
_POLL = 0.2

_log = logging.getLogger("minihadoop")


def start_all(layout: Layout, state: State) -> None:
    """Write the configuration, start all daemons, wait until all work.

    The caller ends everything when this raises.
    """
    layout.logs.mkdir(exist_ok=True)
    configuration.write(layout, state)
    state.save(layout)
    _log.info("starting Hadoop %s with %d NodeManager(s) in %s", state.version, state.nodes, layout.root)
    everyone = daemons.names(state.nodes, state.secure)
    hdfs = daemons.select("hdfs", state.nodes)
    if state.secure:
        realm.prepare(layout, state)
        security.compile_stand_in(layout, state)
        spawn(layout, state, "kdc")
        wait_ready(layout, state, ["kdc"])  # the others log in as soon as they start
    for name in everyone:
        if name not in (*hdfs, "kdc"):  # these can boot while the NameNode's folder is formatted
            spawn(layout, state, name)
    if not (layout.name_dir / "current/VERSION").is_file():
        _format(layout, state)
    for name in hdfs:
        spawn(layout, state, name)
    wait_ready(layout, state, everyone)
    if state.secure:
        homes.make(state, realm.USERS)


def spawn(layout: Layout, state: State, name: str) -> None:
    """Start one daemon and record it."""
    log = layout.log_of(name)
    process = processes.spawn(
        daemons.command(layout, state, name), log, daemons.environment(layout, state, name)
    )
    if process is None:
        raise _died(layout, name)
    state.daemons[name] = process
    state.save(layout)


def refuse_taken_ports(state: State, names: Collection[str]) -> None:
    """Raise where one of the ports of these daemons stays in use; another program may hold it for a while."""
    deadline = time.monotonic() + PORT_TIMEOUT
    for key, port in state.ports.items():
        while key.partition(".")[0] in names and not ports.is_free(port):
            if time.monotonic() > deadline:
                raise MiniHadoopError(
                    f"port {port} ({key}) was taken by another program: `down` and `up` choose another one"
                )
            time.sleep(0.2)


def wait_ready(layout: Layout, state: State, names: Collection[str]) -> None:
    """Wait until every daemon that runs works, as `health` judges.

    Raises
    ------
    MiniHadoopError
        One of `names` ended, or `UP_TIMEOUT` passed; with the last lines of a log.
    """
    deadline = time.monotonic() + UP_TIMEOUT
    while True:
        found = health.troubles(state)
        if names == ["kdc"]:
            found = {name: what for name, what in found.items() if name == "kdc"}
        for name in names:
            if found.get(name) == "dead":
                raise _died(layout, name)
        waiting = {name: what for name, what in found.items() if what not in ("dead", "paused")}
        if not waiting:
            return
        if time.monotonic() >= deadline:
            name, what = next(iter(waiting.items()))
            raise MiniHadoopError(
                f"the {name} {what}, after {UP_TIMEOUT:.0f} s: see {layout.log_of(name)}, which ends with\n"
                + daemons.log_tail(layout.log_of(name), 8)
            )
        time.sleep(_POLL)


def end_all(layout: Layout, *, patience: float = STOP_PATIENCE) -> bool:
    """End daemons and containers of a cluster, also those of a start that was cut short.

    Parameters
    ----------
    layout : Layout
        The cluster's folder.
    patience : float
        Seconds between TERM and KILL.

    Returns
    -------
    bool
        Whether there was anything to end.
    """
    state = State.load(layout)
    recorded = {} if state is None else {name: each for name, each in state.daemons.items() if each.alive}
    marks = (daemons.marker(layout), realm.pid_argument(layout))
    targets = {*recorded.values(), *(each for mark in marks for each in processes.find_by_argument(mark))}
    for each in targets:
        each.send(signal.SIGCONT)
    # before the ResourceManager, or they try for long to sign off from it
    nodes = [each for name, each in recorded.items() if daemons.kind(name) == "nodemanager"]
    processes.end(nodes, patience=patience)
    processes.end(targets, patience=patience)
    containers = end_containers(layout)
    if state is not None and state.daemons:
        state.daemons.clear()
        state.save(layout)
    survivors = [each for each in targets if each.alive]
    if survivors:
        pids = ", ".join(str(each.pid) for each in survivors)
        raise MiniHadoopError(f"processes {pids} do not end, not even by KILL: look at them with ps")
    return bool(targets or containers)


def end_containers(layout: Layout) -> int:
    """End what containers left (a killed NodeManager leaves them running); return how many processes."""
    count = 0
    deadline = time.monotonic() + STOP_PATIENCE
    while left := processes.find_containers(layout.data):  # again: they may have forked meanwhile
        processes.kill(left)
        count += len(left)
        if time.monotonic() >= deadline:
            pids = ", ".join(str(each.pid) for each in left)
            raise MiniHadoopError(f"containers' processes {pids} do not end: look at them with ps")
    return count


def _format(layout: Layout, state: State) -> None:
    """Make an empty HDFS; a half-made one and its blocks go."""
    shutil.rmtree(layout.data / "dfs", ignore_errors=True)
    log = layout.log_of("format")
    with log.open("wb") as output:
        done = subprocess.run(
            daemons.command(layout, state, "namenode", "-format", "-nonInteractive"),
            env=daemons.environment(layout, state, "namenode"),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            timeout=_FORMAT_TIMEOUT,
        )
    if done.returncode != 0:
        raise MiniHadoopError(
            f"HDFS could not be formatted (exit {done.returncode}): see {log}, which ends with\n"
            + daemons.log_tail(log, 8)
        )


def _died(layout: Layout, name: str) -> MiniHadoopError:
    log = layout.log_of(name)
    tail = daemons.log_tail(log, 200)
    if "java.net.BindException" in tail:
        return MiniHadoopError(
            f"another program took a port of the {name}: run `up` again, it chooses others"
        )
    return MiniHadoopError(f"the {name} ended: see {log}, which ends with\n" + daemons.log_tail(log, 8))
