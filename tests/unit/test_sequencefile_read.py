"""SequenceFiles that Hadoop's own classes have written (tests/unit/data/sequencefile)."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from record_files import RecordFile

from xlearning.errors import StorageError
from xlearning.formats.base import Cutting
from xlearning.formats.cursor import Cursor
from xlearning.formats.sequence.layout import ESCAPE, read_header
from xlearning.formats.sequence.numbers import double_text, float_text, vlong, write_vlong
from xlearning.formats.source import Files
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus

SAMPLES = Path(__file__).parent / "data" / "sequencefile"
CODECS = ("default", "gzip", "bzip2", "snappy", "lz4")
ROWS = ["none", *(f"{kind}-{codec}" for kind in ("record", "block") for codec in CODECS)]
SMALL = ("int", "vint", "vlong", "short", "byte", "boolean", "double", "float", "bytes", "md5")


def sample(name: str, format_: str = "sequencefile") -> RecordFile:
    return RecordFile(format_, SAMPLES / f"{name}.seq")


def texts(name: str) -> list[tuple[bytes, bytes]]:
    lines = (SAMPLES / f"{name}.txt").read_bytes().removesuffix(b"\n").split(b"\n")
    return [(key, value) for key, _, value in (line.partition(b"\t") for line in lines)]


@pytest.mark.parametrize("name", ROWS)
def test_every_kind_of_compression(name: str) -> None:
    assert sample(name).records() == texts("none")
    assert sample(name).lines() == b"".join(value + b"\n" for _, value in texts("none"))


@pytest.mark.parametrize("name", SMALL)
def test_objects_as_java_prints_them(name: str) -> None:
    assert sample(name, "sequencefile-text").records() == texts(name)


def test_bytes_come_as_they_are_without_text() -> None:
    assert sample("bytes").records() == [
        (b"(null)", b"\0\x01\xff\n"),
        (b"(null)", b""),
        (b"(null)", b"A"),
    ]


def starts(name: str) -> list[int]:
    """Where the segments begin."""
    data = (SAMPLES / f"{name}.seq").read_bytes()
    file = sample(name)
    with Files(FileSystems()).open(file.uri, file.size) as source:
        header = read_header(Cursor(source))
    marks = [found.start() for found in re.finditer(re.escape(ESCAPE + header.sync), data)]
    return marks if header.blocks else [header.size, *marks]


@pytest.mark.parametrize("name", ["none", "record-default", "block-default"])
def test_a_segment_belongs_where_it_begins(name: str) -> None:
    file, begins = sample(name), starts(name)
    assert len(begins) > 5
    for begin in begins:
        assert len(file.records(begin, begin + 1)) == len(file.records(0, begin + 1)) - len(
            file.records(0, begin)
        )
        file.holds_for([begin - 1, begin, begin + 1])
    assert file.records(0, begins[0]) == []
    assert file.records(begins[0] - 3, begins[0] + 1) == file.records(0, begins[1])
    assert file.records(begins[1] + 1, begins[2]) == []


@settings(max_examples=30)
@given(
    name=st.sampled_from(["none", "record-gzip", "block-bzip2"]),
    cuts=st.sets(st.integers(0, 5000), max_size=12),
)
def test_any_cut_gives_every_record_once(name: str, cuts: set[int]) -> None:
    sample(name).holds_for(cuts)


@pytest.mark.parametrize("version", [4, 5])
def test_older_versions(tmp_path: Path, version: int) -> None:
    data = (SAMPLES / "record-default.seq").read_bytes()
    end = data.index(b"\0\0\0\x01\x07made by")
    codec = b"\x2aorg.apache.hadoop.io.compress.DefaultCodec"
    head = data[:end].removesuffix(codec) if version < 5 else data[:end]
    rest = data[end:].partition(b"\x0cWriteSamples")[2]
    path = tmp_path / "old"
    path.write_bytes(b"SEQ" + bytes((version,)) + head[4:] + rest)
    assert RecordFile("sequencefile", path).records() == texts("none")


def broken(tmp_path: Path, data: bytes) -> RecordFile:
    path = tmp_path / "broken"
    path.write_bytes(data)
    return RecordFile("sequencefile", path)


NONE = (SAMPLES / "none.seq").read_bytes()
SECOND = starts("none")[1]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "does not begin as a SequenceFile does (at byte 0)"),
        (b"PAR1" + NONE[4:], "does not begin as a SequenceFile does (at byte 0)"),
        (b"SEQ\x03" + NONE[4:], "version 3, only 4 to 6"),
        (NONE[:30], "ends in the middle of a record"),
        (NONE[:-1], "ends in the middle of a record"),
        (NONE + b"\0", "ends in the middle of a record"),
        (NONE[: SECOND + 6] + b"?" + NONE[SECOND + 7 :], f"no mark where one must be (at byte {SECOND})"),
        (
            NONE[: SECOND + 20] + struct.pack(">ii", 4, 5) + NONE[SECOND + 28 :],
            f"the lengths of a record cannot be right (at byte {SECOND + 20})",
        ),
        (
            NONE[: SECOND + 20] + struct.pack(">i", 1 << 30) + NONE[SECOND + 24 :],
            f"ends in the middle of a record (at byte {SECOND + 20})",
        ),
    ],
)
def test_damaged_files(tmp_path: Path, data: bytes, words: str) -> None:
    with pytest.raises(StorageError) as caught:
        broken(tmp_path, data).records()
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["record-default", "block-default", "block-gzip", "record-bzip2"])
def test_damaged_compression(tmp_path: Path, name: str) -> None:
    data = bytearray((SAMPLES / f"{name}.seq").read_bytes())
    data[-3] ^= 0xFF
    with pytest.raises(StorageError, match=r"damaged file: .*at byte \d+\)"):
        broken(tmp_path, bytes(data)).records()


def test_a_value_that_is_not_of_its_class(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"the length of a Text is wrong \(at byte \d+\)"):
        broken(tmp_path, NONE.replace(b"\x0brow 1", b"\x0crow 1", 1)).records()


def test_unknown_classes_are_named_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        sample("array").records()
    assert "the Java class org.apache.hadoop.io.ArrayWritable" in str(caught.value)
    assert "--inputformat" in str(caught.value)
    strange = NONE.replace(b"org.apache.hadoop.io.LongWritable", b"com.example.fully.hidden.MyOwnKey", 1)
    file = broken(tmp_path, strange)
    with pytest.raises(StorageError, match=r"com\.example\.fully\.hidden\.MyOwnKey"):
        file.records()
    assert file.lines() == sample("none").lines()  # no key is wanted
    packed = (SAMPLES / "record-default.seq").read_bytes().replace(b"DefaultCodec", b"NoSuchsCodec", 1)
    with pytest.raises(StorageError, match=r"compressed with the Java class .*\.NoSuchsCodec"):
        broken(tmp_path, packed).records()


def test_splits_are_not_small_and_indexes_of_map_files_are_left_out() -> None:
    files = [
        FileStatus(f"file:///in/{name}", size, False, 0.0, block_size=64 << 10)
        for name, size in (("a", 1_000_000), ("map/data", 10), ("map/index", 5), ("other/index", 7))
    ]
    found = sample("none").format.splits(files, Cutting(), Files(FileSystems()))
    assert [split.length for split in found] == [*[102_400] * 9, 78_400, 10, 7]
    assert not [split for split in found if split.uri.endswith("map/index")]


@given(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-70000, 70000))
def test_numbers_of_variable_length(number: int) -> None:
    data = write_vlong(number)
    assert vlong(b"x" + data + b"y", 1) == (number, 1 + len(data))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (128, "8f80"), (255, "8fff"), (256, "8e0100"), (65536, "8d010000"), (-113, "8770"), (-129, "8780"),
        (-257, "860100"), ((1 << 31) - 1, "8c7fffffff"), (-(1 << 63), "807fffffffffffffff"), (-112, "90"),
    ],
)  # fmt: skip
def test_known_numbers(number: int, text: str) -> None:
    assert write_vlong(number).hex() == text


@given(st.floats(width=64), st.floats(width=32))
def test_texts_of_numbers_mean_the_number(double: float, single: float) -> None:
    assert struct.pack(">d", float(double_text(double))) == struct.pack(">d", double) or double != double
    assert struct.pack(">f", float(float_text(single))) == struct.pack(">f", single) or single != single


@pytest.mark.parametrize(
    "name",
    ["SequenceFileInputFormat", "org.apache.hadoop.mapreduce.lib.input.SequenceFileAsTextInputFormat"],
)
def test_names_of_hadoop(name: str) -> None:
    assert RecordFile(name, SAMPLES / "none.seq").records() == texts("none")
