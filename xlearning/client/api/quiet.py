"""Where messages go when a program, not a person, asks: to `logging`, which prints nothing by itself."""

from __future__ import annotations

import logging

LOGGER = logging.getLogger("xlearning")
LOGGER.addHandler(logging.NullHandler())


class LoggingConsole:
    """A `xlearning.client.console.Console` of the logger ``xlearning``."""

    interactive = False

    def info(self, text: str) -> None:
        """See `Console`."""
        LOGGER.info("%s", text)

    def warn(self, text: str) -> None:
        """See `Console`."""
        LOGGER.warning("%s", text)

    def error(self, text: str) -> None:
        """See `Console`."""
        LOGGER.error("%s", text)

    def block(self, lines: list[str], *, good: bool) -> None:
        """See `Console`."""
        LOGGER.log(logging.INFO if good else logging.WARNING, "%s", "\n".join(lines))

    def status(self, text: str) -> None:
        """See `Console`; for a terminal only."""

    def ask(self, question: str) -> bool:  # noqa: ARG002
        """See `Console`; there is nobody to ask."""
        return False

    def close(self) -> None:
        """See `Console`."""
