"""The door to pyarrow: the rows of Parquet and ORC files, in batches, from a `Source`."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from xlearning.errors import StorageError
from xlearning.formats.cursor import damaged
from xlearning.formats.libraries import load
from xlearning.formats.orc_stripes import inflate, lz4_size, offsets, snappy_size, unpacked
from xlearning.formats.source import Source

_ROWS = 8192  # of a batch
_BUFFER = 1 << 20  # bytes read ahead for each column


class _SourceFile(io.RawIOBase):
    """A `Source` as pyarrow reads files. What could not be read is kept, for pyarrow says it in its words."""

    def __init__(self, source: Source) -> None:
        self.failure: BaseException | None = None
        self._source, self._at = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._source.size}[whence]
        return self._at

    def read(self, size: int = -1) -> bytes:
        wanted = self._source.size - self._at if size < 0 else size
        try:
            data = self._source.read(self._at, wanted)
        except BaseException as error:
            self.failure = error
            raise
        self._at += len(data)
        return data


def parquet(source: Source, start: int, end: int, columns: Sequence[str]) -> Iterator[Any]:
    """Batches of rows of the row groups whose middle lies in ``[start, end)``.

    Parameters
    ----------
    columns : sequence of str
        Their names, in the order that is wanted; empty: all.

    Raises
    ------
    StorageError
        pyarrow is missing, the file is damaged, or has no such columns. Damage inside a page shows where
        pages have checksums, as those that Java writes.
    """
    library = load("pyarrow", "pyarrow.parquet")

    def batches(file: _SourceFile) -> Iterator[Any]:
        reader = library.ParquetFile(
            file, buffer_size=_BUFFER, pre_buffer=False, page_checksum_verification=True
        )
        wanted = _wanted(source, reader.schema_arrow.names, columns)
        groups = [
            group
            for group in range(reader.num_row_groups)
            if start <= _middle(reader.metadata.row_group(group)) < end
        ]
        if groups:
            for batch in reader.iter_batches(
                _ROWS, row_groups=groups, columns=columns or None, use_threads=False
            ):
                yield batch.select(wanted)

    return _read(source, batches, b"PAR1")


def orc(source: Source, start: int, end: int, columns: Sequence[str]) -> Iterator[Any]:
    """Batches of rows of the stripes that begin in ``[start, end)``; see `parquet`."""
    library = load("pyarrow", "pyarrow.orc")

    def batches(file: _SourceFile) -> Iterator[Any]:
        reader = library.ORCFile(file)
        wanted = _wanted(source, reader.schema.names, columns)
        for number, offset in enumerate(_stripes(source, reader)):
            if start <= offset < end:
                yield reader.read_stripe(number, columns=wanted).select(wanted)

    return _read(source, batches, b"ORC")


def strings(batch: Any) -> list[bytes | None] | None:
    """The values of a batch that has one column of text or bytes; None if it is another one."""
    pa = load("pyarrow")
    if batch.num_columns != 1:
        return None
    kind = batch.schema.field(0).type
    plain = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    if not any(test(kind) for test in plain):
        return None
    column = batch.column(0)
    target = pa.large_binary() if kind in (pa.large_string(), pa.large_binary()) else pa.binary()
    values: list[bytes | None] = column.cast(target).to_pylist()
    return values


def rows(batch: Any) -> list[dict[str, Any]]:
    """The rows of a batch; dates, times and decimals are text in them, maps are objects.

    Raises
    ------
    TypeError
        A map has the same key twice.
    """
    pa = load("pyarrow")
    fields = [pa.field(field.name, _textual(pa, field.type)) for field in batch.schema]
    columns = [
        column if column.type == field.type else column.cast(field.type)
        for column, field in zip(batch.columns, fields, strict=True)
    ]
    try:
        found: list[dict[str, Any]] = pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields)).to_pylist(
            maps_as_pydicts="strict"
        )
    except (KeyError, ValueError) as error:
        raise TypeError(f"its rows cannot be told in JSON: {error}") from error
    return found


def _textual(pa: Any, kind: Any) -> Any:
    """``kind`` with text where JSON has no form of its own."""
    types = pa.types
    if types.is_temporal(kind) or types.is_decimal(kind):
        return pa.string()
    if types.is_struct(kind):
        return pa.struct([pa.field(field.name, _textual(pa, field.type)) for field in kind])
    if types.is_list(kind) or types.is_large_list(kind):
        make = pa.large_list if types.is_large_list(kind) else pa.list_
        return make(_textual(pa, kind.value_type))
    if types.is_map(kind):
        return pa.map_(pa.string(), _textual(pa, kind.item_type))
    if types.is_dictionary(kind):
        return _textual(pa, kind.value_type)
    return kind


def _read(source: Source, batches: Callable[[_SourceFile], Iterator[Any]], magic: bytes) -> Iterator[Any]:
    pa = load("pyarrow")
    file = _SourceFile(source)
    try:
        yield from batches(file)
    except StorageError:
        raise
    except (pa.ArrowException, OSError, ValueError, zlib.error) as error:
        if file.failure is not None:
            raise file.failure from None
        position = source.position
        foreign = source.read(0, len(magic)) != magic
        raise damaged(source, position, str(error), foreign=foreign) from error


def _wanted(source: Source, names: Sequence[str], columns: Sequence[str]) -> list[str]:
    lacking = [name for name in columns if name not in names]
    if lacking:
        source.position = 0
        raise StorageError(
            f"has no column {', '.join(lacking)} (xlearning.inputformat.columns)",
            hint=f"there is: {', '.join(names)}",
        )
    twice = sorted({name for name in names if names.count(name) > 1}) if not columns else []
    if twice:
        raise StorageError(f"has several columns {', '.join(twice)}, which cannot be told apart in JSON")
    return list(columns or names)


def _middle(group: Any) -> int:
    first = group.column(0)
    begin = first.data_page_offset
    if first.dictionary_page_offset:
        begin = min(begin, first.dictionary_page_offset)
    size = sum(group.column(number).total_compressed_size for number in range(group.num_columns))
    return int(begin + size // 2)


def _stripes(source: Source, reader: Any) -> list[int]:
    """Offset of every stripe."""
    tail = 1 + reader.file_postscript_length + reader.file_footer_length
    footer = source.read(source.size - tail, reader.file_footer_length)
    found = offsets(unpacked(footer, _unpacker(str(reader.compression).lower())))
    if len(found) != reader.nstripes:
        raise ValueError(f"its footer lists {len(found)} stripes where there are {reader.nstripes}")
    return found


def _unpacker(codec: str) -> Callable[[bytes], bytes] | None:
    """How a chunk is unpacked; None where nothing is packed."""
    pa = load("pyarrow")
    if codec in ("uncompressed", "none"):
        return None
    if codec == "zlib":
        return inflate
    if codec == "zstd":
        return lambda data: bytes(pa.CompressedInputStream(pa.BufferReader(data), "zstd").read())
    sizes = {"snappy": ("snappy", snappy_size), "lz4": ("lz4_raw", lz4_size)}
    if codec in sizes:
        name, size = sizes[codec]
        return lambda data: bytes(pa.decompress(data, size(data), codec=name, asbytes=True))
    raise StorageError(
        f"is compressed with {codec}, which cannot be read here",
        hint="write it again with zstd, zlib, snappy or lz4",
    )


def text(lines: Sequence[bytes]) -> Any:
    """A column of text.

    Raises
    ------
    ValueError
        One of ``lines`` is not UTF-8.
    StorageError
        pyarrow is missing.
    """
    pa = load("pyarrow")
    return pa.array(lines, pa.binary()).cast(pa.string())


class TextWriter:
    """Writes a Parquet file with one column of text, ``line``, to ``file``, which it does not close.

    Raises
    ------
    StorageError
        pyarrow is missing.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._arrow = load("pyarrow")
        self._schema = self._arrow.schema([self._arrow.field("line", self._arrow.string(), nullable=False)])
        self._writer = load("pyarrow", "pyarrow.parquet").ParquetWriter(file, self._schema)

    def write(self, column: Any) -> None:
        """Write what `text` gave as a row group; nothing where it is empty."""
        if len(column):
            self._writer.write_table(self._arrow.Table.from_arrays([column], schema=self._schema))

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()
