"""skein's driver: the JVM through which a gateway speaks to YARN, started beside other work and surely ended.

skein itself is given, so that `xlearning.cluster.skein` stays the one place that imports it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shlex
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from xlearning.cluster.background import Background
from xlearning.cluster.login import Login
from xlearning.cluster.skein_calls import translated
from xlearning.errors import ClusterError

_START = 60.0  # seconds
_END = 3.0  # seconds for the JVM to leave by itself
_LOOK = 0.05  # seconds
_MARK = "-Dxlearning.driver="  # by which this object's driver is told from others
JAVA = "-Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"


class Driver:
    """At most one driver, which is started when it is first needed.

    Parameters
    ----------
    load : callable
        Imports skein.
    login : Login, optional
        Who we are on a secure cluster.
    """

    def __init__(self, load: Callable[[], Any], login: Login | None = None) -> None:
        self._load, self._login = load, login
        self._driver: Background[Any] | None = None
        self._leaving: list[Background[None]] = []
        self._mark = f"{_MARK}{uuid.uuid4().hex}"

    def warm_up(self) -> None:
        """Begin to start the driver JVM, which takes seconds, beside other work."""
        if self._driver is None or _has_left(self._driver):
            self._driver = Background("start of skein's driver", self._start)

    def release(self) -> None:
        """Let the driver JVM leave, without waiting. It is started again when it is needed."""
        driver, self._driver = self._driver, None
        if driver is not None:
            self._leaving.append(Background("end of skein's driver", lambda: _end(driver, self._mark)))

    def close(self) -> None:
        """End the driver JVM; it is gone soon afterwards at the latest."""
        self.release()
        for leaving in self._leaving:
            leaving.wait(2 * _END)
        self._leaving.clear()

    @property
    def starts(self) -> bool:
        """Whether `client` would wait."""
        return self._driver is None or not self._driver.wait(0.0)

    def client(self) -> Any:
        """skein's client, once its driver is there; `ClusterError` when it cannot be started."""
        self.warm_up()
        assert self._driver is not None
        return self._driver.result(_START)

    def _start(self) -> Any:
        # The loopback connection to the driver must not go through a proxy of the environment.
        os.environ["no_grpc_proxy"] = "127.0.0.1,localhost"  # noqa: SIM112 - grpc reads it in lower case
        check_programs(os.environ)
        skein = self._load()
        with translated(skein, "skein's driver cannot be started"), _told_by_programs():
            return _quiet(skein.Client)(
                security=skein.Security.new_credentials(),
                log=False,
                log_level="WARN",
                java_options=f"{_java_options(os.environ)} {self._mark}",
                **_identity(self._login),
            )


def _has_left(driver: Background[Any]) -> bool:
    """Whether the driver JVM has ended by itself, or could not be started."""
    if not driver.wait(0):
        return False
    try:
        process = driver.result(0)._proc
    except Exception:  # noqa: BLE001 - told to whoever needed it then
        return True
    return process is None or process.poll() is not None


def _end(driver: Background[Any], mark: str) -> None:
    """End the driver JVM, which may hang at its start or end; skein itself would wait for that for ever."""
    deadline = time.monotonic() + _END
    while not driver.wait(_LOOK) and time.monotonic() < deadline:
        _kill_starting(mark)
    try:
        client = driver.result(0)
    except Exception:  # noqa: BLE001 - there is none: whoever needed it was told why
        return
    process, client._proc = client._proc, None
    client.close()
    if process is None:
        return
    process.stdin.close()
    try:
        process.wait(_END)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _kill_starting(mark: str) -> None:
    """Kill what skein has started for its driver, and does not hand out before the driver answers."""
    import psutil

    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            words = child.cmdline()
            if mark in words or words[-1:] == ["--glob"]:
                for process in (*child.children(recursive=True), child):
                    process.kill()


@contextlib.contextmanager
def _told_by_programs() -> Iterator[None]:
    """What the programs that skein starts say when they fail becomes one sentence."""
    try:
        yield
    except subprocess.CalledProcessError as error:
        words = " ".join((error.stderr or error.output or b"").decode("utf-8", "replace").split())[-600:]
        raise ClusterError(
            f"skein's driver cannot be started: {shlex.join(map(str, error.cmd))} ended with exit code "
            f"{error.returncode}" + (f": {words}" if words else ""),
            hint="try yarn classpath by itself",
        ) from error


@functools.cache
def _quiet(kind: Any) -> Any:
    """skein's client class; one whose driver did not start fails once more when Python drops it."""

    class Client(kind):  # type: ignore[misc]
        __slots__ = ()

        def __del__(self) -> None:
            with contextlib.suppress(AttributeError):
                super().__del__()

    return Client


def _identity(login: Login | None) -> dict[str, str]:
    """How the driver logs in; without a keytab it finds the ticket cache itself."""
    return {"keytab": login.keytab, "principal": login.principal} if login and login.keytab else {}


def _java_options(environ: Mapping[str, str]) -> str:
    """Java does not look at KRB5_CONFIG, which everything else here obeys."""
    conf = environ.get("KRB5_CONFIG")
    return f"{JAVA} -Djava.security.krb5.conf={conf}" if conf else JAVA


def check_programs(environ: Mapping[str, str]) -> None:
    """Look for what skein starts: ``yarn`` for the class path, and Java.

    Raises
    ------
    ClusterError
        Something is missing.
    """
    home = environ.get("JAVA_HOME")
    wanted = ("yarn", f"{home}/bin/java" if home else "java")
    missing = [program for program in wanted if shutil.which(program, path=environ.get("PATH")) is None]
    if missing:
        raise ClusterError(
            f"the program {' and the program '.join(missing)} is not there",
            hint="YARN needs Hadoop's yarn on PATH, and JAVA_HOME or java on PATH; --local needs neither",
        )
