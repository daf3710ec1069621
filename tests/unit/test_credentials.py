"""Credentials of an application: the one pair works as authority, server and client."""

from __future__ import annotations

import asyncio
import datetime
import stat
import subprocess
import sys
from pathlib import Path

import grpc
import grpc.aio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from xlearning.cluster import credentials

OPTIONS = [("grpc.ssl_target_name_override", credentials.NAME), ("grpc.enable_http_proxy", 0)]


async def call(server: Path, client: Path) -> bytes:
    """Ask a server that has the credentials ``server`` as a client that has ``client``."""
    certificate, key = credentials.load(server)
    endpoint = grpc.aio.server()

    async def answer(request: bytes, _context: object) -> bytes:
        return request.upper()

    handler = grpc.unary_unary_rpc_method_handler(answer)
    endpoint.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("x.X", {"Say": handler}),))
    port = endpoint.add_secure_port(
        "127.0.0.1:0",
        grpc.ssl_server_credentials([(key, certificate)], certificate, require_client_auth=True),
    )
    await endpoint.start()
    certificate, key = credentials.load(client)
    secret = grpc.ssl_channel_credentials(certificate, key, certificate)
    try:
        async with grpc.aio.secure_channel(f"127.0.0.1:{port}", secret, OPTIONS) as channel:
            reply = await channel.unary_unary("/x.X/Say")(b"hello", timeout=20)
            assert isinstance(reply, bytes)
            return reply
    finally:
        await endpoint.stop(0)


def test_mutual_tls_with_one_pair(tmp_path: Path) -> None:
    credentials.create(tmp_path / "c")
    assert asyncio.run(call(tmp_path / "c", tmp_path / "c")) == b"HELLO"


def test_another_application_is_a_stranger(tmp_path: Path) -> None:
    credentials.create(tmp_path / "a")
    credentials.create(tmp_path / "b")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        asyncio.run(call(tmp_path / "a", tmp_path / "b"))
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE


def test_what_the_certificate_says(tmp_path: Path) -> None:
    credentials.create(tmp_path)
    pem, key_pem = credentials.load(tmp_path)
    certificate = x509.load_pem_x509_certificate(pem)
    key = load_pem_private_key(key_pem, None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    assert key.curve.name == "secp256r1"
    assert key.public_key() == certificate.public_key()
    assert certificate.issuer == certificate.subject
    assert certificate.subject.rfc4514_string() == "CN=skein-internal"
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["skein-internal"]
    assert certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    age = certificate.not_valid_after_utc - certificate.not_valid_before_utc
    assert age == datetime.timedelta(days=365)
    assert b"BEGIN PRIVATE KEY" in key_pem


def test_only_the_owner_may_read(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    folder.mkdir(mode=0o755)
    (folder / "tls.key").write_text("old")
    (folder / "tls.key").chmod(0o644)
    credentials.create(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {f.name: stat.S_IMODE(f.stat().st_mode) for f in folder.iterdir()} == {
        "tls.crt": 0o600,
        "tls.key": 0o600,
    }


def test_load_does_without_cryptography(tmp_path: Path) -> None:
    credentials.create(tmp_path)
    code = (
        "import sys; from pathlib import Path; from xlearning.cluster import credentials;"
        "credentials.load(Path(sys.argv[1])); sys.exit('cryptography' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=60)


def test_missing_credentials_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"tls\.crt"):
        credentials.load(tmp_path)
