"""What hdfs-native's exceptions mean.

It raises built-in exceptions for a few cases, `OSError` without a number when a connection fails,
`RuntimeError` with the Java class in its text for the rest, and for its own faults a
``PanicException``, which is no `Exception`.
"""

from __future__ import annotations

import errno
import re

from xlearning.errors import CredentialsError, StorageError, StorageUnavailable

_BUILT_IN = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)
_RPC = re.compile(r'^(?:Fatal)?RPCError\("(?P<class>[^"]*)", "(?P<text>.*)"\)$', re.DOTALL)
_WORDS = re.compile(r'"((?:[^"\\]|\\.)*)"\)$', re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_DATA_NODES = re.compile(r"\[DatanodeInfoProto \{.*\}\]", re.DOTALL)
_DATA_NODE = re.compile(r'host_name: "(?P<host>[^"]*)".*?xfer_port: (?P<port>\d+)', re.DOTALL)

_RPC_BUILT_IN: dict[str, type[OSError]] = {
    "AccessControlException": PermissionError,
    "AuthorizationException": PermissionError,
    "FileNotFoundException": FileNotFoundError,
    "FileAlreadyExistsException": FileExistsError,
    "ParentNotDirectoryException": NotADirectoryError,
    "PathIsNotDirectoryException": NotADirectoryError,
}
_RPC_NUMBERS = {
    "PathIsNotEmptyDirectoryException": errno.ENOTEMPTY,
    "NSQuotaExceededException": errno.EDQUOT,
    "DSQuotaExceededException": errno.EDQUOT,
    "QuotaExceededException": errno.EDQUOT,
    "QuotaByStorageTypeExceededException": errno.EDQUOT,
    "InvalidPathException": errno.EINVAL,
}
_RPC_TRANSIENT = (
    "StandbyException",
    "ObserverRetryOnActiveException",
    "SafeModeException",
    "RetriableException",
    "RpcServerException",
    "ServerTooBusyException",
    "NotReplicatedYetException",
    "LeaseExpiredException",
    "RecoveryInProgressException",
)
_RPC_CREDENTIALS = ("InvalidToken", "SaslException", "GSSException")
_BUILT_IN_NUMBERS = {
    FileNotFoundError: errno.ENOENT,
    FileExistsError: errno.EEXIST,
    IsADirectoryError: errno.EISDIR,
    NotADirectoryError: errno.ENOTDIR,
    PermissionError: errno.EACCES,
}
# fragments of texts that say more than the class they come with
_TEXTS: tuple[tuple[str, type[OSError]], ...] = (
    ("does not have any open files", StorageUnavailable),  # overwritten or deleted while it was written
    ("Path is not a file", IsADirectoryError),
    ("(is not a directory)", NotADirectoryError),  # sometimes an AccessControlException
    ("must both be directories", FileExistsError),
    ("could only be written to", StorageUnavailable),  # no DataNode has room or is up
)
_TRANSIENT_KINDS = (
    "DataTransferError",
    "ChecksumError",
    "BlocksNotFound",
    "OperationFailed",
    "InternalError",
)
_CREDENTIAL_KINDS = ("GSSAPIError", "SASLError", "NoSASLMechanism")


def translate(error: BaseException, uri: str, address: str, *, data: bool = False) -> Exception:
    """The protocol's error for one of hdfs-native.

    Parameters
    ----------
    error : BaseException
        What hdfs-native raised.
    uri : str
        Path that the call was about.
    address : str
        Name of the file system, such as ``nn:9000``.
    data : bool
        The call was about the bytes of a file: perhaps it was a DataNode that failed.
    """
    text = str(error)
    rpc = _RPC.match(text) if isinstance(error, RuntimeError) else None
    if rpc:
        java, text = rpc["class"].rpartition(".")[2], _ESCAPE.sub(_unescape, rpc["text"])
        return _from_java(java.rpartition("$")[2], _first_line(text), uri, address)
    if data and isinstance(error, OSError) and type(error) not in _BUILT_IN:
        return StorageUnavailable(
            f"HDFS at {address}, or a DataNode of it, cannot be reached: {_first_line(text)}",
            hint=f"check that its DataNodes are up: hdfs dfsadmin -fs hdfs://{address} -report",
        )
    return _by_text(text, uri) or _from_python(error, _first_line(text), uri, address)


def _from_java(java: str, text: str, uri: str, address: str) -> Exception:
    found = _by_text(text, uri)
    if found:
        return found
    if java in _RPC_BUILT_IN:
        return _built_in(_RPC_BUILT_IN[java], text, uri)
    if java in _RPC_CREDENTIALS:
        return _credentials(text, address)
    if java in _RPC_TRANSIENT:
        return StorageUnavailable(f"HDFS at {address} cannot do this now: {text}")
    if java == "InvalidPathException":
        text = f"HDFS does not take this name, as none with a colon: {text}"
    failure = StorageError(f"{uri}: {text} ({java})")
    failure.errno = _RPC_NUMBERS.get(java)
    return failure


def _from_python(error: BaseException, text: str, uri: str, address: str) -> Exception:
    for kind in _BUILT_IN:
        if isinstance(error, kind):
            return _built_in(kind, text, uri)
    if isinstance(error, OSError):
        return StorageUnavailable(f"HDFS at {address} cannot be reached: {text}", hint=hint(address))
    if text.startswith(_CREDENTIAL_KINDS):
        return _credentials(_said(text), address)
    if "split_to out of bounds" in text:  # how hdfs-native fails on a token file that is cut off
        return _credentials(f"the file of HADOOP_TOKEN_FILE_LOCATION is damaged ({text})", address)
    if text.startswith(_TRANSIENT_KINDS):
        return StorageUnavailable(f"HDFS at {address} failed to serve {uri}: {_short(_said(text))}")
    return StorageError(f"{uri}: {text or type(error).__name__}")


def hint(address: str) -> str:
    """The way out when a NameNode does not answer."""
    return f"check that a NameNode listens at {address}, and fs.defaultFS in HADOOP_CONF_DIR"


def _by_text(text: str, uri: str) -> Exception | None:
    for fragment, kind in _TEXTS:
        if fragment in text:
            if kind is StorageUnavailable:
                return StorageUnavailable(f"{uri}: {_first_line(text)}")
            return _built_in(kind, _first_line(text), uri)
    return None


def _built_in(kind: type[OSError], text: str, uri: str) -> OSError:
    shown = text if text and text != uri else "no such file or folder"
    return kind(_BUILT_IN_NUMBERS[kind], shown, uri)


def _credentials(text: str, address: str) -> CredentialsError:
    return CredentialsError(
        f"HDFS at {address} accepts no credentials of this process: {text}",
        hint="get a ticket with kinit; in a container the delegation token has expired or is missing",
    )


def _said(text: str) -> str:
    """The last words in quotes, as in ``GSSAPIError(GssMajorCodes { ... }, 2529639053, "...")``."""
    quoted = _WORDS.search(text)
    return _ESCAPE.sub(_unescape, quoted[1]) if quoted else text


def _short(text: str) -> str:
    """``All DataNodes failed: [DatanodeInfoProto { ... }]``, with their addresses only."""
    return _DATA_NODES.sub(_addresses, text)


def _addresses(nodes: re.Match[str]) -> str:
    return ", ".join(f"{node['host']}:{node['port']}" for node in _DATA_NODE.finditer(nodes[0]))


def _first_line(text: str) -> str:
    """Without the Java stack trace."""
    return text.split("\n\tat ", 1)[0].strip()


def _unescape(match: re.Match[str]) -> str:
    return {"n": "\n", "t": "\t", "r": "\r"}.get(match[1], match[1])
