"""YARN through skein, both sides: submit and kill on the gateway, containers inside the ApplicationMaster.

The one door to skein. Nothing is decided here. The gateway's side starts a JVM only for what YARN's
web service cannot do without a login.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from xlearning.cluster import resource_manager
from xlearning.cluster.background import Background
from xlearning.cluster.base import ApplicationReport
from xlearning.cluster.hadoop_site import HadoopSite
from xlearning.cluster.plain_names import PlainNames
from xlearning.cluster.resource_manager import ResourceManagerWeb
from xlearning.cluster.skein_calls import short, translated
from xlearning.cluster.skein_containers import SkeinContainerManager
from xlearning.cluster.skein_spec import local_bytes, specification
from xlearning.cluster.yarn_script import Launch
from xlearning.errors import ApplicationNotFound, ClusterError, ClusterUnavailable
from xlearning.job import JobSpec

_DRIVER_START, _CALL, _SUBMIT = 60.0, 20.0, 60.0  # seconds
_UPLOAD_RATE = 2e6  # bytes per second; the slowest upload of the user's files that is waited for
_DRIVER_JAVA = "-Xmx128m -XX:+UseSerialGC -XX:TieredStopAtLevel=1"


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
        with PlainNames() as names, translated(skein, "the application cannot be submitted"):
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
        with translated(_skein(), f"{app_id} cannot be killed"):
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
            raise ClusterUnavailable(f"YARN cannot be asked for {app_id}: {short(error)}") from error
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
        with translated(skein, "skein's driver cannot be started"):
            return skein.Client(
                security=self._security, log=False, log_level="WARN", java_options=_DRIVER_JAVA
            )


def container_manager(job: JobSpec, attempt: int) -> SkeinContainerManager:
    """The containers of the application that this process is the ApplicationMaster of."""
    return SkeinContainerManager(_skein(), job, attempt)


def _check_programs(environ: Mapping[str, str]) -> None:
    """What skein starts: ``yarn`` for the class path, and Java."""
    home = environ.get("JAVA_HOME")
    for program in ("yarn", f"{home}/bin/java" if home else "java"):
        if shutil.which(program) is None:
            raise ClusterError(
                f"the program {program} is not there",
                hint="YARN needs Hadoop's yarn on PATH, and JAVA_HOME or java on PATH; --local needs neither",
            )


def _skein() -> Any:
    import skein

    return skein
