"""The reader over hdfs-native's ranges: long ones for who goes from front to back."""

from __future__ import annotations

import io
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from xlearning.fs.streams import RangeReader

DATA = bytes(range(256)) * 40


class Ranges:
    """A file that counts how it is read; packets are of 100 bytes."""

    def __init__(self) -> None:
        self.single = self.long = 0
        self.broken = False

    def read_range(self, offset: int, length: int) -> bytes:
        self.single += 1
        return DATA[offset : offset + length]

    def read_on(self, offset: int) -> Callable[[int], bytes]:
        self.long += 1
        position = offset

        def more(length: int) -> bytes:
            nonlocal position
            if self.broken:
                raise OSError("broken")
            start, position = position, min(len(DATA), position + -(-length // 100) * 100)
            return DATA[start:position]

        return more

    def reader(self) -> RangeReader:
        return RangeReader(self.read_range, len(DATA), read_on=self.read_on)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.one_of(st.none(), st.integers(0, len(DATA) + 9)), st.integers(0, 900))))
def test_bytes_of_any_place(reads: list[tuple[int | None, int]]) -> None:
    reader, position = Ranges().reader(), 0
    for start, length in reads:
        position = position if start is None else start
        assert reader.pread(position, length) == DATA[position : position + length]
        position += length
    assert reader.tell() == 0


def test_one_long_range_from_front_to_back() -> None:
    ranges = Ranges()
    with io.BufferedReader(ranges.reader(), 1000) as file:
        assert b"".join(iter(lambda: file.read(1000), b"")) == DATA
    assert (ranges.single, ranges.long) == (1, 1)


def test_a_long_range_that_breaks_begins_anew() -> None:
    ranges = Ranges()
    reader = ranges.reader()
    reader.pread(0, 10)
    reader.pread(10, 10)
    ranges.broken = True
    for _ in range(2):
        try:
            reader.pread(20, 200)
        except OSError as error:
            assert str(error) == "broken"
    ranges.broken = False
    assert reader.pread(20, 200) == DATA[20:220]
