r"""What Hadoop's text input gives for a split, told record by record and slowly, for comparison.

The rule: record p (its first byte) has its owner at p - 1, the last byte of the line end before it. A
split ``[start, end)`` gives the records whose owner it holds, and the record at 0 if it starts there.
"""

from __future__ import annotations

MARK = b"\xef\xbb\xbf"


def records(data: bytes, delimiter: bytes = b"", maximum: int = 0) -> list[tuple[int, bytes]]:
    """``(start, value)`` of every record of a file, byte by byte."""
    return [(start, value) for start, value, _ in _told(data, delimiter, maximum)]


def split_records(
    data: bytes, start: int, end: int, delimiter: bytes = b"", maximum: int = 0
) -> list[tuple[int, bytes]]:
    """``(start, value)`` of the records that the split ``[start, end)`` gives."""
    return [
        (at, value)
        for at, value, owner in _told(data, delimiter, maximum)
        if (start == 0 if at == 0 else start <= owner < end)
    ]


def split_output(data: bytes, start: int, end: int, delimiter: bytes = b"", maximum: int = 0) -> bytes:
    """What the program reads for the split ``[start, end)``."""
    return b"".join(value + b"\n" for _, value in split_records(data, start, end, delimiter, maximum))


def _told(data: bytes, delimiter: bytes, maximum: int) -> list[tuple[int, bytes, int]]:
    """Start, value and place of the owner of every record that is short enough."""
    found, start, at = [], 0, 0  # start, value, bytes of what ends it
    while at < len(data):
        if delimiter:
            width = len(delimiter) if data[at : at + len(delimiter)] == delimiter else 0
        else:
            width = 2 if data[at : at + 2] == b"\r\n" else 1 if data[at : at + 1] in (b"\r", b"\n") else 0
        if width:
            found.append((start, data[start:at], width))
            start = at + width
        at += width or 1
    if start < len(data):
        found.append((start, data[start:], 0))
    if found and found[0][1].startswith(MARK):
        found[0] = (0, found[0][1][len(MARK) :], found[0][2])
        if data == MARK:
            found = []
    back = len(delimiter) or 1
    return [
        (at, value, at - back) for at, value, width in found if not maximum or len(value) + width < maximum
    ]
