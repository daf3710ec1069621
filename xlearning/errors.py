"""The errors a user may see. Everything else is a fault of ours."""

from __future__ import annotations

from collections.abc import Sequence


class XLearningError(Exception):
    """An error with a message for a person, and a way out.

    Parameters
    ----------
    message : str
        Names the thing and the value that is wrong.
    hint : str, optional
        What to do about it; shown on its own line.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message


class UsageError(XLearningError):
    """The command line, a configuration file or a plan cannot be used as it is."""


class ConfigError(UsageError):
    """One or more properties have a value that their type refuses.

    Parameters
    ----------
    warnings : sequence of str
        What else a person should read about the properties.
    """

    def __init__(self, message: str, *, hint: str | None = None, warnings: Sequence[str] = ()) -> None:
        super().__init__(message, hint=hint)
        self.warnings = tuple(warnings)


class StorageError(XLearningError, OSError):
    """A file system answered with an error that is neither "missing", "exists" nor "denied"."""


class StorageUnavailable(StorageError):
    """A file system did not answer in time; trying again later may help."""


class CredentialsError(StorageError):
    """A file system found no credentials or refused them; trying again does not help."""


class ClusterError(XLearningError):
    """The back end (YARN or the local one) refused or failed a request."""


class ClusterUnavailable(ClusterError):
    """The back end did not answer in time."""


class ApplicationNotFound(ClusterError):
    """No application of that id is known."""


class WaitTimeout(XLearningError, TimeoutError):
    """An application has not ended in the time that it was waited for; it goes on."""


class JobFailed(XLearningError):
    """An application failed or was killed; the message is what ``xl-submit`` says at its end."""
