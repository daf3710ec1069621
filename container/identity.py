"""Who this agent is: what the back end tells it through environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from xlearning.cluster.base import (
    ENV_APP_ID,
    ENV_ATTEMPT,
    ENV_BACKEND,
    ENV_CONTAINER_ID,
    ENV_CREDENTIALS,
    ENV_HOST,
    ENV_LOG_DIR,
    ENV_ROLE,
    ENV_STAGING,
)
from xlearning.errors import UsageError

_REQUIRED = (ENV_APP_ID, ENV_ATTEMPT, ENV_STAGING, ENV_CONTAINER_ID, ENV_LOG_DIR, ENV_CREDENTIALS, ENV_HOST)


@dataclass(frozen=True)
class Identity:
    """A container as its back end describes it.

    Attributes
    ----------
    attempt : int
        Number of the ApplicationMaster's attempt that this container belongs to, from 1.
    staging : str
        URI of the application's staging folder.
    host : str
        The address by which others reach this container's host.
    backend : str
        ``local`` or ``yarn``.
    """

    app_id: str
    attempt: int
    staging: str
    container_id: str
    role: str
    log_dir: Path
    credentials: Path
    host: str
    backend: str

    @property
    def local(self) -> bool:
        """Whether the container is a process on the submitter's own machine."""
        return self.backend == "local"

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Identity:
        """Read the variables of the back end.

        Raises
        ------
        UsageError
            One or more variables are missing or unusable; all of them are named.
        """
        missing = [name for name in _REQUIRED if not environ.get(name)]
        if missing:
            raise UsageError(
                f"the agent was started without {', '.join(missing)}",
                hint="agents are started by a back end (YARN or --local), not by hand",
            )
        attempt = environ[ENV_ATTEMPT]
        if not attempt.isdecimal() or int(attempt) < 1:
            raise UsageError(f"{ENV_ATTEMPT}={attempt!r} is not an attempt number (1, 2, ...)")
        return cls(
            app_id=environ[ENV_APP_ID],
            attempt=int(attempt),
            staging=environ[ENV_STAGING].rstrip("/"),
            container_id=environ[ENV_CONTAINER_ID],
            role=environ.get(ENV_ROLE, ""),
            log_dir=Path(environ[ENV_LOG_DIR]).absolute(),
            credentials=Path(environ[ENV_CREDENTIALS]).absolute(),
            host=environ[ENV_HOST],
            backend=environ.get(ENV_BACKEND, "yarn"),
        )
