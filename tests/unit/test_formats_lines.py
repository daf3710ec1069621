"""What a line is: files, streams and records agree with the rule, told slowly, for every way to cut."""

from __future__ import annotations

import itertools
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from text_truth import MARK, records, split_output, split_records

from xlearning.formats import lineends
from xlearning.formats.lines import LineRule

DELIMITERS = (b"", b"\n", b"\r\n", b"|", b"ab", b"||", b"aab", b"abab", b"|^|", b"\xbb", b"\xbfa")
SIZES = st.sampled_from([1, 2, 3, 5, 7, 1 << 20])


class Memory:
    """Bytes that can be read at any place."""

    def __init__(self, data: bytes) -> None:
        self.data, self.size = data, len(data)

    def read(self, position: int, length: int) -> bytes:
        return self.data[position : position + length]


def chunked(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, bytes]:
    delimiter = draw(st.sampled_from(DELIMITERS))
    words = [b"x", b"a", b"b", b"|", b"\n", b"\r", b"\r\n", MARK, delimiter or b"\n", delimiter[:-1]]
    data = b"".join(draw(st.lists(st.sampled_from(words), max_size=16)))
    return draw(st.sampled_from([b"", MARK])) + data, delimiter


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(file=files(), scan=SIZES, size=SIZES, maximum=st.sampled_from([0, 0, 1, 3, 4, 6]))
def test_every_split_on_every_path(
    monkeypatch: pytest.MonkeyPatch, file: tuple[bytes, bytes], scan: int, size: int, maximum: int
) -> None:
    monkeypatch.setattr(lineends, "_SCAN", scan)
    data, delimiter = file
    rule = LineRule(delimiter, maximum)
    told: list[int] = []

    def noted(at: int, size: int) -> None:
        told.append(at)
        assert size >= maximum

    for start, end in itertools.combinations(range(len(data) + 1), 2):
        told.clear()
        first, last = rule.owned(Memory(data), start, end)
        chunks, of_file = chunked(data[first:last], size), first == 0
        expected = split_records(data, start, end, delimiter, maximum)
        given_ = rule.records(chunks, first=of_file, at=first, too_long=noted)
        assert list(given_) == expected, (start, end)
        every = split_records(data, start, end, delimiter)
        assert told == [at for at, value in every if (at, value) not in expected]
        pieces = list(rule.lines(chunks, first=of_file, at=first))
        assert all(pieces)
        assert b"".join(pieces) == split_output(data, start, end, delimiter, maximum), (start, end)
        if not rule.looks_back:
            inside, beyond = chunked(data[start:end], size), chunked(data[end:], scan)
            clipped = list(rule.clip(inside, beyond, first=start == 0))
            assert all(clipped)
            assert b"".join(clipped) == data[first:last], (start, end)


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(file=files(), scan=SIZES, size=SIZES, cuts=st.sets(st.integers(1, 40), max_size=8))
def test_the_union_over_any_cut_is_the_file(
    monkeypatch: pytest.MonkeyPatch, file: tuple[bytes, bytes], scan: int, size: int, cuts: set[int]
) -> None:
    monkeypatch.setattr(lineends, "_SCAN", scan)
    data, delimiter = file
    rule = LineRule(delimiter)
    found = []
    for start, end in itertools.pairwise([0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]):
        first, last = rule.owned(Memory(data), start, end)
        found += list(rule.records(chunked(data[first:last], size), first=first == 0, at=first))
    assert found == records(data, delimiter)


@pytest.mark.parametrize(
    ("data", "delimiter", "cuts", "expected"),
    [
        (b"a||b||c", b"||", [2], [[b"a", b"b"], [b"c"]]),
        (b"a||b||c", b"||", [1], [[b"a"], [b"b", b"c"]]),
        (b"a||b||c", b"||", [3], [[b"a", b"b"], [b"c"]]),
        (b"a||b||c", b"||", [1, 2], [[b"a"], [b"b"], [b"c"]]),
        (b"1a+b+|+2|+3", b"+|+", [4], [[b"1a+b"], [b"2|+3"]]),
        (b"xab|ac|bab|acy", b"b|ac", [7], [[b"xa", b"|ba"], [b"y"]]),
        (b"xabcy", b"abc", [3], [[b"x", b"y"], []]),
        (b"aaa|aab", b"aab", [], [[b"aaa|"]]),
        (b"XaaabY", b"aab", [], [[b"Xa", b"Y"]]),
        (b"a||b|", b"||", [3], [[b"a", b"b|"], []]),
        (b"a|||b", b"||", [2], [[b"a", b"|b"], []]),
        (b"||a", b"||", [], [[b"", b"a"]]),
        (b"a\r\nb\n", b"\n", [], [[b"a\r", b"b"]]),
        (b"\naa\naaa", b"", [1], [[b"", b"aa"], [b"aaa"]]),
        (MARK + b"a\nb\n", b"", [4], [[b"a"], [b"b"]]),
        (MARK + b"a|b", b"|", [2], [[b"a"], [b"b"]]),
    ],
)
def test_known_cases(data: bytes, delimiter: bytes, cuts: list[int], expected: list[list[bytes]]) -> None:
    rule = LineRule(delimiter)
    found = []
    for start, end in itertools.pairwise([0, *cuts, len(data)]):
        first, last = rule.owned(Memory(data), start, end)
        for size in (1, 2, 3, 100):
            parts = [value for _, value in rule.records(chunked(data[first:last], size), first=first == 0)]
            text = b"".join(rule.lines(chunked(data[first:last], size), first=first == 0))
            assert text == b"".join(part + b"\n" for part in parts)
        found.append(parts)
    assert found == expected


@pytest.mark.parametrize("cut", [9, 10, 11, 12])
def test_a_record_that_is_too_long_leaves_no_rest_in_the_next_split(cut: int) -> None:
    data = b"x" * 12 + b"\nab\n"
    rule = LineRule(maximum=5)
    found = []
    for start, end in ((0, cut), (cut, len(data))):
        first, last = rule.owned(Memory(data), start, end)
        found.append([value for _, value in rule.records([data[first:last]], first=first == 0)])
    assert found == [[], [b"ab"]]


@pytest.mark.parametrize(
    ("data", "kept"), [(b"abc\nabcd\nab\nabcde", [b"abc", b"ab"]), (MARK + b"abc\nabcd", [b"abc", b"abcd"])]
)
def test_the_maximum_counts_what_ends_a_record(data: bytes, kept: list[bytes]) -> None:
    assert [value for _, value in LineRule(maximum=5).records([data], first=True)] == kept


def test_keys_count_what_is_left_out() -> None:
    assert list(LineRule().records([MARK + b"a\r\nb\rc"], first=True)) == [(0, b"a"), (6, b"b"), (8, b"c")]
    assert list(LineRule(maximum=3).records([b"xxxx\ny"], first=False, at=7)) == [(12, b"y")]


@pytest.mark.parametrize("delimiter", [b"", b"||", b"ab"])
def test_very_long_lines_pass_in_pieces(delimiter: bytes) -> None:
    chunk, end = b"x" * 1000, delimiter or b"\n"
    chunks = itertools.chain(itertools.repeat(chunk, 100), [end])
    sizes = [len(piece) for piece in LineRule(delimiter).lines(chunks, first=True)]
    assert sum(sizes) == 100_001
    assert max(sizes) <= 1001
    told: list[tuple[int, int]] = []
    rule = LineRule(delimiter, maximum=500)
    assert not list(rule.records([chunk, chunk, end], first=True, too_long=lambda *what: told.append(what)))
    assert told == [(0, 2000 + len(end))]


def test_a_long_run_of_delimiters_is_read_in_blocks() -> None:
    reads = []

    class Counted(Memory):
        def read(self, position: int, length: int) -> bytes:
            reads.append(length)
            return super().read(position, length)

    data = b"a" + b"|" * 300_001
    assert LineRule(b"||").owned(Counted(data), 299_998, 300_002) == (299_999 + 2, 300_002)
    assert len(reads) < 20


def test_a_large_block_is_cut_in_small_portions() -> None:
    block = b"a line\n" * 500_000
    tracemalloc.start()
    try:
        first = next(LineRule().records(iter([block]), first=False))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert first == (0, b"a line")
    assert peak < 2 << 20
