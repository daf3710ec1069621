"""Whose keys a keytab of MIT krb5 holds."""

from __future__ import annotations

import struct

_MAGIC = b"\x05\x02"


def principals(content: bytes) -> list[str]:
    """The principals of a keytab, each once, in the order of the file.

    Raises
    ------
    ValueError
        It is no keytab, or only a part of one.
    """
    if content[:2] != _MAGIC:
        raise ValueError("it is no keytab")
    found: dict[str, None] = {}
    offset = 2
    while offset + 4 <= len(content):
        (size,) = struct.unpack_from(">i", content, offset)
        offset += 4
        if size == 0:
            break
        if size > 0:  # a negative one is a hole where an entry was removed
            if offset + size > len(content):
                raise ValueError("it ends in the middle of an entry")
            found[_principal(content[offset : offset + size])] = None
        offset += abs(size)
    return list(found)


def _principal(entry: bytes) -> str:
    try:
        (count,) = struct.unpack_from(">H", entry, 0)
        offset, parts = 2, []
        for _ in range(count + 1):  # the realm comes first
            (size,) = struct.unpack_from(">H", entry, offset)
            parts.append(entry[offset + 2 : offset + 2 + size].decode("utf-8", "replace"))
            offset += 2 + size
    except struct.error as error:
        raise ValueError("it has an entry that is too short") from error
    return f"{'/'.join(parts[1:])}@{parts[0]}"
