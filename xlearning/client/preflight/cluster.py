"""What a cluster has to say to a job, asked while the job is planned: HDFS and YARN side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from xlearning.client.planning.resources import Shipped
from xlearning.client.preflight import containers, folders, queues, shipped, texts
from xlearning.client.preflight.yarn import fit
from xlearning.client.problems import Problem, unanswered
from xlearning.cluster.background import Background
from xlearning.cluster.login import Login, lifetime
from xlearning.cluster.skein import SkeinCluster
from xlearning.cluster.skein_driver import check_programs
from xlearning.cluster.yarn_facts import Facts
from xlearning.config import Config
from xlearning.errors import ClusterError, ClusterUnavailable, CredentialsError, StorageError
from xlearning.fs import FileSystems
from xlearning.job import JobSpec
from xlearning.units import format_duration

LIFETIME = "xlearning.kerberos.min.lifetime"
_YARN = 10.0  # seconds for all that the ResourceManager's web service is asked
_ALL = 20.0  # seconds after which something is told, whatever hangs


class ClusterPreflight:
    """Questions to one cluster about one job; the first ones are asked at once.

    Parameters
    ----------
    skein : SkeinCluster
    config : Config
    fss : FileSystems
        Those of the plan. One that does not answer is given up.
    user : str
        Who submits, as the cluster calls them.
    login : Login or None
        Who that is on a secure cluster.
    refused : CredentialsError, optional
        Why there is no login; then nothing of the cluster is asked.
    """

    def __init__(
        self,
        skein: SkeinCluster,
        config: Config,
        fss: FileSystems,
        user: str,
        login: Login | None,
        refused: CredentialsError | None = None,
    ) -> None:
        self._config, self._fss, self._user, self._login = config, fss, user, login
        self.limits = Facts().limits
        self.silent: ClusterError | None = None
        if refused is not None:
            self.silent = ClusterUnavailable(refused.message, hint=refused.hint)
            fss.give_up(fss.default_uri, refused)
            return
        home = fss.resolve("")  # the root of a view answers without any HDFS
        self._storage = Background("HDFS", lambda: fss.of(home).stat(home))
        self._alive = Background("YARN", skein.check_reachable)
        self._facts = Background("YARN's web service", skein.facts)

    def reach(self) -> list[Problem]:
        """Wait until HDFS and YARN have answered; what does not answer, or lets nobody in, is a problem."""
        if self.silent is not None:
            return [Problem(self.silent.message, self.silent.hint or "")]
        found: list[Problem] = []
        try:
            self._storage.result(_ALL)
        except StorageError as error:
            unanswered(self._fss.default_uri, error, self._fss, found)
        except (OSError, ClusterUnavailable):
            pass  # it answers, if not to this question; or it is slower than xlearning.fs.timeout allows
        try:
            self._alive.result(_ALL)
        except ClusterUnavailable as error:
            self.silent = error
            found.append(Problem(error.message, error.hint or ""))
        return found

    def check(
        self, job: JobSpec, items: Sequence[Shipped], staging: str, history: str, notes: list[str]
    ) -> list[Problem]:
        """Everything that would fail later; what was decided for the user goes to ``notes``.

        Parameters
        ----------
        staging, history : str
            URIs of the folders of all applications.
        """
        found = [*_programs(), *self._ticket(), *shipped.check(items, on_yarn=True)]
        found += texts.check(job, self._config)
        if self.silent is None:
            self._yarn(job, found, notes)
        fss, user = self._fss, self._user
        outputs = [output.remote for output in job.outputs]
        folders.check_not_ours(outputs, (staging,), found)
        found += side_by_side(
            lambda told: folders.check_home(fss.resolve(""), fss, user, told),
            lambda told: folders.check_folder(folders.STAGING, staging, fss, user, told),
            lambda told: folders.check_outputs(outputs, fss, user, told),
            lambda _: folders.check_history(history, fss, user, notes),
        )
        return found

    def _ticket(self) -> list[Problem]:
        wanted, login = self._config.get(LIFETIME), self._login
        left = lifetime(login) if login else None
        if login is None or left is None or left >= wanted:
            return []
        return [
            Problem(
                f"the Kerberos ticket of {login.principal} ends in {format_duration(left)}, and "
                f"{LIFETIME} asks for {format_duration(wanted)}",
                "run kinit again, or give --keytab and --principal",
            )
        ]

    def _yarn(self, job: JobSpec, found: list[Problem], notes: list[str]) -> None:
        try:
            facts = self._facts.result(_YARN)
        except ClusterError as error:
            notes.append(f"queue and limits of the cluster are not checked: {error.message}")
            return
        self.limits = facts.limits
        queue = queues.find(self._config, facts)
        queues.check(self._config, facts, self._user, found, notes)
        found += queues.check_labels(job, self._config, facts, queue)
        found += containers.check(job, self._config, facts, queue)
        notes += fit(job, self._config, facts.limits)[1]


def _programs() -> Iterator[Problem]:
    try:
        check_programs(os.environ)
    except ClusterError as error:
        yield Problem(error.message, error.hint or "")


def side_by_side(*checks: Callable[[list[Problem]], None]) -> list[Problem]:
    """The problems of several checks that wait for answers, in the order of the checks."""
    told: list[list[Problem]] = [[] for _ in checks]
    with ThreadPoolExecutor(len(checks)) as pool:
        for done in [pool.submit(check, own) for check, own in zip(checks, told, strict=True)]:
            done.result()
    return [problem for own in told for problem in own]
