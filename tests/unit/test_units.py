"""Spellings of memory, sizes, durations and truth values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning import units


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1024", 1024),
        ("1G", 1024),
        ("2g", 2048),
        ("512m", 512),
        ("2048M", 2048),
        ("1.5G", 1536),
        ("2GB", 2048),
        ("2T", 2 << 20),
        ("1.5 tb", 1536 << 10),
        ("1 GiB", 1024),
        (" 64 ", 64),
        ("0.3m", 1),
    ],
)
def test_memory(text: str, expected: int) -> None:
    assert units.parse_memory_mb(text) == expected


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("300000", "ms", 300.0),
        ("300", "ms", 0.3),
        ("30", "s", 30.0),
        ("250ms", "s", 0.25),
        ("10s", "ms", 10.0),
        ("5m", "ms", 300.0),
        ("1h", "s", 3600.0),
        ("1d", "s", 86400.0),
        ("1.5 H", "s", 5400.0),
        ("0", "s", 0.0),
    ],
)
def test_duration(text: str, unit: str, expected: float) -> None:
    assert units.parse_duration(text, unit) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("10", 10),
        ("10b", 10),
        ("64k", 65536),
        ("10MB", 10 << 20),
        ("1.5GiB", 3 << 29),
        ("1t", 1 << 40),
    ],
)
def test_size(text: str, expected: int) -> None:
    assert units.parse_size(text) == expected


@pytest.mark.parametrize("text", ["true", "TRUE", " yes ", "1"])
def test_true(text: str) -> None:
    assert units.parse_bool(text) is True


@pytest.mark.parametrize("text", ["false", "False", "no", "0"])
def test_false(text: str) -> None:
    assert units.parse_bool(text) is False


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        (units.parse_memory_mb, text)
        for text in ("", "1.5", "-1", "2X", "1,5G", "G", "1e3", "two", "1_000", "١x")
    ]
    + [(units.parse_duration, text) for text in ("", "-1s", "5 minutes", "1h30m", "s")]
    + [(units.parse_size, text) for text in ("", "1.5", "-1k", "1kg")]
    + [(units.parse_bool, text) for text in ("", "treu", "on", "2")],
)
def test_refusal_names_value_and_forms(parse: Callable[[str], Any], text: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse(text)
    assert repr(text) in str(caught.value)
    assert "accepted: " in str(caught.value)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1536, "1.5 KiB"),
        (300 << 20, "300 MiB"),
        ((1 << 20) - 1, "1.0 MiB"),
        (2 << 30, "2.0 GiB"),
        (5 << 50, "5120 TiB"),
    ],
)
def test_format_bytes(count: int, expected: str) -> None:
    assert units.format_bytes(count) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0s"),
        (0.25, "250ms"),
        (0.9999, "1.0s"),
        (3.21, "3.2s"),
        (9.99, "10s"),
        (59.7, "1m 00s"),
        (125, "2m 05s"),
        (3725, "1h 02m"),
        (86399.9, "1d 00h"),
        (273600, "3d 04h"),
        (-5, "-5.0s"),
    ],
)
def test_format_duration(seconds: float, expected: str) -> None:
    assert units.format_duration(seconds) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-3, "just now"),
        (0.4, "just now"),
        (5.9, "5s ago"),
        (60, "1m ago"),
        (7300, "2h ago"),
        (90000, "1d ago"),
    ],
)
def test_format_ago(seconds: float, expected: str) -> None:
    assert units.format_ago(seconds) == expected


@given(st.integers(min_value=0, max_value=1 << 50))
def test_formatted_sizes_can_be_read_again(count: int) -> None:
    again = units.parse_size(units.format_bytes(count))
    assert abs(again - count) <= max(1, count * 0.06)


@given(st.integers(min_value=0, max_value=10_000_000))
def test_plain_numbers_and_units_agree(number: int) -> None:
    assert units.parse_duration(f"{number}", "ms") == units.parse_duration(f"{number}ms")
    assert units.parse_memory_mb(f"{number}G") == units.parse_memory_mb(f"{number * 1024}")
