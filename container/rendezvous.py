"""Where the ApplicationMaster is: the file that it writes into the staging folder."""

from __future__ import annotations

import logging
from collections.abc import Callable

from xlearning import jsonfile
from xlearning.errors import XLearningError
from xlearning.fs.base import FileSystem, exists, join

log = logging.getLogger(__name__)


class Fenced(Exception):
    """A newer attempt of the application has begun; this container belongs to the past."""


class Over(Exception):
    """The application has ended: what it had in its staging folder is gone."""


class Rendezvous:
    """Looks for the ApplicationMaster of one attempt.

    Parameters
    ----------
    open_fs : callable
        Gives the file system that holds ``staging``; called where blocking is allowed.
    staging : str
        URI of the application's staging folder.
    attempt : int
        The attempt this container belongs to.
    """

    def __init__(self, open_fs: Callable[[], FileSystem], staging: str, attempt: int) -> None:
        self._open_fs = open_fs
        self._staging = staging
        self._attempt = attempt
        self._known: str | None = None

    def locate(self) -> str | None:
        """``host:port`` of the ApplicationMaster, or None while it is not known. Blocks.

        While the file system does not answer as it should, the address that was read last holds.

        Raises
        ------
        Fenced
            A newer attempt has begun.
        Over
            The address was there and is not any more.
        """
        try:
            fs = self._open_fs()
            if exists(fs, self._file(self._attempt + 1)):
                raise Fenced(f"attempt {self._attempt + 1} of the application has begun")
            found = jsonfile.read(fs, self._file(self._attempt))
            self._known = str(found["address"])
        except FileNotFoundError:
            if self._known is not None:
                raise Over("the application has ended") from None
            return None
        except (XLearningError, OSError, ValueError, LookupError, TypeError) as error:
            log.warning("cannot look for the ApplicationMaster: %s", error)
        return self._known

    def _file(self, attempt: int) -> str:
        return join(self._staging, f"am-{attempt}.json")
