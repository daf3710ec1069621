"""What a signal to the client does: ask, kill the application, or leave it alone."""

from __future__ import annotations

import signal
import time

from xlearning.client.console import Console
from xlearning.client.following.watch import Watcher
from xlearning.cluster.base import ClusterClient
from xlearning.cluster.exit_words import killed_by
from xlearning.errors import ClusterError
from xlearning.job import JobSpec

_ANSWER = 5.0  # seconds for an answer; without one the client leaves, which harms nothing
_KILL_PATIENCE = 30.0  # seconds that the ApplicationMaster gets to end the application by itself
_KILL, _LEAVE, _NOTHING = "k", "d", ""


class Detached(Exception):
    """The client leaves, the application goes on."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


class Stopper:
    """Decides what signals mean, and sees to it that a kill is one.

    Parameters
    ----------
    kill_on_exit : bool
        Never leave the application alone, and never ask.
    bystander : bool
        Always leave it alone, and never ask.
    """

    def __init__(
        self,
        job: JobSpec,
        cluster: ClusterClient,
        watcher: Watcher,
        console: Console,
        *,
        kill_on_exit: bool = False,
        bystander: bool = False,
    ) -> None:
        self._job, self._cluster, self._watcher, self._console = job, cluster, watcher, console
        self._kill_on_exit, self._bystander = kill_on_exit, bystander
        self._signals = 0  # that meant a kill
        self._sent: float | None = None
        self._why = "xl-submit ended"

    def signal(self, signum: int) -> None:
        """A signal has come.

        Raises
        ------
        Detached
            The client is to leave.
        """
        if self._bystander:
            raise Detached(signum)
        name = signal.Signals(signum).name
        self._why = f"{name} to xl-submit"
        if self._kill_on_exit:
            self._signals += 1
            self._kill_for_sure(signum, name)
            return
        if self._signals or signum == signal.SIGHUP:
            raise Detached(signum)
        if signum == signal.SIGINT and self._console.interactive:
            answer = self._asked()
            if answer in (_LEAVE, _NOTHING):
                raise Detached(signum)
            if answer != _KILL:
                self._console.info("Following on; Ctrl-C asks again")
                return
        self._signals += 1
        self._console.info(f"{name}: killing {self._job.app_id} (once more ends xl-submit alone)")
        self._kill()

    def tick(self) -> None:
        """See whether the application has taken too long to end."""
        if self._sent is not None and time.monotonic() - self._sent > _KILL_PATIENCE:
            self._console.info("still not ended: killing it by force")
            self.by_force()

    def by_force(self) -> None:
        """Kill through the back end; where that fails it is tried again after a while."""
        self._sent = time.monotonic()
        try:
            self._cluster.kill(self._job.app_id, killed_by(self._job.user, self._why))
        except ClusterError as error:
            self._console.info(f"not killed, trying again in {_KILL_PATIENCE:g} s: {error.message}")

    def _kill_for_sure(self, signum: int, name: str) -> None:
        """The first signal asks the ApplicationMaster, the second one kills by force, the third leaves."""
        if self._signals == 1:
            self._console.info(
                f"{name}: killing {self._job.app_id} (--kill-on-exit), and waiting for its end"
            )
            self._kill()
        elif self._signals == 2:
            self._console.info(f"{name}: killing it by force (once more ends xl-submit alone)")
            self.by_force()
        else:
            raise Detached(signum)

    def _kill(self) -> None:
        try:
            refusal = self._watcher.kill(self._job.user, self._why)
        except ClusterError:
            self.by_force()
            return
        if refusal:
            self._console.info(f"not killed: {refusal}")
        else:
            self._sent = time.monotonic()

    def _asked(self) -> str:
        """The key that was pressed; a second Ctrl-C is one that leaves."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return self._console.ask(
                f"{self._job.app_id} still runs: [k]ill it, [d]etach (in {_ANSWER:g} s), "
                "any other key follows on? ",
                _ANSWER,
            )
        except KeyboardInterrupt:
            return _LEAVE
        finally:
            signal.signal(signal.SIGINT, before)
