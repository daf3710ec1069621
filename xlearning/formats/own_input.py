"""Input formats of the user's own, checked at every answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.formats.base import Cutting, InputFormat, LineFormat, Record
from xlearning.formats.own import Own, printing_to_stderr
from xlearning.formats.source import Files
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit


def own_input(name: str, config: Config) -> InputFormat:
    """The format ``module:Class``.

    Raises
    ------
    xlearning.formats.own.FormatFault
        It cannot be loaded or made, or lacks a method.
    """
    own = Own("input format", name, ("splits", "records"))
    format_ = cast(InputFormat, own.make(config))
    return _WithLines(own, format_) if isinstance(format_, LineFormat) else _OwnInput(own, format_)


class _OwnInput:
    def __init__(self, own: Own, format_: InputFormat) -> None:
        self.name = own.name
        self._own, self._format = own, format_

    def splits(self, files: Sequence[FileStatus], cutting: Cutting, reading: Files) -> list[InputSplit]:
        try:
            with printing_to_stderr():
                found = list(self._format.splits(files, cutting, reading))
        except XLearningError:
            raise
        except (Exception, SystemExit) as error:
            raise self._own.fault(error) from error
        for split in found:
            self._check(split)
        return found

    def records(self, split: InputSplit, reading: Files) -> Iterator[Record]:
        try:
            for record in self._format.records(split, reading):
                key, value = record
                if not (isinstance(key, bytes) and isinstance(value, bytes)):
                    words = f"{type(key).__name__} and {type(value).__name__}"
                    raise self._own.refuse(f"records gave {words}, and not key and value as bytes")
                yield key, value
        except XLearningError:
            raise
        except BaseException as error:
            if _is_ours(error):
                raise
            raise self._own.fault(error) from error

    def _check(self, split: object) -> None:
        if not isinstance(split, InputSplit):
            raise self._own.refuse(f"splits gave {type(split).__name__}, and not InputSplit")
        numbers = (split.start, split.length, split.size)
        texts = (split.uri, split.data, *split.hosts)
        if not all(isinstance(text, str) for text in texts):
            raise self._own.refuse("uri, data or hosts of a split are no text")
        if not all(isinstance(number, int) and number >= 0 for number in numbers):
            raise self._own.refuse("start, length or size of a split are no numbers of bytes")
        for part in split.parts:
            self._check(part)


class _WithLines(_OwnInput):
    def lines(self, split: InputSplit, reading: Files) -> Iterator[bytes]:
        try:
            for piece in cast(LineFormat, self._format).lines(split, reading):
                if not isinstance(piece, bytes):
                    raise self._own.refuse(f"lines gave {type(piece).__name__}, and not bytes")
                yield piece
        except XLearningError:
            raise
        except BaseException as error:
            if _is_ours(error):
                raise
            raise self._own.fault(error) from error


def _is_ours(error: BaseException) -> bool:
    """Whether the generator in which ``error`` is handled is only being closed by its reader."""
    trace = error.__traceback__
    return isinstance(error, GeneratorExit) and trace is not None and trace.tb_next is None
