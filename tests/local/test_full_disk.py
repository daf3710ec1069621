"""The disk of a container is full while its input comes from a real HDFS."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from places import Place
from submitting import Gateway

NO_SPACE, TOO_LARGE = "No space left on device", "File too large"
# seen by this job alone; the second way is for machines that let only root mount
SMALL_DISK = 'mount -t tmpfs -o size=6m tmpfs "$0" && exec "$@"'
NAMESPACES = (("unshare", "--map-root-user", "--mount"), ("unshare", "--mount"))
LIMIT = ("bash", "-c", 'ulimit -f 6144; exec "$@"', "limit")


def small_disk(disk: Path) -> tuple[str, ...]:
    """The beginning of a command whose disk is small; empty where nothing may be mounted."""
    for namespace in NAMESPACES:
        words = (*namespace, "bash", "-c", SMALL_DISK, str(disk))
        if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
            return words
    return ()


@pytest.mark.parametrize("how", ["disk", "limit"])
@pytest.mark.parametrize("place", ["hdfs"], indirect=True)
def test_a_download_is_given_up_when_it_cannot_be_stored(
    place: Place, gateway: Gateway, tmp_path: Path, how: str
) -> None:
    """Where nothing may be mounted, a limit of the system to the size of files stands for the small disk."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = small_disk(disk) if how == "disk" else ()
    place.write("in/small", b"x")
    place.write("in/too large", bytes(16 << 20))
    gateway.properties["xlearning.local.dir"] = str(disk)
    gateway.program = (*(mounted or LIMIT), *gateway.program)
    ended = gateway.submit(
        *("--input", f"{place.at('in')}#in", "--output", f"{place.at('out')}#out"),
        *("--conf", "xlearning.fs.retry.time=1s", "--", "cp", "-r", "in", "out/"),
    )
    assert ended.code == 2, ended.err
    assert "SUCCEEDED" not in ended.err
    words = f"it could not be prepared: 1 of 2 files could not be downloaded: {place.at('in/too large')}: "
    lines = [line for line in ended.err.splitlines() if words in line]
    assert lines, ended.err
    assert all((f"/in: {NO_SPACE}" if mounted else TOO_LARGE) in line for line in lines)
    assert not place.exists("out")
    gateway.nothing_is_left()
