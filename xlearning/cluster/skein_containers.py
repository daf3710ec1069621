"""YARN's containers through skein, inside the ApplicationMaster."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from xlearning.cluster import attempts, yarn_words
from xlearning.cluster.base import CompletedContainer, GrantedContainer, LogChunk, PollResult
from xlearning.cluster.page import ROUTE
from xlearning.cluster.skein_calls import translated, with_deadline
from xlearning.config import Config
from xlearning.errors import ClusterUnavailable
from xlearning.job import AppState, JobSpec, RoleSpec

T = TypeVar("T")

_CALL = 15.0  # seconds for one call to skein's JVM beside us
_ENDED = ("SUCCEEDED", "FAILED", "KILLED")
_STARTED = ("RUNNING", *_ENDED)


class SkeinContainerManager:
    """Containers of the application that this process is the ApplicationMaster of.

    Implements `xlearning.cluster.base.ContainerManager`. The containers of the specification were
    asked for at submission, and skein asks for them again in every attempt. An attempt whose memory
    has grown gives them back and takes those of its own services.

    Parameters
    ----------
    skein : module
    job : JobSpec
        As staged.
    attempt : int
    """

    def __init__(self, skein: Any, job: JobSpec, attempt: int) -> None:
        self._skein, self._user, self._attempt = skein, job.user, attempt
        config = Config.from_properties(job.properties)
        self._max_attempts: int = config.get("xlearning.app.max.attempts")
        number = attempts.own_service_attempt(job.roles, config, attempt)
        self._services = {role.name: attempts.service(role.name, number) for role in job.roles}
        self._roles = {service: role for role, service in self._services.items()}
        self._unwanted = {role for role, service in self._services.items() if service != role}
        self._kind = with_deadline(skein.ApplicationClient, _CALL)
        self._lock = threading.Lock()
        self._client: Any = None
        self._app("skein's ApplicationMaster cannot be reached")
        self._names: dict[str, str] = {}  # YARN's id -> skein's
        self._completed: set[str] = set()
        self._end: tuple[AppState, str] | None = None

    @property
    def requested(self) -> bool:
        """Whether the containers of this attempt were asked for at submission."""
        return self._services == {role: role for role in self._services}

    @property
    def poll_interval(self) -> float:
        """Seconds between two polls; skein itself hears from YARN once per second at best."""
        return 1.0

    def poll(self) -> PollResult:
        """Containers that YARN started or that ended since the last call."""
        found = self._call(
            "skein cannot list the containers", lambda app: app.get_containers(states=_STARTED)
        )
        granted, completed = [], []
        for container in found:
            container_id, role = container.yarn_container_id, self._roles.get(container.service_name)
            if not container_id or role is None:
                continue
            if container_id not in self._names:
                self._names[container_id] = container.id
                granted.append(self._granted(container, role))
            if str(container.state) in _ENDED and container_id not in self._completed:
                self._completed.add(container_id)
                exit_code = 0 if str(container.state) == "SUCCEEDED" else None
                completed.append(_completed(container_id, exit_code, container.exit_message or "", role))
        return PollResult(tuple(granted), tuple(completed))

    def request(self, role: RoleSpec, count: int) -> None:
        """Ask for ``count`` more containers of a role."""
        service = self._services[role.name]
        if count > 0:  # skein takes 0 for "remove them all"
            what = f"no container for {role.name} can be asked for"
            self._call(what, lambda app: app.scale(service, delta=count))
        if role.name in self._unwanted:
            # after the request: as long as one is open, skein asks YARN every second and not every five
            what = f"containers for {role.name} with less memory cannot be given back"
            self._call(what, lambda app: app.scale(role.name, count=0))
            self._unwanted.discard(role.name)

    def release(self, container_id: str) -> None:
        """Give a container back; YARN ends its processes."""
        name = self._names.get(container_id)
        if name is None or container_id in self._completed:
            return
        try:
            self._call(f"{container_id} cannot be given back", lambda app: app.kill_container(name))
        except ValueError:  # it has ended meanwhile
            return

    def kill(self, container_id: str) -> None:
        """End a container at once."""
        self.release(container_id)

    def register_page(self, port: int, path: str) -> str:
        """Publish the page through YARN's proxy; its address there."""
        target = f"http://127.0.0.1:{port}/{path.strip('/')}/"

        def publish(app: Any) -> str:
            return str(app.ui.add_page(ROUTE, target, link_name="Job").address)

        return self._call("the page cannot be published", publish)

    def progress(self, fraction: float) -> None:
        """Tell YARN how far the job is."""
        bounded = min(1.0, max(0.0, fraction))
        self._call("the progress cannot be told", lambda app: app.set_progress(bounded))

    def log_files(self, container_id: str) -> Mapping[str, int]:  # noqa: ARG002
        """None: YARN serves the logs, see the container's log address."""
        return {}

    def read_log(self, container_id: str, name: str, offset: int, limit: int) -> LogChunk:  # noqa: ARG002
        """Always `FileNotFoundError`, see `log_files`."""
        raise FileNotFoundError(f"logs of {container_id} are with YARN")

    def finish(self, state: AppState, diagnostics: str, *, retry: bool) -> bool:
        """Keep the end for `close`: skein ends this process as soon as it is told.

        While there are attempts left, skein's JVM leaves without a word to YARN unless the job has
        succeeded, and YARN starts the next attempt whatever the end was.
        """
        self._end = None if retry else (state, diagnostics or f"the job has {state.value.lower()}")
        return state is not AppState.SUCCEEDED and self._attempt < self._max_attempts

    def close(self) -> None:
        """Tell YARN the end. The last call: TERM follows at once."""
        if self._end is not None:
            state, diagnostics = self._end
            self._call("YARN cannot be told the end", lambda app: app.shutdown(state.value, diagnostics))

    def _granted(self, container: Any, role: str) -> GrantedContainer:
        node = container.yarn_node_http_address or ""
        container_id = container.yarn_container_id
        log_url = f"http://{node}/node/containerlogs/{container_id}/{self._user}" if node else ""
        return GrantedContainer(container_id, role, node.partition(":")[0], log_url)

    def _call(self, what: str, use: Callable[[Any], T]) -> T:
        app = self._app(what)
        try:
            with translated(self._skein, what):
                return use(app)
        except ClusterUnavailable:
            self._forget(app)
            raise

    def _app(self, what: str) -> Any:
        with self._lock, translated(self._skein, what):
            if self._client is None:
                self._client = self._kind.from_current()
            return self._client

    def _forget(self, app: Any) -> None:
        """After a broken connection the next call makes a new one: skein's own may hang for good."""
        with self._lock:
            if self._client is app:
                self._client = None
        app.close()


def _completed(container_id: str, exit_code: int | None, message: str, role: str) -> CompletedContainer:
    words = yarn_words.container_end(message, role)
    return CompletedContainer(container_id, exit_code, words, yarn_words.is_lost(message))
