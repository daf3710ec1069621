"""Codecs: both ways, files of several streams, damage, and what name and content say."""

from __future__ import annotations

import bz2
import gzip
import itertools
import random
import zlib
from collections.abc import Iterator

import pytest

from xlearning.errors import StorageError, UsageError
from xlearning.formats import libraries
from xlearning.formats.codecs import bzip2_blocks, registry
from xlearning.formats.codecs.base import CHUNK, Codec, Memory

CODECS = [pytest.param(codec, id=codec.name) for codec in registry.CODECS]
TEXT = b"hello\nworld\n" * 40
NO_CHECKSUM = ("snappy", "lz4")


@pytest.mark.parametrize("codec", CODECS)
def test_both_ways_and_streams_that_follow_one_another(codec: Codec) -> None:
    noise = random.Random(1).randbytes(300_000) + b"abc" * 500_000
    for content in (b"", b"a\nb\n", noise):
        packed = codec.pack(content)
        assert codec.unpack(packed) == content
        assert codec.unpack(packed + codec.pack(b"") + packed) == content * 2
    assert codec.unpack(b"") == b""


@pytest.mark.parametrize("codec", CODECS)
def test_small_writes_are_one_file(codec: Codec) -> None:
    compressor = codec.compressor()
    packed = b"".join([compressor.compress(TEXT) for _ in range(1000)]) + compressor.flush()
    assert codec.unpack(packed) == TEXT * 1000


@pytest.mark.parametrize("codec", CODECS)
def test_a_file_cut_off_anywhere_is_an_error_with_its_place(codec: Codec) -> None:
    packed = codec.pack(TEXT)
    for length in range(1, len(packed)):
        source = Memory(packed[:length])
        with pytest.raises(StorageError):
            list(codec.decode(source))
        assert 0 <= source.position <= length


@pytest.mark.parametrize("codec", CODECS)
def test_a_bit_that_changed_is_an_error(codec: Codec) -> None:
    packed = codec.pack(TEXT)
    for bit in range(len(packed) * 8):
        changed = bytearray(packed)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            content = codec.unpack(bytes(changed))
        except StorageError:
            continue
        assert codec.name in NO_CHECKSUM or content == TEXT


@pytest.mark.parametrize("codec", CODECS)
def test_what_follows_the_data_is_an_error(codec: Codec) -> None:
    with pytest.raises(StorageError):
        codec.unpack(codec.pack(TEXT) + b"something else")


@pytest.mark.parametrize("codec", CODECS)
def test_plain_text_is_an_error(codec: Codec) -> None:
    with pytest.raises(StorageError, match=codec.name):
        codec.unpack(b"plain text, and not a short one\n" * 10)


@pytest.mark.parametrize("codec", CODECS)
def test_a_little_that_becomes_much_comes_in_pieces(codec: Codec) -> None:
    packed = codec.pack(bytes(20 << 20))
    sizes = [len(piece) for piece in codec.decode(Memory(packed))]
    assert sum(sizes) == 20 << 20
    assert max(sizes) <= CHUNK
    assert min(sizes) > 0


def test_zeros_may_follow_gzip_data() -> None:
    codec = registry.CODECS[0]
    packed = gzip.compress(b"a\nb") + bytes(1000) + gzip.compress(b"c\nd\n") + bytes(3)
    assert codec.unpack(packed) == b"a\nbc\nd\n"


def test_gzip_without_isal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "available", lambda _: False)
    for codec in (registry.CODECS[0], registry.CODECS[3]):
        assert codec.unpack(codec.pack(TEXT) * 2) == TEXT * 2
    assert gzip.decompress(registry.CODECS[0].pack(TEXT)) == TEXT
    assert zlib.decompress(registry.CODECS[3].pack(TEXT)) == TEXT


@pytest.mark.parametrize(
    ("name", "data"),
    [
        # written by Hadoop 3.5.0
        ("snappy", "00000004 00000006 040c610a620a"),
        ("lz4", "00000004 00000005 40610a620a"),
        # a block of two chunks, and one without any in between
        ("snappy", "00000004 00000004 0204610a 00000004 0204620a 00000000"),
        ("lz4", "00000004 00000003 20610a 00000003 20620a 00000000"),
        ("snappy", "00000002 00000004 0204610a 00000000 00000002 00000004 0204620a"),
    ],
)
def test_blocks_as_hadoop_writes_them(name: str, data: str) -> None:
    codec = registry.named(name)
    assert codec is not None
    assert codec.unpack(bytes.fromhex(data)) == b"a\nb\n"


@pytest.mark.parametrize(
    "data",
    ["00000004 ffffffff 00", "ffffffff 00000001 00", "00000001 00000004 0204610a", "00000004 00000000"],
)
@pytest.mark.parametrize("name", NO_CHECKSUM)
def test_numbers_that_cannot_be(name: str, data: str) -> None:
    codec = registry.named(name)
    assert codec is not None
    with pytest.raises(StorageError):
        codec.unpack(bytes.fromhex(data))


def test_the_name_decides() -> None:
    names = {"a.gz": "gzip", "/x.y/a.Bz2": "bzip2", "a.zst": "zstd", "a.txt.DEFLATE": "deflate"}
    names |= {"a.snappy": "snappy", "hdfs://h/a.lz4": "lz4"}
    for name, codec in names.items():
        found = registry.of_name(name)
        assert found is not None
        assert found.name == codec
    for name in ("a", ".gz", "/d/.gz", "a.gz.bak", "a.tgz", "a.zstd", "x.gz/a"):
        assert registry.of_name(name) is None


def test_name_and_content_must_agree() -> None:
    head = gzip.compress(TEXT)[: registry.HEAD]
    assert registry.find("a.gz", head) is registry.CODECS[0]
    assert registry.find("a.txt", b"BZhello") is None
    assert registry.find("a.txt", b"") is None
    for name in ("a", "a.bz2"):
        with pytest.raises(StorageError, match=r"is gzip data, but its name does not end in \.gz"):
            registry.find(name, head)
    with pytest.raises(StorageError, match="is bzip2 data"):
        registry.find("a", bz2.compress(b""))
    for name, codec in (("a.gz", "gzip"), ("a.bz2", "bzip2"), ("a.zst", "zstd")):
        for content in (b"1\n2\n3\n", bytes(99)):
            with pytest.raises(StorageError, match=f"is not {codec} data, as its name says"):
                registry.find(name, content[: registry.HEAD])
        assert registry.find(name, b"") is not None
    assert registry.find("a.gz", b"\x1f\x8b") is registry.CODECS[0]  # one that is cut off
    assert registry.find("a.zst", b"\x5a\x2a\x4d\x18\0\0\0\0") is registry.CODECS[2]  # a frame to skip
    with pytest.raises(StorageError, match="snappy's own framing"):
        registry.find("a.snappy", b"\xff\x06\x00\x00sNaPpY")


def test_codecs_by_hadoops_classes() -> None:
    for spelling in ("org.apache.hadoop.io.compress.SnappyCodec", "snappycodec", " Snappy "):
        found = registry.named(spelling)
        assert found is not None
        assert found.name == "snappy"
    assert registry.named("zlib") is registry.CODECS[3]
    assert registry.named("rar") is None
    assert registry.of_class("org.apache.hadoop.io.compress.DefaultCodec") is registry.CODECS[3]
    assert registry.of_class("com.example.GzipCodec") is None


def test_what_is_missing_is_named_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "_exists", lambda _: False)
    with pytest.raises(UsageError, match="cramjam is not installed") as caught:
        libraries.load("cramjam")
    assert caught.value.hint == "pip install 'xlearning[codecs]'"
    with pytest.raises(UsageError) as caught:
        libraries.check({"cramjam": ["a.lz4"], "backports.zstd": ["a.zst", "b.zst", "c.zst", "d.zst"]})
    assert caught.value.message == (
        "not installed here are backports.zstd (for a.zst, b.zst, c.zst and 1 more), cramjam (for a.lz4)"
    )


def _bzip2_files() -> Iterator[tuple[bytes, bytes]]:
    random_ = random.Random(7)
    for number in range(30):
        parts = [bytes(random_.choices(b"ab\r\n", k=random_.choice((0, 0, 1, 5, 30)))) for _ in range(4)]
        if number % 10 == 0:
            parts.append(random_.randbytes(250_000))  # several blocks
        yield b"".join([bz2.compress(part, 1) for part in parts]), b"".join(parts)


def test_blocks_of_bzip2_for_any_cut() -> None:
    random_ = random.Random(8)
    for packed, plain in _bzip2_files():
        few = random_.sample(range(1, len(packed)), min(5, len(packed) - 1))
        cuts = sorted({0, len(packed), *few} if len(packed) > 500 else range(len(packed) + 1))
        found = [
            b"".join([piece for piece, ours in bzip2_blocks.split(Memory(packed), start, end) if ours])
            for start, end in itertools.pairwise(cuts)
        ]
        assert b"".join(found) == plain


def test_damage_of_bzip2_blocks() -> None:
    packed = bz2.compress(TEXT, 1) + bz2.compress(TEXT, 1)
    for length in range(1, len(packed)):
        if length == len(packed) // 2:  # the end of the first stream: a whole file
            continue
        with pytest.raises(StorageError):
            list(bzip2_blocks.split(Memory(packed[:length]), 0, 10))
    with pytest.raises(StorageError, match="something else follows"):
        list(bzip2_blocks.split(Memory(packed + b"junk"), 0, 10))
    for bit in range(len(packed) * 8):
        changed = bytearray(packed)
        changed[bit // 8] ^= 1 << bit % 8
        try:
            content = b"".join([piece for piece, _ in bzip2_blocks.split(Memory(bytes(changed)), 0, 10)])
        except StorageError:
            continue
        assert content == TEXT * 2
