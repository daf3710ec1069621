"""A job with its data on a real S3 server, and where its secret key is not."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from places import Place
from s3_server import ACCESS, SECRET, S3Server
from submitting import Ended, Gateway

from xlearning.config import Config
from xlearning.fs import FileSystems, join

LINES = b"".join(b"line %d\n" % number for number in range(5000))


@pytest.fixture
def gateway(s3: S3Server, tmp_path: Path) -> Iterator[Gateway]:
    environ = {name: value for name, value in os.environ.items() if name != "HADOOP_CONF_DIR"}
    gateway = Gateway(tmp_path / "gateway", environ)
    gateway.properties |= {
        "hbox.s3.cluster": s3.endpoint,
        "hbox.s3.key.access": ACCESS,
        "hbox.s3.key.secret": SECRET,
        "xlearning.s3.region": "us-east-1",
    }
    yield gateway
    gateway.close()


@pytest.fixture
def place(s3: S3Server, gateway: Gateway) -> Place:
    bucket = s3.bucket(f"job-{uuid.uuid4().hex[:8]}")
    return Place(bucket, FileSystems(config=Config.from_properties(gateway.properties)))


def holds_secret(root: Path) -> list[str]:
    """Every file below ``root`` that others could read and that holds the secret key."""
    return [
        str(path.relative_to(root))
        for path in root.rglob("*")
        if path.is_file() and path.name != "xlearning-site.xml" and SECRET.encode() in path.read_bytes()
    ]


def is_silent(ended: Ended, gateway: Gateway) -> None:
    assert SECRET not in ended.err + ended.out
    assert holds_secret(gateway.root) == []
    gateway.nothing_is_left()


def test_download_and_output(gateway: Gateway, place: Place) -> None:
    place.write("in/a", LINES)
    place.write("in/sub/b", b"small")
    looked = (
        "import os, pathlib; staging = pathlib.Path(os.environ['STAGING_ROOT']); "
        "print([oct(p.stat().st_mode)[-3:] for p in staging.iterdir()])"
    )
    pattern = f"{SECRET[:-1]}[{SECRET[-1]}]"  # the command itself must not hold it
    ended = gateway.submit(
        *("--worker-num", 2, "--input", f"{place.at('in')}#in", "--output", f"{place.at('out')}#out"),
        *("--env", f"STAGING_ROOT={gateway.staging}"),
        *("--", "bash", "-c", f"cp -r in out/; mkdir out/empty; ! env | grep {pattern} && "
          f'python3 -c "{looked}" > out/modes'),
    )  # fmt: skip
    assert ended.code == 0, ended.err
    tree = place.tree("out")
    assert "_SUCCESS" in tree and not any("_temporary" in name or ".part" in name for name in tree)
    (copied,) = [name for name in tree if name.endswith("in/a")]
    assert place.read(f"out/{copied}") == LINES
    modes = [place.read(f"out/{name}") for name in tree if name.endswith("modes")]
    assert modes == [b"['700']\n"] * 2
    assert not list(place.storage.of(place.uri).glob(join(place.uri, "out", "_temporary*")))
    again = gateway.submit("--input", place.at("in"), "--output", f"{place.at('out')}#out", "--", "true")
    assert again.code == 1 and "out" in again.err
    is_silent(ended, gateway)
    is_silent(again, gateway)


def test_stream(gateway: Gateway, place: Place) -> None:
    place.write("in/a", LINES)
    ended = gateway.submit(
        *("--worker-num", 2, "--input-strategy", "stream", "--input", place.at("in")),
        *("--conf", "xlearning.input.split.maxsize=16k", "--output", f"{place.at('out')}#out"),
        *("--", "bash", "-c", "cat > out/$INDEX"),
    )
    assert ended.code == 0, ended.err
    parts = sorted((name.rpartition("/")[2], name) for name in place.tree("out") if name != "_SUCCESS")
    assert b"".join(place.read(f"out/{name}") for _, name in parts) == LINES
    is_silent(ended, gateway)


def test_what_is_wrong_is_said_before_anything_runs(gateway: Gateway, place: Place) -> None:
    place.write("in/a", LINES)
    shown = gateway.submit("--dry-run", "--input", place.at("in"), "--", "true")
    assert shown.code == 0 and "in/a" in shown.out + shown.err, shown.err
    is_silent(shown, gateway)
    wrong = SECRET.replace("test", "fake")
    ended = gateway.submit("--conf", f"hbox.s3.key.secret={wrong}", "--input", place.at("in"), "--", "true")
    assert ended.code == 1 and "SignatureDoesNotMatch" in ended.err and wrong not in ended.err
    gateway.properties["xlearning.staging.dir"] = place.at("staging")
    ended = gateway.submit("--", "true")
    assert ended.code == 1 and "S3 has no permission bits" in ended.err, ended.err
    is_silent(ended, gateway)
