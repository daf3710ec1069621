"""What the ApplicationMaster may read of this container's logs while it lives."""

from __future__ import annotations

from pathlib import Path

from xlearning.cluster.log_pieces import log_files, read_piece
from xlearning.container.voice import clean
from xlearning.proto import xlearning_pb2 as pb

LIMIT = 256 << 10  # bytes of one piece; beats wait no longer than that takes
_FILES = 100  # names told
# YARN's own: how it started the container, with its whole environment.
_YARNS = frozenset(("launch_container.sh", "directory.info", "prelaunch.out", "prelaunch.err"))


def answer(folder: Path, order: pb.ReadLog) -> pb.LogPiece:
    """The piece that was asked for, or the names and sizes of all files. Blocks.

    Parameters
    ----------
    folder : Path
        The container's log folder.
    """
    try:
        if not order.name:
            return pb.LogPiece(request=order.request, files=_files(folder))
        if order.name in _YARNS:
            raise FileNotFoundError(f"no log file {order.name!r}")
        chunk = read_piece(folder, order.name, order.offset, min(order.limit, LIMIT))
    except OSError as error:
        return pb.LogPiece(request=order.request, error=clean(error))
    return pb.LogPiece(
        request=order.request,
        text=chunk.text,
        offset=chunk.offset,
        next_offset=chunk.next_offset,
        size=chunk.size,
    )


def _files(folder: Path) -> dict[str, int]:
    found = {clean(name): size for name, size in log_files(folder).items() if name not in _YARNS}
    return dict(list(found.items())[:_FILES])
