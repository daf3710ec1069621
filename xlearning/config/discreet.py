"""Log lines without the passwords of addresses."""

from __future__ import annotations

import logging

from xlearning.config.confidential import mask


class DiscreetFormatter(logging.Formatter):
    """As `logging.Formatter`; errors and tracebacks may hold addresses as users gave them."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, with `mask` over all of it."""
        return mask(super().format(record))
