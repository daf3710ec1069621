"""Where messages go when a program, not a person, asks: to `logging`, which prints nothing by itself."""

from __future__ import annotations

import io
import logging

from xlearning.client.console import PlainConsole

LOGGER = logging.getLogger("xlearning")
LOGGER.addHandler(logging.NullHandler())


class LoggingConsole(PlainConsole):
    """A console of the logger ``xlearning``; nobody can be asked, and nothing is shown in place."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())  # all words go the other way, see `_write`

    def info(self, text: str) -> None:
        """See `Console`."""
        LOGGER.info("%s", text)

    def warn(self, text: str) -> None:
        """See `Console`."""
        LOGGER.warning("%s", text)

    def error(self, text: str) -> None:
        """See `Console`."""
        LOGGER.error("%s", text)

    def _write(self, text: str) -> None:
        LOGGER.info("%s", text)
