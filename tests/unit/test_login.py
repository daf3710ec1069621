"""Logging in to a secure cluster: what is told without a KDC, and by a KDC that refuses."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from xlearning.client.secure import viewers
from xlearning.cluster import gssapi, keytab, login
from xlearning.cluster.gssapi import Credential, GssError
from xlearning.config import Config
from xlearning.errors import ClusterUnavailable, CredentialsError


def entry(principal: str) -> bytes:
    """One entry of a keytab with a key of four bytes."""
    name, _, realm = principal.partition("@")
    parts = [realm, *name.split("/")]
    packed = b"".join(struct.pack(">H", len(part)) + part.encode() for part in parts)
    body = struct.pack(">H", len(parts) - 1) + packed + struct.pack(">IIBHH", 1, 0, 1, 18, 4) + b"\0" * 4
    return struct.pack(">i", len(body)) + body


def keytab_of(*principals: str) -> bytes:
    hole = struct.pack(">i", -8) + b"\xff" * 8
    return b"\x05\x02" + hole + b"".join(entry(each) for each in principals)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Credential | GssError]:
    """What the KDC says next; asked through the place where the real library is asked."""
    given: list[Credential | GssError] = []

    def credential(_principal: str = "") -> Credential:
        answer = given.pop(0)
        if isinstance(answer, GssError):
            raise answer
        return answer

    monkeypatch.setattr(gssapi, "available", lambda: True)
    monkeypatch.setattr(gssapi, "credential", credential)
    return given


def test_principals_of_a_keytab() -> None:
    content = keytab_of("alice@A.B", "HTTP/web.a.b@A.B", "alice@A.B")
    assert keytab.principals(content) == ["alice@A.B", "HTTP/web.a.b@A.B"]
    with pytest.raises(ValueError, match="no keytab"):
        keytab.principals(b"HDTS")
    with pytest.raises(ValueError, match="middle"):
        keytab.principals(content[:-1])


def test_a_ticket(answers: list[Credential | GssError]) -> None:
    answers.append(Credential("alice/admin@A.B", 60))
    environ = {"HADOOP_USER_NAME": "bob", "HADOOP_TOKEN_FILE_LOCATION": "/t"}
    found = login.log_in(environ)
    assert (found.user, found.principal, found.keytab) == ("alice", "alice/admin@A.B", "")
    assert environ == {}


def test_tokens_alone_submit_nothing(answers: list[Credential | GssError]) -> None:
    """As in a container of a job, whose program wants to submit another one."""
    answers.append(GssError("No ... available (default cache: FILE:/d)"))
    with pytest.raises(CredentialsError, match=r"(?s)no Kerberos ticket.*tokens of a container.*--keytab"):
        login.log_in({"HADOOP_TOKEN_FILE_LOCATION": "/t"})


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Credential("alice@A.B", 0), r"ticket of alice@A.B has expired \(cache: FILE:/c\).*kinit"),
        (GssError("words", expired=True), r"ticket has expired \(cache: FILE:/c\).*kinit"),
        (
            GssError("No ... available (default cache: FILE:/d)"),
            r"no Kerberos ticket \(cache: FILE:/d\)\n.*kinit",
        ),
        (GssError("Bad format"), r"no Kerberos ticket \(cache: FILE:/c\): Bad format\n.*kinit"),
    ],
)
def test_no_usable_ticket(
    answers: list[Credential | GssError], answer: Credential | GssError, words: str
) -> None:
    answers.append(answer)
    with pytest.raises(CredentialsError, match=f"(?s){words}"):
        login.log_in({"KRB5CCNAME": "FILE:/c"})


def test_a_keytab(answers: list[Credential | GssError], tmp_path: Path) -> None:
    path = tmp_path / "x.keytab"
    path.write_bytes(keytab_of("alice@A.B", "bob@A.B"))
    answers.append(Credential("bob@A.B", 60))
    environ = {"KRB5CCNAME": "FILE:/c"}
    found = login.log_in(environ, str(path), "bob")
    assert (found.user, found.keytab) == ("bob", str(path))
    assert environ == {"KRB5CCNAME": "MEMORY:xlearning-bob@A.B", "KRB5_CLIENT_KTNAME": f"FILE:{path}"}


def test_a_keytab_of_no_use(
    answers: list[Credential | GssError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.keytab"
    with pytest.raises(CredentialsError, match=r"x.keytab cannot be read: No such file"):
        login.log_in({}, str(path), "alice")
    path.write_bytes(b"hello")
    with pytest.raises(CredentialsError, match=r"x.keytab cannot be used: it is no keytab"):
        login.log_in({}, str(path), "alice")
    path.write_bytes(keytab_of("alice@A.B"))
    with pytest.raises(CredentialsError, match=r"no key of alice@C.D; it holds those of alice@A.B"):
        login.log_in({}, str(path), "alice@C.D")
    monkeypatch.setenv("PATH", str(tmp_path))
    for said in ("", "Preauthentication failed while getting initial credentials"):
        if said:
            (tmp_path / "kinit").write_text(f"#!/bin/sh\necho 'kinit: {said}' >&2\nexit 1\n")
            (tmp_path / "kinit").chmod(0o755)
        answers.append(GssError("no credentials"))
        words = said or "no credentials"
        with pytest.raises(CredentialsError, match=rf"ticket for alice@A.B: {words}\n.*try kinit -kt"):
            login.log_in({}, str(path), "")


@pytest.mark.usefixtures("answers")
def test_a_principal_alone() -> None:
    with pytest.raises(CredentialsError, match=r"principal=alice comes without a keytab"):
        login.log_in({}, "", "alice")


def test_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gssapi, "available", lambda: False)
    with pytest.raises(CredentialsError, match=r"libgssapi_krb5.so.2 is not on this machine"):
        login.log_in({})


@pytest.mark.skipif(not gssapi.available(), reason="no GSSAPI library on this machine")
def test_the_real_library_finds_no_ticket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KRB5CCNAME", f"FILE:{tmp_path}/none")
    monkeypatch.delenv("KRB5_CLIENT_KTNAME", raising=False)
    with pytest.raises(CredentialsError, match=r"no Kerberos ticket \(cache: "):
        login.log_in({})
    with pytest.raises(GssError):
        gssapi.negotiate("localhost")


def test_who_may_open_the_page() -> None:
    def config(**values: str) -> Config:
        return Config.from_properties(
            {f"xlearning.webui.{name.replace('_', '.')}": v for name, v in values.items()}
        )

    def unreachable() -> bool:
        raise ClusterUnavailable("no answer")

    assert viewers(config(), "alice", lambda: True) == ("alice",)
    assert viewers(config(), "alice", lambda: False) == ()
    assert viewers(config(), "alice", unreachable) == ("alice",)
    assert viewers(config(acl="open"), "alice", unreachable) == ()
    assert viewers(config(acl="owner", acl_users="bob, carol"), "alice", lambda: False) == (
        *("alice", "bob", "carol"),
    )
