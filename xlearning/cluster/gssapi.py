"""Kerberos through the system's GSSAPI library, the one that hdfs-native uses too.

Bound by hand: the packages that wrap it have no wheels for Linux, so installing them would need a
compiler and Kerberos headers on every gateway.
"""

from __future__ import annotations

import base64
import ctypes
import ctypes.util
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass
from functools import cache
from typing import Any

_NAMES = ("libgssapi_krb5.so.2", "libgssapi_krb5.so")
_INITIATE = 1
_GSS_CODE, _MECHANISM_CODE = 1, 2
_MUTUAL = 2
_EXPIRED = 11  # GSS_S_CREDENTIALS_EXPIRED
_USER = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x01"
_SERVICE = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04"
_KERBEROS = b"\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"
_SPNEGO = b"\x2b\x06\x01\x05\x05\x02"


class GssError(Exception):
    """GSSAPI refused; in its own words. ``expired`` says that there was a credential once."""

    def __init__(self, words: str, *, expired: bool = False) -> None:
        super().__init__(words)
        self.expired = expired


class _Buffer(ctypes.Structure):
    _fields_ = [("length", c_size_t), ("value", c_void_p)]


class _Oid(ctypes.Structure):
    _fields_ = [("length", c_uint32), ("elements", c_char_p)]


class _OidSet(ctypes.Structure):
    _fields_ = [("count", c_size_t), ("elements", POINTER(_Oid))]


@dataclass(frozen=True)
class Credential:
    """Who one is, as ``name@REALM``, and for how many seconds more."""

    principal: str
    lifetime: int


def available() -> bool:
    """Whether the library is on this machine."""
    return _load() is not None


def credential(principal: str = "") -> Credential:
    """The default credential: from the ticket cache, or by the client keytab of the environment.

    Parameters
    ----------
    principal : str
        Whose; default: that of the cache.

    Raises
    ------
    GssError
        There is none, or the KDC gives none.
    """
    library = _library()
    minor, found, lifetime, name = c_uint32(), c_void_p(), c_uint32(), c_void_p()
    mechanisms = _OidSet(1, ctypes.pointer(_oid(_KERBEROS)))
    with _name(principal.encode(), _USER) as wanted:
        _check(
            library.gss_acquire_cred(
                byref(minor), wanted, 0, byref(mechanisms), _INITIATE, byref(found), None, None
            ),
            minor,
        )
    try:
        major = library.gss_inquire_cred(byref(minor), found, byref(name), byref(lifetime), None, None)
        _check(major, minor)
        buffer = _Buffer()
        _check(library.gss_display_name(byref(minor), name, byref(buffer), None), minor)
        return Credential(_taken(buffer).decode(), lifetime.value)
    finally:
        library.gss_release_name(byref(minor), byref(name))
        library.gss_release_cred(byref(minor), byref(found))


def negotiate(host: str) -> str:
    """Value of the ``Authorization`` header that proves to the web server on ``host`` who we are.

    Raises
    ------
    GssError
        No ticket, or the KDC does not know the server.
    """
    library = _library()
    minor, context, token = c_uint32(), c_void_p(), _Buffer()
    mechanism = _oid(_SPNEGO)
    with _name(f"HTTP@{host}".encode(), _SERVICE) as target:
        major = library.gss_init_sec_context(
            *(byref(minor), None, byref(context), target, byref(mechanism), _MUTUAL, 0, None),
            *(None, None, byref(token), None, None),
        )
    try:
        _check(major, minor)
        return "Negotiate " + base64.b64encode(_taken(token)).decode()
    finally:
        library.gss_delete_sec_context(byref(minor), byref(context), None)


@contextmanager
def _name(text: bytes, kind: bytes) -> Iterator[c_void_p | None]:
    if not text:
        yield None
        return
    library = _library()
    minor, name, oid = c_uint32(), c_void_p(), _oid(kind)
    held = ctypes.create_string_buffer(text, len(text))
    buffer = _Buffer(len(text), ctypes.cast(held, c_void_p))
    _check(library.gss_import_name(byref(minor), byref(buffer), byref(oid), byref(name)), minor)
    try:
        yield name
    finally:
        library.gss_release_name(byref(minor), byref(name))


def _oid(elements: bytes) -> _Oid:
    return _Oid(len(elements), elements)


def _taken(buffer: _Buffer) -> bytes:
    """The bytes of a buffer that the library allocated, which is released."""
    content = ctypes.string_at(buffer.value, buffer.length) if buffer.value else b""
    _library().gss_release_buffer(byref(c_uint32()), byref(buffer))
    return content


def _check(major: int, minor: c_uint32) -> None:
    if not major & 0xFFFF0000:
        return
    words = _words(minor.value, _MECHANISM_CODE)
    if words in ("", "Success"):  # the mechanism has nothing to add
        words = _words(major, _GSS_CODE)
    expired = (major >> 16) & 0xFF == _EXPIRED
    raise GssError(" ".join(words.replace("\0", " ").split()) or f"GSSAPI error {major:#x}", expired=expired)


def _words(code: int, kind: int) -> str:
    if kind == _MECHANISM_CODE and not code:
        return ""
    library = _library()
    minor, more, text, oid = c_uint32(), c_uint32(), _Buffer(), _oid(_KERBEROS)
    found = []
    while True:
        major = library.gss_display_status(
            byref(minor), c_uint32(code), kind, byref(oid), byref(more), byref(text)
        )
        if major & 0xFFFF0000:
            return ""
        found.append(_taken(text).decode(errors="replace"))
        if not more.value:
            return ". ".join(found)


def _library() -> Any:
    library = _load()
    if library is None:
        raise GssError(f"the library {_NAMES[0]} is not on this machine")
    return library


@cache
def _load() -> Any:
    for name in _NAMES:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        pointers: dict[str, list[Any]] = {
            "gss_acquire_cred": [c_void_p, c_void_p, c_uint32, c_void_p, c_int, *[c_void_p] * 3],
            "gss_inquire_cred": [c_void_p] * 6,
            "gss_display_name": [c_void_p] * 4,
            "gss_display_status": [c_void_p, c_uint32, c_int, *[c_void_p] * 3],
            "gss_import_name": [c_void_p] * 4,
            "gss_init_sec_context": [*[c_void_p] * 5, c_uint32, c_uint32, *[c_void_p] * 6],
            "gss_delete_sec_context": [c_void_p] * 3,
            "gss_release_name": [c_void_p] * 2,
            "gss_release_cred": [c_void_p] * 2,
            "gss_release_buffer": [c_void_p] * 2,
        }
        for function, arguments in pointers.items():
            getattr(library, function).argtypes = arguments
            getattr(library, function).restype = c_uint32
        return library
    return None
