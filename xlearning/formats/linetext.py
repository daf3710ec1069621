r"""From records as they stand in a file to lines that end with ``\n``, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_LF, _CR = b"\n", b"\r"


def normal(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines that end with LF, CR or CRLF."""
    held = False  # a CR at the end of a chunk, whose LF may follow
    last = _LF
    for chunk in chunks:
        if held:
            chunk, held = _CR + chunk, False
        if _CR in chunk:
            if chunk.endswith(_CR):
                chunk, held = chunk[:-1], True
            chunk = chunk.replace(b"\r\n", _LF).replace(_CR, _LF)
        if chunk:
            last = chunk[-1:]
            yield chunk
    if held or last != _LF:
        yield _LF


def delimited(chunks: Iterable[bytes], delimiter: bytes) -> Iterator[bytes]:
    """Records that end with ``delimiter``."""
    width = len(delimiter)
    tail = b""  # may be the head of a delimiter
    whole = True  # nothing but whole records so far
    for chunk in chunks:
        parts = (tail + chunk).split(delimiter)
        rest = parts[-1]
        kept = max(0, len(rest) - width + 1)
        parts[-1], tail = rest[:kept], rest[kept:]
        text = _LF.join(parts)
        if text:
            whole = not kept and (len(parts) > 1 or whole)
            yield text
    if tail or not whole:
        yield tail + _LF
