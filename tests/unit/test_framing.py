"""How records stand in the pipe."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats import framing
from xlearning.formats.framing import Framing, Io, framed, joined, pieces
from xlearning.formats.registry import input_format
from xlearning.formats.source import Files
from xlearning.fs import FileSystems
from xlearning.job import InputSplit

RECORDS = st.lists(st.tuples(st.binary(max_size=5), st.binary(max_size=9)), max_size=9)


def made(**properties: str) -> Framing:
    given_ = {f"xlearning.inputformat.{name.replace('_', '.')}": text for name, text in properties.items()}
    return Framing.of(Config.from_properties(given_))


def parsed(data: bytes, *, typed: bool) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        if typed:
            assert data[at] == 0
            at += 1
        (length,) = struct.unpack_from(">i", data, at)
        yield data[at + 4 : at + 4 + length]
        at += 4 + length


@settings(max_examples=200, deadline=None)
@given(records=RECORDS, piece=st.integers(1, 20))
def test_every_form(records: list[tuple[bytes, bytes]], piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(framing, "_PIECE", piece)
        for io in (Io.RAWBYTES, Io.TYPEDBYTES):
            got = list(framed(records, Framing(io)))
            assert all(got)
            fields = list(parsed(b"".join(got), typed=io is Io.TYPEDBYTES))
            assert fields == [field for record in records for field in record]
        text = b"".join(framed(records, Framing(keys=True, separator=b"::")))
        assert text == b"".join(key + b"::" + value + b"\n" for key, value in records)
        assert b"".join(joined(records)) == b"".join(value + b"\n" for _, value in records)


def test_bytes_on_the_wire() -> None:
    records = [(b"k", b"v\n"), (b"", b"")]
    raw = b"\0\0\0\x01k\0\0\0\x02v\n" + b"\0" * 8
    assert b"".join(framed(records, Framing(Io.RAWBYTES))) == raw
    typed = b"\0\0\0\0\x01k\0\0\0\0\x02v\n" + b"\0" * 10
    assert b"".join(framed(records, Framing(Io.TYPEDBYTES))) == typed


def test_what_the_properties_mean() -> None:
    assert made() == Framing(Io.TEXT, keys=False, separator=b"\t")
    assert made(io="rawbytes").io is Io.RAWBYTES
    assert made(key="true", key_separator=r"\x01") == Framing(Io.TEXT, keys=True, separator=b"\x01")
    with pytest.raises(UsageError, match=r"key\.separator is empty"):
        made(key_separator="")


def test_keys_of_text_are_offsets(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbfa\r\n\nb")
    split = InputSplit((tmp_path / "f").as_uri(), 0, 8, 8)
    format_, reading = input_format("text", Config.from_properties({})), Files(FileSystems())
    assert b"".join(pieces(format_, split, reading)) == b"a\n\nb\n"
    assert b"".join(pieces(format_, split, reading, Framing(keys=True))) == b"0\ta\n6\t\n7\tb\n"


def test_records_that_are_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(framing, "_LONGEST", 3)
    for record in ((b"", b"1234"), (b"1234", b"")):
        with pytest.raises(framing.StorageError, match="4 bytes is too long"):
            list(framed([record], Framing(Io.RAWBYTES)))
