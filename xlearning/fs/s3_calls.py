"""Requests to S3 through s3fs, and what its errors mean. The only door to that library.

s3fs repeats throttled and interrupted requests itself; what it then gives up is `StorageUnavailable`,
which callers repeat for as long as they are told to.
"""

from __future__ import annotations

import errno
import threading
from typing import Any

from xlearning.config.confidential import HIDDEN
from xlearning.errors import CredentialsError, StorageError, StorageUnavailable, UsageError
from xlearning.fs.forks import ForkGuard
from xlearning.fs.s3_settings import S3Settings

_DATA_PATIENCE = 60.0  # seconds without a byte
_CONNECTIONS = 64
_RETRIES = 3
_MISSING = ("NoSuchKey", "404", "NoSuchUpload")
_DENIED = ("AccessDenied", "403", "AllAccessDisabled", "AccountProblem", "InvalidObjectState")
_REFUSED = (
    "SignatureDoesNotMatch",
    "InvalidAccessKeyId",
    "XAdminUserNotFound",  # the same, in Versity's words
    "ExpiredToken",
    "InvalidToken",
    "TokenRefreshRequired",
    "RequestTimeTooSkewed",
    "AuthorizationHeaderMalformed",
)
_TRANSIENT = (
    *("SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "OperationAborted", "Throttling"),
    *("ConditionalRequestConflict", "BadDigest", "IncompleteBody", "500", "502", "503", "504"),
)
_NO_CREDENTIALS = ("NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError")
_HINT = (
    "set xlearning.s3.key.access and xlearning.s3.key.secret, or give the process what the AWS libraries "
    "look for: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role of its machine"
)


class S3Calls:
    """One S3 service, as a function that calls it. Safe to use from several threads.

    Nothing is contacted, and s3fs is not imported, before the first call.

    Parameters
    ----------
    settings : S3Settings
    timeout : float
        Seconds to wait for a connection.
    """

    def __init__(self, settings: S3Settings, *, timeout: float) -> None:
        self._settings, self._timeout = settings, timeout
        self._lock = threading.Lock()
        self._made: Any = None
        self._fork = ForkGuard("an S3FileSystem")

    def call(self, uri: str, operation: str, **arguments: Any) -> dict[str, Any]:
        """The answer to one operation of the S3 API, such as ``head_object``.

        Parameters
        ----------
        uri : str
            What the call is about, for errors.
        arguments
            As the S3 API names them: ``Bucket``, ``Key``, ...

        Raises
        ------
        FileNotFoundError, FileExistsError, PermissionError
            `FileExistsError` where ``IfNoneMatch`` did not hold.
        CredentialsError, StorageUnavailable, StorageError
        UsageError
            s3fs is not installed.
        """
        system = self._system()
        try:
            answer: dict[str, Any] = system.call_s3(operation, **arguments)
        except Exception as error:  # noqa: BLE001 - told apart there
            raise self._translate(error, uri) from None  # the library's own holds the request's headers
        return answer

    def read(self, uri: str, **arguments: Any) -> bytes:
        """The bytes that ``get_object`` answers; see `call`."""
        system = self._system()
        from fsspec.asyn import sync

        try:
            body = system.call_s3("get_object", **arguments)["Body"]
            data: bytes = sync(system.loop, body.read)
        except Exception as error:  # noqa: BLE001 - told apart there
            raise self._translate(error, uri) from None
        return data

    def _system(self) -> Any:
        self._fork.check()
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> Any:
        try:
            from s3fs import S3FileSystem
        except ImportError as error:
            raise UsageError(
                f"s3:// and s3a:// need the package s3fs, which cannot be used here: {error}",
                hint="pip install 'xlearning[s3]'",
            ) from None
        chosen = self._settings
        addressing = "auto" if chosen.path_style is None else "path" if chosen.path_style else "virtual"
        system = S3FileSystem(
            key=chosen.access,
            secret=chosen.secret,
            token=chosen.token,
            endpoint_url=chosen.endpoint,
            client_kwargs={"region_name": chosen.region} if chosen.region else {},
            config_kwargs={
                "connect_timeout": self._timeout,
                "read_timeout": _DATA_PATIENCE,
                "max_pool_connections": _CONNECTIONS,
                "retries": {"total_max_attempts": 1},  # s3fs repeats
                "s3": {"addressing_style": addressing},
            },
            skip_instance_cache=True,
            use_listings_cache=False,
        )
        system.retries = _RETRIES
        return system

    def _translate(self, error: BaseException, uri: str) -> Exception:
        where = self._settings.endpoint or "AWS"
        response = getattr(error.__cause__, "response", None) or getattr(error, "response", None)
        said = response.get("Error", {}) if isinstance(response, dict) else {}
        code, words = str(said.get("Code", "")), self._clean(str(said.get("Message") or error))
        if code in _MISSING or isinstance(error, FileNotFoundError):
            lacking = "there is no such bucket" if code == "NoSuchBucket" else "no such file or folder"
            return FileNotFoundError(errno.ENOENT, lacking, uri)
        if code in ("PreconditionFailed", "412"):
            return FileExistsError(errno.EEXIST, "it is there already, or has changed", uri)
        if code in _REFUSED:
            return CredentialsError(f"S3 at {where} refuses the credentials: {words} ({code})", hint=_HINT)
        if code in _DENIED or isinstance(error, PermissionError):
            return PermissionError(errno.EACCES, f"S3 denies it: {words}", uri)
        if type(error).__name__ in _NO_CREDENTIALS:
            return CredentialsError(f"there are no credentials for S3 at {where}: {words}", hint=_HINT)
        if code in _TRANSIENT or (not code and isinstance(error, (OSError, *_away()))):
            return StorageUnavailable(
                f"S3 at {where} cannot be reached, or failed to serve {uri}: {words or type(error).__name__}",
                hint="check xlearning.s3.cluster (fs.s3a.endpoint) and the network",
            )
        return StorageError(f"{uri}: {words or type(error).__name__} ({code or type(error).__name__})")

    def _clean(self, text: str) -> str:
        for secret in (self._settings.secret, self._settings.token):
            text = text.replace(secret, HIDDEN) if secret else text
        return text


def _away() -> tuple[type[BaseException], ...]:
    from botocore.exceptions import ConnectionError as NoConnection
    from botocore.exceptions import HTTPClientError, IncompleteReadError, ResponseStreamingError
    from fsspec.exceptions import FSTimeoutError

    return NoConnection, HTTPClientError, IncompleteReadError, ResponseStreamingError, FSTimeoutError
