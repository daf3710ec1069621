"""Output formats of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from xlearning.config import Config
from xlearning.errors import XLearningError
from xlearning.formats.output.base import BytesWriter, OutputFormat, Parts, RecordWriter
from xlearning.formats.own import Own


def own_output(name: str, config: Config) -> OutputFormat:
    """The format ``module:Class``.

    Raises
    ------
    xlearning.formats.own.FormatFault
        It cannot be loaded or made, or lacks a method.
    """
    own = Own("output format", name, ("writer",))
    return _OwnOutput(own, cast(OutputFormat, own.make(config)))


class _OwnOutput:
    def __init__(self, own: Own, format_: OutputFormat) -> None:
        self.name = own.name
        self._own, self._format = own, format_

    def writer(self, parts: Parts) -> RecordWriter | BytesWriter:
        writer = _guarded(self._own, self._format.writer, parts)
        wanted = [one for one in ("write", "write_bytes") if callable(getattr(writer, one, None))]
        if not wanted or not callable(getattr(writer, "close", None)):
            raise self._own.refuse(f"its writer, {type(writer).__name__}, needs the methods write and close")
        if "write_bytes" in wanted:
            return _OwnBytes(self._own, cast(BytesWriter, writer))
        return _OwnRecords(self._own, cast(RecordWriter, writer))


class _OwnRecords:
    def __init__(self, own: Own, writer: RecordWriter) -> None:
        self._own, self._writer = own, writer

    def write(self, records: Sequence[bytes]) -> None:
        _guarded(self._own, self._writer.write, records)

    def close(self) -> None:
        _guarded(self._own, self._writer.close)


class _OwnBytes:
    def __init__(self, own: Own, writer: BytesWriter) -> None:
        self._own, self._writer = own, writer

    def write_bytes(self, data: bytes) -> None:
        _guarded(self._own, self._writer.write_bytes, data)

    def close(self) -> None:
        _guarded(self._own, self._writer.close)


def _guarded(own: Own, call: Callable[..., object], *args: object) -> object:
    try:
        return call(*args)
    except XLearningError:
        raise
    except BaseException as error:  # none of them may end the agent
        raise own.fault(error) from error
