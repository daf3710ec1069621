"""Hadoop's delegation tokens in a container: a token file that Java and hdfs-native both find their way in.

YARN writes a token for HDFS under the service ``ip:port``. Java looks for that; hdfs-native looks for the
text of its URL, ``host:port``. The copy made here has each token under both.
"""

from __future__ import annotations

import io
import logging
import os
import socket
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from xlearning.config import hadoop_xml
from xlearning.errors import ConfigError, CredentialsError, XLearningError
from xlearning.fs.base import split_uri

log = logging.getLogger(__name__)

LOCATION = "HADOOP_TOKEN_FILE_LOCATION"
HDFS = "HDFS_DELEGATION_TOKEN"
COPY = ".xlearning-tokens"  # name of the copy in a container's folder

_MAGIC = b"HDTS"
_WRITABLE, _PROTOBUF = 0, 1  # the two formats of what follows the magic
_PORT = "8020"
_PRIVATE = 0o600


@dataclass(frozen=True)
class Token:
    """One token of a file; ``alias`` is its key there, ``service`` whom it is for."""

    alias: bytes
    identifier: bytes
    password: bytes
    kind: bytes
    service: bytes


class BadTokens(ValueError):
    """The bytes are no token file, or only a part of one."""


def parse(content: bytes) -> list[Token]:
    """The tokens of a file in either of Hadoop's formats; secret keys are left out.

    Raises
    ------
    BadTokens
        The file is damaged or no token file.
    """
    if content[:4] != _MAGIC:
        raise BadTokens("it does not begin with HDTS")
    reader = _Reader(content[5:])
    version = content[4] if len(content) > 4 else None
    if version == _WRITABLE:
        found = [Token(*(reader.take(reader.vlong()) for _ in range(5))) for _ in range(reader.vlong())]
        reader.vlong()  # the number of secret keys, which are not for us
        return found
    if version == _PROTOBUF:
        body = _Reader(reader.take(reader.varint()))
        return [_from_fields(_Reader(value)) for number, value in body.fields() if number == 1]
    raise BadTokens(f"its format is {version}, not {_WRITABLE} or {_PROTOBUF}")


def render(tokens: Sequence[Token]) -> bytes:
    """A file with these tokens, in the format that every Hadoop reads."""
    out = [_MAGIC, bytes([_WRITABLE]), put_vlong(len(tokens))]
    for token in tokens:
        for part in (token.alias, token.identifier, token.password, token.kind, token.service):
            out += [put_vlong(len(part)), part]
    return b"".join([*out, put_vlong(0)])  # no secret keys


def with_names(
    tokens: Sequence[Token], authorities: Iterable[str], addresses: Callable[[str], Iterable[str]]
) -> list[Token]:
    """The tokens, and those for HDFS again under every name that leads to their service.

    Parameters
    ----------
    authorities : iterable of str
        ``host:port``, ``host`` (port 8020) or nameservice, as they stand in URIs.
    addresses : callable
        IP addresses of a host name; none where it is not known.
    """
    found = list(tokens)
    taken = {token.service for token in tokens if token.kind == HDFS.encode()}
    for authority in dict.fromkeys(authorities):
        host, _, port = authority.partition(":")
        names = [authority] if port else [authority, f"{authority}:{_PORT}"]
        services = {f"{address}:{port or _PORT}".encode() for address in (*addresses(host), host)}
        for token in tokens:
            if token.kind != HDFS.encode() or token.service not in services:
                continue
            fresh = [name.encode() for name in names if name.encode() not in taken]
            found += [replace(token, alias=name, service=name) for name in fresh]
            taken.update(fresh)
    return found


def adopt(environ: MutableMapping[str, str], folder: Path, uris: Iterable[str]) -> bool:
    """Make the copy that serves everybody, and let the environment point to it.

    The first thing that a process in a container does, before hdfs-native is used. Nothing happens
    where there are no tokens.

    Parameters
    ----------
    environ : mapping
        That of this process; ``HADOOP_TOKEN_FILE_LOCATION`` is changed, ``HADOOP_USER_NAME`` removed:
        the owner of the tokens is who we are.
    folder : Path
        The container's own.
    uris : iterable of str
        File systems that will be used.

    Returns
    -------
    bool
        Whether there were tokens.

    Raises
    ------
    CredentialsError
        The token file is missing or damaged, or the node's configuration is that of a cluster
        without Kerberos, with which hdfs-native would hang for minutes.
    """
    given = environ.get(LOCATION)
    if not given:
        return False
    try:
        tokens = parse(Path(given).read_bytes())
    except (OSError, BadTokens) as error:
        raise CredentialsError(
            f"the delegation tokens in {LOCATION}={given} cannot be read: {error}",
            hint="YARN writes them when it starts a container: look at the NodeManager's log",
        ) from error
    if any(token.kind == HDFS.encode() for token in tokens):
        _check_configuration(environ)
        environ.pop("HADOOP_USER_NAME", None)
    copy = folder / COPY
    _write(copy, render(with_names(tokens, filter(None, _name_nodes(uris, environ)), _addresses)))
    environ[LOCATION] = str(copy)
    return True


def _name_nodes(uris: Iterable[str], environ: Mapping[str, str]) -> Iterator[str]:
    """Authorities of the HDFS that ``uris`` are on, those behind views too."""
    for scheme, authority, _ in map(split_uri, uris):
        if scheme == "hdfs":
            yield authority
        elif scheme == "viewfs":
            from xlearning.fs.hadoop_conf import HadoopConf
            from xlearning.fs.viewfs import MountTable

            try:
                yield from MountTable(authority, HadoopConf.of_environment(environ)).authorities()
            except ConfigError as error:  # told by its first use, if there is one
                log.warning("tokens for viewfs://%s are taken as they are: %s", authority, error)


def put_vlong(value: int) -> bytes:
    """An integer as Hadoop's ``WritableUtils.writeVLong`` writes it."""
    if -112 <= value <= 127:
        return struct.pack("b", value)
    first, rest = (-120, ~value) if value < 0 else (-112, value)
    size = (rest.bit_length() + 7) // 8
    return struct.pack("b", first - size) + rest.to_bytes(size, "big")


class _Reader:
    """Reads forward; what is not there is `BadTokens`, never a short answer."""

    def __init__(self, content: bytes) -> None:
        self._stream, self._left = io.BytesIO(content), len(content)

    def take(self, size: int) -> bytes:
        if not 0 <= size <= self._left:
            raise BadTokens("it ends too early")
        self._left -= size
        return self._stream.read(size)

    def vlong(self) -> int:
        first = int(struct.unpack("b", self.take(1))[0])
        if first >= -112:
            return first
        size = -120 - first if first < -120 else -112 - first
        value = int.from_bytes(self.take(size), "big")
        return ~value if first < -120 else value

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise BadTokens("a number in it is too long")

    def fields(self) -> Iterable[tuple[int, bytes]]:
        """Number and content of a protobuf message's fields; only fields with a length are used here."""
        while self._left:
            key = self.varint()
            if key & 7 == 2:
                yield key >> 3, self.take(self.varint())
            elif key & 7 == 0:
                self.varint()
            else:
                raise BadTokens("it has a field of an unknown kind")


def _from_fields(reader: _Reader) -> Token:
    entry = dict(reader.fields())
    token = dict(_Reader(entry.get(2, b"")).fields())
    return Token(entry.get(1, b""), *(token.get(number, b"") for number in (1, 2, 3, 4)))


def _check_configuration(environ: MutableMapping[str, str]) -> None:
    home = environ.get("HADOOP_HOME")
    folder = environ.get("HADOOP_CONF_DIR") or (f"{home}/etc/hadoop" if home else "")
    path = Path(folder, "core-site.xml")
    try:
        said = hadoop_xml.read(path).values.get("hadoop.security.authentication", "") if folder else ""
    except XLearningError as error:
        raise CredentialsError(
            f"the node's Hadoop configuration cannot be read: {error.message}",
            hint="the NodeManager must give its containers a HADOOP_CONF_DIR with core-site.xml",
        ) from error
    if said.strip().lower() != "kerberos":
        raise CredentialsError(
            "there are delegation tokens, but the node's configuration "
            f"(HADOOP_CONF_DIR={folder or 'not set'}) does not say hadoop.security.authentication=kerberos",
            hint="the NodeManager must give its containers the HADOOP_CONF_DIR of the secure cluster",
        )


def _write(path: Path, content: bytes) -> None:
    """Readers see the old or the new file, never a part of one."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, _PRIVATE), "wb") as file:
        file.write(content)
    part.replace(path)


def _addresses(host: str) -> list[str]:
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]
    except OSError:
        return []
