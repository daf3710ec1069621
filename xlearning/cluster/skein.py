"""YARN through skein, both sides: submit and kill on the gateway, containers inside the ApplicationMaster.

The one door to skein. Nothing is decided here. The gateway's side starts a JVM only for what YARN's
web service cannot do without a login.
"""

from __future__ import annotations

import functools
import os
import shutil
import types
from collections.abc import Mapping, Sequence
from typing import Any

from xlearning.cluster import resource_manager
from xlearning.cluster.background import Background
from xlearning.cluster.base import (
    ApplicationReport,
    CompletedContainer,
    GrantedContainer,
    LogChunk,
    PollResult,
)
from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.cluster.loose_version import without_distutils
from xlearning.cluster.plain_names import PlainNames
from xlearning.cluster.resource_manager import ResourceManagerWeb
from xlearning.cluster.skein_spec import local_bytes, specification
from xlearning.cluster.yarn_script import Launch
from xlearning.errors import ApplicationNotFound, ClusterError, ClusterUnavailable
from xlearning.job import AppState, JobSpec, RoleSpec

_DRIVER_START, _CALL, _SUBMIT = 60.0, 20.0, 60.0  # seconds
_UPLOAD_RATE = 2e6  # bytes per second; the slowest upload of the user's files that is waited for
_DRIVER_JAVA = "-Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
_PAGE = "job"
_ENDED = ("SUCCEEDED", "FAILED", "KILLED")
_STARTED = ("RUNNING", *_ENDED)


class SkeinCluster:
    """Applications on YARN; implements `xlearning.cluster.base.ClusterClient`.

    Parameters
    ----------
    site : HadoopSite
    user : str
        Whose applications `list` shows.
    """

    def __init__(self, site: HadoopSite, user: str) -> None:
        self._site, self._user = site, user
        self._web = ResourceManagerWeb(site)
        self._driver: Background[Any] | None = None
        self._security: Any = None

    def warm_up(self) -> None:
        """Begin to start the driver JVM, which takes seconds, beside other work."""
        if self._driver is None:
            self._driver = Background("start of skein's driver", self._start_driver)

    def close(self) -> None:
        """End the driver JVM. It is started again when it is needed."""
        driver, self._driver = self._driver, None
        if driver is not None:
            driver.cancel(lambda client: client.close())

    def retire(self) -> None:
        """The same beside other work: the end of a JVM takes half a second."""
        driver, self._driver = self._driver, None
        if driver is not None:
            Background("end of skein's driver", lambda: driver.cancel(lambda client: client.close()))

    def check_reachable(self) -> None:
        """`ClusterUnavailable` when no ResourceManager can be connected to; takes seconds at most."""
        resource_manager.check_reachable(self._site)

    def await_driver(self) -> None:
        """Wait for what `warm_up` began; `ClusterError` when the driver cannot be started."""
        self._client()

    def submit_archive(self, job: JobSpec, archive: str, launch: Launch) -> str:
        """Start an application and return its id. Its processes wait for ``<staging root>/<id>``.

        Parameters
        ----------
        job : JobSpec
            As planned; resources of this machine are uploaded.
        archive : str
            URI of our package for the nodes, a ``.tar.gz``.

        Raises
        ------
        ClusterUnavailable
            YARN does not answer.
        ClusterError
            It refused the application.
        """
        client = self._client()
        skein = _skein()
        with PlainNames() as names, _translated(skein, "the application cannot be submitted"):
            sources = {resource.name: names.of(resource) for resource in job.resources}
            spec = specification(skein, job, sources, archive, launch, self._security)
            return Background("submission to YARN", lambda: str(client.submit(spec))).result(
                _SUBMIT + local_bytes(job) / _UPLOAD_RATE
            )

    def credentials(self) -> tuple[bytes, bytes]:
        """Certificate and key (PEM) of the applications that this object submits."""
        self._client()
        return self._security._get_bytes("cert"), self._security._get_bytes("key")

    def report(self, app_id: str) -> ApplicationReport:
        """How an application stands."""
        try:
            return self._web.report(app_id)
        except resource_manager.Refused:
            return self._report_by_driver(app_id)

    def kill(self, app_id: str) -> None:
        """End an application by force."""
        self.check_reachable()
        client = self._client()
        with _translated(_skein(), f"{app_id} cannot be killed"):
            Background("kill on YARN", lambda: client.kill_application(app_id)).result(_CALL)

    def list(self) -> Sequence[ApplicationReport]:
        """The user's applications, newest first."""
        return self._web.list(self._user)

    def logs(self, app_id: str, container_id: str) -> Mapping[str, str]:
        """The command that shows the logs of a container."""
        which = f" -containerId {container_id}" if container_id else ""
        return {"of the container" if which else "files": f"yarn logs -applicationId {app_id}{which}"}

    def _report_by_driver(self, app_id: str) -> ApplicationReport:
        self.check_reachable()
        client = self._client()
        skein = _skein()
        try:
            found = Background("report of YARN", lambda: client.application_report(app_id)).result(_CALL)
        except ValueError as error:
            raise ApplicationNotFound(f"YARN does not know {app_id}") from error
        except skein.exceptions.SkeinError as error:
            raise ClusterUnavailable(f"YARN cannot be asked for {app_id}: {_short(error)}") from error
        record = {
            "id": app_id,
            "name": found.name,
            "user": found.user,
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
        _check_programs(os.environ)
        skein = _skein()
        self._security = self._security or skein.Security.new_credentials()
        with _translated(skein, "skein's driver cannot be started"):
            return skein.Client(
                security=self._security, log=False, log_level="WARN", java_options=_DRIVER_JAVA
            )


class SkeinContainerManager:
    """Containers of the application that this process is the ApplicationMaster of.

    Implements `xlearning.cluster.base.ContainerManager`. The containers of the specification were
    asked for at submission.
    """

    def __init__(self, user: str) -> None:
        self._user = user
        self._skein = _skein()
        with _translated(self._skein, "skein's ApplicationMaster cannot be reached"):
            self._app = self._skein.ApplicationClient.from_current()
        self._names: dict[str, str] = {}  # YARN's id -> skein's
        self._completed: set[str] = set()
        self._end: tuple[AppState, str] | None = None

    @property
    def poll_interval(self) -> float:
        """Seconds between two polls; skein itself hears from YARN once per second at best."""
        return 1.0

    def poll(self) -> PollResult:
        """Containers that YARN started or that ended since the last call."""
        with _translated(self._skein, "skein cannot list the containers"):
            found = self._app.get_containers(states=_STARTED)
        granted, completed = [], []
        for container in found:
            container_id = container.yarn_container_id
            if not container_id:
                continue
            if container_id not in self._names:
                self._names[container_id] = container.id
                granted.append(self._granted(container))
            if str(container.state) in _ENDED and container_id not in self._completed:
                self._completed.add(container_id)
                exit_code = 0 if str(container.state) == "SUCCEEDED" else None
                completed.append(CompletedContainer(container_id, exit_code, container.exit_message or ""))
        return PollResult(tuple(granted), tuple(completed))

    def request(self, role: RoleSpec, count: int) -> None:
        """Ask for ``count`` more containers of a role."""
        with _translated(self._skein, f"no container for {role.name} can be asked for"):
            for _ in range(count):
                self._app.add_container(role.name)

    def release(self, container_id: str) -> None:
        """Give a container back; YARN ends its processes."""
        name = self._names.get(container_id)
        if name is None or container_id in self._completed:
            return
        with _translated(self._skein, f"{container_id} cannot be given back"):
            try:
                self._app.kill_container(name)
            except ValueError:  # it has ended meanwhile
                return

    def kill(self, container_id: str) -> None:
        """End a container at once."""
        self.release(container_id)

    def register_page(self, port: int, path: str) -> str:
        """Publish the page through YARN's proxy; its address there."""
        target = f"http://127.0.0.1:{port}/{path.strip('/')}/"
        with _translated(self._skein, "the page cannot be published"):
            return str(self._app.ui.add_page(_PAGE, target, link_name="Job").address)

    def progress(self, fraction: float) -> None:
        """Tell YARN how far the job is."""
        with _translated(self._skein, "the progress cannot be told"):
            self._app.set_progress(min(1.0, max(0.0, fraction)))

    def log_files(self, container_id: str) -> Mapping[str, int]:  # noqa: ARG002
        """None: YARN serves the logs, see the container's log address."""
        return {}

    def read_log(self, container_id: str, name: str, offset: int, limit: int) -> LogChunk:  # noqa: ARG002
        """Always `FileNotFoundError`, see `log_files`."""
        raise FileNotFoundError(f"logs of {container_id} are with YARN")

    def finish(self, state: AppState, diagnostics: str, *, retry: bool) -> None:
        """Keep the end for `close`: skein ends this process as soon as it is told."""
        self._end = None if retry else (state, diagnostics or f"the job has {state.value.lower()}")

    def close(self) -> None:
        """Tell YARN the end. The last call: TERM follows at once."""
        if self._end is None:
            return
        state, diagnostics = self._end
        with _translated(self._skein, "YARN cannot be told the end"):
            self._app.shutdown(state.value, diagnostics)

    def _granted(self, container: Any) -> GrantedContainer:
        node = container.yarn_node_http_address or ""
        container_id = container.yarn_container_id
        log_url = f"http://{node}/node/containerlogs/{container_id}/{self._user}" if node else ""
        return GrantedContainer(container_id, container.service_name, node.partition(":")[0], log_url)


def _check_programs(environ: Mapping[str, str]) -> None:
    """What skein starts: ``yarn`` for the class path, and Java."""
    home = environ.get("JAVA_HOME")
    for program in ("yarn", f"{home}/bin/java" if home else "java"):
        if shutil.which(program) is None:
            raise ClusterError(
                f"the program {program} is not there",
                hint="YARN needs Hadoop's yarn on PATH, and JAVA_HOME or java on PATH; --local needs neither",
            )


@functools.cache
def _skein() -> Any:
    with without_distutils():
        import skein

    return skein


class _translated:
    """Context: what skein raises becomes one sentence of ours."""

    def __init__(self, skein: Any, what: str) -> None:
        self._skein, self._what = skein, what

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        if isinstance(error, self._skein.exceptions.ConnectionError):
            raise ClusterUnavailable(f"{self._what}: {_short(error)}") from error
        if isinstance(error, self._skein.exceptions.SkeinError):
            raise ClusterError(f"{self._what}: {_short(error)}") from error


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:600] or type(error).__name__
