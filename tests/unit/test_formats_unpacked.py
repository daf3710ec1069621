"""Compressed text: any cut gives every record once, and to the split that Hadoop gives it to."""

from __future__ import annotations

import bz2
import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_truth import records

from xlearning.config import Config
from xlearning.errors import StorageError, UsageError
from xlearning.formats import libraries
from xlearning.formats.base import Cutting
from xlearning.formats.codecs import registry
from xlearning.formats.source import Files
from xlearning.formats.text import TextFormat
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

FORMAT = TextFormat(Config.from_properties({}))
PARTS = st.lists(
    st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\r\n", b"\xef\xbb\xbf"]), max_size=5).map(
        b"".join
    ),
    min_size=1,
    max_size=5,
)


def written(folder: Path, name: str, data: bytes) -> FileStatus:
    (folder / name).write_bytes(data)
    return FileStatus(f"file://{folder / name}", len(data), False, 0.0)


def lines(split: InputSplit) -> list[bytes]:
    found = b"".join(FORMAT.lines(split, Files(FileSystems())))
    return found.removesuffix(b"\n").split(b"\n") if found else []


def cut(file: FileStatus, cuts: list[int]) -> list[list[bytes]]:
    borders = [0, *cuts, file.size]
    return [
        lines(InputSplit(file.path, start, end - start, file.size))
        for start, end in itertools.pairwise(borders)
    ]


@settings(max_examples=60, deadline=None)
@given(PARTS, st.data())
def test_every_record_once(
    tmp_path_factory: pytest.TempPathFactory, parts: list[bytes], data: st.DataObject
) -> None:
    packed = b"".join([bz2.compress(part, 1) for part in parts])
    file = written(tmp_path_factory.getbasetemp(), "a.bz2", packed)
    cuts = sorted(data.draw(st.sets(st.integers(1, len(packed) - 1), max_size=8)))
    found = cut(file, cuts)
    assert [line for split in found for line in split] == [value for _, value in records(b"".join(parts))]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("ab|", max_size=6), min_size=1, max_size=5),
    st.sampled_from(["|a", "||", "ab|"]),
    st.data(),
)
def test_delimiters_of_ones_own(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str], delimiter: str, data: st.DataObject
) -> None:
    format_ = TextFormat(Config.from_properties({"xlearning.inputformat.text.delimiter": delimiter}))
    folder = tmp_path_factory.getbasetemp()
    packed = written(folder, "b.bz2", b"".join([bz2.compress(part.encode(), 1) for part in parts]))
    plain = written(folder, "b", "".join(parts).encode())
    found = []
    for file in (packed, plain):
        cutting = Cutting(maximum=data.draw(st.integers(1, 40)))
        splits = format_.splits([file], cutting, Files(FileSystems()))
        records = [format_.records(split, Files(FileSystems())) for split in splits]
        found.append([value for few in records for _, value in few])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("parts", "borders", "found"),
    [
        # every border in front of a block, and one byte after that
        ([b"aa\nb", b"b\ncc\n"], [0], [[b"aa", b"bb"], [b"cc"]]),
        ([b"aa\nb", b"b\ncc\n"], [1], [[b"aa", b"bb", b"cc"], []]),
        # the cut falls between CR and LF, and between CR and CR
        ([b"a\r", b"\nb"], [0], [[b"a"], [b"b"]]),
        ([b"a\r", b"\rb"], [0], [[b"a", b""], [b"b"]]),
        ([b"a\r", b"b\rc"], [0], [[b"a", b"b"], [b"c"]]),
        # one record covers a block
        ([b"a", b"b", b"c\nd"], [0], [[b"abc"], [b"d"]]),
    ],
)
def test_who_gets_a_record(
    tmp_path: Path, parts: list[bytes], borders: list[int], found: list[list[bytes]]
) -> None:
    packed = [bz2.compress(part) for part in parts]
    file = written(tmp_path, "a.bz2", b"".join(packed))
    block = len(packed[0]) + 4
    assert cut(file, [block + border for border in borders]) == found


def test_empty_stream_in_front_and_cuts_of_one_byte(tmp_path: Path) -> None:
    packed = bz2.compress(b"") + bz2.compress(b"\r\r\n")
    file = written(tmp_path, "a.bz2", packed)
    assert sorted(cut(file, [11, 24])) == [[], [b""], [b""]]
    file = written(tmp_path, "b.bz2", bz2.compress(b"a\nb\n") + bz2.compress(b"c\nd"))
    found = cut(file, list(range(1, file.size)))
    assert [line for split in found for line in split] == [b"a", b"b", b"c", b"d"]


@pytest.mark.parametrize("codec", registry.CODECS, ids=lambda codec: codec.name)
def test_every_codec(tmp_path: Path, codec: registry.Codec) -> None:
    packed = codec.pack(b"\xef\xbb\xbfone\r") + codec.pack(b"\ntwo\n\n") + codec.pack(b"three")
    file = written(tmp_path, f"a{codec.ending.upper()}", packed)
    splits = FORMAT.splits([file], Cutting(maximum=1), Files(FileSystems()))
    assert len(splits) == (file.size if codec.splittable else 1)
    assert [line for split in splits for line in lines(split)] == [b"one", b"two", b"", b"three"]
    empty = written(tmp_path, f"empty{codec.ending}", b"")
    assert [lines(split) for split in FORMAT.splits([empty], Cutting(), Files(FileSystems()))] == [[]]


def test_damage_names_file_and_place(tmp_path: Path) -> None:
    packed = registry.CODECS[0].pack(b"one\ntwo\n")
    file = written(tmp_path, "a.gz", packed[:-3])
    files = Files(FileSystems())
    with pytest.raises(StorageError, match="ends too early"):
        list(FORMAT.lines(InputSplit(file.path, 0, file.size, file.size), files))
    assert files.place == f"{file.path} at byte {file.size}"
    for name, data in (("b.gz", b"plain text\n"), ("c.txt", packed)):
        other = written(tmp_path, name, data)
        with pytest.raises(StorageError, match="gzip"):
            lines(InputSplit(other.path, 0, other.size, other.size))


def test_missing_packages_are_named_at_planning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "available", lambda _: False)
    files = [written(tmp_path, f"a{ending}", b"") for ending in (".zst", ".snappy", ".lz4", ".gz", ".bz2")]
    with pytest.raises(UsageError) as caught:
        FORMAT.splits(files, Cutting(), Files(FileSystems()))
    assert caught.value.message == (
        f"not installed here are backports.zstd (for {files[0].path}), "
        f"cramjam (for {files[1].path}, {files[2].path})"
    )
    assert caught.value.hint == "pip install 'xlearning[codecs]'"
