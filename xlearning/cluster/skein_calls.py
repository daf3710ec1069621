"""Calls of skein's clients: a deadline on each, and one sentence of ours for what they raise.

skein itself is given, so that `xlearning.cluster.skein` stays the one place that imports it.
"""

from __future__ import annotations

import types
from typing import Any

from xlearning.errors import ClusterError, ClusterUnavailable


def with_deadline(kind: Any, seconds: float) -> Any:
    """A class like ``kind``, a client of skein's, none of whose calls lasts longer than ``seconds``."""

    class Deadlined(kind):  # type: ignore[misc]
        __slots__ = ()

        def _call(self, method: str, req: Any, timeout: float | None = None) -> Any:
            return super()._call(method, req, timeout=timeout or seconds)

    return Deadlined


class translated:
    """Context: what skein raises becomes one sentence of ours."""

    def __init__(self, skein: Any, what: str) -> None:
        self._exceptions, self._what = skein.exceptions, what

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: types.TracebackType | None
    ) -> None:
        if isinstance(error, (self._exceptions.ConnectionError, self._exceptions.TimeoutError)):
            raise ClusterUnavailable(f"{self._what}: {short(error)}") from error
        if isinstance(error, self._exceptions.SkeinError):
            raise ClusterError(f"{self._what}: {short(error)}") from error


def short(error: BaseException) -> str:
    """The words of an exception on one line."""
    return " ".join(str(error).split())[:600] or type(error).__name__
