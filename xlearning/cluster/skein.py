"""YARN through skein, both sides: submit and kill on the gateway, containers inside the ApplicationMaster.

The one door to skein. Nothing is decided here. The gateway's side starts a JVM only for what YARN's
web service cannot do without a login.
"""

from __future__ import annotations

import dataclasses
import functools
import uuid
from collections.abc import Callable, Mapping, Sequence
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
from xlearning.cluster.skein_driver import Driver
from xlearning.cluster.skein_spec import local_bytes, readable, specification
from xlearning.cluster.yarn_facts import Facts
from xlearning.cluster.yarn_script import Launch, NodePackage
from xlearning.config.confidential import hide
from xlearning.errors import ApplicationNotFound, ClusterError, ClusterUnavailable
from xlearning.job import JobSpec

_CALL, _SUBMIT = 20.0, 60.0  # seconds
_UNDO = 3.0  # seconds for a submission that is given up to come to an end, so that skein tidies up after it
_UPLOAD_RATE = 2e6  # bytes per second; the slowest upload of the user's files that is waited for


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
        self._site, self._user = site, user
        self._web = ResourceManagerWeb(site)
        self._driver = Driver(_skein, login)
        self._security: Any = None  # of the application that was submitted last

    def warm_up(self) -> None:
        """Begin to start the driver JVM, which takes seconds, beside other work."""
        self._driver.warm_up()

    def release_driver(self) -> None:
        """Let the driver JVM leave, without waiting. It is started again when it is needed."""
        self._driver.release()

    def close(self) -> None:
        """End the driver JVM; it is gone soon afterwards at the latest."""
        self._driver.close()

    def check_reachable(self) -> None:
        """`ClusterUnavailable` when no ResourceManager can be connected to; takes seconds at most."""
        resource_manager.check_reachable(self._site)

    def asks_who(self) -> bool:
        """Whether YARN's web pages want a login, see `ResourceManagerWeb.asks_who`."""
        return self._web.asks_who()

    @property
    def driver_starts(self) -> bool:
        """Whether `await_driver` would wait."""
        return self._driver.starts

    def await_driver(self) -> None:
        """Wait for what `warm_up` began; `ClusterError` when the driver cannot be started."""
        self._driver.client()

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
        client = self._driver.client()
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
        client = self._driver.client()
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
        client = self._driver.client()
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


def container_manager(job: JobSpec, attempt: int) -> SkeinContainerManager:
    """The containers of the application that this process is the ApplicationMaster of."""
    return SkeinContainerManager(_skein(), job, attempt)


def _submit(client: Any, spec: Any) -> str:
    try:
        return str(client.submit(spec))
    except ValueError as error:  # what skein finds wrong itself, such as GPUs that the cluster does not know
        raise ClusterError(f"the application cannot be submitted: {short(error)}") from error


@functools.cache
def _skein() -> Any:
    with without_distutils():
        import skein

    return skein
