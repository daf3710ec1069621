"""The credentials of one application: a certificate that is its own authority, and its key.

Whoever holds the pair can speak inside this application and nowhere else. Agents and clients
expect the name `NAME` whatever address they connect to.
"""

from __future__ import annotations

import os
from pathlib import Path

NAME = "skein-internal"  # skein's own choice: its credentials and ours are interchangeable
CERTIFICATE_FILE, KEY_FILE = "tls.crt", "tls.key"

_VALID_DAYS = 365


def create(folder: Path) -> None:
    """Write a fresh ``tls.crt`` and ``tls.key`` (PEM, mode 600) into ``folder`` (made, mode 700).

    The certificate is self-signed, names `NAME`, holds from yesterday (clocks differ) for one year,
    and may sign itself, so that the one pair serves as authority, server and client.
    """
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, NAME)])
    start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=_VALID_DAYS))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    _write(folder / CERTIFICATE_FILE, certificate.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _write(folder / KEY_FILE, private)


def load(folder: Path) -> tuple[bytes, bytes]:
    """Certificate and key (PEM) from ``folder``; `FileNotFoundError` when one is missing."""
    return (folder / CERTIFICATE_FILE).read_bytes(), (folder / KEY_FILE).read_bytes()


def _write(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
