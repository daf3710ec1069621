"""What the program of a job finds in its container. Runs there, with our package and no terminal."""

from __future__ import annotations

import dataclasses
import json
import locale
import os
import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import xlearning
from xlearning.client.doctor import machine
from xlearning.client.doctor.examine import examine
from xlearning.client.doctor.model import Check, Finding, ok, problem, warning
from xlearning.units import format_bytes, format_duration

AREA, FILE = "Container", "doctor.json"
_EXPECTED = ("INDEX", "HOME", "USER", "PATH", "LANG", "TMPDIR")
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_PATIENCE = 60.0  # seconds; nobody waits for an answer as on the gateway
_ROOM = 2**30


def main(words: Sequence[str]) -> int:
    """Write the report; the exit code, which is 0 whatever the report says.

    Parameters
    ----------
    words : sequence of str
        File of the report, folder on HDFS or "", begin and end of the range of ports, memory (MB).
    """
    file, folder, begin, end, memory = words
    found = examine(checks(os.environ, folder, int(begin), int(end), int(memory)), _PATIENCE)
    target = Path(file)
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps([dataclasses.asdict(result.record()) for result in found]), encoding="ascii")
    return 0


def checks(environ: Mapping[str, str], folder: str, begin: int, end: int, memory: int) -> list[Check]:
    """All that are made in a container; those of Hadoop only where there is a ``folder`` on HDFS."""
    host = socket.gethostname()

    def check(name: str, title: str, call: Callable[[], Finding]) -> Check:
        return Check(f"container-{name}", AREA, title, call, (), _PATIENCE)

    made = [
        check("xlearning", "XLearning", program),
        check("python", "python", lambda: machine.python_of_programs(environ)),
        check("environment", "Environment", lambda: environment(environ)),
        check("locale", "Locale", lambda: encoding(environ, locale.getpreferredencoding(False))),
        check("work", "Working folder", lambda: _folder(Path.cwd())),
        check("temporary", "Temporary folder", lambda: _folder(Path(environ.get("TMPDIR") or "/tmp"))),
        check("home", "HOME", lambda: _folder(Path(environ.get("HOME") or "/"))),
        check("shared-memory", "Shared memory", machine.shared_memory),
        check("limits", "Limits", machine.limits),
        check("memory", "Memory", lambda: memory_seen(memory, _least(map(Path, _LIMITS)), _total())),
        check(
            "cores", "Cores", lambda: ok(f"{len(os.sched_getaffinity(0))} of {os.cpu_count()} may be used")
        ),
        check("gpus", "GPUs", lambda: gpus(environ)),
        check("ports", "Ports", lambda: machine.ports(host, begin, end)),
    ]
    if folder:
        made += [
            check("configuration", "Hadoop conf", lambda: configuration(environ)),
            check("hdfs", "HDFS", lambda: storage(folder)),
        ]
    return made


def program() -> Finding:
    """Where we are, and which Python runs us here."""
    libc = " ".join(platform.libc_ver())
    where = f"{sys.executable}, Python {platform.python_version()}, {libc}, {platform.machine()}"
    return ok(f"{xlearning.__version__} on {socket.gethostname()}; {where}")


def environment(environ: Mapping[str, str]) -> Finding:
    """Whether the variables are there that programs are promised. No value is told: some are secrets."""
    size = sum(len(name) + len(value) + 2 for name, value in environ.items())
    words = f"{len(environ)} variables, {format_bytes(size)}"
    missing = [name for name in _EXPECTED if not environ.get(name)]
    if missing:
        return warning(f"{words}; not set: {', '.join(missing)}", "set them by --env NAME=VALUE")
    return ok(f"{words}; PATH is {environ['PATH']}")


def encoding(environ: Mapping[str, str], preferred: str) -> Finding:
    """Whether programs read and write UTF-8."""
    words = f"{preferred}, LANG is {environ.get('LANG') or 'not set'}"
    if preferred.replace("-", "").lower() != "utf8":
        return warning(words, "set xlearning.container.env.LANG to a locale of the nodes in UTF-8: C.UTF-8")
    return ok(words)


def _folder(path: Path) -> Finding:
    return machine.folder(path, "ask the administrator of the node for room", room=_ROOM)


def memory_seen(asked: int, limit: int | None, total: int) -> Finding:
    """What was asked for (MB), and what the system lets us have (bytes)."""
    bound = f"the system's limit is {format_bytes(limit)}" if limit else "no limit by the system is seen"
    words = f"{asked} MB asked for; {bound}; the node has {format_bytes(total)}"
    if limit and limit < asked * 2**20:
        return warning(words, "a program that uses what was asked for is killed: ask the administrator")
    return ok(words)


def _least(files: Sequence[Path] | map[Path]) -> int | None:
    found = []
    for file in files:
        try:
            found.append(int(file.read_text()))
        except (OSError, ValueError):  # "max", or another version of cgroups
            continue
    return min((value for value in found if value < 2**60), default=None)


def _total() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def gpus(environ: Mapping[str, str]) -> Finding:
    """How many are seen; none is no fault, for none was asked for."""
    tool = shutil.which("nvidia-smi", path=environ.get("PATH"))
    devices = sorted(path.name for path in Path("/dev").glob("nvidia[0-9]*"))
    if not tool:
        return ok(f"{len(devices)} devices, and no nvidia-smi on PATH" if devices else "none")
    try:
        said = machine.run([tool, "-L"], environ)
    except (OSError, subprocess.TimeoutExpired) as error:
        return warning(f"{tool} does not run: {error}", "ask the administrator of the node")
    count = sum(line.startswith("GPU ") for line in said.stdout.splitlines())
    return ok(f"{count} told by {tool}, {len(devices)} devices")


def configuration(environ: Mapping[str, str]) -> Finding:
    """Whether a program's own client of HDFS finds its cluster."""
    folder = environ.get("HADOOP_CONF_DIR", "")
    fix = "install Hadoop's client configuration on the node, or tell programs the address of HDFS"
    if not os.access(f"{folder}/core-site.xml", os.R_OK):
        return warning(f"HADOOP_CONF_DIR={folder}: there is no core-site.xml that can be read", fix)
    java = environ.get("JAVA_HOME")
    return ok(
        f"{folder}; JAVA_HOME {'is ' + java if java else 'is not set, for the node has no Java on PATH'}"
    )


def storage(folder: str) -> Finding:
    """HDFS from the container, by the tokens that it was given."""
    from xlearning.client.doctor.trip import round_trip
    from xlearning.fs import FileSystems

    user = os.environ.get("HADOOP_USER_NAME")
    by = f"as {user}" if user else "with the tokens of the job"
    try:
        trip = round_trip(FileSystems(folder, timeout=20.0).of(folder), folder)
    except OSError as error:
        return problem(f"{folder}, {by}: {error}", "look whether the node reaches the NameNode and DataNodes")
    words = f"written, read, renamed, deleted in {format_duration(trip.seconds)}, {by}"
    if abs(trip.skew) >= 10:
        return warning(f"{words}; the clock differs from the NameNode's by {abs(trip.skew):.0f} s", "use NTP")
    return ok(words)
