"""Avro, Parquet, ORC and TFRecord, in files that other libraries have written."""

from __future__ import annotations

import datetime
import decimal
import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from record_files import RecordFile, tfrecords

from xlearning.errors import StorageError, UsageError
from xlearning.formats import libraries
from xlearning.formats.base import Cutting
from xlearning.formats.framing import Framing, pieces
from xlearning.formats.orc_stripes import lz4_size, snappy_size
from xlearning.formats.source import Files
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

COUNT = 600
ROWS = [{"i": n, "s": f'row {n} é\n"' + "x" * (n % 37)} for n in range(COUNT)]
# A writer of ORC ends a stripe every so many thousand rows, if they are large enough.
MANY = [{"i": n, "s": hashlib.sha256(b"%d" % n).hexdigest()} for n in range(16_000)]
DOCUMENTS = [json.dumps(row, ensure_ascii=False).encode() for row in ROWS]
AVRO = {
    "type": "record",
    "name": "Row",
    "fields": [{"name": "i", "type": "long"}, {"name": "s", "type": "string"}],
}


def avro(path: Path, rows: list[Any], schema: Any = AVRO, codec: str = "null") -> None:
    with path.open("wb") as file:
        fastavro.writer(file, schema, rows, codec=codec, sync_interval=1000)


def parquet(path: Path, table: pa.Table) -> None:
    pyarrow.parquet.write_table(table, path, row_group_size=50)


def orc(path: Path, table: pa.Table, codec: str = "zlib") -> None:
    sink = io.BytesIO()
    with pyarrow.orc.ORCWriter(sink, stripe_size=1, batch_size=1000, compression=codec) as writer:
        for batch in table.to_batches(1000):
            writer.write(pa.Table.from_batches([batch]))
    path.write_bytes(sink.getvalue())


def tfrecord(path: Path, values: list[bytes]) -> None:
    path.write_bytes(tfrecords(values))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RecordFile]:
    folder = tmp_path_factory.mktemp("records")
    avro(folder / "avro", ROWS)
    parquet(folder / "parquet", pa.Table.from_pylist(ROWS))
    orc(folder / "orc", pa.Table.from_pylist(MANY))
    return {name: RecordFile(name, folder / name) for name in ("avro", "parquet", "orc")}


@pytest.mark.parametrize("name", ["avro", "parquet", "orc"])
def test_rows_are_documents(files: dict[str, RecordFile], name: str) -> None:
    rows = MANY if name == "orc" else ROWS
    assert files[name].values() == [json.dumps(row, ensure_ascii=False).encode() for row in rows]
    third = files[name].size // 3
    assert 0 < len(files[name].values(third, 2 * third)) < len(rows)


@settings(max_examples=12)
@given(name=st.sampled_from(["avro", "parquet", "orc"]), where=st.sets(st.floats(0, 1), max_size=6))
def test_any_cut_gives_every_row_once(files: dict[str, RecordFile], name: str, where: set[float]) -> None:
    files[name].holds_for(round(share * files[name].size) for share in where)


def test_blocks_and_row_groups_and_stripes_belong_to_one_byte(files: dict[str, RecordFile]) -> None:
    avro_file = files["avro"]
    data = Path(avro_file.uri.removeprefix("file://")).read_bytes()
    mark = data.index(data[-16:])
    assert avro_file.values(0, mark) == []
    assert len(avro_file.values(mark, mark + 1)) > 5
    group = pyarrow.parquet.ParquetFile(io.BytesIO(_bytes(files["parquet"]))).metadata.row_group(2)
    first = group.column(0)
    middle = (
        min(first.dictionary_page_offset, first.data_page_offset)
        + sum(group.column(n).total_compressed_size for n in range(2)) // 2
    )
    assert files["parquet"].values(middle, middle + 1) == DOCUMENTS[100:150]
    assert files["parquet"].values(middle + 1, middle + 2) == []
    assert files["orc"].values(3, 4) == files["orc"].values(0, 4) != []
    assert files["orc"].values(0, 3) == []


def _bytes(file: RecordFile) -> bytes:
    return Path(file.uri.removeprefix("file://")).read_bytes()


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2"])
def test_codecs_of_avro(tmp_path: Path, codec: str) -> None:
    avro(tmp_path / "a", ROWS, codec=codec)
    assert RecordFile("avro", tmp_path / "a").values() == DOCUMENTS


@pytest.mark.parametrize("codec", ["uncompressed", "snappy", "zstd", "lz4"])
def test_codecs_of_orc(tmp_path: Path, codec: str) -> None:
    orc(tmp_path / "a", pa.Table.from_pylist(ROWS), codec)
    file = RecordFile("orc", tmp_path / "a")
    assert file.values(0, file.size // 2) + file.values(file.size // 2) == DOCUMENTS


@pytest.mark.parametrize("content", [b"", b"a", b"ab" * 900, bytes(range(256)) * 3, bytes(100_000)])
def test_sizes_of_packed_chunks(content: bytes) -> None:
    for codec, size in (("lz4_raw", lz4_size), ("snappy", snappy_size)):
        chunk = pa.compress(content, codec=codec, asbytes=True)
        assert size(chunk) == len(content)
    for damaged in (b"\xf0\xff", b"\xff" * 40):
        for size in (lz4_size, snappy_size):
            with pytest.raises(ValueError, match="a chunk"):
                size(damaged)


def test_pages_with_checksums_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "a"
    table = pa.table({"a": ["one line", "another one"]})
    plain: dict[str, Any] = {"use_dictionary": False, "write_statistics": False, "compression": "none"}
    pa.parquet.write_table(table, path, write_page_checksum=True, **plain)
    assert RecordFile("parquet", path).values() == [b"one line", b"another one"]
    path.write_bytes(path.read_bytes().replace(b"one line", b"two line", 1))
    with pytest.raises(StorageError, match=r"damaged file: .*CRC"):
        RecordFile("parquet", path).values()


def test_avro_as_java_prints_it(tmp_path: Path) -> None:
    schema = {
        "type": "record",
        "name": "R",
        "fields": [
            {"name": "day", "type": {"type": "int", "logicalType": "date"}},
            {"name": "raw", "type": "bytes"},
            {"name": "list", "type": {"type": "array", "items": ["null", "double"]}},
            {"name": "u", "type": "string"},
        ],
    }
    row = {"day": 3, "raw": b"a\xff", "list": [None, 1.5, float("nan")], "u": "\u2028"}
    avro(tmp_path / "a", [row], schema)
    expected = '{"day": 3, "raw": "aÿ", "list": [null, 1.5, "NaN"], "u": "\\u2028"}'
    assert RecordFile("avro", tmp_path / "a").values() == [expected.encode()]


def test_all_kinds_of_columns(tmp_path: Path) -> None:
    table = pa.table(
        {
            "when": pa.array([datetime.datetime(2026, 1, 2, 3, 4, 5, 6)], pa.timestamp("us")),
            "day": [datetime.date(2026, 1, 2)],
            "price": [decimal.Decimal("1.50")],
            "raw": [b"\0\xff"],
            "nested": [{"list": [1, None], "day": datetime.date(2026, 1, 2)}],
            "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32())),
            "none": pa.array([None], pa.int32()),
            "odd": [float("inf")],
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "p")
    (value,) = RecordFile("parquet", tmp_path / "p").values()
    assert value.decode() == (
        '{"when": "2026-01-02 03:04:05.000006", "day": "2026-01-02", "price": "1.50", "raw": "AP8=", '
        '"nested": {"list": [1, null], "day": "2026-01-02"}, "map": {"k": 1}, "none": null, '
        '"odd": "Infinity"}'
    )


def framed_lines(file: RecordFile) -> Iterator[bytes]:
    """As the program reads them with keys."""
    split = InputSplit(file.uri, 0, file.size, file.size)
    return pieces(file.format, split, Files(FileSystems()), Framing(keys=True))


@pytest.mark.parametrize(("name", "write"), [("parquet", parquet), ("orc", orc)])
def test_columns(tmp_path: Path, name: str, write: Callable[[Path, pa.Table], None]) -> None:
    table = pa.table({"a": [1, 2, 3], "b": ["x", None, "é"], "c": ["l\nf", "", ""]})
    write(tmp_path / "f", table)
    assert RecordFile(name, tmp_path / "f", inputformat_columns="b").lines() == "x\n\né\n".encode()
    both = RecordFile(name, tmp_path / "f", inputformat_columns="b,a").lines()
    assert both.splitlines()[0] == b'{"b": "x", "a": 1}'
    broken = RecordFile(name, tmp_path / "f", inputformat_columns="c")
    assert broken.values() == [b"l\nf", b"", b""]
    with pytest.raises(StorageError, match="column c has a value with a line end"):
        broken.lines()
    with pytest.raises(StorageError, match="column c has a value with a line end"):
        b"".join(framed_lines(broken))
    with pytest.raises(StorageError, match="has no column d, e") as caught:
        RecordFile(name, tmp_path / "f", inputformat_columns="d,a,e").values()
    assert "there is: a, b, c" in str(caught.value)


def test_tfrecords(tmp_path: Path) -> None:
    values = [b"", b"one", b"\0\xff" * 5000, b"last"]
    tfrecord(tmp_path / "t", values)
    file = RecordFile("tfrecord", tmp_path / "t")
    assert file.values() == values
    assert file.lines() == b"".join(value + b"\n" for value in values)
    listed = FileStatus(file.uri, file.size, False, 0.0, block_size=10)
    assert len(file.format.splits([listed], Cutting(maximum=5), Files(FileSystems()))) == 1
    tfrecord(tmp_path / "t", [b"one", b"t\nwo"])
    file = RecordFile("tfrecord", tmp_path / "t")
    assert file.values() == [b"one", b"t\nwo"]
    with pytest.raises(StorageError, match="the record at byte 19 holds a line end"):
        file.lines()
    with pytest.raises(StorageError, match="the record at byte 19 holds a line end"):
        b"".join(framed_lines(file))


def test_compressed_tfrecords_are_refused_together(tmp_path: Path) -> None:
    tfrecord(tmp_path / "t", [])
    format_ = RecordFile("tfrecord", tmp_path / "t").format
    listed = [FileStatus(f"file:///in/{n}.tfrecord.gz", 1, False, 0.0) for n in range(5)]
    with pytest.raises(UsageError, match=r"/0\.tfrecord\.gz, .*\(and 2 more\)"):
        format_.splits(listed, Cutting(), Files(FileSystems()))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data[:-1], "ends in the middle of a record"),
        (lambda data: data[:5], "ends in the middle of a record"),
        (lambda data: data[:19] + b"\7" + data[20:], r"at byte 19: damaged file: the length .* checksum$"),
        (lambda data: data[:31] + b"x" + data[32:], r"at byte 19: damaged file: a record .* checksum$"),
    ],
)
def test_damaged_tfrecords(tmp_path: Path, change: Callable[[bytes], bytes], words: str) -> None:
    tfrecord(tmp_path / "t", [b"one", b"two", b"three"])
    (tmp_path / "t").write_bytes(change((tmp_path / "t").read_bytes()))
    assert re.search(words, RecordFile("tfrecord", tmp_path / "t").fault())


@pytest.mark.parametrize("name", ["avro", "parquet", "orc"])
@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:-9],
        lambda data: b"XXXXXXX" + data[7:],
        lambda data: data[:0],
        lambda data: data[: len(data) // 2] + bytes(100) + data[len(data) // 2 + 100 :],
    ],
)
def test_damaged_files(
    tmp_path: Path, files: dict[str, RecordFile], name: str, change: Callable[[bytes], bytes]
) -> None:
    data = _bytes(files[name])
    (tmp_path / "f").write_bytes(change(data))
    try:
        found = RecordFile(name, tmp_path / "f").values()
    except StorageError:
        return
    assert len(found) == len(files[name].values()), "rows are missing, and nobody was told"


@pytest.mark.parametrize("name", ["avro", "parquet", "orc", "sequencefile", "tfrecord"])
def test_files_of_another_format(tmp_path: Path, name: str) -> None:
    (tmp_path / "f").write_bytes(b"a line of text\n" * 9)
    fault = RecordFile(name, tmp_path / "f").fault()
    assert " at byte 0: damaged file: " in fault
    assert fault.endswith("\n  hint: is --inputformat right for this file?")


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("org.apache.avro.mapred.AvroAsTextInputFormat", "avro"),
        ("org.apache.parquet.hadoop.ParquetInputFormat", "parquet"),
        ("OrcInputFormat", "orc"),
        ("org.tensorflow.hadoop.io.TFRecordFileInputFormat", "tfrecord"),
    ],
)
def test_names_of_java(tmp_path: Path, name: str, short: str) -> None:
    (tmp_path / "f").touch()
    assert RecordFile(name, tmp_path / "f").format.name == short


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tfrecord(tmp_path / "t", [b"x"])
    monkeypatch.setattr(libraries, "_exists", lambda _: False)
    with pytest.raises(UsageError, match="package google-crc32c is not installed") as caught:
        RecordFile("tfrecord", tmp_path / "t").values()
    assert "pip install 'xlearning[tfrecord]'" in str(caught.value)
