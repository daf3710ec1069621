"""Many small files as one: YARN and skein spend a tenth of a second on each.

The agent unpacks it into the container's working folder before anything else happens there. Names are
bytes and arrive as they are, whatever the node's locale; so do permission bits and times.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from xlearning.errors import XLearningError

NAME = ".xlearning-files.tar"  # in the working folder
_TEXT = ("utf-8", "surrogateescape")


def write(files: Mapping[str, Path], target: Path) -> None:
    """Write a bundle; the same files give the same bytes.

    Parameters
    ----------
    files : mapping
        Plain name in the working folder -> file.

    Raises
    ------
    OSError
        A file cannot be read.
    """
    import tarfile

    form = tarfile.GNU_FORMAT
    with tarfile.open(target, "w", format=form, encoding=_TEXT[0], errors=_TEXT[1]) as bundle:
        for name, path in sorted(files.items()):
            with open(path, "rb") as content:
                found = os.fstat(content.fileno())
                member = tarfile.TarInfo(os.fsencode(name).decode(*_TEXT))
                member.size, member.mode = found.st_size, found.st_mode & 0o777
                member.mtime = int(found.st_mtime)
                bundle.addfile(member, content)


def unpack(folder: Path) -> None:
    """Put the files of the bundle of a working folder, if there is one, into the folder.

    Raises
    ------
    XLearningError
        A file cannot be put there; something of YARN's or of ours may have its name.
    """
    if not (folder / NAME).exists():
        return
    import tarfile  # agents without a bundle do without it

    with tarfile.open(folder / NAME, "r:", encoding=_TEXT[0], errors=_TEXT[1]) as bundle:
        for member in bundle:
            name = member.name.encode(*_TEXT)
            source = bundle.extractfile(member)
            if source is None or b"/" in name or name in (b"", b".", b".."):
                raise XLearningError(f"{NAME} holds {member.name!r}, which is no plain file")
            target = os.path.join(os.fsencode(folder), name)  # noqa: PTH118 - bytes
            try:
                with open(target, "xb") as sink:
                    shutil.copyfileobj(source, sink, 1 << 20)
                    os.fchmod(sink.fileno(), member.mode)
            except OSError as error:
                raise XLearningError(
                    f"{member.name!r} of --files cannot be put into the working folder: {error.strerror}"
                ) from error
            os.utime(target, (member.mtime, member.mtime))
    (folder / NAME).unlink()
