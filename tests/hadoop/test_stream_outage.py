"""HDFS goes away while programs are fed from it: they read every line once, or the job says what is wrong."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from minihadoop import MiniHadoop
from submitting import Gateway, Running, wait_for
from webhdfs import WebHdfs

BLOCK, LINES = 2 << 20, 200_000
DATA = b"".join(b"%08d %s\n" % (n, b"x" * (n % 97)) for n in range(LINES))
# Reads a little, then waits for `go` before it reads the rest.
PROGRAM = """
import os, pathlib, sys, time
root, index = pathlib.Path(sys.argv[1]), os.environ["INDEX"]
with (root / f"got-{index}").open("wb", buffering=0) as got:
    got.write(sys.stdin.buffer.read(1000))
    (root / f"up-{index}").touch()
    while not (root / "go").exists():
        time.sleep(0.02)
    while data := sys.stdin.buffer.read(1 << 16):
        got.write(data)
"""


@pytest.fixture
def gateway(hadoop: MiniHadoop, tmp_path: Path) -> Iterator[Gateway]:
    gateway = Gateway(tmp_path / "gateway", hadoop.env(dict(os.environ)))
    yield gateway
    gateway.close()


@pytest.fixture
def outage(hadoop: MiniHadoop) -> Iterator[MiniHadoop]:
    """The cluster, whose HDFS is whole again afterwards whatever happens."""
    yield hadoop
    hadoop.resume("namenode")
    hadoop.start("hdfs")


def start(gateway: Gateway, source: str, name: str, *options: object) -> tuple[Running, Path]:
    """Two workers that have begun to read; and where they write what they read."""
    folder = gateway.root / name
    folder.mkdir()
    running = gateway.start(
        *("--worker-num", 2, "--input-strategy", "stream", "--input", source, *options),
        *("--conf", "xlearning.input.prefetch=0"),  # or all of it would be read before the outage
        *("--", sys.executable, "-c", PROGRAM, folder),
    )
    wait_for(lambda: len(list(folder.glob("up-*"))) == 2 or running.process.poll() is not None)
    return running, folder


def test_a_stream_survives_an_outage_or_says_what_failed(
    outage: MiniHadoop, hdfs_dir: str, gateway: Gateway
) -> None:
    path = hdfs_dir.removeprefix(outage.hdfs_uri)
    WebHdfs(outage.namenode_web).write(f"{path}/in/lines", DATA, blocksize=BLOCK)
    assert len(DATA) > 5 * BLOCK
    patient, folder = start(gateway, f"{hdfs_dir}/in", "patient", "--conf", "xlearning.fs.retry.time=900s")
    hasty, other = start(gateway, f"{hdfs_dir}/in", "hasty", "--conf", "xlearning.fs.retry.time=1s")
    outage.stop("datanode", kill=True)
    (folder / "go").touch()
    (other / "go").touch()
    failed = hasty.end()
    assert failed.code == 2
    assert f"its input could not be read: {hdfs_dir}/in/lines at byte " in failed.err
    assert "Traceback" not in failed.err
    fed = [(folder / f"got-{index}").stat().st_size for index in (0, 1)]
    assert sum(fed) < len(DATA)
    outage.pause("namenode")  # now nobody answers at all
    threading.Event().wait(2)
    assert patient.process.poll() is None, patient.err
    outage.resume("namenode")
    outage.start("datanode")
    ended = patient.end()
    assert ended.code == 0, ended.err
    assert b"".join((folder / f"got-{index}").read_bytes() for index in (0, 1)) == DATA
    gateway.nothing_is_left()
