"""What an agent says about the transfer that runs in its container."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xlearning.container.amount import Amount
from xlearning.proto import xlearning_pb2 as pb

if TYPE_CHECKING:
    from xlearning.container.outputs.publisher import Publisher
    from xlearning.container.program import Program


def report(program: Program | None, publisher: Publisher) -> dict[str, Any]:
    """The body of a message; empty when nothing moves.

    Of several things that move it is about the one that ends first: a save while input is fed, input
    before output that is stored as long as the program runs.
    """
    feeding = program.moving if program is not None else None
    if publisher.uploading is not None:
        return {"upload_progress": pb.UploadProgress(**_fields(publisher.uploading))}
    if publisher.saving is not None:
        return {"upload_progress": pb.UploadProgress(save=True, **_fields(publisher.saving))}
    if feeding is not None:
        return {"fetch_progress": pb.FetchProgress(**_fields(feeding))}
    if publisher.streaming is not None:
        return {"upload_progress": pb.UploadProgress(**_fields(publisher.streaming))}
    return {}


def _fields(amount: Amount) -> dict[str, Any]:
    return {
        "files": amount.files,
        "bytes": amount.size,
        "total_files": amount.total_files,
        "total_bytes": amount.total_size,
        "rate": amount.rate(),
    }
