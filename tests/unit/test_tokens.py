"""Files of delegation tokens: both formats, names for services, and what is no such file."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xlearning.config import hadoop_xml
from xlearning.errors import CredentialsError
from xlearning.fs.tokens import HDFS, BadTokens, Token, adopt, parse, put_vlong, render, with_names

IP = Token(b"127.0.0.1:9000", b"\x00id", b"secret", HDFS.encode(), b"127.0.0.1:9000")
YARN = Token(b"", b"other", b"pw", b"YARN_AM_RM_TOKEN", b"")
# as Hadoop's class Credentials lays them out: one token "a" of kind "K" for service "s"
VECTOR = bytes.fromhex("48445453 00 01 0161 026964 027077 014b 0173 00".replace(" ", ""))
PROTOBUF = bytes.fromhex("48445453 01 15 0a13 0a0161 120e 0a026964 12027077 1a014b 220173".replace(" ", ""))


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, "00"), (127, "7f"), (128, "8f80"), (255, "8fff"), (256, "8e0100"), (2**31 - 1, "8c7fffffff"),
     (-1, "ff"), (-112, "90"), (-113, "8770"), (2**63 - 1, "887fffffffffffffff")],
)  # fmt: skip
def test_numbers_as_hadoop_writes_them(value: int, written: str) -> None:
    assert put_vlong(value).hex() == written


@pytest.mark.parametrize("content", [VECTOR, PROTOBUF])
def test_both_formats(content: bytes) -> None:
    assert parse(content) == [Token(b"a", b"id", b"pw", b"K", b"s")]


def test_what_is_written_is_hadoops_own_format() -> None:
    assert render(parse(PROTOBUF)) == VECTOR


@given(st.lists(st.builds(Token, *[st.binary(max_size=300)] * 5), max_size=5))
def test_round_trip(tokens: list[Token]) -> None:
    assert parse(render(tokens)) == tokens


@pytest.mark.parametrize("content", [VECTOR, PROTOBUF])
def test_a_part_of_a_file_is_refused(content: bytes) -> None:
    for size in range(len(content)):
        with pytest.raises(BadTokens):
            parse(content[:size])


@given(st.binary(max_size=100))
def test_anything_is_parsed_or_refused(content: bytes) -> None:
    for start in (b"", b"HDTS\x00", b"HDTS\x01"):
        try:
            parse(start + content)
        except BadTokens:
            continue


def test_a_token_is_found_by_every_name_of_its_host() -> None:
    table = {"nn": ["10.0.0.1", "127.0.0.1"], "other": ["10.0.0.9"]}
    named = with_names(
        [IP, YARN], ["nn:9000", "other:9000", "nn:9001", "nn:9000"], lambda h: table.get(h, [])
    )
    assert named[:2] == [IP, YARN]
    (added,) = named[2:]
    assert (added.service, added.alias, added.password) == (b"nn:9000", b"nn:9000", b"secret")


def test_a_service_that_is_a_name_already_or_a_nameservice_stays() -> None:
    tokens = [
        Token(b"nn:9000", b"", b"", HDFS.encode(), b"nn:9000"),
        Token(b"x", b"", b"", HDFS.encode(), b"ha-hdfs:ns"),
    ]
    assert with_names(tokens, ["nn:9000", "ns"], lambda _: []) == tokens


def test_a_host_without_port_means_the_usual_one() -> None:
    token = Token(b"", b"", b"", HDFS.encode(), b"10.0.0.1:8020")
    services = [t.service for t in with_names([token], ["nn"], lambda _: ["10.0.0.1"])]
    assert services == [b"10.0.0.1:8020", b"nn", b"nn:8020"]


def environment(folder: Path, authentication: str, content: bytes) -> dict[str, str]:
    row = f"<property><name>hadoop.security.authentication</name><value>{authentication}</value></property>"
    (folder / "core-site.xml").write_text(f"<configuration>{row}</configuration>")
    (folder / "given").write_bytes(content)
    return {
        "HADOOP_TOKEN_FILE_LOCATION": str(folder / "given"),
        "HADOOP_CONF_DIR": str(folder),
        "HADOOP_USER_NAME": "somebody",
    }


def test_the_copy_is_private_and_takes_the_place_of_the_original(tmp_path: Path) -> None:
    environ = environment(tmp_path, "kerberos", render([IP, YARN]))
    assert adopt(environ, tmp_path, ["hdfs://localhost:9000", "file:///x"])
    copy = Path(environ["HADOOP_TOKEN_FILE_LOCATION"])
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    services = [token.service for token in parse(copy.read_bytes())]
    assert services == [IP.service, b"", b"localhost:9000"]
    assert "HADOOP_USER_NAME" not in environ
    assert parse((tmp_path / "given").read_bytes()) == [IP, YARN]


def test_a_view_has_the_names_of_what_stands_behind_it(tmp_path: Path) -> None:
    environ = environment(tmp_path, "kerberos", render([IP]))
    values = hadoop_xml.read(tmp_path / "core-site.xml").values
    mounts = {"link./user": "hdfs://localhost:9000/user", "link./s3": "s3a://bucket/"}
    mounts = {f"fs.viewfs.mounttable.v.{name}": target for name, target in mounts.items()}
    hadoop_xml.write(tmp_path / "core-site.xml", {**values, **mounts})
    assert adopt(environ, tmp_path, ["viewfs://v", "viewfs://unknown"])
    services = [token.service for token in parse(Path(environ["HADOOP_TOKEN_FILE_LOCATION"]).read_bytes())]
    assert services == [IP.service, b"localhost:9000"]


def test_nothing_happens_without_tokens(tmp_path: Path) -> None:
    environ = {"HADOOP_USER_NAME": "somebody"}
    assert not adopt(environ, tmp_path, ["hdfs://localhost:9000"])
    assert environ == {"HADOOP_USER_NAME": "somebody"}


@pytest.mark.parametrize("content", [b"", b"HDTS", VECTOR[:-3], b"<html>"])
def test_a_damaged_file_is_told(tmp_path: Path, content: bytes) -> None:
    environ = environment(tmp_path, "kerberos", content)
    with pytest.raises(CredentialsError, match=r"HADOOP_TOKEN_FILE_LOCATION=.*given cannot be read: it"):
        adopt(environ, tmp_path, [])


def test_a_plain_configuration_is_told_before_hdfs_native_hangs_on_it(tmp_path: Path) -> None:
    environ = environment(tmp_path, "simple", render([IP]))
    with pytest.raises(CredentialsError, match="does not say hadoop"):
        adopt(environ, tmp_path, [])
    del environ["HADOOP_CONF_DIR"]
    with pytest.raises(CredentialsError, match="HADOOP_CONF_DIR=not set"):
        adopt(environ, tmp_path, [])
