"""YARN through skein, both sides: submit and kill on the gateway, containers inside the ApplicationMaster.

The one door to skein. Nothing is decided here. The gateway's side starts a JVM only for what YARN's
web service cannot do without a login.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import os
import shlex
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from xlearning.cluster import resource_manager, yarn_facts, yarn_waiting
from xlearning.cluster.background import Background
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.cluster.login import Login
from xlearning.cluster.loose_version import without_distutils
from xlearning.cluster.plain_names import PlainNames
from xlearning.cluster.resource_manager import TAG, ResourceManagerWeb
from xlearning.cluster.skein_calls import short, translated
from xlearning.cluster.skein_containers import SkeinContainerManager
from xlearning.cluster.skein_spec import local_bytes, readable, specification
from xlearning.cluster.yarn_facts import Facts
from xlearning.cluster.yarn_script import Launch, NodePackage
from xlearning.config.confidential import hide
from xlearning.errors import ApplicationNotFound, ClusterError, ClusterUnavailable
from xlearning.job import JobSpec

_DRIVER_START, _CALL, _SUBMIT = 60.0, 20.0, 60.0  # seconds
_DRIVER_END = 3.0  # seconds for the driver JVM to leave by itself
_MARK = "-Dxlearning.driver="  # by which this object's driver is told from others
_LOOK = 0.05  # seconds
_UNDO = 3.0  # seconds for a submission that is given up to come to an end, so that skein tidies up after it
_UPLOAD_RATE = 2e6  # bytes per second; the slowest upload of the user's files that is waited for
_DRIVER_JAVA = "-Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"


class SkeinCluster:
    """Applications on YARN; implements `xlearning.cluster.base.ClusterClient`.

    Parameters
    ----------
    site : HadoopSite
    user : str
        Whose applications `list` shows.
    login : Login, optional
        Who we are on a secure cluster.
    """

    def __init__(self, site: HadoopSite, user: str, login: Login | None = None) -> None:
        self._site, self._user, self._login = site, user, login
        self._web = ResourceManagerWeb(site)
        self._driver: Background[Any] | None = None
        self._security: Any = None  # of the application that was submitted last
        self._leaving: list[Background[None]] = []
        self._mark = f"{_MARK}{uuid.uuid4().hex}"

    def warm_up(self) -> None:
        """Begin to start the driver JVM, which takes seconds, beside other work."""
        if self._driver is None or _has_left(self._driver):
            self._driver = Background("start of skein's driver", self._start_driver)

    def release_driver(self) -> None:
        """Let the driver JVM leave, without waiting. It is started again when it is needed."""
        driver, self._driver = self._driver, None
        if driver is not None:
            self._leaving.append(Background("end of skein's driver", lambda: _end(driver, self._mark)))

    def close(self) -> None:
        """End the driver JVM; it is gone soon afterwards at the latest."""
        self.release_driver()
        for leaving in self._leaving:
            leaving.wait(2 * _DRIVER_END)
        self._leaving.clear()

    def check_reachable(self) -> None:
        """`ClusterUnavailable` when no ResourceManager can be connected to; takes seconds at most."""
        resource_manager.check_reachable(self._site)

    def asks_who(self) -> bool:
        """Whether YARN's web pages want a login, see `ResourceManagerWeb.asks_who`."""
        return self._web.asks_who()

    @property
    def driver_starts(self) -> bool:
        """Whether `await_driver` would wait."""
        return self._driver is None or not self._driver.wait(0.0)

    def await_driver(self) -> None:
        """Wait for what `warm_up` began; `ClusterError` when the driver cannot be started."""
        self._client()

    def submit_archive(
        self, job: JobSpec, package: NodePackage, launch: Launch, check: Callable[[], None] | None = None
    ) -> str:
        """Start an application and return its id. Its processes wait for ``<staging root>/<id>``.

        Parameters
        ----------
        job : JobSpec
            As planned; resources of this machine are uploaded.
        package : NodePackage
            Ours for the nodes.
        check : callable, optional
            Called while YARN's answer is waited for; what it raises ends that.

        Raises
        ------
        ClusterUnavailable
            YARN does not answer.
        ClusterError
            It refused the application. After any error nothing is left that runs.
        """
        client = self._client()
        mark = f"{TAG}-{uuid.uuid4().hex}"
        skein = _skein()
        with PlainNames() as names, translated(skein, "the application cannot be submitted"):
            sources = {resource.name: names.of(resource) for resource in job.resources}
            self._security = (
                skein.Security.new_credentials()
            )  # whoever holds it can act inside of the application
            spec = specification(skein, job, sources, package, launch, self._security)
            spec.tags.add(mark)
            submission = Background("submission to YARN", lambda: _submit(client, spec))
            try:
                return submission.result(_SUBMIT + local_bytes(job) / _UPLOAD_RATE, check)
            except BaseException:
                self._undo_submission(mark, refused=submission.wait(_UNDO))
                raise

    def describe(self, job: JobSpec, package: NodePackage, launch: Launch) -> str:
        """The specification that `submit_archive` would send, as YAML, without the values of secrets."""
        job = dataclasses.replace(job, properties=hide(job.properties))
        sources = {resource.name: resource.uri for resource in job.resources}
        return readable(specification(_skein(), job, sources, package, launch, None))

    def facts(self) -> Facts:
        """The cluster's limits and queues, as far as it tells."""
        return yarn_facts.ask(self._web.get)

    def began(self) -> int:
        """Start of the ResourceManager (ms), which the ids of its applications hold."""
        return int(self._web.get(resource_manager.INFO)["clusterInfo"]["id"])

    def set_priority(self, app_id: str, priority: int) -> int:
        """Change the priority of an application; the one that YARN then gives it."""
        return self._web.set_priority(app_id, priority, self._user)

    def credentials(self) -> tuple[bytes, bytes]:
        """Certificate and key (PEM) of the application that was submitted last."""
        return self._security._get_bytes("cert"), self._security._get_bytes("key")

    def report(self, app_id: str) -> ApplicationReport:
        """How an application stands."""
        try:
            return self._web.report(app_id)
        except resource_manager.Refused:
            return self._report_by_driver(app_id)

    def kill(self, app_id: str, why: str = "") -> None:
        """End an application by force; with ``why`` it may still be ending when this returns."""
        self.check_reachable()
        if why and self._killed_by_web(app_id, why):
            return
        client = self._client()
        with translated(_skein(), f"{app_id} cannot be killed"):
            try:
                Background("kill on YARN", lambda: client.kill_application(app_id)).result(_CALL)
            except ValueError as error:
                raise ApplicationNotFound(f"YARN does not know {app_id}") from error
            except ClusterUnavailable:
                # after YARN's answer skein also deletes its folder on HDFS, which may be what hangs
                if not self.report(app_id).state.final:
                    raise

    def _killed_by_web(self, app_id: str, why: str) -> bool:
        """Whether YARN's web service has taken a kill: it alone carries words; some clusters refuse."""
        try:
            self._web.kill(app_id, why, self._user)
        except FileNotFoundError:
            raise ApplicationNotFound(f"YARN does not know {app_id}") from None
        except ClusterError:
            return False
        return True

    def list(self) -> Sequence[ApplicationReport]:
        """The user's applications, newest first."""
        return self._web.list(self._user)

    def logs(self, app_id: str, container_id: str) -> Mapping[str, str]:
        """The command that shows the logs of a container."""
        which = f" --container {container_id}" if container_id else ""
        return {"of the container" if which else "files": f"xl-submit logs {app_id}{which}"}

    def waiting(self, app_id: str) -> str:
        """See `xlearning.cluster.base.ClusterClient`."""
        return yarn_waiting.for_containers(self._web.get, f"{resource_manager.APPS}/{app_id}")

    def _undo_submission(self, mark: str, *, refused: bool) -> None:
        """End the application with this tag, if there is one: nobody knows its id, nobody would follow it."""
        if not refused:
            self.close()  # what the driver has not asked YARN for by now is never asked for
        try:
            for app_id in self._web.marked(mark):
                self.kill(app_id)
        except ClusterError as error:
            if refused:  # why it was matters more
                return
            raise ClusterUnavailable(
                f"the submission was given up, and whether it has begun cannot be found out: {error.message}",
                hint=f"once YARN answers, look with: yarn application -list -appTags {mark}",
            ) from error

    def _report_by_driver(self, app_id: str) -> ApplicationReport:
        self.check_reachable()
        client = self._client()
        skein = _skein()
        try:
            found = Background("report of YARN", lambda: client.application_report(app_id)).result(_CALL)
        except ValueError as error:
            raise ApplicationNotFound(f"YARN does not know {app_id}") from error
        except skein.exceptions.SkeinError as error:
            raise ClusterUnavailable(f"YARN cannot be asked for {app_id}: {short(error)}") from error
        record = {
            "id": app_id,
            "name": found.name,
            "user": found.user,
            "queue": found.queue,
            "state": str(found.state),
            "finalStatus": str(found.final_status),
            "diagnostics": found.diagnostics,
            "trackingUrl": found.tracking_url,
            "startedTime": found.start_time.timestamp() * 1000 if found.start_time else 0,
            "finishedTime": found.finish_time.timestamp() * 1000 if found.finish_time else 0,
        }
        return resource_manager.to_report(record)

    def _client(self) -> Any:
        self.warm_up()
        assert self._driver is not None
        return self._driver.result(_DRIVER_START)

    def _start_driver(self) -> Any:
        # The loopback connection to the driver must not go through a proxy of the environment.
        os.environ["no_grpc_proxy"] = "127.0.0.1,localhost"  # noqa: SIM112 - grpc reads it in lower case
        check_programs(os.environ)
        skein = _skein()
        with translated(skein, "skein's driver cannot be started"), _told_by_programs():
            return _quiet(skein.Client)(
                security=skein.Security.new_credentials(),
                log=False,
                log_level="WARN",
                java_options=f"{_java_options(os.environ)} {self._mark}",
                **_identity(self._login),
            )


def container_manager(job: JobSpec, attempt: int) -> SkeinContainerManager:
    """The containers of the application that this process is the ApplicationMaster of."""
    return SkeinContainerManager(_skein(), job, attempt)


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
    deadline = time.monotonic() + _DRIVER_END
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
        process.wait(_DRIVER_END)
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


def _submit(client: Any, spec: Any) -> str:
    try:
        return str(client.submit(spec))
    except ValueError as error:  # what skein finds wrong itself, such as GPUs that the cluster does not know
        raise ClusterError(f"the application cannot be submitted: {short(error)}") from error


def _identity(login: Login | None) -> dict[str, str]:
    """How the driver logs in; without a keytab it finds the ticket cache itself."""
    return {"keytab": login.keytab, "principal": login.principal} if login and login.keytab else {}


def _java_options(environ: Mapping[str, str]) -> str:
    """Java does not look at KRB5_CONFIG, which everything else here obeys."""
    conf = environ.get("KRB5_CONFIG")
    return f"{_DRIVER_JAVA} -Djava.security.krb5.conf={conf}" if conf else _DRIVER_JAVA


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


@functools.cache
def _skein() -> Any:
    with without_distutils():
        import skein

    return skein
