"""The client's door to a running ApplicationMaster: mutual TLS, long polls, kill.

The ApplicationMaster is found by the rendezvous file of its newest attempt in staging, so neither
YARN nor a JVM is asked. grpc is loaded only when a connection is made.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xlearning import jsonfile
from xlearning.errors import ClusterError, ClusterUnavailable, StorageError
from xlearning.fs import FileSystems
from xlearning.fs.base import join
from xlearning.fs.owners import check_owner
from xlearning.job import Snapshot
from xlearning.links import harmless

if TYPE_CHECKING:
    import grpc

_RENDEZVOUS = re.compile(r"am-(\d+)\.json")
_NAME = "skein-internal"  # the name in the application's certificate
_OTHER = "the application was submitted by another version of xl-submit: ask with that one"
_SLACK = 5.0  # seconds beyond the asked wait before a silent ApplicationMaster counts as lost
_MESSAGE_LIMIT = 64 * 2**20


@dataclass(frozen=True)
class AmAddress:
    """Where an attempt of the ApplicationMaster listens."""

    address: str
    attempt: int
    page: str = ""


@dataclass(frozen=True)
class SaveAnswer:
    """Whether a save has begun: its id, or why not in ``message``."""

    accepted: bool
    message: str
    save_id: str


def find_am(fss: FileSystems, staging: str, owner: str | None = None) -> AmAddress | None:
    """The newest attempt that has announced itself in ``staging``; None while there is none.

    Parameters
    ----------
    owner : str, optional
        Whose the folder must be; None where this process has made it.

    Raises
    ------
    NotBelieved
        It belongs to somebody else.
    """
    fs = fss.of(staging)
    try:
        if owner is not None:
            check_owner(fss, staging, owner, "what is staged")
        names = [(_attempt(status.name), status.path) for status in fs.list(staging)]
        attempts = [(attempt, path) for attempt, path in names if attempt]
        if not attempts:
            return None
        newest = max(attempts)[1]
        if owner is not None:
            check_owner(fss, staging, owner, "what is staged")
            check_owner(fss, newest, owner, "an address")
        return jsonfile.read_record(fs, newest, AmAddress)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise StorageError(f"{newest} is damaged: {error}") from error


def withdraw(fss: FileSystems, staging: str) -> None:
    """Remove all addresses: so agents that nobody ends, as on a lost node, see that all is over."""
    fs = fss.of(staging)
    for status in fs.list(staging):
        if _attempt(status.name):
            fs.delete(status.path)


def load_grpc() -> None:
    """Import what a connection needs; worth doing in a thread while the ApplicationMaster starts."""
    import grpc  # noqa: F401

    import xlearning.proto.xlearning_pb2_grpc  # noqa: F401


class AmConnection:
    """A connection to one attempt. Safe to use from several threads; close it in the end.

    Parameters
    ----------
    certificate, key : bytes
        The application's credential in PEM; it is certificate authority and client at once.
    """

    def __init__(self, target: AmAddress, certificate: bytes, key: bytes) -> None:
        import grpc

        from xlearning.proto import xlearning_pb2_grpc

        credentials = grpc.ssl_channel_credentials(certificate, key, certificate)
        options: Iterable[tuple[str, Any]] = (
            ("grpc.ssl_target_name_override", _NAME),
            ("grpc.enable_http_proxy", 0),
            ("grpc.max_receive_message_length", _MESSAGE_LIMIT),
        )
        self.attempt = target.attempt
        self._channel = grpc.secure_channel(target.address, credentials, tuple(options))
        self._stub = xlearning_pb2_grpc.ApplicationStub(self._channel)  # type: ignore[no-untyped-call]

    @classmethod
    def open(cls, fss: FileSystems, staging: str, target: AmAddress) -> AmConnection:
        """Connect with the credential that ``staging`` holds."""
        return cls(target, *read_credentials(fss, staging))

    def status(self, after_version: int = 0, wait: float = 0.0) -> Snapshot:
        """The snapshot, as soon as it is newer than ``after_version``, at the latest after ``wait`` seconds.

        Raises
        ------
        xlearning.errors.ClusterUnavailable
            The ApplicationMaster is gone or does not answer.
        xlearning.errors.ClusterError
            It is of a version that answers in other words.
        """
        import grpc

        from xlearning.proto import xlearning_pb2 as pb

        request = pb.StatusRequest(after_version=after_version, wait=wait)
        try:
            reply = self._stub.Status(request, timeout=wait + _SLACK)
        except (grpc.RpcError, ValueError) as error:  # ValueError: the channel was closed meanwhile
            raise _mapped(error) from error
        try:
            return harmless(jsonfile.record(Snapshot, reply.snapshot_json))
        except ValueError as error:
            raise ClusterError(
                f"the status of the application cannot be read: {error}", hint=_OTHER
            ) from error

    def kill(self, user: str, reason: str) -> str:
        """Ask the ApplicationMaster to end the application; its answer in words when it refuses.

        Raises
        ------
        xlearning.errors.ClusterUnavailable
            The ApplicationMaster is gone or does not answer.
        """
        import grpc

        from xlearning.proto import xlearning_pb2 as pb

        try:
            reply = self._stub.Kill(pb.KillRequest(user=user, reason=reason), timeout=_SLACK)
        except (grpc.RpcError, ValueError) as error:
            raise _mapped(error) from error
        return "" if reply.accepted else reply.message or "the ApplicationMaster refused"

    def save(self, user: str) -> SaveAnswer:
        """Ask the ApplicationMaster to save the output as it is now; it answers at once.

        Raises
        ------
        xlearning.errors.ClusterUnavailable
            The ApplicationMaster is gone or does not answer.
        """
        import grpc

        from xlearning.proto import xlearning_pb2 as pb

        try:
            reply = self._stub.Save(pb.SaveRequest(user=user), timeout=_SLACK)
        except (grpc.RpcError, ValueError) as error:
            raise _mapped(error) from error
        return SaveAnswer(reply.accepted, reply.message, reply.save_id)

    def close(self) -> None:
        """Close the connection; calls of other threads end with `ClusterUnavailable`."""
        self._channel.close()


def read_credentials(fss: FileSystems, staging: str) -> tuple[bytes, bytes]:
    """``(certificate, key)`` of an application, in PEM."""
    fs = fss.of(staging)
    found = []
    for name in ("tls.crt", "tls.key"):
        with fs.open_read(join(staging, "credentials", name)) as file:
            found.append(file.read())
    return found[0], found[1]


def _attempt(name: str) -> int:
    match = _RENDEZVOUS.fullmatch(name)
    return int(match.group(1)) if match else 0


def _mapped(error: grpc.RpcError | ValueError) -> ClusterError:
    import grpc

    if isinstance(error, grpc.Call):
        code, details = error.code(), error.details()
        if code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
            return ClusterError(f"the ApplicationMaster refused the call: {details}")
        if code is grpc.StatusCode.UNIMPLEMENTED:
            return ClusterError("the ApplicationMaster does not know how to do that", hint=_OTHER)
        return ClusterUnavailable(f"the ApplicationMaster does not answer: {code.name}, {details}")
    return ClusterUnavailable(f"the connection to the ApplicationMaster is closed: {error}")
