"""Our package where an administrator has put it on the cluster."""

from __future__ import annotations

from xlearning.client.uploading.cache import Shipment
from xlearning.errors import ConfigError, StorageError
from xlearning.fs import FileSystems
from xlearning.fs.base import parent, split_uri

GIVEN = "xlearning.yarn.archive"
_MAKE = "xl-submit package --output FILE makes one; hdfs dfs -put FILE brings it to the cluster"


def given(fss: FileSystems, path: str) -> Shipment:
    """An archive that an administrator has put on the cluster, as it is.

    Raises
    ------
    xlearning.errors.ConfigError
        There is none, or it is not what it should be.
    """
    uri = fss.resolve(path)
    try:
        found = fss.of(uri).stat(uri)
    except FileNotFoundError:
        raise ConfigError(f"{GIVEN}: there is no {uri}", hint=_MAKE) from None
    except (StorageError, PermissionError) as error:
        raise ConfigError(f"{GIVEN}: {uri} cannot be looked at: {error}") from error
    if split_uri(uri)[0] == "file":
        raise ConfigError(f"{GIVEN}: {uri} is a file of this machine, which the nodes do not see", hint=_MAKE)
    if found.is_dir or not uri.endswith((".tar.gz", ".tgz")):
        raise ConfigError(f"{GIVEN}: {uri} is no .tar.gz file", hint=_MAKE)
    return Shipment(uri, found.size, uploaded=False)


def world_readable(fss: FileSystems, uri: str) -> bool:
    """Whether everybody may read a file, so that nodes can share it among all users."""
    fs = fss.of(uri)
    try:
        if not fs.stat(uri).mode & 0o004:
            return False
        folder = parent(uri)
        while True:
            if not fs.stat(folder).mode & 0o001:
                return False
            above = parent(folder)
            if above == folder:
                return True
            folder = above
    except PermissionError:
        return False
