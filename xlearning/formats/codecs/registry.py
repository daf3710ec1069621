"""Codecs by the names of files, and by the names that people and Hadoop give them."""

from __future__ import annotations

from xlearning.errors import StorageError
from xlearning.formats.codecs.base import Codec

_ROOM = "xlearning.formats.codecs"
_HADOOP = "org.apache.hadoop.io.compress."
HEAD = 10  # bytes of a file that `find` looks at

CODECS = (
    Codec("gzip", ".gz", ("GzipCodec",), f"{_ROOM}.gz", (b"\x1f\x8b\x08",), prefers=("isal",)),
    Codec("bzip2", ".bz2", ("BZip2Codec",), f"{_ROOM}.bzip2",
          tuple(b"BZh%d%s" % (level, mark) for level in range(1, 10)
                for mark in (b"1AY&SY", b"\x17rE8P\x90")), splittable=True),
    Codec("zstd", ".zst", ("ZStandardCodec",), f"{_ROOM}.zst",
          (b"\x28\xb5\x2f\xfd", *(b"%c\x2a\x4d\x18" % number for number in range(0x50, 0x60))),
          requires=("backports.zstd",)),
    Codec("deflate", ".deflate", ("DefaultCodec", "DeflateCodec"), f"{_ROOM}.deflate", prefers=("isal",)),
    Codec("snappy", ".snappy", ("SnappyCodec",), f"{_ROOM}.snappy", requires=("cramjam",)),
    Codec("lz4", ".lz4", ("Lz4Codec",), f"{_ROOM}.lz4", requires=("cramjam",)),
)  # fmt: skip
_FOREIGN = ((b"\xff\x06\x00\x00sNaPpY", "snappy's own framing"), (b"\x04\x22\x4d\x18", "LZ4 frames"))
_OTHER_NAMES = {"gz": "gzip", "bz2": "bzip2", "zst": "zstd", "zstandard": "zstd", "zlib": "deflate"}
_BY_ENDING = {codec.ending: codec for codec in CODECS}
_BY_NAME = {
    spelling.lower(): codec
    for codec in CODECS
    for spelling in (codec.name, *(f"{package}{name}" for name in codec.classes for package in ("", _HADOOP)))
}


def of_name(name: str) -> Codec | None:
    """The codec that files of this name have: as in Hadoop its ending decides, in any case of letters."""
    before, dot, ending = name.rpartition("/")[2].rpartition(".")
    return _BY_ENDING.get((dot + ending).lower()) if before else None


def named(name: str) -> Codec | None:
    """The codec called ``name``: such as ``gzip``, or Hadoop's class for it."""
    wanted = name.strip().lower()
    return _BY_NAME.get(_OTHER_NAMES.get(wanted, wanted))


def of_class(name: str) -> Codec | None:
    """The codec of Hadoop's class ``name``, with its package, as files name it."""
    if not name.startswith(_HADOOP):
        return None
    found = named(name)
    return found if found is not None and name.removeprefix(_HADOOP) in found.classes else None


def find(name: str, head: bytes) -> Codec | None:
    """The codec of a file: its name decides, and its first bytes must not say otherwise.

    Parameters
    ----------
    head : bytes
        The first `HEAD` bytes, fewer where the file has no more.

    Raises
    ------
    StorageError
        Name and content disagree, so that reading the file would give garbage.
    """
    codec = of_name(name)
    for magic, what in _FOREIGN:
        if head.startswith(magic):
            raise StorageError(
                f"holds {what}, which Hadoop does not know",
                hint="compress it again as Hadoop does, or with gzip or zstd",
            )
    inside = next((other for other in CODECS if head.startswith(other.magics or (b"\0" * 99,))), None)
    if inside is not None and inside is not codec:
        raise StorageError(
            f"is {inside.name} data, but its name does not end in {inside.ending}", hint="rename the file"
        )
    if codec is not None and inside is None and not _may_be(codec, head):
        raise StorageError(
            f"is not {codec.name} data, as its name says",
            hint=f"rename the file so that it does not end in {codec.ending}, or bring it anew",
        )
    return codec


def _may_be(codec: Codec, head: bytes) -> bool:
    """Whether a file of ``codec`` can begin with ``head``, of which the file may have no more."""
    return not codec.magics or any(magic.startswith(head[: len(magic)]) for magic in codec.magics)
