"""Files of the gateway on their way to a real YARN: once, whole, and gone after a failure."""

from __future__ import annotations

import os
import sys
import tarfile
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from places import Place
from yarn_gateway import YarnGateway, settled

from xlearning.cluster.resource_manager import APPS

PLAIN = ("--board-enable", "false")
SHOW = "stat -c '%a %s %n' f* > out/small; cat f* > out/all; ls -L big > out/big; ls -A > out/names"
# `xl-submit` whose staging fails once the application is there
FAULTY = """\
import sys
import xlearning.client.stage as stage
from xlearning.errors import StorageError
def struck(fs, contents):
    raise StorageError("struck")
stage._write_all = struck
from xlearning.client.cli import main
sys.exit(main())
"""


def small_files(folder: Path, count: int) -> list[Path]:
    paths = []
    for number in range(count):
        path = folder / f"f{number:04d} größe"
        path.write_text(f"{number}\n")
        path.chmod(0o600 + number % 8 * 9)
        paths.append(path)
    return paths


def large_archive(folder: Path) -> Path:
    (folder / "content").write_bytes(os.urandom(3 << 20))
    with tarfile.open(folder / "big.TGZ", "w:gz") as archive:
        archive.add(folder / "content", "content")
    return folder / "big.TGZ"


def test_once_whole_and_gone_after_a_failure(place: Place, gateways: Callable[[], YarnGateway]) -> None:
    gateway = gateways()
    gateway.environment["XDG_CACHE_HOME"] = str(gateway.root / "cache")
    small, big = small_files(gateway.work, 30), large_archive(gateway.work)
    options = [*PLAIN, "--files", ",".join(map(str, small)), "--archiveFiles", f"{big}#big"]
    ended = gateway.submit(*options, "--output", f"{place.at('out')}#out", "--", "bash", "-c", SHOW)
    assert ended.code == 0, ended.err
    assert "Uploading 1 file, 3.0 MiB\n" in ended.err
    assert "Uploaded 1 file, 3.0 MiB in " in ended.err
    told = place.read("out/out/small").decode().splitlines()
    assert told == [f"{p.stat().st_mode & 0o777:o} {p.stat().st_size} {p.name}" for p in small]
    assert place.read("out/out/all") == b"".join(path.read_bytes() for path in small)
    assert place.read("out/out/big") == b"content\n"
    assert b".xlearning-files.tar" not in place.read("out/out/names")
    settled(gateway, ended.app_id)

    gateway.program = (sys.executable, "-c", FAULTY)
    name = f"faulty-{uuid.uuid4().hex}"
    failed = gateway.submit(*options, "--app-name", name, "--", "true")
    assert (failed.code, failed.out) == (1, ""), failed.err
    assert "1 file, 3.0 MiB, was there already\n" in failed.err
    assert failed.err.endswith("xl-submit: struck\n")
    (app,) = [app for app in gateway.ask(APPS)["apps"]["app"] if app["name"] == name]
    assert app["finalStatus"] == "KILLED"
    settled(gateway, app["id"])


@pytest.mark.large
def test_a_thousand_files(place: Place, gateways: Callable[[], YarnGateway]) -> None:
    gateway = gateways()
    small = small_files(gateway.work, 1000)
    options = [*PLAIN, "--worker-num", 2, "--files", ",".join(map(str, small))]
    ended = gateway.submit(
        *options, "--output", f"{place.at('out')}#out", "--", "bash", "-c", "cat f* > out/all"
    )
    assert ended.code == 0, ended.err
    paths = [path for path in place.tree("out") if path.endswith("/all")]
    assert len(paths) == 2
    for path in paths:
        assert place.read(f"out/{path}") == b"".join(file.read_bytes() for file in small)
