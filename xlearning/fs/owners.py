"""Whose a folder is. In folders that everybody may add to, a name alone proves nothing."""

from __future__ import annotations

import os

from xlearning.errors import StorageError
from xlearning.fs.base import FileStatus, split_uri
from xlearning.fs.local import owner_name
from xlearning.fs.registry import FileSystems


class NotBelieved(StorageError):
    """Something that claims to be of a user belongs to somebody else, or is about something else."""


def belongs(status: FileStatus, user: str) -> bool:
    """Whether a folder is that of ``user``, as the file system names its owner.

    On local disks one of the account of this process counts too: it stands for whatever name a job has.
    """
    local = split_uri(status.path)[0] in ("", "file")
    return status.owner == user or (local and status.owner == owner_name(os.getuid()))


def check_owner(fss: FileSystems, folder: str, user: str, what: str) -> None:
    """Look whose a folder is before anything in it is believed.

    Parameters
    ----------
    what : str
        What is in it, for the message.

    Raises
    ------
    NotBelieved
        It belongs to somebody else.
    FileNotFoundError
        It is not there.
    """
    status = fss.of(folder).stat(folder)
    if not belongs(status, user):
        raise NotBelieved(f"{what} in {folder} is not believed: it belongs to {status.owner}, not to {user}")
