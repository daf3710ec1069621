"""What an archive of this machine really is, and whether it can be unpacked, read cheaply."""

from __future__ import annotations

import stat
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, cast

ZIP, TAR, TAR_GZ, TAR_BZ2, TAR_XZ = (
    "zip",
    "tar",
    "gzip-compressed tar",
    "bzip2-compressed tar",
    "xz-compressed tar",
)
ENDINGS = {".zip": ZIP, ".jar": ZIP, ".tar.gz": TAR_GZ, ".tgz": TAR_GZ, ".tar": TAR}
"""What YARN takes a file for, by the end of its name; it unpacks no other."""

_PACKED = (
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"\x1f\x8b", TAR_GZ),
    (b"BZh", TAR_BZ2),
    (b"\xfd7zXZ\0", TAR_XZ),
)
# Bytes of a compressed archive that are read at most, and what they may become: about a second of work.
_READ = {TAR_GZ: (32 * 2**20, 256 * 2**20), TAR_BZ2: (4 * 2**20, 32 * 2**20), TAR_XZ: (4 * 2**20, 64 * 2**20)}
_BLOCK = 512
_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError)


class Bad(Exception):
    """Why an archive cannot be unpacked, in words that follow its name."""


def inspect(path: Path) -> str:
    """The format of an archive.

    A zip and a plain tar are looked at as a whole, member by member; a compressed tar up to 32 MiB (4 MiB
    with bzip2 or xz), so a larger one may still be cut off or damaged further on.

    Raises
    ------
    Bad
        It is no file, no archive, is cut off or damaged, or a member would leave the folder.
    OSError
        It cannot be read.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        raise Bad("is not a regular file")
    with path.open("rb") as file:
        found = _format(file, path.name)
        file.seek(0)
        try:
            if found == ZIP:
                _zip(file)
            elif found == TAR:
                _tar(file, path.stat().st_size)
            else:
                _compressed(file, found)
        except Bad:
            raise
        except _lzma_error() as error:
            raise Bad(f"is a damaged {found} archive: {_words(error)}") from error
        except _DAMAGE as error:
            raise Bad(f"is a damaged {found} archive: {_words(error)}") from error
    return found


def _format(file: IO[bytes], name: str) -> str:
    head = file.read(_BLOCK)
    if not head:
        raise Bad("is empty")
    for magic, found in _PACKED:
        if head.startswith(magic):
            return found
    if head[257:262] == b"ustar" or (len(head) == _BLOCK and _old_tar(head)):
        return TAR
    if name.lower().endswith((".zip", ".jar")) and zipfile.is_zipfile(file):
        return ZIP  # one that begins with a program that unpacks it
    raise Bad("is no archive: it begins neither as a zip nor as a tar, gzip, bzip2 or xz file does")


def _old_tar(head: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return False
    return True


def _zip(file: IO[bytes]) -> None:
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile:
        raise Bad("is a zip archive that is cut off: its table of contents is missing") from None
    with archive:
        for member in archive.infolist():
            _inside(member.filename.replace("\\", "/"))
            if member.flag_bits & 1:
                raise Bad(f"is a zip archive that wants a password (for {member.filename})")


def _tar(file: IO[bytes], size: int) -> None:
    with tarfile.open(fileobj=file, mode="r:") as archive:
        for member in archive:
            _member(member)
            if member.isreg() and member.offset_data + member.size > size:
                raise Bad(f"is a tar archive that is cut off, within {member.name}")


def _compressed(file: IO[bytes], kind: str) -> None:
    limit, most = _READ[kind]
    members = 0
    try:
        with _opened(kind, _first(file, limit)) as source:
            plain = _first(source, most)
            with tarfile.open(fileobj=plain, mode="r|") as archive:
                for member in archive:
                    _member(member)
                    members += 1
            while plain.read(1 << 20):
                pass  # the check sum is at the end
    except _Enough:
        return
    except tarfile.ReadError as error:
        if members:
            raise
        raise Bad("is a compressed file, but what is in it is no tar archive") from error


def _opened(kind: str, source: IO[bytes]) -> IO[bytes]:
    """The file without its compression; the libraries take time that other jobs need not spend."""
    if kind == TAR_BZ2:
        import bz2

        return cast(IO[bytes], bz2.BZ2File(source))
    if kind == TAR_XZ:
        import lzma

        return cast(IO[bytes], lzma.LZMAFile(source))
    import gzip

    return cast(IO[bytes], gzip.GzipFile(fileobj=source, mode="rb"))


def _first(file: IO[bytes], limit: int) -> IO[bytes]:
    return cast(IO[bytes], _First(file, limit))


class _Enough(Exception):
    """As much was read as is to be read."""


class _First:
    """A file that ends with `_Enough` after a number of bytes."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file, self._left = file, limit

    def read(self, count: int = -1) -> bytes:
        if self._left <= 0:
            raise _Enough
        part = self._file.read(count)
        self._left -= len(part)
        return part


def _member(member: tarfile.TarInfo) -> None:
    _inside(member.name)
    if member.islnk():
        _inside(member.linkname)
    elif member.ischr() or member.isblk() or member.isfifo():
        raise Bad(f"holds {member.name!r}, which is no file but a device or a pipe")


def _inside(name: str) -> None:
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts:
        raise Bad(f"holds the member {name!r}, which would lie outside of its folder")


def _words(error: BaseException) -> str:
    return str(error).strip() or type(error).__name__


def _lzma_error() -> type[Exception]:
    try:
        from lzma import LZMAError
    except ImportError:  # a Python built without it cannot meet the error either
        return EOFError
    return LZMAError
