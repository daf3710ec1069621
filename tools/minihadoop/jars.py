"""Hadoop's jars: fetched once per user and version with Maven."""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import MiniHadoopError

JACKSON = {"3.3.6": "2.12.7", "3.4.1": "2.12.7", "3.5.0": "2.18.6"}
"""Hadoop versions that can be had, each with the jackson-core that fits its databind."""

DEFAULT_VERSION = "3.4.1"
FETCH_TIMEOUT = 1800.0
"""Seconds that Maven may take."""

INSTALL = "apt-get install maven (or your system's Maven 3)"

_log = logging.getLogger("minihadoop")


def cache() -> Path:
    """Folder that holds this user's jars, and the default cluster."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "xlearning" / "minihadoop"


def library(version: str) -> Path:
    """Folder with the jars of this version, whether they are there or not."""
    return cache() / version / "lib"


def check_version(version: str) -> None:
    """Raise `MiniHadoopError` where the version is none that this tool knows."""
    if version not in JACKSON:
        raise MiniHadoopError(f"Hadoop {version} is not known here: choose one of {', '.join(JACKSON)}")


def find_maven() -> str:
    """Path of ``mvn``; `MiniHadoopError` says what to install where there is none."""
    maven = shutil.which("mvn")
    if maven is None:
        raise MiniHadoopError(f"no Maven on this machine: {INSTALL}")
    return maven


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on this file; wait for another process that holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _log.info("another minihadoop is at work here (%s): waiting for it", path)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def fetch(version: str) -> Path:
    """Return the folder with the jars of this version, after fetching them where needed.

    The folder appears complete or not at all: Maven writes beside it, then it is renamed.

    Raises
    ------
    MiniHadoopError
        Unknown version, no Maven, or Maven failed (with its last words).
    """
    check_version(version)
    final = library(version)
    if final.is_dir():
        return final
    with locked(cache() / f"{version}.lock"):
        if final.is_dir():
            return final
        maven = find_maven()
        for leftover in cache().glob(f".{version}.*"):
            shutil.rmtree(leftover)
        _log.info("fetching Hadoop %s with Maven (about 95 MB)", version)
        part = Path(tempfile.mkdtemp(prefix=f".{version}.", dir=cache()))
        try:
            _copy_dependencies(maven, version, part / "lib")
            part.chmod(0o755)
            part.rename(final.parent)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return final


def _copy_dependencies(maven: str, version: str, target: Path) -> None:
    command = [maven, "-q", "-B", "-Dstyle.color=never", "-f", str(Path(__file__).with_name("pom.xml"))]
    command += [f"-Dhadoop.version={version}", f"-Djackson.version={JACKSON[version]}"]
    command += ["dependency:copy-dependencies", f"-DoutputDirectory={target}"]
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=FETCH_TIMEOUT
        )
    except subprocess.TimeoutExpired:
        raise MiniHadoopError(
            f"Maven did not finish within {FETCH_TIMEOUT:.0f} s: look at the network, then try again"
        ) from None
    if done.returncode != 0 or not (target / f"hadoop-common-{version}.jar").is_file():
        said = "\n  ".join([line for line in done.stdout.splitlines() if "ERROR" in line][:5])
        raise MiniHadoopError(
            f"Maven could not fetch Hadoop {version} (exit {done.returncode}): check the network and "
            f"~/.m2/settings.xml, then try again\n  {said}"
        )
