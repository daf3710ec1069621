r"""What Hadoop's text input gives for a split, told record by record and slowly, for comparison.

The rule: record p (its first byte) has its owner at p - 1, the last byte of the line end before it. A
split ``[start, end)`` gives the records whose owner it holds, and the record at 0 if it starts there.
"""

from __future__ import annotations

MARK = b"\xef\xbb\xbf"


def records(data: bytes) -> list[tuple[int, bytes]]:
    """``(start, value)`` of every record of a file, line by line."""
    found, start, at = [], 0, 0
    while at < len(data):
        width = 2 if data[at : at + 2] == b"\r\n" else 1 if data[at : at + 1] in (b"\r", b"\n") else 0
        if width:
            found.append((start, data[start:at]))
            start = at + width
        at += width or 1
    if start < len(data):
        found.append((start, data[start:]))
    if found and found[0][1].startswith(MARK):
        found[0] = (0, found[0][1][len(MARK) :])
        if data == MARK:
            found = []
    return found


def split_output(data: bytes, start: int, end: int) -> bytes:
    """What the program reads for the split ``[start, end)``."""
    owned = [value for at, value in records(data) if (start == 0 if at == 0 else start <= at - 1 < end)]
    return b"".join(value + b"\n" for value in owned)
