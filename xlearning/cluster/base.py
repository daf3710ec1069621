"""The two sides of a back end: the client's and the ApplicationMaster's.

`ClusterClient` submits and watches applications; `ContainerManager` gets and gives back
containers inside one. Neither decides anything: policy is in ``xlearning.am.core``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from xlearning.fs.base import split_uri
from xlearning.job import AppState, JobSpec, RoleSpec, Snapshot

# Names of the variables by which a back end tells an ApplicationMaster or an agent who it is.
ENV_APP_ID = "XLEARNING_APP_ID"
ENV_ATTEMPT = "XLEARNING_ATTEMPT"  # 1, 2, ...
ENV_STAGING = "XLEARNING_STAGING"  # URI of <staging>/<application id>
ENV_CONTAINER_ID = "CONTAINER_ID"
ENV_ROLE = "XLEARNING_ROLE"
ENV_LOG_DIR = "XLEARNING_LOG_DIR"
ENV_CREDENTIALS = "XLEARNING_CREDENTIALS"  # folder with tls.crt and tls.key
ENV_OWN_FILES = "XLEARNING_OWN_FILES"  # for programs of ours: see `xlearning.job.LaunchSpec.own_files`
ENV_HOST = "XLEARNING_HOST"  # the address others reach this container's host by
ENV_FILE_SYSTEMS = "XLEARNING_FILE_SYSTEMS"  # URIs, separated by spaces; on secure clusters
ENV_VIEWERS = "XLEARNING_VIEWERS"  # who may open the page, separated by spaces; unset: everybody
ENV_BACKEND = "XLEARNING_BACKEND"  # "local" or "yarn"
ENV_TLS = "XLEARNING_TLS"  # the agent reads or writes through libraries that need Python's ssl

_WITHOUT_TLS = ("", "file", "hdfs", "viewfs")


def needs_tls(job: JobSpec) -> bool:
    """Whether the job's data is on file systems whose libraries need Python's ssl."""
    places = [
        *(pattern for one in job.inputs for pattern in one.patterns),
        *(one.remote for one in job.outputs),
    ]
    return any(split_uri(place)[0] not in _WITHOUT_TLS for place in places)


@dataclass(frozen=True)
class ApplicationReport:
    """What the back end knows of an application.

    Attributes
    ----------
    diagnostics : str
        Why it ended, in words; short cause first.
    queue : str
        Of YARN; empty on this machine, and where YARN does not tell.
    """

    app_id: str
    name: str
    user: str
    state: AppState
    diagnostics: str = ""
    tracking_url: str = ""
    attempt: int = 0
    submitted: float = 0.0
    finished: float | None = None
    app_type: str = ""
    queue: str = ""

    @classmethod
    def of(cls, snapshot: Snapshot) -> ApplicationReport:
        """The report of an application of which only its last snapshot is known."""
        return cls(
            app_id=snapshot.app_id,
            name=snapshot.app_name,
            user=snapshot.user,
            state=snapshot.state,
            diagnostics=snapshot.reason,
            attempt=snapshot.attempt,
            submitted=snapshot.submitted,
            finished=snapshot.finished,
            app_type=snapshot.app_type,
        )


@dataclass(frozen=True)
class KnownContainer:
    """A container as the back end knows it, without its program's state.

    Attributes
    ----------
    state : str
        In the back end's words; empty where it does not tell.
    web : str
        URL of its NodeManager's web service; empty where there is none or it is not known.
    master : bool
        Whether it is that of an ApplicationMaster.
    role : str
        Empty where it is not known.
    """

    id: str
    host: str
    state: str
    web: str
    master: bool
    role: str = ""


class ClusterClient(Protocol):
    """The gateway's side of a back end, once an application is submitted.

    How one is submitted differs: the local back end takes an id before the staging folder is
    written, YARN gives one only at submission.
    """

    def report(self, app_id: str) -> ApplicationReport:
        """Current report; `xlearning.errors.ApplicationNotFound` for an unknown id."""

    def kill(self, app_id: str, why: str = "") -> None:
        """End the application by force, with all of its containers.

        ``why`` becomes what its report says, as far as the back end can carry it; see `exit_words.killed_by`.
        """

    def list(self) -> Sequence[ApplicationReport]:
        """The caller's applications, newest first."""

    def logs(self, app_id: str, container_id: str) -> Mapping[str, str]:
        """Log files of a container: name -> path or URL."""

    def waiting(self, app_id: str) -> str:
        """Why an application that runs does not get its containers; empty where nobody knows."""


@dataclass(frozen=True)
class GrantedContainer:
    """A container that the back end has started (its agent will call)."""

    id: str
    role: str
    host: str
    log_url: str = ""


@dataclass(frozen=True)
class CompletedContainer:
    """A container that has ended, with the back end's own words about it.

    ``lost`` says that its node is gone: the processes may still run.
    """

    id: str
    exit_code: int | None
    diagnostics: str
    lost: bool = False


@dataclass(frozen=True)
class PollResult:
    """What changed since the last poll, and whether the back end wants the application to stop."""

    granted: tuple[GrantedContainer, ...] = ()
    completed: tuple[CompletedContainer, ...] = ()
    stop: str = ""


@dataclass(frozen=True)
class LogChunk:
    """A piece of a log file: bytes from ``offset``; ask again from ``next_offset``."""

    text: str
    offset: int
    next_offset: int
    size: int


class ContainerManager(Protocol):
    """The ApplicationMaster's side of a back end. Calls may block; the runtime puts them in threads."""

    @property
    def poll_interval(self) -> float:
        """Seconds between two polls that this back end finds reasonable."""

    def poll(self) -> PollResult:
        """Changes since the last call."""

    def request(self, role: RoleSpec, count: int) -> None:
        """Ask for ``count`` more containers of a role."""

    def release(self, container_id: str) -> None:
        """Give a container back; its processes get TERM, then KILL."""

    def kill(self, container_id: str) -> None:
        """End a container at once."""

    def register_page(self, port: int, path: str) -> str:
        """Publish the page that listens on loopback at ``port`` below ``path``; its address for users."""

    def progress(self, fraction: float) -> None:
        """Tell the back end how far the job is (0..1)."""

    def log_files(self, container_id: str) -> Mapping[str, int]:
        """Readable log files of a container: name -> size in bytes; empty where logs are elsewhere."""

    def read_log(self, container_id: str, name: str, offset: int, limit: int) -> LogChunk:
        """A piece of one of `log_files`; `FileNotFoundError` for another name."""

    def finish(self, state: AppState, diagnostics: str, *, retry: bool) -> bool:
        """Report the end. With ``retry`` the back end may start the next attempt.

        Returns
        -------
        bool
            Whether it starts the next attempt in any case, which then must say the same once more.
        """

    def close(self) -> None:
        """The very last call, when nothing is left to be done; the process may be ended by it."""
