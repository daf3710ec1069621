"""Split arithmetic, dealing, and what becomes of a list of files."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.config import Config
from xlearning.errors import UsageError
from xlearning.formats.plan import plan_streams
from xlearning.formats.registry import input_format
from xlearning.formats.splits import DEFAULT_BLOCK, cut, split_size
from xlearning.fs import FileSystems
from xlearning.fs.base import FileStatus

MB = 1 << 20


def pieces(length: int, *, block: int = 100, minimum: int = 1, maximum: int = 0) -> str:
    size = split_size(block, minimum=minimum, maximum=maximum)
    return " ".join(f"{start}+{count}" for start, count in cut(length, size))


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (0, "0+0"),
        (1, "0+1"),
        (99, "0+99"),
        (100, "0+100"),
        (110, "0+110"),  # 110/100 is not more than 1.1
        (111, "0+100 100+11"),
        (200, "0+100 100+100"),
        (210, "0+100 100+110"),
        (211, "0+100 100+100 200+11"),
        (250, "0+100 100+100 200+50"),
    ],
)
def test_a_file_in_blocks(length: int, expected: str) -> None:
    assert pieces(length) == expected


@pytest.mark.parametrize(
    ("length", "minimum", "maximum", "expected"),
    [
        (250, 50, 0, "0+100 100+100 200+50"),
        (250, 150, 0, "0+150 150+100"),
        (250, 200, 0, "0+200 200+50"),
        (250, 240, 0, "0+250"),
        (250, 1000, 0, "0+250"),
        (90, 1, 40, "0+40 40+40 80+10"),
        (90, 1, 64, "0+64 64+26"),
        (250, 1, 64, "0+64 64+64 128+64 192+58"),
        (250, 150, 40, "0+150 150+100"),  # the lower bound wins
        (250, 1, 85, "0+85 85+85 170+80"),
        (250, 0, 500, "0+100 100+100 200+50"),
    ],
)
def test_bounds_of_the_size(length: int, minimum: int, maximum: int, expected: str) -> None:
    assert pieces(length, minimum=minimum, maximum=maximum) == expected


@pytest.mark.parametrize(
    ("length", "lengths"),
    [
        (147_639_500, [147_639_500]),
        (147_639_501, [128 * MB, 13_421_773]),
        (128 * MB + 1, [128 * MB + 1]),
        (300 * MB, [128 * MB, 128 * MB, 44 * MB]),
    ],
)
def test_blocks_of_their_usual_size(length: int, lengths: list[int]) -> None:
    assert [count for _, count in cut(length, split_size(0))] == lengths
    assert DEFAULT_BLOCK == 128 * MB


@given(length=st.integers(0, 5000), size=st.integers(1, 700))
def test_splits_cover_a_file_without_gap(length: int, size: int) -> None:
    found = cut(length, size)
    ends = [0, *itertools.accumulate(count for _, count in found)]
    assert [start for start, _ in found] == ends[:-1]
    assert ends[-1] == length
    assert all(count == size for _, count in found[:-1])
    assert found[-1][1] <= 1.1 * size


def file(name: str, size: int, block: int = 0) -> FileStatus:
    return FileStatus(f"file:///in/{name}", size, False, 0.0, block_size=block)


def config(**values: str) -> Config:
    return Config.from_properties(
        {f"xlearning.{name.replace('_', '.')}": text for name, text in values.items()}
    )


def test_files_become_streams() -> None:
    feeds = plan_streams(
        {"x": [file("b", 250, 100), file("a", 0)], "y": [file("c", 60)]},
        2,
        config(stream_epoch="3"),
        FileSystems(),
    )
    assert [[(s.uri[-1], s.start, s.length, s.size) for s in feed.splits] for feed in feeds] == [
        [("b", 0, 100, 250), ("b", 100, 100, 250), ("b", 200, 50, 250)],
        [("a", 0, 0, 0), ("c", 0, 60, 60)],
    ]
    assert {(feed.format, feed.epochs) for feed in feeds} == {("text", 3)}
    assert [(feed.inputs, feed.origins) for feed in feeds] == [
        (("x", "y"), (0, 0, 0)),
        (("x", "y"), (0, 1)),
    ]


def test_hadoops_names_of_the_bounds_count() -> None:
    properties = {"mapreduce.input.fileinputformat.split.maxsize": "40", "mapred.min.split.size": "30"}
    (feed,) = plan_streams({"in": [file("a", 100, 80)]}, 1, Config.from_properties(properties), FileSystems())
    assert [split.length for split in feed.splits] == [40, 40, 20]


@pytest.mark.parametrize(
    "name",
    [
        "text",
        " TEXT ",
        "TextInputFormat",
        "org.apache.hadoop.mapred.TextInputFormat",
        "org.apache.hadoop.mapreduce.lib.input.TextInputFormat",
    ],
)
def test_names_of_the_text_format(name: str) -> None:
    assert input_format(name, config()).name == "text"


def test_other_formats_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        input_format("own", config())
    assert "not part of this version" in str(caught.value)
    assert "there is: text" in str(caught.value)
