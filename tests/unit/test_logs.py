"""Progress lines and last lines, read from files that somebody else writes."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.container.loglimit import NOTE
from xlearning.container.logs import ProgressReader, last_lines, parse_progress


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("reporter progress:0.42", 0.42),
        ("report:progress:0.4", 0.4),
        ("report progress: 1", 1.0),
        ("reporter progress : 42%", 0.42),
        ("reporter progress = .5", 0.5),
        ("REPORTER PROGRESS:0.5", 0.5),
        ("2026-01-01 12:00:01,123 INFO train: reporter progress:0.75", 0.75),
        ("reporter progress:1e-2", 0.01),
        ("reporter progress:0.1 reporter progress:0.2", 0.2),
        ("reporter progress:0.42 loss=3", 0.42),
        ("reporter progress:0.42, loss 3", 0.42),
        ("reporter progress:1.5", None),
        ("reporter progress:150%", None),
        ("reporter progress:nan", None),
        ("reporter progress:-0.5", None),
        ("reporter progress:0.5x", None),
        ("reporter progress:1.2.3", None),
        ("reporter progress:", None),
        ("progress:0.5", None),
        ("", None),
    ],
)
def test_spellings(line: str, value: float | None) -> None:
    assert parse_progress(line.encode()) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_survived(data: bytes) -> None:
    value = parse_progress(b"reporter progress:" + data)
    assert value is None or 0 <= value <= 1


@given(
    value=st.floats(0, 1),
    before=st.binary(max_size=30).filter(lambda raw: not set(raw) & set(b"\r\n")),
)
def test_every_float_that_python_prints_is_understood(value: float, before: bytes) -> None:
    assert parse_progress(before + f"reporter progress:{value}".encode()) == value


@given(
    values=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=5),
    ends=st.sampled_from(["\n", "\r", "\r\n"]),
    cuts=st.lists(st.integers(0, 200), max_size=8),
)
def test_lines_written_in_pieces_count_once_complete(
    tmp_path_factory: pytest.TempPathFactory, values: list[float], ends: str, cuts: list[int]
) -> None:
    path = tmp_path_factory.mktemp("log") / "stderr"
    text = "".join(f"12:00 reporter progress:{value}{ends}" for value in values).encode()
    reader = ProgressReader([path])
    assert reader.poll() is None
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    with path.open("ab", buffering=0) as file:
        for start, end in itertools.pairwise(edges):
            file.write(text[start:end])
            assert reader.poll() in (None, *values)
    assert reader.poll() == values[-1]


def test_a_last_line_without_end_counts_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "stdout"
    path.write_text("reporter progress:0.5")
    reader = ProgressReader([path])
    assert reader.poll() is None
    assert reader.poll(final=True) == 0.5


def test_both_streams_are_read(tmp_path: Path) -> None:
    (tmp_path / "stdout").write_text("reporter progress:0.1\n")
    reader = ProgressReader([tmp_path / "stderr", tmp_path / "stdout"])
    assert reader.poll() == 0.1
    (tmp_path / "stderr").write_text("reporter progress:0.2\n")
    assert reader.poll() == 0.2


def test_only_the_newest_part_of_a_flood_is_read(tmp_path: Path) -> None:
    path = tmp_path / "stdout"
    path.write_bytes(b"reporter progress:0.1\n" + b"x" * (3 << 20) + b"\nreporter progress:0.9\n")
    assert ProgressReader([path]).poll() == 0.9


def test_after_a_cut_old_lines_do_not_count_again(tmp_path: Path) -> None:
    path = tmp_path / "stdout"
    path.write_text("reporter progress:0.1\n" + "x" * 1000 + "\nreporter progress:0.9\n")
    reader = ProgressReader([path])
    assert reader.poll() == 0.9
    note = f"[xlearning: about 1000 {NOTE.decode()} 100 bytes]\n"
    path.write_text("reporter progress:0.1\n" + note)
    reader.cut([path])
    assert reader.poll() == 0.9
    path.write_text("reporter progress:0.1\n" + note + "reporter progress:0.92\n")
    reader.cut([path])
    assert reader.poll() == 0.92
    with path.open("a") as file:
        file.write("reporter progress:0.95\n")
    assert reader.poll() == 0.95


def test_last_lines_prefer_stderr_and_fall_back_to_stdout(tmp_path: Path) -> None:
    stderr, stdout = tmp_path / "stderr", tmp_path / "stdout"
    assert last_lines([stderr, stdout]) == []
    stdout.write_text("".join(f"line {n}\n" for n in range(30)))
    stderr.touch()
    assert last_lines([stderr, stdout]) == [f"line {n}" for n in range(10, 30)]
    stderr.write_text("Traceback\nError: x\n")
    assert last_lines([stderr, stdout]) == ["Traceback", "Error: x"]


def test_last_lines_are_bounded_and_tolerate_bytes(tmp_path: Path) -> None:
    path = tmp_path / "stderr"
    path.write_bytes(b"a" * 100_000 + b"\n" + b"\xff\xfe bad\n10%\r50%\r100%\r\n")
    assert last_lines([path]) == ["�� bad", "100%"]
    path.write_bytes(b"b" * 100_000)
    assert last_lines([path], limit=1000) == ["b" * 1000]
