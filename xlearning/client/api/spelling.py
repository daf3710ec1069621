"""Errors of usage in the words of Python users: fields, not options."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from xlearning.client.api.job import FIELDS
from xlearning.errors import UsageError

_FIELD_OF = {name: field for field, option in FIELDS.items() for name in option.names}
_OPTION = re.compile(r"(?<![\w-])--([A-Za-z][\w-]*)")


def in_fields(text: str) -> str:
    """``--worker-num`` as ``worker_num``; what is no field of a job stays as it is."""
    return _OPTION.sub(lambda match: _FIELD_OF.get(match[1], match[0]), text)


@contextlib.contextmanager
def fields_named() -> Iterator[None]:
    """Let errors of usage name fields."""
    try:
        yield
    except UsageError as error:
        error.message = in_fields(error.message)
        error.hint = in_fields(error.hint) if error.hint else error.hint
        error.args = (error.message,)
        raise
