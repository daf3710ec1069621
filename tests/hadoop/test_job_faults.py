"""Jobs whose input may not be read or whose output HDFS refuses fail, name the file, and publish nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from places import Place
from submitting import Gateway
from webhdfs import WebHdfs

from xlearning.fs import split_uri


@pytest.fixture
def gateway(hadoop: MiniHadoop, tmp_path: Path) -> Iterator[Gateway]:
    # not the user who started the NameNode, who may do everything
    environ = {**hadoop.env(dict(os.environ)), "HADOOP_USER_NAME": "stranger"}
    gateway = Gateway(tmp_path / "gateway", environ)
    yield gateway
    gateway.close()


def test_quota_and_permission(hadoop: MiniHadoop, place: Place, gateway: Gateway) -> None:
    web, path = WebHdfs(hadoop.namenode_web), split_uri(place.uri)[2]
    for name in ("full", "free"):
        web.mkdirs(f"{path}/{name}")
        web.chown(f"{path}/{name}", "stranger")
    web.set_quota(f"{path}/full", space=1 << 20)  # less than a block, so there is room for folders only
    place.write("in/open", b"x")
    place.storage.of(place.uri).chmod(place.write("in/not yours", b"secret"), 0o600)
    program = ("--", "bash", "-c", "mkdir -p out/sub; echo x > 'out/sub/a file'; seq 1000")
    under_way = [
        gateway.start("--output", f"{place.at('full/files')}#out", *program),
        gateway.start("--output", place.at("full/lines"), "--output-strategy", "stream", *program),
        gateway.start("--input", f"{place.at('in')}#in", "--output", f"{place.at('free/out')}#out", *program),
        gateway.start("--input", place.at("in"), "--input-strategy", "stream", "--", "wc", "-l"),
    ]
    files, lines, unreadable, fed = (running.end() for running in under_way)
    for ended in (files, lines, unreadable, fed):
        assert ended.code == 2, ended.err
        assert "SUCCEEDED" not in ended.err and "Traceback" not in ended.err
    assert "its output could not be uploaded: 1 of 1 files could not be uploaded: sub/a file: " in files.err
    assert "quota" in files.err
    assert "its output could not be uploaded: " in lines.err and "/part-r-00000: " in lines.err
    assert "quota" in lines.err
    assert (
        f"1 of 2 files could not be downloaded: {place.at('in/not yours')}: Permission denied"
        in unreadable.err
    )
    assert f"its input could not be read: {place.at('in/not yours')} at byte 0: " in fed.err
    assert "Permission denied" in fed.err
    assert not place.tree("full") and not place.tree("free")
    gateway.nothing_is_left()
