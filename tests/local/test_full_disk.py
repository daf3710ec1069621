"""The disk of a container is full while its input comes from a real HDFS."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from places import Place
from submitting import Gateway

SMALL_DISK = 'mount -t tmpfs -o size=6m tmpfs "$0" && exec "$@"'  # seen by this job alone
NAMESPACE = ("unshare", "--map-root-user", "--mount")


@pytest.mark.parametrize("place", ["hdfs"], indirect=True)
def test_a_download_is_given_up_when_the_disk_stays_full(
    place: Place, gateway: Gateway, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    refused = subprocess.run(
        [*NAMESPACE, "bash", "-c", SMALL_DISK, str(disk), "true"], capture_output=True, text=True, check=False
    )
    if refused.returncode:
        pytest.skip(f"no disk of its own for a job here: {refused.stderr}")
    place.write("in/small", b"x")
    place.write("in/too large", bytes(16 << 20))
    gateway.properties["xlearning.local.dir"] = str(disk)
    gateway.program = (*NAMESPACE, "bash", "-c", SMALL_DISK, str(disk), *gateway.program)
    ended = gateway.submit(
        *("--input", f"{place.at('in')}#in", "--output", f"{place.at('out')}#out"),
        *("--conf", "xlearning.fs.retry.time=1s", "--", "cp", "-r", "in", "out/"),
    )
    assert ended.code == 2, ended.err
    assert "SUCCEEDED" not in ended.err
    words = f"it could not be prepared: 1 of 2 files could not be downloaded: {place.at('in/too large')}: "
    lines = [line for line in ended.err.splitlines() if words in line]
    assert lines, ended.err
    assert all("/in: No space left on device" in line for line in lines)
    assert not place.exists("out")
    gateway.nothing_is_left()
