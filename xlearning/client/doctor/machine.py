"""The machine that something runs on, be it the gateway or a node: folders, limits, ports, programs."""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from xlearning.client.doctor.model import Finding, ok, problem, warning
from xlearning.units import format_bytes

_GIB = 2**30
_SHARED_MEMORY = Path("/dev/shm")
_RUNNING = Path("/proc/sys/net/ipv4/ip_local_port_range")
_FEW_FILES, _FEW_PROCESSES, _FEW_PORTS = 1024, 256, 100
_PROGRAM_PATIENCE = 5.0  # seconds
_LIBRARIES = ("numpy", "tensorflow", "torch", "mxnet", "xgboost", "lightgbm", "horovod", "mpi4py")
_ABOUT = (
    "import importlib.util as u, platform, sys; print(platform.python_version(), sys.executable, "
    f"*[n for n in {_LIBRARIES!r} if u.find_spec(n)])"
)


def folder(path: Path, fix: str, *, room: int = _GIB) -> Finding:
    """Whether a folder, or the one that it will be made in, can be written to and has ``room`` bytes left."""
    there = next(each for each in (path, *path.parents) if each.exists())
    if not there.is_dir():
        return problem(f"{there} is not a folder", fix)
    try:
        with tempfile.NamedTemporaryFile(dir=there, prefix=".xlearning-doctor-") as file:
            file.write(b"x" * 4096)
            file.flush()
    except OSError as error:
        return problem(f"{there} cannot be written to: {error.strerror}", fix)
    free = shutil.disk_usage(there).free
    words = f"{path}: {format_bytes(free)} free" + ("" if there == path else ", made when it is needed")
    if free < room:
        return warning(words, f"free at least {format_bytes(room)}, or: {fix}")
    return ok(words)


def shared_memory(path: Path = _SHARED_MEMORY) -> Finding:
    """What programs such as data loaders of PyTorch share memory by."""
    fix = "mount a tmpfs there, larger than 64 MiB: loaders of data that use processes need it"
    if not path.is_dir():
        return warning(f"there is no {path}", fix)
    if not os.access(path, os.W_OK | os.X_OK):
        return warning(f"{path} cannot be written to", fix)
    size = shutil.disk_usage(path).total
    words = f"{path} of {format_bytes(size)}"
    return warning(words, fix) if size <= 64 * 2**20 else ok(words)


def limits() -> Finding:
    """What the system lets one process have."""
    files, processes = (
        resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC)
    )
    words = f"{_number(files)} open files, {_number(processes)} processes and threads"
    few = [
        name
        for name, value, least in (("-n", files, _FEW_FILES), ("-u", processes, _FEW_PROCESSES))
        if value != resource.RLIM_INFINITY and value < least
    ]
    if few:
        raised = " and ".join(f"ulimit {name}" for name in few)
        return warning(words, f"raise {raised}: frameworks open many files and start many threads")
    return ok(words)


def _number(limit: int) -> str:
    return "any number of" if limit == resource.RLIM_INFINITY else str(limit)


def ports(host: str, begin: int, end: int, ephemeral: Path = _RUNNING) -> Finding:
    """Whether a port of [``begin``, ``end``) can be bound on ``host`` and connected to."""
    fix = "let xlearning.reserve.port.begin and xlearning.reserve.port.end name another range"
    name = f"{begin} to {end - 1}"
    port = _listen_and_connect(host, begin, end)
    if not port:
        return problem(f"no port of {name} on {host} can be listened on and connected to", fix)
    words = f"{name}, tried {port} on {host}"
    if end - begin < _FEW_PORTS:
        return warning(f"{words}; a range of {end - begin} is soon used up", fix)
    given = _range(ephemeral)
    if given and begin <= given[1] and given[0] < end:
        return warning(
            f"{words}; outgoing connections get {given[0]} to {given[1]}, so they may take ports of programs",
            fix,
        )
    return ok(words)


def _listen_and_connect(host: str, begin: int, end: int) -> int:
    """The first port of the range where both go well; 0 where there is none."""
    for port in range(begin, end):
        try:
            with (
                socket.create_server((host, port), backlog=1),
                socket.create_connection((host, port), timeout=2.0),
            ):
                return port
        except socket.gaierror:
            return 0
        except OSError:
            continue
    return 0


def _range(path: Path) -> tuple[int, int] | None:
    try:
        low, high = path.read_text().split()
        return int(low), int(high)
    except (OSError, ValueError):
        return None


def python_of_programs(environ: Mapping[str, str]) -> Finding:
    """The ``python`` that a command such as ``python train.py`` runs."""
    found = shutil.which("python", path=environ.get("PATH"))
    if not found:
        other = shutil.which("python3", path=environ.get("PATH"))
        return warning(
            "there is no python on PATH" + (f"; python3 is {other}" if other else ""),
            "write python3 or the path of an interpreter in commands, or ship one with --cacheArchive",
        )
    try:
        said = run([found, "-c", _ABOUT], environ)
    except (OSError, subprocess.TimeoutExpired) as error:
        return warning(f"{found} does not run: {error}", "put another python first on PATH")
    version, _, rest = said.stdout.strip().partition(" ")
    executable, *libraries = rest.split(" ")
    if said.returncode or not version:
        return warning(f"{found} ends with exit code {said.returncode}", "put another python first on PATH")
    has = f"has {', '.join(libraries)}" if libraries else f"has none of {', '.join(_LIBRARIES)}"
    where = found if executable in ("", found) else f"{found}, which is {executable}"
    return ok(f"{version} ({where}); {has}")


def run(words: Sequence[str], environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """A program to its end, within seconds; what it has started ends with it."""
    with subprocess.Popen(
        list(words),
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=_PROGRAM_PATIENCE)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def clock(skew: float, whose: str, *, secure: bool) -> Finding:
    """Whether two clocks agree; ``skew`` seconds, positive where this machine is ahead."""
    size = abs(skew)
    words = f"{size:.1f} s {'ahead of' if skew > 0 else 'behind'} {whose}" if size >= 1 else f"as {whose}'s"
    fix = "let both machines take the time from one source (NTP, chrony)"
    if secure and size >= 240:
        return problem(f"{words}; Kerberos refuses tickets at 300 s", fix)
    return warning(words, fix) if size >= 10 else ok(words)


def processes() -> Finding:
    """Whether processes can be looked at; memory and ends of containers are known by that."""
    import psutil

    try:
        own = psutil.Process()
        memory, total = own.memory_info().rss, psutil.virtual_memory().total
    except (psutil.Error, OSError) as error:
        return problem(f"/proc cannot be read: {error}", "mount /proc")
    if not memory:
        return problem("/proc tells no memory", "mount /proc")
    return ok(f"/proc can be read; {os.cpu_count()} cores, {format_bytes(total)} of memory")
