"""Files of other formats that must not be read as text: every line of it would be garbage."""

from __future__ import annotations

from xlearning.errors import StorageError
from xlearning.formats.source import Source

_FOOT = 8  # bytes: of Parquet the length of what is before them and a magic, of ORC the end of the last part
_ORC_FOOT = b"\x82\xf4\x03\x03ORC"  # number, type and length of a field, and its text
_NEWEST = 6  # later versions of a SequenceFile are not there


def refuse_binary(source: Source, head: bytes) -> None:
    """See that a file is not one of Parquet, Avro, ORC, or a SequenceFile.

    Beginnings that a text may have are not taken as a proof.

    Parameters
    ----------
    head : bytes
        The first bytes of ``source``, 4 at least where it has them.

    Raises
    ------
    OSError, StorageError
        The file is one of those, or cannot be read.
    """
    known = _what(source, head)
    if known:
        title, name = known
        source.position = 0
        raise StorageError(f"is {title}, not text", hint=f"read it with --inputformat {name}")


def _what(source: Source, head: bytes) -> tuple[str, str] | None:
    if head.startswith(b"Obj\x01"):
        return "an Avro file", "avro"
    if head.startswith(b"SEQ") and len(head) > 3 and head[3] <= _NEWEST:
        return "a SequenceFile", "sequencefile"
    if head.startswith((b"PAR1", b"ORC")):
        foot = source.read(max(0, source.size - _FOOT), _FOOT)
        before = int.from_bytes(foot[:4], "little")
        if head.startswith(b"PAR1") and foot.endswith(b"PAR1") and before + _FOOT < source.size:
            return "a Parquet file", "parquet"
        if head.startswith(b"ORC") and foot[:-1].endswith(_ORC_FOOT):
            return "an ORC file", "orc"
    return None
