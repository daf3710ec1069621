"""Files of other formats, read as text."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest

from xlearning.config import Config
from xlearning.errors import StorageError
from xlearning.formats.base import Cutting, LineFormat
from xlearning.formats.registry import input_format
from xlearning.formats.source import Files
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus

TABLE = pa.table({"a": [1, 2, 3]})


def read(path: Path, name: str = "text") -> bytes:
    format_, reading = input_format(name, Config.from_properties({})), Files(FileSystems())
    assert isinstance(format_, LineFormat)
    file = FileStatus(path.as_uri(), path.stat().st_size, False, 0.0)
    splits = format_.splits([file], Cutting(1, 1 << 20), reading)
    return b"".join(piece for split in splits for piece in format_.lines(split, reading))


def write(path: Path, kind: str) -> None:
    if kind == "parquet":
        pyarrow.parquet.write_table(TABLE, path)
    elif kind == "orc":
        pyarrow.orc.write_table(TABLE, path)
    else:
        path.write_bytes({"avro": b"Obj\x01\x04rest", "sequencefile": b"SEQ\x06\x19rest"}[kind])


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro", "sequencefile"])
@pytest.mark.parametrize("name", ["text", "keyvalue", "nline", "combine"])
def test_refused(tmp_path: Path, kind: str, name: str) -> None:
    write(tmp_path / "part-0", kind)
    with pytest.raises(StorageError, match=rf", not text\n.*--inputformat {kind}$"):
        read(tmp_path / "part-0", name)


@pytest.mark.parametrize(
    "text",
    [
        *(
            b"PAR1\n",
            b"PAR1 and PAR1\n",
            b"PAR1PAR1PAR1\n",
            b"SEQUENCE\n",
            b"SEQ\n",
            b"SEQ\t1\n",
            b"Object\n",
        ),
        *(b"ORC\n", b"ORC a ORC\n", b"ORCORCORCORC\n", b"OR\n", b"Obj\n"),
    ],
)
def test_text_that_begins_alike_is_text(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "a").write_bytes(text)
    assert read(tmp_path / "a") == text
    (tmp_path / "a").write_bytes(text[:-1])
    assert read(tmp_path / "a") == text
