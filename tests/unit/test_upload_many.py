"""Many small files as one, and temporary folders that outlive nobody."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from xlearning.client.planning.resources import Shipped
from xlearning.client.uploading.many_files import MOST, gather
from xlearning.cluster import bundle, scratch
from xlearning.cluster.scratch import Scratch
from xlearning.errors import UsageError, XLearningError
from xlearning.fs import FileSystems
from xlearning.job import LocalResource, ResourceKind

FSS = FileSystems("file://")
NAMES = ["plain.txt", "größe", "a b\t$(x)'\"", "-n", ".hidden", "\udcff\udcfe", "x" * 250]


def shipped(path: Path, name: str, kind: ResourceKind = ResourceKind.FILE, *, upload: bool = True) -> Shipped:
    uri = f"file://{path}"
    return Shipped(LocalResource(name, uri, kind), FSS.of(uri).stat(uri), upload)


def listed(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_names_bytes_modes_and_times_arrive(tmp_path: Path) -> None:
    source, work = tmp_path / "source", tmp_path / "work"
    source.mkdir()
    work.mkdir()
    modes = [0o644, 0o755, 0o600, 0o400, 0o777, 0o640, 0o444]
    for number, (name, mode) in enumerate(zip(NAMES, modes, strict=True)):
        (source / str(number)).write_bytes(os.urandom(number * 1000))
        (source / str(number)).chmod(mode)
        os.utime(source / str(number), (number, 10_000 * number))
        assert name
    files = {name: source / str(number) for number, name in enumerate(NAMES)}
    bundle.write(files, tmp_path / "bundle")
    (work / bundle.NAME).symlink_to(tmp_path / "bundle")
    bundle.write(dict(reversed(files.items())), tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (work / bundle.NAME).read_bytes()
    bundle.unpack(work)
    assert listed(work) == sorted(NAMES)
    for number, (name, mode) in enumerate(zip(NAMES, modes, strict=True)):
        there = work / name
        assert there.read_bytes() == (source / str(number)).read_bytes()
        found = there.stat()
        assert (found.st_mode & 0o777, found.st_mtime) == (mode, 10_000 * number)
    bundle.unpack(work)  # nothing is left to do
    (work / bundle.NAME).symlink_to(tmp_path / "bundle")
    with pytest.raises(XLearningError, match="of --files cannot be put into the working folder: File exists"):
        bundle.unpack(work)


def test_a_bundle_stays_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "evil").write_text("x")
    bundle.write({"../evil": tmp_path / "evil"}, tmp_path / bundle.NAME)
    with pytest.raises(XLearningError, match="no plain file"):
        bundle.unpack(tmp_path)


def test_only_many_small_files_of_this_machine_are_gathered(tmp_path: Path) -> None:
    items = []
    for number in range(MOST + 1):
        path = tmp_path / f"f{number}"
        path.write_text(str(number))
        items.append(shipped(path, path.name))
    (tmp_path / "large").write_bytes(b"x" * 100)
    others = (
        shipped(tmp_path / "large", "large"),
        shipped(tmp_path / "f0", "archive", ResourceKind.ARCHIVE),
        shipped(tmp_path / "f0", "remote", upload=False),
        shipped(tmp_path, "folder"),
    )
    assert gather([*items[1:], *others], FSS, tmp_path, smallest=100) == (*items[1:], *others)
    *rest, one = gather([*items, *others], FSS, tmp_path, smallest=100)
    assert tuple(rest) == others
    assert (one.resource.name, one.upload, one.resource.kind) == (bundle.NAME, True, ResourceKind.FILE)
    (tmp_path / "f3").unlink()
    (tmp_path / "f5").unlink()
    with pytest.raises(UsageError, match=r"(?s)2 problems.*f3 cannot be read: No such file.*f5"):
        gather(items, FSS, tmp_path, smallest=100)


def test_a_folder_goes_with_its_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Scratch() as work:
        (work / "file").write_text("x")
        assert scratch.sweep(time.time() + 10**6) == 0
        assert listed(work) == ["file"]
    assert listed(tmp_path) == []


def test_a_folder_is_never_seen_unlocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another client may look at any moment."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    lock = fcntl.flock
    looked = []

    def locked_slowly(file: object, how: int) -> None:
        if not looked:
            looked.append(1)
            assert scratch.sweep() == 0
        lock(file, how)  # type: ignore[arg-type]

    monkeypatch.setattr(fcntl, "flock", locked_slowly)
    with Scratch() as work:
        assert work.is_dir()


def test_the_folder_of_a_killed_user_is_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "from xlearning.cluster.scratch import Scratch; import os\n"
        "with Scratch() as work: (work / 'x').touch(); os.kill(os.getpid(), 9)"
    )
    words = [sys.executable, "-c", program]
    ended = subprocess.run(words, env={**os.environ, "TMPDIR": str(tmp_path)}, check=False, timeout=60)
    assert ended.returncode == -9
    (tmp_path / f"{scratch.PREFIX}young").mkdir()  # about to be locked
    (tmp_path / f"{scratch.PREFIX}file").touch()
    (tmp_path / "xlearning-of-somebody").mkdir()
    assert len(listed(tmp_path)) == 4
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert scratch.sweep() == 1
    assert scratch.sweep(time.time() + 7200) == 1
    assert listed(tmp_path) == ["xlearning-of-somebody", f"{scratch.PREFIX}file"]
