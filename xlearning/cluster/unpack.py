"""Archives, unpacked so that no member ends up outside of its folder."""

from __future__ import annotations

import stat
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from xlearning.trees import remove_tree

try:
    from lzma import LZMAError
except ImportError:  # a Python built without it cannot meet the error either
    LZMAError = EOFError  # type: ignore[misc, assignment]

_ZIP_ENDS = (".zip", ".jar", ".whl")
_TAR_ENDS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
# RuntimeError: a zip that wants a password, or a compression that this Python does not know
_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, LZMAError, EOFError, RuntimeError)


def unpack(archive: Path, target: Path) -> None:
    """Unpack a zip or tar archive into the new folder ``target``; no member ends up outside of it.

    ``target`` appears only when all is there, so that a failed try leaves nothing half.

    Raises
    ------
    ValueError
        It is no archive, is damaged, or one of its members would leave the folder.
    """
    partial = target.with_name(target.name + ".part")
    remove_tree(partial)
    partial.mkdir(parents=True)
    try:
        if _is_zip(archive):
            _unpack_zip(archive, partial)
        elif tarfile.is_tarfile(archive):
            _unpack_tar(archive, partial)
        else:
            raise ValueError("it is neither a zip nor a tar archive")
    except _DAMAGE as error:
        remove_tree(partial)
        raise ValueError(f"cannot unpack: {error}") from error
    except (OSError, ValueError):
        remove_tree(partial)
        raise
    partial.rename(target)


def _is_zip(archive: Path) -> bool:
    # a tar whose last member is a zip looks like a zip too: the name decides first
    name = archive.name.lower()
    if name.endswith(_TAR_ENDS):
        return False
    return name.endswith(_ZIP_ENDS) or zipfile.is_zipfile(archive)


def _unpack_zip(archive: Path, target: Path) -> None:
    with zipfile.ZipFile(archive) as source:
        for member in source.infolist():
            parts = PurePosixPath(member.filename.replace("\\", "/")).parts
            if not parts or parts[0] == "/" or ".." in parts:
                raise ValueError(f"cannot unpack: the member {member.filename!r} would leave the folder")
            path = source.extract(member, target)
            mode = member.external_attr >> 16
            if stat.S_ISREG(mode) and mode & 0o100:
                Path(path).chmod(0o755)


def _unpack_tar(archive: Path, target: Path) -> None:
    if not hasattr(tarfile, "data_filter"):
        raise ValueError(
            "cannot unpack: this Python's tarfile is too old to do it safely; 3.10.12 or newer is needed"
        )
    with tarfile.open(archive) as source:
        source.extractall(target, filter=_safe_member)


def _safe_member(member: tarfile.TarInfo, target: str) -> tarfile.TarInfo | None:
    try:
        return tarfile.data_filter(member, target)
    except (tarfile.AbsoluteLinkError, tarfile.LinkOutsideDestinationError):
        # virtual environments hold links to the interpreter outside. The link itself harms nobody, and
        # a later member whose path leads through it is refused, because its real path is looked at.
        if member.issym():
            return tarfile.tar_filter(member, target)
        raise
