"""Which configuration files there are, and where they are looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import xlearning.conf
from xlearning.errors import ConfigError

SITE_FILE, HBOX_SITE_FILE = "xlearning-site.xml", "hbox-site.xml"
DEFAULT_FILE = "xlearning-default.xml"
VARIABLES = ("XLEARNING_CONF_DIR", "HBOX_CONF_DIR")
_SYSTEM_CONF_DIR = Path("/etc/xlearning/conf")


class ConfFile(NamedTuple):
    """A file that is looked at.

    Attributes
    ----------
    title : str
        What it is and where, as sources of values are told.
    read : bool
        Whether its values count; else it is not there, or another one is read in its place.
    java : bool
        Whether it is written as Java writes properties, not in Hadoop's XML.
    hadoops : bool
        Whether it is a file of Hadoop's, of which only our own properties are read here.
    """

    path: Path
    title: str
    read: bool
    java: bool = False
    hadoops: bool = False


def packaged_dir() -> Path:
    """The folder ``conf`` of the installed package."""
    return Path(next(iter(xlearning.conf.__path__)))


def find_conf_dir(environ: Mapping[str, str]) -> Path | None:
    """The folder of the site file; None where there is no site file.

    That is ``$XLEARNING_CONF_DIR``, else ``$HBOX_CONF_DIR``; where neither is set, the first of
    ``/etc/xlearning/conf`` and the package's own ``conf`` that holds a site file.

    Raises
    ------
    ConfigError
        A variable names something that is not a folder.
    """
    for variable in VARIABLES:
        if given := environ.get(variable):
            if not Path(given).is_dir():
                raise ConfigError(
                    f"{variable}={given} is not a folder",
                    hint=f"point it to the folder that holds {SITE_FILE}, or unset it",
                )
            return Path(given)
    for folder in (_SYSTEM_CONF_DIR, packaged_dir()):
        if any((folder / name).exists() for name in (SITE_FILE, HBOX_SITE_FILE)):
            return folder
    return None


def conf_files(
    conf_dir: Path | None,
    given: Sequence[Path],
    properties: Sequence[Path] = (),
    cluster: Sequence[Path] = (),
) -> list[ConfFile]:
    """All files that are looked at, the lowest first.

    Parameters
    ----------
    conf_dir : Path or None
        See `find_conf_dir`. Of the two names of a site file, ``xlearning-site.xml`` is preferred.
    given : sequence of Path
        ``--conf-file``, which must be there.
    properties : sequence of Path
        ``--properties-file``, likewise.
    cluster : sequence of Path
        The files of ``--cluster``, likewise.
    """
    packaged = packaged_dir() / DEFAULT_FILE
    return [
        ConfFile(packaged, f"packaged file {packaged}", read=True),
        *_site_files(_SYSTEM_CONF_DIR if conf_dir is None else conf_dir),
        *(ConfFile(path, f"cluster file {path}", read=True, hadoops=True) for path in cluster),
        *(ConfFile(path, f"--conf-file {path}", read=True) for path in given),
        *(ConfFile(path, f"--properties-file {path}", read=True, java=True) for path in properties),
    ]


def _site_files(folder: Path) -> list[ConfFile]:
    found = [folder / name for name in (SITE_FILE, HBOX_SITE_FILE)]
    there = [path for path in found if path.exists()]
    shown = found[:1] if not there else [path for path in found if path in there or path == found[0]]
    return [ConfFile(path, f"site file {path}", read=path in there[:1]) for path in shown]
