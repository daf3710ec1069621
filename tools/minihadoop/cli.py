"""The command line: ``python tools/minihadoop VERB``."""

from __future__ import annotations

import argparse
import json
import logging
import shlex
import signal
import sys
from collections.abc import Callable
from types import FrameType

from . import daemons, jars, realm, report
from .cluster import MiniHadoop
from .errors import MiniHadoopError

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """A signal asked this command to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(arguments: list[str] | None = None) -> int:
    """Run one verb.

    Returns
    -------
    int
        Exit code: 0 done, 1 not done (or, for ``status``, not fully up), 2 usage, 128 + n ended by signal n.
    """
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    for number in _INTERRUPTS:
        signal.signal(number, _interrupt)
    try:
        verb: Callable[[argparse.Namespace], int] = options.run
        return verb(options)
    except MiniHadoopError as error:
        print(f"minihadoop: {error}", file=sys.stderr)
        return 1
    except Interrupted as error:
        print(f"minihadoop: interrupted; what `{options.verb}` had started is ended", file=sys.stderr)
        return 128 + error.number


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """Raise once; the signals that impatient people send during the clean-up are ignored."""
    for each in _INTERRUPTS:
        signal.signal(each, signal.SIG_IGN)
    raise Interrupted(number)


def _up(options: argparse.Namespace) -> int:
    cluster = MiniHadoop(options.dir, options.hadoop, options.nodes, options.secure or None)
    started = cluster.up()
    print(
        f"{'up' if started else 'already up'}: {cluster.rm_web}  {cluster.hdfs_uri}  in {cluster.layout.root}"
    )
    return 0


def _down(options: argparse.Namespace) -> int:
    cluster = MiniHadoop(options.dir)
    ended = cluster.down()
    print(f"down: {cluster.layout.root}" if ended else f"nothing is up in {cluster.layout.root}")
    return 0


def _guard(options: argparse.Namespace) -> int:
    sys.stdin.buffer.read()
    MiniHadoop(options.dir).down()
    return 0


def _env(options: argparse.Namespace) -> int:
    cluster = MiniHadoop(options.dir)
    values = cluster.env({}, options.user)
    values["PATH"] += ':"$PATH"'
    print(
        "export",
        *(f"{key}={value if key == 'PATH' else shlex.quote(value)}" for key, value in values.items()),
    )
    return 0


def _status(options: argparse.Namespace) -> int:
    cluster = MiniHadoop(options.dir)
    found = report.build(cluster.layout.root, cluster.state())
    print(json.dumps(found, indent=2) if options.json else report.render(found))
    return 0 if found["up"] else 1


def _logs(options: argparse.Namespace) -> int:
    cluster = MiniHadoop(options.dir)
    state = cluster.state()
    known = daemons.names(state.nodes, state.secure)
    for name in daemons.select(options.daemon, state.nodes, state.secure) if options.daemon else known:
        if options.daemon != name:
            print(f"==> {cluster.layout.log_of(name)} <==")
        print(daemons.log_tail(cluster.layout.log_of(name), options.lines))
    return 0


def _fetch(options: argparse.Namespace) -> int:
    print(jars.fetch(options.hadoop or jars.DEFAULT_VERSION))
    return 0


def _stop(options: argparse.Namespace) -> int:
    MiniHadoop(options.dir).stop(options.daemon, kill=options.kill)
    return 0


def _disturb(options: argparse.Namespace) -> int:
    getattr(MiniHadoop(options.dir), options.verb)(options.daemon)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="minihadoop",
        description="A real Hadoop on loopback: NameNode, DataNode, ResourceManager and N NodeManagers.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")

    def add(name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        verb = verbs.add_parser(name, help=text, description=text)
        verb.set_defaults(run=run)
        if name != "fetch":
            verb.add_argument("--dir", help="the cluster's folder (default: one in your cache)")
        return verb

    users = ", ".join(realm.USERS)
    versions = ", ".join(jars.JACKSON)
    up = add("up", _up, "fetch the jars where needed, start, wait until all nodes are RUNNING")
    up.add_argument("--nodes", type=int, help="NodeManagers (default: as before, else 1)")
    up.add_argument(
        "--secure", action="store_true", help=f"with Kerberos, and users {users} (needs MIT krb5)"
    )
    add("down", _down, "end everything that was started in the folder")
    env = add("env", _env, 'shell lines for: eval "$(python tools/minihadoop env)"')
    env.add_argument(
        "--user", metavar="NAME", help=f"of a secure cluster, one of {users}: with a fresh ticket"
    )
    status = add("status", _status, "how each daemon is; exit 1 when not fully up")
    status.add_argument("--json", action="store_true", help="for programs")
    logs = add("logs", _logs, "the last lines of the daemons' logs")
    logs.add_argument("daemon", nargs="?", metavar="DAEMON", help="default: all")
    logs.add_argument("-n", "--lines", type=int, default=20, metavar="LINES", help="of each (default: 20)")
    fetch = add("fetch", _fetch, "only fetch the jars")
    for each in (up, fetch):
        each.add_argument(
            "--hadoop", metavar="VERSION", help=f"one of {versions} (default: {jars.DEFAULT_VERSION})"
        )
    stop = add("stop", _stop, "end a daemon, or all of `hdfs` or `yarn`")
    stop.add_argument("--kill", action="store_true", help="with KILL at once")
    start = add("start", _disturb, "start it again on the same ports")
    pause = add("pause", _disturb, "freeze it (SIGSTOP)")
    resume = add("resume", _disturb, "let it go on (SIGCONT)")
    for each in (stop, start, pause, resume):
        each.add_argument(
            "daemon", metavar="NAME", help="namenode, datanode, resourcemanager, nodemanager0, ..."
        )
    add("guard", _guard, "wait for the end of standard input, then take the cluster down")
    return parser
