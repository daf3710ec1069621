"""Uploads to S3: in parts, and visible only as a whole."""

from __future__ import annotations

import logging
from typing import Any

from xlearning.fs.s3_calls import S3Calls

log = logging.getLogger(__name__)


class S3Sink:
    """Takes bytes and makes one object of them at `close`; see `xlearning.fs.streams.Sink`.

    Parameters
    ----------
    part_size : int
        Bytes that are kept in memory and then sent.
    overwrite : bool
        False: `close` raises `FileExistsError` where somebody else was faster.
    """

    def __init__(
        self, calls: S3Calls, uri: str, bucket: str, key: str, part_size: int, *, overwrite: bool
    ) -> None:
        self._calls, self._uri, self._part_size = calls, uri, part_size
        self._object = {"Bucket": bucket, "Key": key}
        self._condition = {} if overwrite else {"IfNoneMatch": "*"}
        self._buffer = bytearray()
        self._upload: dict[str, str] = {}
        self._parts: list[dict[str, Any]] = []

    def write(self, data: bytes) -> None:
        self._buffer += data
        while len(self._buffer) >= self._part_size:
            self._send(bytes(self._buffer[: self._part_size]))
            del self._buffer[: self._part_size]

    def close(self) -> None:
        if not self._upload:
            self._call("put_object", Body=bytes(self._buffer), **self._condition)
            return
        if self._buffer:
            self._send(bytes(self._buffer))
        self._call(
            "complete_multipart_upload",
            **self._upload,
            MultipartUpload={"Parts": self._parts},
            **self._condition,
        )
        self._upload = {}

    def abort(self) -> None:
        self._buffer.clear()
        upload, self._upload = self._upload, {}
        if upload:
            try:
                self._call("abort_multipart_upload", **upload)
            except OSError as error:
                log.warning(
                    "parts of %s stay in the bucket: the upload could not be aborted: %s", self._uri, error
                )

    def _send(self, data: bytes) -> None:
        if not self._upload:
            self._upload = {"UploadId": self._call("create_multipart_upload")["UploadId"]}
        number = len(self._parts) + 1
        answer = self._call("upload_part", **self._upload, PartNumber=number, Body=data)
        self._parts.append({"PartNumber": number, "ETag": answer["ETag"]})

    def _call(self, operation: str, **arguments: Any) -> dict[str, Any]:
        return self._calls.call(self._uri, operation, **self._object, **arguments)
