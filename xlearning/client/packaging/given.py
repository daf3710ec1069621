"""Whether an administrator's archive is a package of this version, from its first few kilobytes."""

from __future__ import annotations

import tarfile
import zlib

from xlearning import __version__
from xlearning.client.packaging.package import MANIFEST
from xlearning.client.packaging.shipping import GIVEN
from xlearning.errors import ConfigError
from xlearning.fs import FileSystems
from xlearning.jsonfile import LIMIT, parse

_MAKE = (
    "make it again with this version: xl-submit package --output FILE; hdfs dfs -put FILE brings it to HDFS"
)


def look(fss: FileSystems, uri: str) -> None:
    """Read the record at the beginning of the archive.

    Raises
    ------
    xlearning.errors.ConfigError
        It cannot be read, is no package, or one of another version.
    """
    try:
        record = _record(fss, uri)
    except (tarfile.TarError, zlib.error, EOFError, ValueError) as error:
        raise ConfigError(f"{GIVEN}: {uri} is no package of xlearning: {error}", hint=_MAKE) from error
    except OSError as error:
        raise ConfigError(f"{GIVEN}: {uri} cannot be read: {error}") from error
    version = record.get("xlearning")
    if version != __version__:
        raise ConfigError(f"{GIVEN}: {uri} is of xlearning {version}, and this is {__version__}", hint=_MAKE)


def _record(fss: FileSystems, uri: str) -> dict[str, object]:
    with fss.of(uri).open_read(uri) as file, tarfile.open(fileobj=file, mode="r|gz") as archive:
        first = archive.next()
        content = archive.extractfile(first) if first and first.name.endswith(MANIFEST) else None
        if content is None:
            raise ValueError(f"it does not begin with {MANIFEST}")
        record = parse(content.read(LIMIT))
    if not isinstance(record, dict):
        raise ValueError(f"its {MANIFEST} is no record")
    return record
