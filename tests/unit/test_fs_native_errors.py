"""What hdfs-native's errors become. The texts are as a real cluster gave them."""

from __future__ import annotations

import errno

import pytest

from xlearning.errors import CredentialsError, StorageError, StorageUnavailable
from xlearning.fs.native_errors import translate

URI = "hdfs://nn:9000/a"
TRACE = r"\n\tat org.apache.hadoop.Some.thing(Some.java:1)"


class PanicException(BaseException):
    """As hdfs-native raises it."""


def rpc(java: str, text: str, kind: str = "RPCError") -> RuntimeError:
    return RuntimeError(f'{kind}("{java}", "{text}{TRACE}")')


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (FileNotFoundError("/a"), FileNotFoundError, "/a"),
        (FileNotFoundError("File does not exist: /a\n\tat org.x"), FileNotFoundError, "does not exist"),
        (FileNotFoundError("Path is not a file: /a\n\tat org.x"), IsADirectoryError, "not a file"),
        (FileExistsError("/a already exists\n\tat org.x"), FileExistsError, "already exists"),
        (
            FileNotFoundError(
                "File does not exist: /a (inode 1) Holder x does not have any open files.\n\tat o"
            ),
            StorageUnavailable,
            "open files",
        ),
        (
            rpc(
                "org.apache.hadoop.security.AccessControlException",
                r"Permission denied: user=alice, access=READ, inode=\"/user/bob\":bob:users:drwx------",
            ),
            PermissionError,
            'inode="/user/bob":bob',
        ),
        (
            rpc("org.apache.hadoop.security.AccessControlException", "/a (is not a directory)"),
            NotADirectoryError,
            "not a directory",
        ),
        (rpc("org.apache.hadoop.fs.ParentNotDirectoryException", "/a is a file"), NotADirectoryError, "/a"),
        (
            rpc("java.io.IOException", "Source /a and destination /b must both be directories"),
            FileExistsError,
            "must both be",
        ),
        (
            rpc("java.io.IOException", "File /a could only be written to 0 of the 1 minReplication nodes."),
            StorageUnavailable,
            "could only be written",
        ),
        (rpc("org.apache.hadoop.ipc.StandbyException", "not active"), StorageUnavailable, "not active"),
        (
            rpc("org.apache.hadoop.hdfs.server.namenode.SafeModeException", "Name node is in safe mode."),
            StorageUnavailable,
            "safe mode",
        ),
        (
            rpc(
                "org.apache.hadoop.security.token.SecretManager$InvalidToken",
                "Token  has expired, current time: x",
                "FatalRPCError",
            ),
            CredentialsError,
            "has expired",
        ),
        (
            rpc("javax.security.sasl.SaslException", "DIGEST-MD5: digest response", "FatalRPCError"),
            CredentialsError,
            "DIGEST",
        ),
        (
            RuntimeError('GSSAPIError(GssMajorCodes { raw: "0x00070000" }, 2529639053, "No \\"x\\" (a, b)")'),
            CredentialsError,
            'this process: No "x" (a, b)',
        ),
        (OSError("RPC listener disconnected"), StorageUnavailable, "nn:9000 cannot be reached: RPC listener"),
        (OSError("Connection refused (os error 111)"), StorageUnavailable, "refused"),
        (
            RuntimeError('DataTransferError("All DataNodes failed: [DatanodeInfoProto {")'),
            StorageUnavailable,
            "All DataNodes failed",
        ),
        (PanicException("split_to out of bounds: 9 <= 3"), CredentialsError, "_LOCATION is damaged"),
        (RuntimeError('InvalidArgument("No NameNode hosts found")'), StorageError, "No NameNode hosts"),
    ],
)
def test_translate(error: BaseException, kind: type[Exception], text: str) -> None:
    found = translate(error, URI, "nn:9000")
    assert type(found) is kind
    assert text in str(found)
    assert "\tat " not in str(found)
    if isinstance(found, OSError) and not isinstance(found, StorageError):
        assert found.filename == URI
        assert type(OSError(found.errno, "")) is kind


@pytest.mark.parametrize(
    ("java", "number"),
    [
        ("org.apache.hadoop.fs.PathIsNotEmptyDirectoryException", errno.ENOTEMPTY),
        ("org.apache.hadoop.hdfs.protocol.DSQuotaExceededException", errno.EDQUOT),
        ("org.apache.hadoop.hdfs.protocol.NSQuotaExceededException", errno.EDQUOT),
        ("org.apache.hadoop.fs.InvalidPathException", errno.EINVAL),
        ("java.io.IOException", None),
    ],
)
def test_the_rest_keeps_a_number(java: str, number: int | None) -> None:
    found = translate(rpc(java, "words"), URI, "nn:9000")
    assert type(found) is StorageError and found.errno == number
    assert ("a colon" in found.message) == (number == errno.EINVAL)
    assert URI in found.message and "words" in found.message


NODE = (
    'DatanodeInfoProto {{ id: DatanodeIdProto {{ ip_addr: "10.0.0.1", host_name: "{}", datanode_uuid: "x", '
    'xfer_port: {}, info_port: 1 }}, location: Some("/default-rack"), cache_capacity: Some(0) }}'
)


def test_data_nodes_are_named_by_their_addresses() -> None:
    text = f"All DataNodes failed: [{NODE.format('one', 9866)}, {NODE.format('two', 9867)}]"
    error = RuntimeError('DataTransferError("{}")'.format(text.replace('"', '\\"')))
    found = translate(error, URI, "nn:9000", data=True)
    words = f"HDFS at nn:9000 failed to serve {URI}: All DataNodes failed: one:9866, two:9867"
    assert type(found) is StorageUnavailable and found.message == words


def test_a_data_node_that_cannot_be_reached_is_not_taken_for_the_name_node() -> None:
    found = translate(OSError("Connection refused (os error 111)"), URI, "nn:9000", data=True)
    assert isinstance(found, StorageUnavailable)
    assert found.message == (
        "HDFS at nn:9000, or a DataNode of it, cannot be reached: Connection refused (os error 111)"
    )
    assert "dfsadmin" in str(found)
    gone = translate(FileNotFoundError("/a"), URI, "nn:9000", data=True)
    assert type(gone) is FileNotFoundError
