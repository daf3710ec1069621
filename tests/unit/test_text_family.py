"""Formats made of text, of fixed records and of whole files: any cut gives every record once."""

from __future__ import annotations

import bz2
import gzip
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from record_files import RecordFile
from text_truth import records as true_records

from xlearning.config import Config
from xlearning.errors import StorageError, UsageError
from xlearning.formats import nline, text
from xlearning.formats.base import Cutting, InputFormat, LineFormat, Record
from xlearning.formats.own import is_java
from xlearning.formats.registry import input_format, known
from xlearning.formats.source import Files
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

TEXTS = st.lists(st.sampled_from([b"a", b"b\t", b"\t", b"\n", b"\r", b"\r\n", b"\xff"]), max_size=14).map(
    b"".join
)
PROPERTY = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def reading() -> Files:
    return Files(FileSystems())


def made(name: str, **properties: str) -> InputFormat:
    given_ = {f"xlearning.inputformat.{key.replace('_', '.')}": value for key, value in properties.items()}
    return input_format(name, Config.from_properties(given_))


def written(folder: Path, *contents: bytes, suffix: str = "", block: int = 0) -> list[FileStatus]:
    files = []
    for number, data in enumerate(contents):
        path = folder / f"{number}{suffix}"
        path.write_bytes(data)
        files.append(FileStatus(path.as_uri(), len(data), False, 0.0, block_size=block))
    return files


def every(format_: InputFormat, splits: list[InputSplit]) -> Iterator[list[Record]]:
    """The records of each split; its lines must be the same values."""
    for split in splits:
        found = list(format_.records(split, reading()))
        if isinstance(format_, LineFormat):
            pieces = list(format_.lines(split, reading()))
            assert all(pieces)
            assert b"".join(pieces) == b"".join(value + b"\n" for _, value in found)
        yield found


def values(format_: InputFormat, splits: list[InputSplit]) -> list[list[bytes]]:
    return [[value for _, value in found] for found in every(format_, splits)]


@PROPERTY
@given(data=TEXTS, cuts=st.sets(st.integers(1, 20), max_size=5))
def test_keyvalue_for_any_cut(tmp_path: Path, data: bytes, cuts: set[int]) -> None:
    (tmp_path / "f").write_bytes(data)
    file = RecordFile("keyvalue", tmp_path / "f")
    file.holds_for(cuts)
    lines = [line.partition(b"\t") for _, line in true_records(data)]
    assert file.records() == [(key, value) for key, _, value in lines]


@pytest.mark.parametrize(
    ("separator", "data", "expected"),
    [
        (None, b"a\tb\tc\n\tv\nk\t\nnone\n\n", "a|b\tc,|v,k|,none|,|"),
        ("::", b"a::b:c\n", "a|b:c"),
        (r"\x01", b"a\x01b\n", "a|b"),
        ("é", "aéb\n".encode(), "a|b"),
    ],
)
def test_keys_and_values(tmp_path: Path, separator: str | None, data: bytes, expected: str) -> None:
    properties = {} if separator is None else {"keyvalue_separator": separator}
    format_, files = made("keyvalue", **properties), written(tmp_path, data)
    [found] = every(format_, format_.splits(files, Cutting(), reading()))
    assert b",".join(b"|".join(record) for record in found).decode() == expected


@PROPERTY
@given(data=TEXTS, more=TEXTS, count=st.integers(1, 4))
def test_nline_has_so_many_lines_in_a_split(tmp_path: Path, data: bytes, more: bytes, count: int) -> None:
    format_, files = made("nline", nline_lines=str(count)), written(tmp_path, data, more)
    splits = format_.splits(files, Cutting(7, 1), reading())
    told = [true_records(part) for part in (data, more)]
    wanted = [lines[at : at + count] for lines in told for at in range(0, len(lines), count)]
    assert [[(int(key), value) for key, value in found] for found in every(format_, splits)] == wanted
    for file in files:
        ours = [split for split in splits if split.uri == file.path]
        assert sum(split.length for split in ours) == (file.size if ours else 0)


@pytest.mark.parametrize(
    ("data", "count", "expected"),
    [
        (b"\naa\naaa", 1, [[b""], [b"aa"], [b"aaa"]]),
        (b"", 1, []),
        (b"\xef\xbb\xbf", 1, []),
        (b"\xef\xbb\xbfa\nb\n", 1, [[b"a"], [b"b"]]),
        (b"a\r\nb\rc\n", 2, [[b"a", b"b"], [b"c"]]),
    ],
)
def test_known_cases_of_nline(tmp_path: Path, data: bytes, count: int, expected: list[list[bytes]]) -> None:
    format_, files = made("nline", nline_lines=str(count)), written(tmp_path, data)
    assert values(format_, format_.splits(files, Cutting(), reading())) == expected


def test_what_nline_does_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"format nline cannot read .*compressed with gzip"):
        made("nline").splits(written(tmp_path, b"", suffix=".gz"), Cutting(), reading())
    [large] = written(tmp_path, b"1\n2\n3\n")
    gone = FileStatus((tmp_path / "gone").as_uri(), 9, False, 0.0)
    assert len(made("nline").splits([large, gone], Cutting(enough=3), reading())) == 3
    with pytest.raises(FileNotFoundError):
        made("nline").splits([large, gone], Cutting(enough=4), reading())
    monkeypatch.setattr(nline, "_MOST", 2)
    with pytest.raises(UsageError, match=r"nline\.lines=1 makes more than 2 splits"):
        made("nline").splits(written(tmp_path, b"1\n2\n3\n"), Cutting(), reading())


@PROPERTY
@given(contents=st.lists(TEXTS, max_size=4), target=st.integers(1, 30))
def test_combine_for_any_size(tmp_path: Path, contents: list[bytes], target: int) -> None:
    format_, files = made("combine"), written(tmp_path, *contents)
    splits = format_.splits(files, Cutting(maximum=target), reading())
    found = [value for part in values(format_, splits) for value in part]
    assert found == [value for data in contents for _, value in true_records(data)]
    for split in splits:
        assert len(split.parts) != 1
        assert split.length <= (target if split.parts else target * 1.1)
        assert split.length == sum(part.length for part in split.parts or (split,))
    for left, right in itertools.pairwise(splits):
        assert left.length + (right.parts or (right,))[0].length > target


def test_combine_fills_blocks_and_keeps_compressed_files_whole(tmp_path: Path) -> None:
    plain = written(tmp_path, b"1\n2\n", b"", b"3\n", block=10)
    packed = written(tmp_path, gzip.compress(b"4\n5\n"), suffix=".gz", block=10)
    format_ = made("combine")
    first, second = format_.splits([*plain, *packed], Cutting(), reading())
    assert [part.uri for part in first.parts] == [plain[0].path, plain[2].path]
    assert (second.uri, second.length, second.parts) == (packed[0].path, packed[0].size, ())
    assert values(format_, [first, second]) == [[b"1", b"2", b"3"], [b"4", b"5"]]


@PROPERTY
@given(data=st.binary(max_size=24), length=st.integers(1, 5), block=st.sampled_from([1, 2, 7, 1 << 20]))
def test_fixed_for_every_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, length: int, block: int
) -> None:
    monkeypatch.setattr(text, "_BLOCK", block)
    data = data[: len(data) // length * length]
    format_, [file] = made("fixed", fixed_length=str(length)), written(tmp_path, data)
    wanted = [(b"%d" % at, data[at : at + length]) for at in range(0, len(data), length)]
    for size in range(1, len(data) + 1):
        splits = format_.splits([file], Cutting(maximum=size), reading())
        found = list(every(format_, splits))
        assert [record for part in found for record in part] == wanted
        for split, part in zip(splits, found, strict=True):
            assert all(split.start <= int(key) < split.start + split.length for key, _ in part)


def test_fixed_records_that_are_torn(tmp_path: Path) -> None:
    format_, files = made("fixed", fixed_length="3"), written(tmp_path, b"abcdefgh", b"abc", b"a")
    with pytest.raises(UsageError) as caught:
        format_.splits(files, Cutting(), reading())
    assert f"{files[0].path} (8 bytes), {files[2].path} (1 bytes)" in caught.value.message
    whole = reading()
    with pytest.raises(StorageError, match="the last record has 2 bytes of 3"):
        list(format_.records(InputSplit(files[0].path, 4, 4, 8), whole))
    assert whole.place == f"{files[0].path} at byte 6"
    assert list(format_.records(InputSplit(files[0].path, 1, 4, 8), whole)) == [(b"3", b"def")]


@pytest.mark.parametrize(("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress)])
def test_fixed_records_in_compressed_files(tmp_path: Path, suffix: str, compress: object) -> None:
    assert callable(compress)
    format_ = made("fixed", fixed_length="3")
    files = written(tmp_path, compress(b"abcdef"), compress(b"abcd"), suffix=suffix)
    good, bad = format_.splits(files, Cutting(maximum=1), reading())
    assert list(format_.records(good, reading())) == [(b"0", b"abc"), (b"3", b"def")]
    with pytest.raises(StorageError, match="the last record has 1 bytes of 3"):
        list(format_.records(bad, reading()))


def test_fixed_needs_a_length() -> None:
    with pytest.raises(UsageError, match="needs the length") as caught:
        made("fixed")
    assert "xlearning.inputformat.fixed.length" in str(caught.value.hint)


def test_whole_files(tmp_path: Path) -> None:
    format_, files = made("wholefile", io="rawbytes"), written(tmp_path, b"a\nb", b"")
    splits = format_.splits(files, Cutting(maximum=1), reading())
    assert list(every(format_, splits)) == [
        [(f.path.encode(), data)] for f, data in zip(files, (b"a\nb", b""), strict=True)
    ]
    huge = FileStatus("file:///huge", 1 << 31, False, 0.0)
    with pytest.raises(UsageError, match="too large to be one record: file:///huge"):
        format_.splits([huge], Cutting(), reading())
    with pytest.raises(UsageError) as caught:
        made("wholefile")
    assert "xlearning.inputformat.io=RAWBYTES" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("class_", "name"),
    [
        ("mapred.KeyValueTextInputFormat", "keyvalue"),
        ("mapreduce.lib.input.KeyValueTextInputFormat", "keyvalue"),
        ("mapred.lib.NLineInputFormat", "nline"),
        ("mapreduce.lib.input.NLineInputFormat", "nline"),
        ("mapred.FixedLengthInputFormat", "fixed"),
        ("mapreduce.lib.input.FixedLengthInputFormat", "fixed"),
        ("mapred.lib.CombineTextInputFormat", "combine"),
        ("mapreduce.lib.input.CombineTextInputFormat", "combine"),
        ("mapred.lib.CombineFileInputFormat", "combine"),
    ],
)
def test_hadoops_classes(class_: str, name: str) -> None:
    full = f"org.apache.hadoop.{class_}"
    assert made(full, fixed_length="1").name == name
    assert made(class_.rpartition(".")[2], fixed_length="1").name == name
    assert name in known()
    assert is_java(full)
    assert made(full, java="true").name == full


def test_hadoops_names_of_the_properties() -> None:
    for ours, theirs in {
        "keyvalue.separator": "mapreduce.input.keyvaluelinerecordreader.key.value.separator",
        "nline.lines": "mapreduce.input.lineinputformat.linespermap",
        "fixed.length": "fixedlengthinputformat.record.length",
    }.items():
        assert str(Config.from_properties({theirs: "7"}).get(f"xlearning.inputformat.{ours}")) == "7"
