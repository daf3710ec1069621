"""Records a second of each input format, on local files, beside reading the same file plainly.

Every row is a text of 100 bytes; the formats give it as a line (Avro, and Parquet and ORC with two
columns, as a line of JSON). The plain way is what a Python program would write with the library, or, for
formats without one, a read of the file's bytes in a loop.
"""

from __future__ import annotations

import gzip
import io
import os
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from figures import Figure, figure

from xlearning.config import Config
from xlearning.formats.base import Cutting
from xlearning.formats.framing import pieces
from xlearning.formats.output.registry import output_format
from xlearning.formats.registry import input_format
from xlearning.formats.source import Files
from xlearning.fs import FileSystems

_WIDTH = 100  # bytes of a row
_GOALS = {"text, gz": 2.5}  # times the plain way


def measure(folder: Path, runs: int, rows: int, say: Callable[[str], None]) -> list[Figure]:
    """Figures for files of ``rows`` records."""
    lines = [os.urandom(_WIDTH // 2).hex().encode() for _ in range(rows)]
    found: list[Figure] = []
    for name, format_, path, plain in _cases(folder, lines):
        say(f"{name}, {runs} runs")
        ours, theirs = [], []
        for _ in range(runs):
            theirs.append(rows / _seconds(plain, path))
            ours.append(rows / _seconds(lambda path, chosen=format_: _feed(chosen, path), path))
        base = sorted(theirs)[len(theirs) // 2] / 1000
        found.append(figure(f"{name}: plain", "1000/s", [value / 1000 for value in theirs], base=base))
        goal, fed = _GOALS.get(name), [value / 1000 for value in ours]
        found.append(
            figure(f"{name}: fed", "1000/s", fed, base=base, goal=goal, limit="times" if goal else "")
        )
    return found


def _feed(format_: str, path: Path) -> None:
    config = Config.from_properties({"xlearning.inputformat.class": format_})
    storage = FileSystems("file://")
    reader, reading = input_format(format_, config), Files(storage)
    for split in reader.splits([storage.default.stat(path.as_uri())], Cutting(), reading):
        for _ in pieces(reader, split, reading):
            pass


def _seconds(work: Callable[[Path], None], path: Path) -> float:
    begin = time.perf_counter()
    work(path)
    return time.perf_counter() - begin


def _cases(folder: Path, lines: Sequence[bytes]) -> Iterator[tuple[str, str, Path, Callable[[Path], None]]]:
    text = b"".join(line + b"\n" for line in lines)
    plain = folder / "plain.txt"
    plain.write_bytes(text)
    yield "text", "text", plain, _lines
    packed = folder / "packed.gz"
    packed.write_bytes(gzip.compress(text, 6))
    yield "text, gz", "text", packed, _gzip_lines
    yield "sequencefile", "sequencefile", _written("sequencefile", folder / "plain.seq", lines), _blocks
    records = folder / "records.tfrecord"
    _tfrecords(records, lines)
    yield "tfrecord", "tfrecord", records, _blocks
    yield from _columnar(folder, lines)
    yield "avro", "avro", _avro(folder / "rows.avro", lines), _avro_rows


def _columnar(
    folder: Path, lines: Sequence[bytes]
) -> Iterator[tuple[str, str, Path, Callable[[Path], None]]]:
    import pyarrow as pa
    from pyarrow import orc, parquet

    one = pa.table({"line": [line.decode() for line in lines]})
    two = one.append_column("number", pa.array(range(len(lines))))
    for table, words in ((one, "one column"), (two, "JSON of two columns")):
        path = folder / f"{table.num_columns}.parquet"
        parquet.write_table(table, path)
        yield f"parquet, {words}", "parquet", path, lambda path: _rows(parquet.read_table(path))
        path = folder / f"{table.num_columns}.orc"
        orc.write_table(table, path)
        yield f"orc, {words}", "orc", path, lambda path: _rows(orc.read_table(path))


class _One:
    """Parts of which there is one."""

    limit = 1 << 62

    def __init__(self, path: Path) -> None:
        self._path = path

    def create(self, ending: str = "") -> Any:
        del ending
        return open(self._path, "wb")


def _written(format_: str, path: Path, lines: Sequence[bytes]) -> Path:
    writer: Any = output_format(format_, Config.from_properties({})).writer(_One(path))
    writer.write(list(lines))
    writer.close()
    return path


def _tfrecords(path: Path, lines: Sequence[bytes]) -> None:
    import google_crc32c

    def masked(data: bytes) -> int:
        crc = int(google_crc32c.value(data))
        return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF

    with open(path, "wb") as file:
        for line in lines:
            head = struct.pack("<Q", len(line))
            file.write(head + struct.pack("<I", masked(head)) + line + struct.pack("<I", masked(line)))


def _avro(path: Path, lines: Sequence[bytes]) -> Path:
    import fastavro

    schema = {"type": "record", "name": "Row", "fields": [{"name": "line", "type": "string"}]}
    with open(path, "wb") as file:
        fastavro.writer(file, schema, ({"line": line.decode()} for line in lines))
    return path


def _avro_rows(path: Path) -> None:
    import fastavro

    with open(path, "rb") as file:
        for _ in fastavro.reader(file):
            pass


def _lines(path: Path) -> None:
    with open(path, "rb") as file:
        for _ in file:
            pass


def _gzip_lines(path: Path) -> None:
    with gzip.open(path, "rb") as file:
        for _ in file:
            pass


def _blocks(path: Path) -> None:
    with open(path, "rb", buffering=0) as file:
        while file.read(io.DEFAULT_BUFFER_SIZE):
            pass


def _rows(table: Any) -> None:
    for batch in table.to_batches():
        for _ in batch.to_pylist():
            pass
