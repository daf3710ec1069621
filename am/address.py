"""Where the clients find an attempt: a file in the staging folder of its job."""

from __future__ import annotations

import json
import threading

from xlearning.fs import FileSystems
from xlearning.fs.base import join


class Address:
    """The address file of one attempt, ``am-<attempt>.json``.

    Parameters
    ----------
    staging : str
        URI of the job's staging folder.

    Attributes
    ----------
    rpc : str
        host:port of the gRPC service.
    started : float
        Start of the attempt in seconds since 1970.
    page : str
        URL of the job page; empty until it is known.
    """

    def __init__(self, storage: FileSystems, staging: str, attempt: int) -> None:
        self._storage, self._staging, self._attempt = storage, staging, attempt
        self._lock = threading.Lock()
        self.rpc = self.page = ""
        self.started = 0.0

    def write(self) -> None:
        """Publish what is known by now, in one step for those who read; may be repeated."""
        fs = self._storage.of(self._staging)
        final = join(self._staging, f"am-{self._attempt}.json")
        draft = f"{final}.tmp"
        with self._lock:  # what is read after the wait is the newest, so no late writer takes it back
            content = {
                "address": self.rpc,
                "attempt": self._attempt,
                "started": self.started,
                "page": self.page,
            }
            with fs.open_write(draft, overwrite=True) as stream:
                stream.write(json.dumps(content).encode())
            fs.replace(draft, final)
