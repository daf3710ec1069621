"""Pipes, sockets and devices: whoever read one as a file would wait for ever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xlearning.client.problems import Problem
from xlearning.fs.base import FileStatus

_SHOWN = 5  # names in one sentence


def no_files(option: str, found: Iterable[FileStatus]) -> Iterator[Problem]:
    """One problem that names what is neither a file nor a folder; none where all is well."""
    special = [f"{status.path} (a {status.special})" for status in found if status.special]
    if special:
        more = f" and {len(special) - _SHOWN} more" if special[_SHOWN:] else ""
        shown = f"{', '.join(special[:_SHOWN])}{more} {'is no file' if len(special) == 1 else 'are no files'}"
        yield Problem(f"{option}: {shown}", "give files, and folders with nothing but files")
