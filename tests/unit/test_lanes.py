"""Splits that are read at the same time: their order, the bound of memory, errors, and the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from submitting import wait_for

from xlearning.container.inputs.lanes import Lanes, Stopped


def everything(lanes: Lanes, numbers: list[int]) -> list[tuple[int, bytes]]:
    return [(number, b"".join(pieces)) for number, pieces in lanes.splits(numbers)]


@settings(max_examples=50, deadline=None)
@given(
    splits=st.lists(st.lists(st.binary(max_size=9), max_size=5), max_size=12),
    threads=st.integers(1, 4),
    limit=st.integers(0, 30),
)
def test_splits_keep_their_order(splits: list[list[bytes]], threads: int, limit: int) -> None:
    lanes = Lanes(lambda number: iter(splits[number]), threads, limit)
    numbers = list(reversed(range(len(splits))))
    expected = [(number, b"".join(splits[number])) for number in numbers]
    assert everything(lanes, numbers) == expected
    assert everything(lanes, numbers) == expected  # the next epoch


def test_no_more_is_held_than_allowed() -> None:
    read = threading.Semaphore(0)
    begun: list[int] = []

    def pieces(number: int) -> Iterator[bytes]:
        begun.append(number)
        for _ in range(100):
            read.release()
            yield b"x" * 10

    lanes = Lanes(pieces, 2, 100)
    splits = lanes.splits(range(3))
    number, first = next(splits)
    for _ in range(12):  # 10 fit, and each thread has one more in its hand
        assert read.acquire(timeout=10)
    wait_for(lambda: lanes._held == 100)
    assert not read.acquire(blocking=False)
    assert sorted(begun) == [0, 1]
    assert (number, len(b"".join(first))) == (0, 1000)
    assert [(number, len(b"".join(rest))) for number, rest in splits] == [(1, 1000), (2, 1000)]


def test_an_error_comes_in_its_turn() -> None:
    def pieces(number: int) -> Iterator[bytes]:
        yield b"%d" % number
        if number == 1:
            raise OSError("broken")

    taken: list[bytes] = []
    with pytest.raises(OSError, match="broken"):
        for _, found in (lanes := Lanes(pieces, 3, 100)).splits(range(9)):
            taken += found
    lanes.stop()
    assert taken[0] == b"0"


def test_stop_ends_readers_and_taker() -> None:
    closed = threading.Event()

    def pieces(_: int) -> Iterator[bytes]:
        try:
            while True:
                yield b"x"
        finally:
            closed.set()

    lanes = Lanes(pieces, 1, 3)
    _, found = next(lanes.splits([0]))
    assert next(found) == b"x"
    lanes.stop()
    with pytest.raises(Stopped):
        list(found)
    assert closed.wait(10)
