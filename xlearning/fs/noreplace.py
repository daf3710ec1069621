"""Renames of local files and folders that never replace anything."""

from __future__ import annotations

import errno
import functools
import os
from collections.abc import Callable
from pathlib import Path

_AT_FDCWD = -100
_RENAME_NOREPLACE = 1
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP)


def rename_noreplace(source: str, target: str) -> None:
    """Move ``source`` to ``target``, which must not exist; `OSError` with the system's number otherwise.

    Atomic where the kernel and the file system know ``RENAME_NOREPLACE``. Elsewhere the target's name is
    claimed first (by a hard link or an empty folder), which never replaces anything either, but shows
    the claim for a moment.
    """
    native = _renameat2()
    if native is None or not native(source, target):
        _claim_and_rename(source, target)


@functools.cache
def _renameat2() -> Callable[[str, str], bool] | None:
    import ctypes

    try:
        function = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return None

    def rename(source: str, target: str) -> bool:
        """True when done, False when the file system cannot do it this way."""
        old, new = os.fsencode(source), os.fsencode(target)
        if function(_AT_FDCWD, old, _AT_FDCWD, new, _RENAME_NOREPLACE) == 0:
            return True
        number = ctypes.get_errno()
        if number in _UNSUPPORTED:
            return False
        raise OSError(number, os.strerror(number), source, None, target)

    return rename


def _claim_and_rename(source: str, target: str) -> None:
    if Path(source).is_dir() and not Path(source).is_symlink():
        os.mkdir(target)  # noqa: PTH102 - the error must carry the plain path
        try:
            Path(source).rename(target)
        except OSError:
            Path(target).rmdir()
            raise
    else:
        os.link(source, target, follow_symlinks=False)
        Path(source).unlink()
