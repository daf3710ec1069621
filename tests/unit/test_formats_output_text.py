"""Output format text: parts by size that never cut a line, with and without compression."""

from __future__ import annotations

import bz2
import gzip
import io
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.output.base import BytesWriter
from xlearning.formats.output.registry import output_format


class File(io.BytesIO):
    data = b""

    def close(self) -> None:
        self.data = self.getvalue()
        super().close()


class Memory:
    """Parts that stay in memory."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.files: list[tuple[str, File]] = []

    def create(self, ending: str = "") -> File:
        self.files.append((ending, File()))
        return self.files[-1][1]


def write(pieces: list[bytes], limit: int = 1 << 20, **properties: str) -> Memory:
    config = Config.from_properties({f"xlearning.outputformat.{k}": v for k, v in properties.items()})
    parts = Memory(limit)
    writer = output_format("text", config).writer(parts)
    assert isinstance(writer, BytesWriter)
    for piece in pieces:
        writer.write_bytes(piece)
    writer.close()
    assert all(file.closed for _, file in parts.files)
    return parts


@settings(max_examples=200, deadline=None)
@given(
    lines=st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"\r")), max_size=30),
    limit=st.integers(1, 40),
    step=st.integers(1, 50),
)
def test_a_part_ends_with_the_line_that_reaches_its_size(lines: list[bytes], limit: int, step: int) -> None:
    text = b"".join(line + b"\n" for line in lines)
    parts = write([text[at : at + step] for at in range(0, len(text), step)], limit)
    found = [file.data for _, file in parts.files]
    assert b"".join(found) == text
    assert all(part.endswith(b"\n") and len(part) >= limit for part in found[:-1])
    assert all(len(part[: part[:-1].rfind(b"\n") + 1]) < limit for part in found)
    assert all(found) or found == [b""]


@pytest.mark.parametrize(
    ("codec", "ending", "unpack"),
    [
        ("gzip", ".gz", gzip.decompress),
        ("org.apache.hadoop.io.compress.BZip2Codec", ".bz2", bz2.decompress),
        ("DefaultCodec", ".deflate", zlib.decompress),
    ],
)
def test_compressed_parts(codec: str, ending: str, unpack: Callable[[bytes], bytes]) -> None:
    text = b"".join(zlib.crc32(b"%d" % n).to_bytes(4, "big").hex().encode() + b"\n" for n in range(200_000))
    pieces = [text[at : at + 300_001] for at in range(0, len(text), 300_001)]
    parts = write(pieces, 400_000, codec=codec)
    assert len(parts.files) > 1
    assert {found for found, _ in parts.files} == {ending}
    found = [unpack(file.data) for _, file in parts.files]
    assert b"".join(found) == text
    assert all(part.endswith(b"\n") for part in found)
    assert unpack(write([], codec=codec).files[0][1].data) == b""


def test_unknown_names() -> None:
    with pytest.raises(UsageError, match="cannot be compressed with rar") as caught:
        output_format("text", Config.from_properties({"xlearning.outputformat.codec": "rar"}))
    assert caught.value.hint == "there is: none, gzip, bzip2, zstd, deflate, snappy, lz4"
    with pytest.raises(UsageError, match="output format csv is not part"):
        output_format("csv", Config.from_properties({}))
    for name in ("net.qihoo.xlearning.common.TextMultiOutputFormat", "TextOutputFormat"):
        assert output_format(name, Config.from_properties({})).name == "text"
