"""A thread that turns long polls of the ApplicationMaster into events on a queue."""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass

from xlearning.client.session import AmAddress, AmConnection, find_am, load_grpc, read_credentials
from xlearning.errors import ClusterUnavailable, XLearningError
from xlearning.fs import FileSystems
from xlearning.job import Snapshot

_LONG_POLL = 10.0  # seconds
_AFTER_THE_LAST = 0.1  # seconds between two looks at whether the ApplicationMaster is gone
_RETRY = 0.5  # seconds between two tries to reach an ApplicationMaster that does not answer


@dataclass(frozen=True)
class Lost:
    """The ApplicationMaster cannot be reached at the moment."""

    reason: str


@dataclass(frozen=True)
class Interrupt:
    """A signal reached the client."""

    signum: int


Event = Snapshot | Lost | Interrupt


class Watcher:
    """Watches one application from its submission on.

    Parameters
    ----------
    staging : str
        URI of the application's staging folder.
    inbox : queue
        Where snapshots and losses go.
    owner : str, optional
        Whose that folder must be; None where this process has made it.
    """

    def __init__(
        self,
        fss: FileSystems,
        staging: str,
        inbox: queue.SimpleQueue[Event],
        owner: str | None = None,
    ) -> None:
        self._fss, self._owner = fss, owner
        self._staging = staging
        self._inbox = inbox
        self._poll = 0.02 if staging.startswith("file:") else 0.5
        self._stop = threading.Event()
        self._connection: AmConnection | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="watch-am", daemon=True)

    @property
    def connected(self) -> bool:
        """Whether news arrive by themselves."""
        return self._connection is not None

    def start(self) -> None:
        """Begin to look for the ApplicationMaster."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread and its connection."""
        self._stop.set()
        with self._lock:
            if self._connection is not None:
                self._connection.close()
        self._thread.join()

    def kill(self, user: str, reason: str) -> str:
        """Ask the ApplicationMaster to end the application; see `AmConnection.kill`.

        Raises
        ------
        xlearning.errors.ClusterUnavailable
            There is no connection, or no answer.
        """
        connection = self._connection
        if connection is None:
            raise ClusterUnavailable("the ApplicationMaster cannot be reached")
        return connection.kill(user, reason)

    def _run(self) -> None:
        load_grpc()
        credentials: tuple[bytes, bytes] | None = None
        tried: AmAddress | None = None
        while not self._stop.is_set():
            try:
                target = find_am(self._fss, self._staging, self._owner)
                if target is not None:
                    credentials = credentials or read_credentials(self._fss, self._staging)
                    tried, again = target, target == tried
                    if again and self._stop.wait(_RETRY):
                        return
                    self._follow(target, credentials)
            except FileNotFoundError:
                target = None  # staging is cleaned up: the application has ended
            except (XLearningError, OSError) as error:
                self._inbox.put(Lost(str(getattr(error, "message", error))))
            self._stop.wait(self._poll)

    def _follow(self, target: AmAddress, credentials: tuple[bytes, bytes]) -> None:
        """Hand on snapshots until the connection breaks, which raises."""
        connection = AmConnection(target, *credentials)
        try:
            version, wait = 0, 0.0
            while not self._stop.is_set():
                snapshot = connection.status(version, wait)
                if self._connection is None and not self._publish(connection):
                    return
                if snapshot.version != version or not wait:
                    self._inbox.put(snapshot)
                version, wait = snapshot.version, _LONG_POLL
                if snapshot.state.final:  # from now on every question is answered at once
                    self._stop.wait(_AFTER_THE_LAST)
        finally:
            with self._lock:
                self._connection = None
            connection.close()

    def _publish(self, connection: AmConnection) -> bool:
        """Let others use the connection; False when the watcher was stopped meanwhile."""
        with self._lock:
            if self._stop.is_set():
                return False
            self._connection = connection
            return True
