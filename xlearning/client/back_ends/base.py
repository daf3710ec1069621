"""What a submission asks of the place where its job will run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from xlearning.client.console import Console
from xlearning.client.planning.plan import Plan
from xlearning.client.planning.resources import Shipped
from xlearning.client.problems import Problem
from xlearning.cluster.base import ApplicationReport, ClusterClient
from xlearning.config import Config
from xlearning.fs import FileSystems
from xlearning.job import JobSpec

if TYPE_CHECKING:
    from xlearning.client.verbs.log_sources import LogSource


class BackEnd(Protocol):
    """A place for jobs.

    Attributes
    ----------
    cluster : ClusterClient
        For reports and kills.
    default_fs : str
        File system of paths without a scheme.
    user : str
        Who submits, as the cluster calls them.
    name : str
        ``local`` or ``yarn``.
    """

    cluster: ClusterClient
    default_fs: str
    user: str
    name: str

    def staging_root(self, config: Config, fss: FileSystems) -> str:
        """URI of the folder of all staging folders."""

    def warm_up(self) -> None:
        """Begin what takes time and will be needed."""

    def reach(self, config: Config, fss: FileSystems) -> list[Problem]:
        """Whether the back end is there at all; begins to ask what `preflight` needs. Comes first."""

    def report(self, app_id: str) -> ApplicationReport:
        """How an application stands; `ClusterUnavailable` at once where `reach` has failed."""

    def preflight(
        self, config: Config, fss: FileSystems, job: JobSpec, shipped: Sequence[Shipped], notes: list[str]
    ) -> list[Problem]:
        """What the back end would refuse; what was decided for the user goes to ``notes``."""

    def prepare(self, plan: Plan, config: Config, fss: FileSystems, console: Console) -> None:
        """What may take long and can be interrupted."""

    def start(
        self, plan: Plan, config: Config, fss: FileSystems, now: float, check: Callable[[], None]
    ) -> JobSpec:
        """Stage and submit; the job as staged. Nothing is left, or runs, when that fails.

        ``check`` is called while the answer is waited for; what it raises ends that.
        """

    def started(self, app_id: str, config: Config, console: Console) -> None:
        """What can only be asked for once the application is there. Nothing depends on it."""

    def log_source(self, app_id: str) -> LogSource:
        """Logs of a running application."""

    def describe(self, plan: Plan, config: Config, fss: FileSystems) -> str:
        """What would be submitted, for people to read; empty where the plan has said it all."""

    def sweep(self, fss: FileSystems, console: Console) -> None:
        """Remove what the back end itself left of the user's applications that have ended."""

    def tidy(self, app_id: str, fss: FileSystems, console: Console) -> None:
        """The same for one application that has just ended."""

    def close(self) -> None:
        """Give back what `warm_up` began."""
