"""Copies inside of a bucket, made by the service itself."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from xlearning.fs.s3_calls import S3Calls

_THREADS = 16


class Copier:
    """Copies objects of one bucket.

    Parameters
    ----------
    limit : int
        Bytes that one request may copy: 5 GB, says S3.
    part_size : int
        Bytes of a part of what is larger.
    """

    def __init__(
        self, calls: S3Calls, bucket: str, *, limit: int = 5 * 2**30, part_size: int = 2**30
    ) -> None:
        self._calls, self._bucket, self._limit, self._part_size = calls, bucket, limit, part_size

    def copy(self, uri: str, targets: Mapping[str, tuple[str, int]]) -> None:
        """Copy objects, several at a time.

        Parameters
        ----------
        uri : str
            What the copies are about, for errors.
        targets : mapping
            Key -> (new key, bytes).

        Raises
        ------
        FileNotFoundError
            An object is gone, and has not been copied by somebody else either.
        """
        with ThreadPoolExecutor(min(_THREADS, max(1, len(targets)))) as pool:
            under_way = [pool.submit(self._one, uri, old, *new) for old, new in targets.items()]
            try:
                for done in under_way:
                    done.result()
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _one(self, uri: str, old: str, new: str, size: int) -> None:
        try:
            if old.endswith("/") and not size:  # a folder's marker; not every service copies one
                self._call(uri, "put_object", Key=new, Body=b"")
            elif size > self._limit:
                self._in_parts(uri, old, new, size)
            else:
                self._call(uri, "copy_object", Key=new, CopySource=self._source(old))
        except FileNotFoundError:
            # somebody else, who does the same, was faster
            if self._call(uri, "head_object", Key=new)["ContentLength"] != size:
                raise

    def _in_parts(self, uri: str, old: str, new: str, size: int) -> None:
        upload = {"Key": new, "UploadId": self._call(uri, "create_multipart_upload", Key=new)["UploadId"]}
        try:
            parts = []
            for number, start in enumerate(range(0, size, self._part_size), start=1):
                span = f"bytes={start}-{min(start + self._part_size, size) - 1}"
                more = {"CopySource": self._source(old), "CopySourceRange": span, "PartNumber": number}
                answer = self._call(uri, "upload_part_copy", **upload, **more)
                parts.append({"PartNumber": number, "ETag": answer["CopyPartResult"]["ETag"]})
            self._call(uri, "complete_multipart_upload", **upload, MultipartUpload={"Parts": parts})
        except BaseException:
            self._call(uri, "abort_multipart_upload", **upload)
            raise

    def _source(self, key: str) -> dict[str, str]:
        return {"Bucket": self._bucket, "Key": key}

    def _call(self, uri: str, operation: str, **arguments: Any) -> dict[str, Any]:
        return self._calls.call(uri, operation, Bucket=self._bucket, **arguments)
