"""On YARN the ApplicationMaster lives no longer than skein's JVM, its parent.

Without it there are no containers and no way to tell an end; YARN may have started the next attempt
already. Dying at once is safe, since an ApplicationMaster can be killed at any moment anyway.
"""

from __future__ import annotations

import logging
import os
import signal
import threading

log = logging.getLogger(__name__)

_LOOK = 0.2  # seconds
_GRACE = 0.5  # seconds for the parent's regular end, which comes with a signal for us


def die_with_parent() -> None:
    """Kill this process soon after its parent has died."""
    parent = os.getppid()
    threading.Thread(target=_watch, args=(parent,), name="orphan", daemon=True).start()


def _watch(parent: int) -> None:
    pause = threading.Event()
    while os.getppid() == parent:
        pause.wait(_LOOK)
    pause.wait(_GRACE)
    log.error("skein's JVM has died, so this attempt is over")
    os.kill(os.getpid(), signal.SIGKILL)
