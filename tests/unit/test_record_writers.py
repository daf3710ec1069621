"""SequenceFile and Parquet as output: parts by size, and the lines come back."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pyarrow.parquet
import pytest
from record_files import RecordFile

from xlearning.config import Config
from xlearning.errors import StorageError, UsageError
from xlearning.formats.output.base import BytesWriter
from xlearning.formats.output.registry import output_format

LINES = [hashlib.sha512(b"%d" % n).hexdigest().encode() * (n % 3 + 1) for n in range(4000)] + [
    b"",
    b"\xc3\xa9\r",
]


class Folder:
    """Parts in a folder."""

    def __init__(self, path: Path, limit: int = 1 << 30) -> None:
        self.path, self.limit = path, limit
        self.made: list[Path] = []

    def create(self, ending: str = "") -> io.BufferedWriter:
        self.made.append(self.path / f"part-{len(self.made)}{ending}")
        return self.made[-1].open("wb")


def written(name: str, parts: Folder, lines: list[bytes], **properties: str) -> None:
    given = {f"xlearning.outputformat.{key.replace('_', '.')}": text for key, text in properties.items()}
    writer = output_format(name, Config.from_properties(given)).writer(parts)
    assert not isinstance(writer, BytesWriter)
    for start in range(0, len(lines), 999):
        writer.write(lines[start : start + 999])
    writer.close()


@pytest.mark.parametrize("codec", ["none", "gzip", "org.apache.hadoop.io.compress.DefaultCodec", "bzip2"])
@pytest.mark.parametrize("kind", ["RECORD", "BLOCK"])
def test_sequence_files(tmp_path: Path, codec: str, kind: str) -> None:
    parts = Folder(tmp_path)
    lines = LINES if codec == "none" or kind == "BLOCK" else LINES[:300]
    written("sequencefile", parts, lines, codec=codec, compress_type=kind)
    (path,) = parts.made
    file = RecordFile("sequencefile", path)
    assert file.records() == [(b"(null)", line) for line in lines]
    file.holds_for(range(0, file.size, 99_000))
    if codec == "none":
        assert 0 < len(file.records(200_000, 400_000)) < len(lines)


def test_parquet(tmp_path: Path) -> None:
    parts = Folder(tmp_path)
    written("parquet", parts, LINES)
    assert [path.name for path in parts.made] == ["part-0.parquet"]
    assert pyarrow.parquet.read_table(parts.made[0]).column("line").to_pylist() == [
        line.decode() for line in LINES
    ]
    assert RecordFile("parquet", parts.made[0]).values() == LINES


@pytest.mark.parametrize("name", ["sequencefile", "parquet"])
def test_parts_by_size(tmp_path: Path, name: str) -> None:
    parts = Folder(tmp_path, limit=100_000)
    written(name, parts, LINES)
    assert len(parts.made) > 2
    assert [value for path in parts.made for value in RecordFile(name, path).values()] == LINES


@pytest.mark.parametrize("name", ["sequencefile", "parquet"])
def test_no_output_is_one_empty_part(tmp_path: Path, name: str) -> None:
    parts = Folder(tmp_path)
    written(name, parts, [])
    (path,) = parts.made
    assert RecordFile(name, path).values() == []


def test_lines_that_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="a line among 1 to 1 is not UTF-8"):
        written("parquet", Folder(tmp_path), [b"\xff"])


def test_unknown_codecs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be compressed with lzma"):
        written("sequencefile", Folder(tmp_path), [], codec="lzma")
