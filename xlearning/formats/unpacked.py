"""Compressed files of text: their splits, and the decoded bytes that belong to a split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xlearning.formats import libraries
from xlearning.formats.base import Cutting
from xlearning.formats.codecs import bzip2_blocks
from xlearning.formats.codecs.base import Codec
from xlearning.formats.codecs.registry import HEAD, find, of_name
from xlearning.formats.source import Source
from xlearning.formats.splits import by_size
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

_LF, _CR = b"\n", b"\r"


def splits(files: Sequence[FileStatus], cutting: Cutting) -> list[InputSplit]:
    """The splits of ``files``: one for each that cannot be read from within.

    Raises
    ------
    UsageError
        Packages are missing for some of the files; they are named together.
    """
    found = []
    needed: dict[str, list[str]] = {}
    for file in files:
        codec = of_name(file.path)
        if codec is None or codec.splittable:
            found += by_size([file], cutting)
        else:
            found.append(InputSplit(file.path, 0, file.size, file.size))
        for package in codec.requires if codec is not None else ():
            needed.setdefault(package, []).append(file.path)
    libraries.check(needed)
    return found


def codec_of(source: Source, split: InputSplit) -> Codec | None:
    """The codec of the file of ``split``; its beginning is looked at with the first split.

    Raises
    ------
    OSError, xlearning.errors.StorageError
        See `xlearning.formats.codecs.registry.find`.
    """
    return of_name(split.uri) if split.start else find(split.uri, source.read(0, HEAD))


def owned(codec: Codec, source: Source, split: InputSplit) -> Iterator[bytes]:
    """The decoded bytes of the records that belong to ``split``.

    The decoded bytes of the blocks in the split take the place of its bytes; else the rule is that of
    `xlearning.formats.text`.

    Raises
    ------
    OSError, xlearning.errors.StorageError
        See `xlearning.formats.codecs.base.Codec.decode`.
    """
    end = split.start + split.length
    if split.start == 0 and end >= source.size:
        return codec.decode(source)
    return _of_range(bzip2_blocks.split(source, split.start, end), first=split.start == 0)


def _of_range(pieces: Iterable[tuple[bytes, bool]], *, first: bool) -> Iterator[bytes]:
    """From the first record that begins in the range to the end of the last one.

    Parameters
    ----------
    pieces : iterable of (bytes, bool)
        Those in the range, then those after it.
    first : bool
        Whether the range is at the beginning of a file.
    """
    search = _LineEnd()
    skipping = not first
    ended = False  # the search is for the end of the last record
    for data, ours in pieces:
        if skipping:
            if not ours and not search.after_cr:
                return  # one record covers the whole range
            at = search.find(data)
            if at is None:
                continue
            if not ours and at > 0:
                return  # the LF of the CR before the border: what follows begins after it
            skipping, search = False, _LineEnd()
            data = data[at:]
        if not ours:
            at = search.find(data)
            data, ended = data[:at], at is not None
        if data:
            yield data
        if ended:
            return


class _LineEnd:
    """Looks for the end of a line, piece by piece."""

    def __init__(self) -> None:
        self.after_cr = False  # the last piece ended with a CR, which may have a LF

    def find(self, data: bytes) -> int | None:
        """Where in ``data`` the next line begins, or None while that is not known."""
        if self.after_cr:
            return int(data.startswith(_LF))
        feed = data.find(_LF)
        back = data.find(_CR, 0, feed if feed >= 0 else len(data))
        if back < 0:
            return feed + 1 if feed >= 0 else None
        if back + 1 == len(data):
            self.after_cr = True
            return None
        return back + 1 + (data[back + 1 : back + 2] == _LF)
