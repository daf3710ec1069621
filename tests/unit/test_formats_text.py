"""The text format: every way to cut a file gives each record once, and gives it to the right split."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from text_truth import MARK, records, split_output

from xlearning.config import Config
from xlearning.errors import StorageError, UsageError
from xlearning.formats import lineends, text
from xlearning.formats.base import Cutting
from xlearning.formats.source import Files
from xlearning.formats.text import TextFormat
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus
from xlearning.job import InputSplit

TEXTS = st.lists(
    st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\r\n", b"\0", MARK, b"\xff"]), max_size=20
).map(b"".join)
BLOCKS = st.sampled_from([1, 2, 3, 5, 1 << 20])


class Memory:
    """A file in memory, with a `Source`'s way to read it; reads may be shortened to find seams."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    @property
    def size(self) -> int:
        return len(self.data)

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.position = 0

    def read(self, position: int, length: int) -> bytes:
        self.position = position
        return self.data[position : position + length]


class Held:
    """Files in memory, with the way to open them that `Files` has."""

    def __init__(self, data: bytes) -> None:
        self._memory = Memory(data)

    def open(self, uri: str, size: int) -> Memory:
        assert (uri, size) == ("memory", self._memory.size)
        return self._memory


FORMAT = TextFormat(Config.from_properties({}))


def output(data: bytes, start: int, end: int) -> bytes:
    split = InputSplit("memory", start, end - start, len(data))
    pieces = list(FORMAT.lines(split, Held(data)))  # type: ignore[arg-type]
    assert all(pieces)
    return b"".join(pieces)


@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=TEXTS, block=BLOCKS, scan=BLOCKS)
def test_every_pair_of_cuts(monkeypatch: pytest.MonkeyPatch, data: bytes, block: int, scan: int) -> None:
    monkeypatch.setattr(text, "_BLOCK", block)
    monkeypatch.setattr(lineends, "_SCAN", scan)
    for start, end in itertools.combinations(range(len(data) + 1), 2):
        assert output(data, start, end) == split_output(data, start, end), (start, end)


@settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=TEXTS, block=BLOCKS, cuts=st.sets(st.integers(0, 60), max_size=8))
def test_the_union_over_any_cut_is_the_file(
    monkeypatch: pytest.MonkeyPatch, data: bytes, block: int, cuts: set[int]
) -> None:
    monkeypatch.setattr(text, "_BLOCK", block)
    bounds = [0, *sorted(cut for cut in cuts if 0 < cut < len(data)), len(data)]
    parts = [output(data, start, end) for start, end in itertools.pairwise(bounds)]
    assert b"".join(parts) == output(data, 0, len(data))
    assert b"".join(parts) == b"".join(value + b"\n" for _, value in records(data))


@pytest.mark.parametrize(
    ("data", "cuts", "expected"),
    [
        (b"", [], [b""]),
        (b"\n", [], [b"\n"]),
        (b"a", [], [b"a\n"]),
        (b"a\r\rb", [], [b"a\n\nb\n"]),
        (b"\n\r", [], [b"\n\n"]),
        (b"a\x0bb\x0cc\xc2\x85d\xe2\x80\xa8e\n", [], [b"a\x0bb\x0cc\xc2\x85d\xe2\x80\xa8e\n"]),
        (
            b"aa\nbb\ncc\n",
            [3],
            [b"aa\nbb\n", b"cc\n"],
        ),  # a record that starts at a border belongs to the left
        (b"aa\nbb\ncc\n", [2], [b"aa\n", b"bb\ncc\n"]),
        (b"aa\nbb\ncc\n", [4], [b"aa\nbb\n", b"cc\n"]),
        (b"aa\r\nbb\r\n", [2], [b"aa\n", b"bb\n"]),
        (b"aa\r\nbb\r\n", [3], [b"aa\n", b"bb\n"]),
        (b"aa\r\nbb\r\n", [4], [b"aa\nbb\n", b""]),
        (b"aa\rbb\rcc", [2], [b"aa\n", b"bb\ncc\n"]),
        (b"aa\rbb\rcc", [3], [b"aa\nbb\n", b"cc\n"]),
        (b"xxxxxxxxxx\nyy\n", [3, 6, 9], [b"xxxxxxxxxx\n", b"", b"", b"yy\n"]),
        (MARK + b"a\nb\n", [4], [b"a\n", b"b\n"]),
        (MARK + b"a\nb\n", [1, 2], [b"a\n", b"", b"b\n"]),
        (MARK, [1], [b"", b""]),
        (MARK + MARK + b"a\n" + MARK, [], [MARK + b"a\n" + MARK + b"\n"]),
    ],
)
def test_known_cases(data: bytes, cuts: list[int], expected: list[bytes]) -> None:
    assert [output(data, a, b) for a, b in itertools.pairwise([0, *cuts, len(data)])] == expected


@pytest.mark.parametrize("seam", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_seams_of_blocks(monkeypatch: pytest.MonkeyPatch, seam: int, end: bytes) -> None:
    size = 4096
    monkeypatch.setattr(text, "_BLOCK", size)
    monkeypatch.setattr(lineends, "_SCAN", size)
    data = b"first\n" + b"x" * (size + seam - 6) + end + b"y" * 10 + end
    for start, stop in ((0, len(data)), (0, 3), (3, len(data)), (3, size), (size, len(data))):
        assert output(data, start, stop) == split_output(data, start, stop), (start, stop)


def test_a_file_from_disk_as_it_was_listed(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"one\ntwo\nthree")
    split = InputSplit(path.as_uri(), 4, 9, 13)
    with path.open("ab") as file:
        file.write(b" and more\n")
    files = Files(FileSystems())
    assert b"".join(FORMAT.lines(split, files)) == b"three\n"
    path.write_bytes(b"one\n")
    with pytest.raises(StorageError) as caught:
        list(FORMAT.lines(split, files))
    assert "13 bytes when it was listed, 4 bytes now" in str(caught.value)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        list(FORMAT.lines(split, files))
    assert files.place == f"{split.uri} at byte 4"


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("a.gz", "gzip"),
        ("a.GZ", "gzip"),
        ("a.txt.bz2", "bzip2"),
        ("a.deflate", "deflate"),
        ("a.snappy", "snappy"),
        ("a.lz4", "lz4"),
        ("a.zst", "zstd"),
    ],
)
def test_formats_can_refuse_compressed_files(name: str, codec: str) -> None:
    file = FileStatus(f"file:///d.x/{name}", 1, False, 0.0)
    with pytest.raises(UsageError) as caught:
        text.refuse_compressed("fixed", [file])
    assert f"{file.path} (compressed with {codec})" in caught.value.message


@pytest.mark.parametrize("name", ["a", "a.txt", "a.gz.bak", "a.tgz", "gz", "a.xz"])
def test_other_files_are_not(name: str) -> None:
    file = FileStatus(f"file:///d.gz/{name}", 1, False, 0.0)
    assert FORMAT.splits([file], Cutting(), Files(FileSystems())) == [InputSplit(file.path, 0, 1, 1)]


def of_disk(tmp_path: Path, data: bytes, **properties: str) -> tuple[TextFormat, InputSplit]:
    path = tmp_path / "data"
    path.write_bytes(data)
    named = {f"xlearning.inputformat.text.{name}": value for name, value in properties.items()}
    return TextFormat(Config.from_properties(named)), InputSplit(path.as_uri(), 0, len(data), len(data))


@pytest.mark.parametrize(
    ("text_", "data"),
    [(r"\x01\n", b"a\x01\nb"), (r"\t", b"a\tb"), ("é", b"a\xc3\xa9b"), (r"\\n", rb"a\nb"), ("\t", b"a\tb")],
)
def test_delimiters_as_people_write_them(tmp_path: Path, text_: str, data: bytes) -> None:
    reader, split = of_disk(tmp_path, data, delimiter=text_)
    assert b"".join(reader.lines(split, Files(FileSystems()))) == b"a\nb\n"
    assert list(reader.records(split, Files(FileSystems()))) == [
        (b"0", b"a"),
        (b"%d" % (len(data) - 1), b"b"),
    ]


def test_hadoops_names_of_the_properties() -> None:
    config = Config.from_properties(
        {"textinputformat.record.delimiter": "|", "mapreduce.input.linerecordreader.line.maxlength": "9"}
    )
    assert config.get(text.DELIMITER) == "|"
    assert config.get(text.MAXIMUM) == 9


@pytest.mark.parametrize(
    ("text_", "said"),
    [
        ("", "text.delimiter is empty"),
        (r"\q", r"there is no \q"),
        ("a\\", "there is no"),
        (r"\x1", "there is no"),
    ],
)
def test_delimiters_that_mean_nothing(text_: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        TextFormat(Config.from_properties({text.DELIMITER: text_}))
    assert said in str(caught.value)


def test_what_is_left_out_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    reader, split = of_disk(tmp_path, b"a\nlonger\nb\nlongest\n", maxlength="4")
    assert b"".join(reader.lines(split, Files(FileSystems()))) == b"a\nb\n"
    (message,) = caplog.messages
    assert message == (
        f"left out of {split.uri}: 2 records of 4 bytes or more ({text.MAXIMUM}), the first one at byte 2"
    )
