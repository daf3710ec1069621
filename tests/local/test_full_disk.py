"""The disk of a container is full while its input comes from a real HDFS."""

from __future__ import annotations

import shutil
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
    for namespace in NAMESPACES if shutil.which("unshare") else ():
        words = (*namespace, "bash", "-c", SMALL_DISK, str(disk))
        if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
            return words
    return ()


@pytest.mark.parametrize("place", ["hdfs"], indirect=True)
def test_a_download_is_given_up_when_it_cannot_be_stored(
    place: Place, gateway: Gateway, tmp_path: Path
) -> None:
    """On a small disk where one can be mounted, and by a limit of the system to file sizes anywhere."""
    disk = tmp_path / "disk"
    disk.mkdir()
    place.write("in/small", b"x")
    place.write("in/too large", bytes(16 << 20))
    gateway.properties["xlearning.local.dir"] = str(disk)
    begin, under_way = gateway.program, {}
    for reason, prefix in ((f"/in: {NO_SPACE}", small_disk(disk)), (TOO_LARGE, LIMIT)):
        if prefix:
            gateway.program = (*prefix, *begin)
            under_way[reason] = gateway.start(
                *("--input", f"{place.at('in')}#in", "--output", f"{place.at(f'out{len(under_way)}')}#out"),
                *("--conf", "xlearning.fs.retry.time=1s", "--", "cp", "-r", "in", "out/"),
            )
    for reason, running in under_way.items():
        ended = running.end()
        assert ended.code == 2, ended.err
        assert "SUCCEEDED" not in ended.err
        words = (
            f"it could not be prepared: 1 of 2 files could not be downloaded: {place.at('in/too large')}: "
        )
        lines = [line for line in ended.err.splitlines() if words in line]
        assert lines, ended.err
        assert all(reason in line for line in lines), ended.err
    assert place.children() == ["in"]
    gateway.nothing_is_left()
